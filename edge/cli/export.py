"""`edge export`: all of your memory as JSON lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from edge.cli.options import Options, asking, pass_options


@click.command(short_help="Write all of your memory as JSON lines.")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False), metavar="[FILE]")
@click.option("--force", is_flag=True, help="Replace FILE where it is there already.")
@asking
@pass_options
def export(options: Options, file: Path | None, force: bool) -> None:
    """Write all that is remembered of you, and what was said, to FILE or to standard output.

    One JSON object on a line: turns, memories of every kind with their history and where they come from, clusters,
    contexts; edge/memory/PORTABLE.md describes them. `edge import` reads it. FILE is readable by you alone, and is
    there only when it is whole. What you asked to keep is in it, secrets too.

    \b
    edge export my-memory.jsonl
    edge export | gzip > my-memory.jsonl.gz
    """
    from edge.cli.terminal import print_err, print_json

    client = options.client()
    if file is None:
        for line in client.export():
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        return
    if file.exists() and not force:
        raise click.UsageError(f"{file} is there already; --force replaces it.")
    count = _write(options, file)
    if options.as_json:
        print_json({"path": str(file), "lines": count})
        return
    print_err(f"{file}: {count:,} lines.")


def _write(options: Options, file: Path) -> int:
    from edge.cli.progress import ProgressLine

    client = options.client()
    counts = client.status()["counts"]
    total = counts["units"] + counts["turns"]
    written = 0
    with _whole(file) as target, ProgressLine() as line:
        for text in client.export():
            target.write(text)
            written += 1
            if written % 100 == 0:
                line.show("exporting", min(written, total), total, f"{total:,}")
    return written


@contextmanager
def _whole(file: Path) -> Iterator[IO[bytes]]:
    """A file that takes the name when all is written, and is gone where that fails."""
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
