"""The files in which a kernel tells of a board, in a folder of a test's own."""

from __future__ import annotations

from pathlib import Path

from edge.daemon.board import Board


class FakeBoard:
    """Writes them. A board that was told nothing tells nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.board = Board(root)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def cool(self, degrees: float = 41.0) -> None:
        self.write("sys/class/thermal/thermal_zone0/temp", f"{round(degrees * 1000)}\n")

    def throttle(self, bits: int) -> None:
        self.write("sys/devices/platform/soc/soc:firmware/get_throttled", f"{bits:x}\n")

    def busy(self, load: float, cores: int = 4) -> None:
        self.write("proc/loadavg", f"{load:.2f} 1.00 1.00 2/345 6789\n")
        for core in range(cores):
            self.write(f"sys/devices/system/cpu/cpu{core}/online", "1\n")

    def memory(self, available_mb: int, total_mb: int = 4000) -> None:
        lines = f"MemTotal: {total_mb * 1024} kB\nMemFree: 1 kB\nMemAvailable: {available_mb * 1024} kB\n"
        self.write("proc/meminfo", lines)

    def press(self, percent: float) -> None:
        some = f"some avg10={percent:.2f} avg60=0.00 avg300=0.00 total=1\n"
        self.write("proc/pressure/memory", some + "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n")
