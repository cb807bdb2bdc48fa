"""Checks that what the Markdown files link to exists: files, folders and headings of this checkout."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
INDENTED = re.compile(r"^(?: {4}|\t).*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~)[^\n]*\n.*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links(text: str) -> Iterator[str]:
    """The targets of a document's links, code left out."""
    prose = SPAN.sub("", INDENTED.sub("", FENCE.sub("", text)))
    for match in LINK.finditer(prose):
        yield match[1] or match[2]


def anchors(text: str) -> set[str]:
    """The names GitHub gives to a document's headings; a repeated one gets a number."""
    seen: dict[str, int] = {}
    names = set()
    for title in HEADING.findall(FENCE.sub("", text)):
        name = re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def broken(document: Path) -> Iterator[str]:
    """What is wrong with the links of a document, one sentence each. Links to other sites are not followed."""
    for target in links(document.read_text(encoding="utf-8")):
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = unquote(target).partition("#")
        linked = document.parent / path if path else document
        if not linked.exists():
            yield f"{document}: {target} does not exist"
        elif anchor and linked.suffix == ".md" and anchor not in anchors(linked.read_text(encoding="utf-8")):
            yield f"{document}: {target} names no heading"


def main() -> int:
    """Print what is broken in the Markdown files that git knows or would add; 1 if anything is."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    problems = [problem for name in names if name and Path(name).exists() for problem in broken(Path(name))]
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
