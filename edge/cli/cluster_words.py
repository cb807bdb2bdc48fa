"""Clusters and their runs as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from edge.cli.terminal import local_time, on_one_line, print_err, print_out, table
from edge.wire import (
    ClusterChangeWire,
    ClusterProfileWire,
    ClusterRunAnswer,
    ClusterRunWire,
    ClustersAnswer,
    ClusterWire,
)

_LEVELS = {"person": "person", "technical": "technical", "small_talk": "small talk", None: ""}


def print_clusters(found: ClustersAnswer) -> None:
    """A line for each cluster, and how many memories are in none."""
    if not found["clusters"]:
        print_err("There is no cluster yet; `edge consolidate --now` makes them.")
    else:
        for line in table([("id", "key", "memories", "level", "named by", "last used"), *map(_row, found["clusters"])]):
            print_out(line)
    if found["unplaced"]:
        print_err(f"In no cluster: {found['unplaced']}.")


def _row(cluster: ClusterWire) -> tuple[str, ...]:
    key = on_one_line(cluster["key"]) + (" (archived)" if cluster["archived_at"] is not None else "")
    named_by, used = cluster["named_by"], local_time(cluster["touched_at"])
    return str(cluster["id"]), key, str(cluster["size"]), _level(cluster), named_by, used


def print_cluster(cluster: ClusterWire) -> None:
    """What a cluster is called, and how it stands."""
    print_out(f"#{cluster['id']}  {on_one_line(cluster['key'])}")
    if cluster["description"]:
        print_out(on_one_line(cluster["description"]))
    if cluster["tags"]:
        print_out(f"tags: {on_one_line(', '.join(cluster['tags']))}")
    level = _level(cluster)
    told = [f"{cluster['size']} memories", *([level] if level else []), f"named by {cluster['named_by']}"]
    print_out(", ".join(told))
    print_out(f"made {local_time(cluster['made_at'])}, last used {local_time(cluster['touched_at'])}")


def print_runs(runs: Iterable[ClusterRunWire]) -> None:
    """A line for each run; a star marks the one that can be undone."""
    rows = [_run_row(run) for run in runs]
    if not rows:
        print_err("Nothing was organised yet.")
        return
    for line in table([("run", "when", "by", "state", "clusters", "memories", "why"), *rows]):
        print_out(line)


def _run_row(run: ClusterRunWire) -> tuple[str, ...]:
    mark = "*" if run["undoable"] else ""
    counts = run["counts"]
    clusters = f"+{counts['created']} ~{counts['reprofiled']} -{counts['dissolved']}"
    memories = _placed(counts)
    why = on_one_line(run["why"])
    return f"{run['id']}{mark}", local_time(run["began_at"]), run["trigger"], run["state"], clusters, memories, why


def print_run(done: ClusterRunAnswer) -> None:
    """A run with its counts, and what it did to each cluster."""
    run, counts = done["run"], done["run"]["counts"]
    why = f": {on_one_line(run['why'])}" if run["why"] else ""
    print_out(f"run {run['id']} by {run['trigger']}, {run['state']}{why}")
    print_out(f"begun {local_time(run['began_at'])}, ended {local_time(run['ended_at'])}")
    if run["model"] is not None:
        print_out(f"model {run['model']}, prompts {run['prompts']}, seed {run['seed']}, attempt {run['attempt']}")
    print_out(f"{_placed(counts, ' memories')}, {counts['skipped']} changes no longer fitted")
    if counts["checked"]:
        print_out(f"{counts['checked']} were asked again, {counts['wrong']} were wrong")
    for change in done["changes"]:
        print_out(f"  cluster {change['cluster']}: {_change(change)}")


def _placed(counts: Mapping[str, int], what: str = "") -> str:
    """Those that had no place apart from those that had another one."""
    moved = f", {counts['moved']} moved" if counts["moved"] else ""
    return f"{counts['placed'] - counts['moved']}{what} placed{moved}, {counts['left']} left"


def _change(change: ClusterChangeWire) -> str:
    before, after = change["before"], change["after"]
    why = f" ({on_one_line(change['why'])})" if change["why"] else ""
    if before is None or after is None:
        known = after or before
        key = "" if known is None else on_one_line(known["key"])
        return f"{key} {'is new' if before is None else 'is no more'}{why}"
    if before["key"] != after["key"]:
        return f"{on_one_line(before['key'])} is now called {on_one_line(after['key'])}{why}"
    return f"{on_one_line(after['key'])} has another description{why}"


def _level(profile: ClusterProfileWire) -> str:
    return _LEVELS.get(profile["coarse"], profile["coarse"] or "")
