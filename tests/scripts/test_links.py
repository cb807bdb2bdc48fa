"""The check of links notices what is not there, and leaves alone what is no link."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.scripts.conftest import REPOSITORY

SCRIPT = REPOSITORY / "scripts/check_links.py"


def problems(folder: Path, text: str) -> str:
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / "other.md").write_text("# A heading: with `code`\n\n# 标题\n")
    (folder / "page.md").write_text(text)
    return subprocess.run([sys.executable, SCRIPT], cwd=folder, capture_output=True, text=True).stdout


def test_broken_links_are_named(tmp_path: Path) -> None:
    text = "[a](gone.md) [b](other.md#nothing)\n\n[c]: lost/file.txt\n"
    assert problems(tmp_path, text).splitlines() == [
        "page.md: gone.md does not exist",
        "page.md: other.md#nothing names no heading",
        "page.md: lost/file.txt does not exist",
    ]


def test_good_links_and_code_pass(tmp_path: Path) -> None:
    text = (
        "# Here\n[a](other.md#a-heading-with-code) [b](other.md#标题) [c](#here) [d](https://example.org/x)\n"
        "`[e](gone.md)`\n\n    [f](gone.md)\n\n```\n[g](gone.md)\n```\n"
    )
    assert problems(tmp_path, text) == ""
