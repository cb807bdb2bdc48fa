"""Clusters and their runs as they are on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from edge.daemon.views import memory_wire, optional_time, time_wire
from edge.engine.clusters import Done
from edge.engine.ports import Page
from edge.memory.clusters import ChangeRecord, Cluster, Profile, Run, RunId
from edge.wire import (
    ClusterChangeWire,
    ClusterPageWire,
    ClusterProfileWire,
    ClusterRunAnswer,
    ClusterRunsPage,
    ClusterRunWire,
    ClustersAnswer,
    ClusterWire,
)


def cluster_wire(cluster: Cluster) -> ClusterWire:
    """A cluster."""
    return {
        "id": cluster.id,
        **profile_wire(cluster.profile),
        "size": cluster.size,
        "made_at": time_wire(cluster.made_at),
        "touched_at": time_wire(cluster.touched_at),
        "archived_at": optional_time(cluster.archived_at),
    }


def profile_wire(profile: Profile) -> ClusterProfileWire:
    """What a cluster is called."""
    return {
        "key": profile.key,
        "description": profile.description,
        "tags": list(profile.tags),
        "named_by": profile.named_by.value,
        "coarse": None if profile.coarse is None else profile.coarse.value,
    }


def clusters_wire(clusters: Sequence[Cluster], unplaced: int) -> ClustersAnswer:
    """All clusters."""
    return {"clusters": [cluster_wire(cluster) for cluster in clusters], "unplaced": unplaced}


def cluster_page_wire(cluster: Cluster, page: Page) -> ClusterPageWire:
    """A cluster with a page of its members."""
    members = [memory_wire(unit) for unit in page.units]
    return {"cluster": cluster_wire(cluster), "memories": members, "next_before": page.next_before}


def run_wire(run: Run) -> ClusterRunWire:
    """A run."""
    return {
        "id": run.id,
        "trigger": run.trigger,
        "state": run.state.value,
        "undoable": run.undoable,
        "phase": run.phase,
        "why": run.why,
        "model": run.model,
        "prompts": run.prompts,
        "embedder": run.embedder,
        "seed": run.seed,
        "attempt": run.attempt,
        "began_at": time_wire(run.began_at),
        "ended_at": optional_time(run.ended_at),
        "counts": asdict(run.counts),
    }


def runs_wire(runs: Sequence[Run], next_before: RunId | None) -> ClusterRunsPage:
    """A page of runs."""
    return {"runs": [run_wire(run) for run in runs], "next_before": next_before}


def done_wire(done: Done) -> ClusterRunAnswer:
    """A run with what it did to clusters."""
    return {"run": run_wire(done.run), "changes": [_change_wire(change) for change in done.changes]}


def _change_wire(change: ChangeRecord) -> ClusterChangeWire:
    return {
        "cluster": change.cluster,
        "before": None if change.before is None else profile_wire(change.before),
        "after": None if change.after is None else profile_wire(change.after),
        "why": change.why,
    }
