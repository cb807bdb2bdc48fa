"""`edge import`: bring in what `edge export` wrote, or what other programs export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from edge.cli.options import Options, asking, pass_options

if TYPE_CHECKING:
    from edge.wire import ImportAnswer

_PIECE = 256 * 1024
_LONGEST_LINE = 17 * 1024 * 1024


@click.command("import", short_help="Bring in an export of edge, mem0 or ChatGPT.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), metavar="FILE")
@asking
@pass_options
def import_(options: Options, file: Path) -> None:
    """Bring in memories and turns from FILE, or from standard input where it is -. They become yours.

    Reads what `edge export` writes (edge/memory/PORTABLE.md), mem0's memories (the JSON of get_all, or of an export)
    and the conversations.json of a ChatGPT export. What is there already is passed over, so that an import that
    broke off is begun again and goes on. A wrong line is named, and nothing of its batch of 100 is kept. Secrets are
    replaced by a mark, unless their line says keep_secrets, as an export does of those that you asked to keep.

    \b
    edge import my-memory.jsonl
    edge import conversations.json
    zcat my-memory.jsonl.gz | edge import -
    """
    from edge.cli.terminal import print_err, print_json, print_out

    client = options.client()
    if str(file) == "-":
        answer = client.import_lines(_lines_of(sys.stdin.buffer))
    else:
        with file.open("rb") as source:
            answer = client.import_lines(_shown(_lines_of(source), source, file.stat().st_size))
    if options.as_json:
        print_json(answer)
        return
    print_out(_told(answer))
    if answer["redacted"]:
        print_err(f"Secrets were taken out of {answer['redacted']:,} lines; keep_secrets in a line keeps them.")


def _lines_of(source: IO[bytes]) -> Iterator[bytes]:
    """Native lines, piece by piece, or those that another program's export becomes."""
    from edge.cli.foreign import converted

    first = source.readline(_LONGEST_LINE)
    lines = converted(first, source)
    if lines is not None:
        yield from lines
        return
    yield first
    while piece := source.read(_PIECE):
        yield piece


def _shown(pieces: Iterator[bytes], source: IO[bytes], total: int) -> Iterator[bytes]:
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import size

    with ProgressLine() as line:
        for piece in pieces:
            yield piece
            line.show("importing", min(source.tell(), total), total, size(total))


def _told(answer: ImportAnswer) -> str:
    added = answer["added"]
    new = [f"{added[name]:,} {words}" for name, words in (("memory", "memories"), ("turn", "turns")) if name in added]
    known = f"; {answer['known']:,} records were there already" if answer["known"] else ""
    return f"New: {' and '.join(new) or 'nothing'}{known}."
