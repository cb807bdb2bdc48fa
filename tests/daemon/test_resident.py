"""Resident memory, read from what the kernel shows."""

from __future__ import annotations

from pathlib import Path

from edge.daemon.resident import mapped_bytes, resident_bytes

SMAPS = """\
7f1000000000-7f1020000000 r--s 00000000 08:01 42   /models/a-b/qwen model.gguf
Size:             524288 kB
Rss:              400000 kB
Pss:              400000 kB
VmFlags: rd mr me ms sd
7f2000000000-7f2000100000 rw-p 00000000 00:00 0
Rss:                1024 kB
7f3000000000-7f3000100000 r--s 00000000 08:01 43   /models/other.gguf
Rss:                 100 kB
7f4000000000-7f4000100000 r--s 00000000 08:01 44   /models/x.gguf.part
Rss:                   7 kB
"""


def test_mapped_files_of_a_kind_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "smaps").write_text(SMAPS)
    assert mapped_bytes(".gguf", tmp_path) == 400100 * 1024
    assert mapped_bytes("other.gguf", tmp_path) == 100 * 1024
    assert mapped_bytes(".onnx", tmp_path) == 0


def test_the_resident_set(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("Name:\tedge\nVmPeak:\t 9 kB\nVmRSS:\t  2048 kB\n")
    assert resident_bytes(tmp_path) == 2048 * 1024
    assert resident_bytes() > 1024 * 1024
