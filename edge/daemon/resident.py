"""How much memory the process takes, and which part of it."""

from __future__ import annotations

from pathlib import Path

_PAGE_KB = 1024


def resident_bytes(proc: Path = Path("/proc/self")) -> int:
    """Resident set size of this process."""
    for line in (proc / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * _PAGE_KB
    return 0


def mapped_bytes(suffix: str, proc: Path = Path("/proc/self")) -> int:
    """Resident bytes of mapped files whose name ends so: how much of a model's weights is in memory."""
    total, ours = 0, False
    for line in (proc / "smaps").read_text(errors="replace").splitlines():
        if line.startswith("Rss:") and ours:
            total += int(line.split()[1]) * _PAGE_KB
        elif "-" in line.split(" ", 1)[0]:
            ours = line.endswith(suffix)
    return total
