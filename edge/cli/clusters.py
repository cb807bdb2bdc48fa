"""`edge clusters`: the topics that memories are gathered under, how they came to be, and the person's say in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from edge.cli.forget import unit_number
from edge.cli.options import Options, asking, pass_options

if TYPE_CHECKING:
    from edge.client.calls import Client

_PAGE = click.IntRange(1, 500)
_ID = click.IntRange(min=1)


@click.group(invoke_without_command=True, short_help="The topics that memories are gathered under.")
@asking
@click.pass_context
def clusters(context: click.Context) -> None:
    """List the topics that memories are gathered under, off-peak and by the model; have your own say in them.

    Whatever you rename, merge or move stays as you want it, is kept in the history, and can be undone like any run.
    Nothing here changes what a memory says. CLUSTER is an id, or a key in quotation marks.

    \b
    edge clusters
    edge clusters show 3
    edge clusters rename 3 coffee at home
    edge clusters merge 4 --into 3
    edge clusters move 41 --to 3
    edge clusters undo
    """
    if context.invoked_subcommand is None:
        _list(context.ensure_object(Options), archived=False)


@clusters.command("list", short_help="List clusters, and how many memories are in none.")
@click.option("--archived", is_flag=True, help="Also those that were archived.")
@asking
@pass_options
def list_(options: Options, archived: bool) -> None:
    """List clusters: id, key, memories, level, who named it, when a memory of it was last said or used.

    \b
    edge clusters list
    edge clusters list --json | jq -r '.clusters[].key'
    """
    _list(options, archived=archived)


def _list(options: Options, *, archived: bool) -> None:
    from edge.cli.cluster_words import print_clusters
    from edge.cli.terminal import print_json

    found = options.client().clusters.all(archived=archived)
    print_json(found) if options.as_json else print_clusters(found)


@clusters.command(short_help="Show a cluster and its memories.")
@click.argument("cluster")
@click.option("--limit", type=_PAGE, metavar="N", help="Memories on a page (default 50).")
@click.option("--before", type=_ID, metavar="ID", help="Only memories older than this id.")
@asking
@pass_options
def show(options: Options, cluster: str, limit: int | None, before: int | None) -> None:
    """Show what a cluster is called, and its memories, newest first.

    \b
    edge clusters show 3
    edge clusters show "coffee at home" --json
    """
    from edge.cli.cluster_words import print_cluster
    from edge.cli.terminal import print_err, print_json
    from edge.cli.units import print_units

    client = options.client()
    page = client.clusters.show(cluster_number(client, cluster), before=before, limit=limit)
    if options.as_json:
        print_json(page)
        return
    print_cluster(page["cluster"])
    print_units(page["memories"])
    if page["next_before"] is not None:
        print_err(f"There are more: add --before {page['next_before']}.")


@clusters.command(short_help="What was organised and edited, when and why.")
@click.argument("run", metavar="[RUN]", type=_ID, required=False)
@click.option("--limit", type=_PAGE, metavar="N", help="Runs on a page (default 50).")
@click.option("--before", type=_ID, metavar="RUN", help="Only runs older than this one.")
@asking
@pass_options
def history(options: Options, run: int | None, limit: int | None, before: int | None) -> None:
    """List runs, newest first: when, what set it off, what came of it. With RUN: what it did to each cluster, and why.

    An edit of yours is a run too. * marks the newest in force: that one can be undone.

    \b
    edge clusters history
    edge clusters history 12 --json
    """
    from edge.cli.cluster_words import print_run, print_runs
    from edge.cli.terminal import print_err, print_json

    if run is not None:
        done = options.client().clusters.run(run)
        print_json(done) if options.as_json else print_run(done)
        return
    page = options.client().clusters.history(before=before, limit=limit)
    if options.as_json:
        print_json(page)
        return
    print_runs(page["runs"])
    if page["next_before"] is not None:
        print_err(f"There are more: add --before {page['next_before']}.")


@clusters.command(short_help="Take the newest run back.")
@click.argument("run", metavar="[RUN]", type=_ID, required=False)
@asking
@pass_options
def undo(options: Options, run: int | None) -> None:
    """Take the newest run in force back: memories and clusters are as they were before it.

    With RUN only if that is the newest: others in force may build on an older one. Undo again to go further back, over
    the newest 20 at least.

    \b
    edge clusters undo
    edge clusters undo 12
    """
    from edge.cli.cluster_words import print_run
    from edge.cli.terminal import print_json, print_out

    done = options.client().clusters.undo(run)
    if options.as_json:
        print_json(done)
        return
    print_out(f"Run {done['run']['id']} is undone. What it had done:")
    print_run(done)


@clusters.command(short_help="Give a cluster another key.")
@click.argument("cluster")
@click.argument("key", nargs=-1, required=True, metavar="KEY...")
@asking
@pass_options
def rename(options: Options, cluster: str, key: tuple[str, ...]) -> None:
    """Give a cluster a key of 2 to 5 words (in Chinese of 2 to 10 characters). No run changes it any more.

    \b
    edge clusters rename 3 coffee at home
    edge clusters rename 3 咖啡与茶
    """
    from edge.cli.terminal import on_one_line, print_json, print_out

    client = options.client()
    done = client.clusters.rename(cluster_number(client, cluster), " ".join(key))
    if options.as_json:
        print_json(done)
        return
    print_out(f"Cluster {done['cluster']['id']} is called {on_one_line(done['cluster']['key'])}.")


@clusters.command(short_help="Put all memories of a cluster into another.")
@click.argument("cluster")
@click.option("--into", required=True, metavar="CLUSTER", help="The cluster that takes them, and stays.")
@asking
@pass_options
def merge(options: Options, cluster: str, into: str) -> None:
    """Put all memories of a cluster into another; the first is no more.

    \b
    edge clusters merge 4 --into 3
    """
    from edge.cli.terminal import on_one_line, print_json, print_out

    client = options.client()
    done = client.clusters.merge(cluster_number(client, cluster), cluster_number(client, into))
    if options.as_json:
        print_json(done)
        return
    found = done["cluster"]
    print_out(f"Cluster {found['id']}, {on_one_line(found['key'])}, has {found['size']} memories.")


@clusters.command(short_help="Put a memory into a cluster, or out of any.")
@click.argument("memory", metavar="ID", type=unit_number)
@click.option("--to", metavar="CLUSTER", help="Into this cluster.")
@click.option("--new", metavar="KEY", help="Into a new cluster of this key.")
@click.option("--out", is_flag=True, help="Out of its cluster, into none.")
@asking
@pass_options
def move(options: Options, memory: int, to: str | None, new: str | None, out: bool) -> None:
    """Put a memory into a cluster, or out of any. It stays where you put it, whatever later runs think.

    What the assistant said in the same turn, and what tools returned, go along with your own words.

    \b
    edge clusters move 41 --to 3
    edge clusters move 41 --new "trips to Norway"
    edge clusters move 41 --out
    """
    from edge.cli.terminal import print_json, print_out

    if (to is not None) + (new is not None) + out != 1:
        raise click.UsageError("Say where to: one of --to, --new and --out.")
    client = options.client()
    if new is not None:
        done = client.clusters.move_to_new(memory, new)
    else:
        done = client.clusters.move(memory, None if to is None else cluster_number(client, to))
    if options.as_json:
        print_json(done)
        return
    home = done["memory"]["cluster"]
    print_out(f"Memory {memory} is in {'no cluster' if home is None else f'cluster {home}'} now.")


def cluster_number(client: Client, text: str) -> int:
    """The id that is meant by an id (3, #3) or a key. Raises ClusterNotFound."""
    from edge.errors import ClusterNotFound

    number = text.removeprefix("#")
    if number.isascii() and number.isdecimal() and len(number) < 19:
        return int(number)
    wanted = " ".join(text.casefold().split())
    for cluster in client.clusters.all(archived=True)["clusters"]:
        if cluster["key"].casefold() == wanted:
            return cluster["id"]
    raise ClusterNotFound(f"There is no cluster called {text[:80]!r}.")
