"""The routes of clusters as typed calls: `client.clusters.all()`."""

from __future__ import annotations

from typing import Any

from edge.client.answers import each_shaped, shaped
from edge.client.requests import Requests
from edge.wire import (
    ClusterChangeWire,
    ClusterEdited,
    ClusterPageWire,
    ClusterRunAnswer,
    ClusterRunsPage,
    ClusterRunWire,
    ClustersAnswer,
    ClusterWire,
    MemoryMoved,
    MemoryWire,
)


class ClusterCalls:
    """Look at clusters, edit them, and take runs back. Every edit is a run, and can be undone."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    def all(self, *, archived: bool = False) -> ClustersAnswer:
        """All clusters, and how many memories are in none; `archived` adds those that were archived."""
        query = {"archived": "true"} if archived else None
        answer = shaped(self._requests.ask("GET", "/v1/clusters", query=query), ClustersAnswer, lists=("clusters",))
        each_shaped(answer["clusters"], ClusterWire)
        return answer

    def show(self, cluster: int, *, before: int | None = None, limit: int | None = None) -> ClusterPageWire:
        """A cluster with a page of its memories, newest first. Raises ClusterNotFound."""
        path, query = f"/v1/clusters/{cluster}", _page(before, limit)
        page = shaped(self._requests.ask("GET", path, query=query), ClusterPageWire, lists=("memories",))
        shaped(page["cluster"], ClusterWire)
        each_shaped(page["memories"], MemoryWire)
        return page

    def history(self, *, before: int | None = None, limit: int | None = None) -> ClusterRunsPage:
        """A page of runs, newest first."""
        answer = self._requests.ask("GET", "/v1/clusters/history", query=_page(before, limit))
        page = shaped(answer, ClusterRunsPage, lists=("runs",))
        each_shaped(page["runs"], ClusterRunWire)
        return page

    def run(self, run: int) -> ClusterRunAnswer:
        """A run and what it did to clusters. Raises ClusterRunNotFound."""
        return _done(self._requests.ask("GET", f"/v1/clusters/history/{run}"))

    def undo(self, run: int | None = None) -> ClusterRunAnswer:
        """Take the newest run in force back; `run` makes sure that it is this one. Raises ClusterUndoNothing,
        ClusterUndoOrder, ClusterRunNotFound."""
        return _done(self._requests.ask("POST", "/v1/clusters/undo", {} if run is None else {"run": run}))

    def rename(self, cluster: int, key: str) -> ClusterEdited:
        """Give a cluster another key. Raises ClusterNotFound, ClusterKeyInvalid, ClusterKeyTaken."""
        return _edited(self._requests.ask("POST", f"/v1/clusters/{cluster}/rename", {"key": key}))

    def merge(self, cluster: int, into: int) -> ClusterEdited:
        """Put all memories of a cluster into another, and dissolve it. Raises ClusterNotFound, ClusterMergeSelf."""
        return _edited(self._requests.ask("POST", f"/v1/clusters/{cluster}/merge", {"into": into}))

    def move(self, unit: int, cluster: int | None) -> MemoryMoved:
        """Put a memory into a cluster, with None out of any. Raises MemoryNotFound, ClusterNotFound."""
        return _moved(self._requests.ask("POST", f"/v1/memories/{unit}/move", {"cluster": cluster}))

    def move_to_new(self, unit: int, key: str) -> MemoryMoved:
        """Put a memory into a new cluster. Raises MemoryNotFound, ClusterKeyInvalid, ClusterKeyTaken."""
        return _moved(self._requests.ask("POST", f"/v1/memories/{unit}/move", {"key": key}))


def _page(before: int | None, limit: int | None) -> dict[str, int]:
    asked = {"before": before, "limit": limit}
    return {name: value for name, value in asked.items() if value is not None}


def _done(data: Any) -> ClusterRunAnswer:
    answer = shaped(data, ClusterRunAnswer, lists=("changes",))
    shaped(answer["run"], ClusterRunWire)
    each_shaped(answer["changes"], ClusterChangeWire)
    return answer


def _edited(data: Any) -> ClusterEdited:
    answer = shaped(data, ClusterEdited)
    shaped(answer["run"], ClusterRunWire)
    shaped(answer["cluster"], ClusterWire)
    return answer


def _moved(data: Any) -> MemoryMoved:
    answer = shaped(data, MemoryMoved)
    shaped(answer["run"], ClusterRunWire)
    shaped(answer["memory"], MemoryWire)
    return answer
