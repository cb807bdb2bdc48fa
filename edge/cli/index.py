"""`edge index`: the index of vectors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from edge.cli.options import Options, asking, pass_options
from edge.errors import EdgeError, IndexDamaged
from edge.wire import IndexAnswer, IndexWire

if TYPE_CHECKING:
    from edge.client.calls import Client

POLL_SECONDS = 0.5
_DOING = {"seal": "sealing fresh vectors into a file", "merge": "merging files", "rebuild": "rebuilding"}


@click.group()
@asking
def index() -> None:
    """Show, rebuild and verify the index by which memories are found by meaning.

    It is built from the database, in the background: nothing is lost with it.

    \b
    edge index status
    """


@index.command()
@asking
@pass_options
def status(options: Options) -> None:
    """Show what is in the index, its files, what it does, and what was wrong with it.

    \b
    edge index status
    edge index status --json | jq '[.serving.segments[].bytes] | add'
    """
    from edge.cli.terminal import print_json, print_out, table

    found = options.client().index()
    if options.as_json:
        print_json(found)
        return
    for line in table(_rows(found)):
        print_out(line)


@index.command()
@click.option("--no-wait", is_flag=True, help="Begin, and do not wait for the end.")
@asking
@pass_options
def rebuild(options: Options, no_wait: bool) -> None:
    """Build the index anew from the database, while it goes on answering.

    It goes on in the daemon, also after Ctrl-C.

    \b
    edge index rebuild
    edge index rebuild --no-wait
    """
    from edge.cli.terminal import print_err, print_json, print_out

    client = options.client()
    found = client.rebuild_index()
    if not no_wait:
        try:
            found = _wait(client, found)
        except KeyboardInterrupt:
            print_err("The rebuild goes on in the daemon; `edge index status` shows how far it is.")
            raise
    if options.as_json:
        print_json(found)
    elif no_wait:
        print_out("The rebuild has begun; `edge index status` shows how far it is.")
    else:
        print_out(f"Rebuilt: {_count(sum(each['vectors'] for each in _each(found)))}.")


def _wait(client: Client, found: IndexAnswer) -> IndexAnswer:
    """Ask again and again until it is rebuilt. Raises the error that holds it up."""
    from edge.cli.progress import ProgressLine
    from edge.client.answers import error_from_wire

    with ProgressLine() as line:
        while any(each["rebuilding"] for each in _each(found)):
            if found["held_up"] is not None:
                raise error_from_wire({"error": found["held_up"]})
            for each in _each(found):
                if each["work"] is not None and each["work"]["task"] == "rebuild":
                    done, total = each["work"]["done"], each["work"]["total"]
                    line.show(f"rebuilding {each['embedder']}", done, total, _count(total))
            time.sleep(POLL_SECONDS)
            found = client.index()
    return found


@index.command()
@asking
@pass_options
def verify(options: Options) -> None:
    """Compare every vector in the index with its checksum and with the database.

    What is wrong is moved aside and rebuilt; then the exit status is 8. Turns come between, and Ctrl-C ends it.

    \b
    edge index verify
    """
    from edge.cli.progress import ProgressLine
    from edge.cli.terminal import on_one_line, print_json, print_out

    with options.client().verify_index() as running, ProgressLine() as line:
        for at in running:
            line.show(f"verifying {at['embedder']}", at["done"], at["total"], _count(at["total"]))
        result = running.result
    if options.as_json:
        print_json(result)
    for fault in () if options.as_json else result["faults"]:
        print_out(on_one_line(fault))
    if result["faults"]:
        raise _damaged(len(result["faults"]), rebuilding=result["rebuilding"])
    if not options.as_json:
        print_out(f"Whole: {_count(result['vectors'])}, each as the database has it.")


def _damaged(faults: int, *, rebuilding: bool) -> EdgeError:
    what = f"{faults} fault{'' if faults == 1 else 's'} in the index"
    after = "what was wrong is being rebuilt" if rebuilding else "what was wrong was taken out"
    return IndexDamaged(f"{what}; {after}.", faults=faults, rebuilding=rebuilding)


def _rows(found: IndexAnswer) -> Iterator[tuple[str, str]]:
    if found["serving"] is None:
        yield "index", "none: there is no embedder; `edge status` says why"
    else:
        yield from _index_rows(found["serving"])
    if found["held_up"] is not None:
        yield "waits", f"{found['held_up'].get('message', '')} {found['held_up'].get('hint', '')}".rstrip()
    changing = found["changing"]
    if changing is not None:
        yield "", ""
        done = f"{changing['done']:,} of {changing['total']:,} memories embedded"
        yield "to come", f"{changing['embedder']}, {done}"
    if found["coming"] is not None:
        yield from list(_index_rows(found["coming"]))[1:]


def _index_rows(each: IndexWire) -> Iterator[tuple[str, str]]:
    from edge.cli.terminal import size

    yield "embedder", each["embedder"]
    yield "vectors", _vectors(each)
    yield from _files(each)
    yield "memory", size(each["memory_bytes"])
    yield "doing", _doing(each)
    title = "was wrong"
    for reason in each["unfit"]:
        yield title, reason
        title = ""


def _vectors(each: IndexWire) -> str:
    line = f"{each['vectors']:,}, {each['fresh']:,} of them fresh, in memory"
    return line + (f"; {each['missing']:,} more are missing until they are rebuilt" if each["missing"] else "")


def _files(each: IndexWire) -> Iterator[tuple[str, str]]:
    from edge.cli.terminal import size

    segments = each["segments"]
    if not segments:
        yield "files", "none yet"
        return
    yield "files", f"{len(segments)}, {size(sum(segment['bytes'] for segment in segments))} in all"
    for segment in segments:
        dead = f", {segment['dead']:,} of them of no use any more" if segment["dead"] else ""
        yield "", f"{segment['name']}: {size(segment['bytes'])}, {_count(segment['vectors'])}{dead}"


def _doing(each: IndexWire) -> str:
    work = each["work"]
    if work is None:
        return "about to rebuild" if each["rebuilding"] else "nothing, all is done"
    task = _DOING.get(work["task"], work["task"])
    return f"{task}, {100 * work['done'] // max(work['total'], 1)}% of {_count(work['total'])}"


def _count(vectors: int) -> str:
    return f"{vectors:,} vector{'' if vectors == 1 else 's'}"


def _each(found: IndexAnswer) -> list[IndexWire]:
    return [each for each in (found["serving"], found["coming"]) if each is not None]
