"""Clusters through the socket: made and moved by hand, undone, forgotten; and kept over a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.errors import (
    ClusterKeyInvalid,
    ClusterKeyTaken,
    ClusterMergeSelf,
    ClusterNotFound,
    ClusterRunNotFound,
    ClusterUndoNothing,
    ClusterUndoOrder,
    FieldUnknown,
    MemoryNotFound,
    RequestInvalid,
)
from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import files_holding
from tests.e2e.talking import Talk
from tests.fakes.language_model import ScriptedModel


def remember(talk: Talk, content: str) -> int:
    """A memory of its own, not read as words."""
    return talk.remember(content, kind="fact_reference")["added"][0]


def keys(talk: Talk) -> list[str]:
    return [cluster["key"] for cluster in talk.clusters.all()["clusters"]]


def test_a_memory_begins_a_cluster_and_others_join_it(talk: Talk) -> None:
    assert talk.clusters.all() == {"clusters": [], "unplaced": 0}
    espresso, beans, nginx = [remember(talk, words) for words in ("likes espresso", "咖啡豆在厨房", "runs nginx")]
    assert talk.clusters.all()["unplaced"] == 3
    moved = talk.clusters.move_to_new(espresso, "coffee at home")
    cluster = moved["memory"]["cluster"]
    assert cluster is not None
    assert moved["run"]["trigger"] == "person"
    assert talk.clusters.move(beans, cluster)["memory"]["cluster"] == cluster
    page = talk.clusters.show(cluster, limit=1)
    assert (page["cluster"]["key"], page["cluster"]["size"], page["cluster"]["named_by"]) == (
        "coffee at home", 2, "person",
    )  # fmt: skip
    assert ([unit["id"] for unit in page["memories"]], page["next_before"]) == ([beans], beans)
    assert [unit["id"] for unit in talk.clusters.show(cluster, before=beans)["memories"]] == [espresso]
    assert talk.clusters.move(beans, None)["memory"]["cluster"] is None
    assert talk.memory(nginx)["cluster"] is None


def test_edits_are_kept_and_undone(talk: Talk) -> None:
    espresso, nginx = remember(talk, "likes espresso"), remember(talk, "runs nginx")
    coffee = talk.clusters.move_to_new(espresso, "coffee at home")["memory"]["cluster"]
    servers = talk.clusters.move_to_new(nginx, "web server upkeep")["memory"]["cluster"]
    assert coffee is not None
    assert servers is not None
    renamed = talk.clusters.rename(coffee, "咖啡与茶")
    assert (renamed["cluster"]["key"], renamed["run"]["why"]) == ("咖啡与茶", "rename")
    merged = talk.clusters.merge(coffee, servers)
    assert (merged["cluster"]["id"], merged["cluster"]["size"]) == (servers, 2)
    history = talk.clusters.history(limit=3)
    assert [run["why"] for run in history["runs"]] == ["merge", "rename", "move"]
    assert [run["undoable"] for run in history["runs"]] == [True, False, False]
    assert [run["why"] for run in talk.clusters.history(before=history["next_before"])["runs"]] == ["move"]
    told = talk.clusters.run(renamed["run"]["id"])["changes"]
    assert [(change["before"], change["after"]) for change in told if change["before"] and change["after"]]
    with pytest.raises(ClusterUndoOrder) as caught:
        talk.clusters.undo(renamed["run"]["id"])
    assert caught.value.details["newest"] == merged["run"]["id"]
    undone = talk.clusters.undo(merged["run"]["id"])
    assert undone["run"]["state"] == "undone"
    assert [change["after"] for change in undone["changes"]] == [None]
    talk.clusters.undo()
    assert keys(talk) == ["coffee at home", "web server upkeep"]
    assert [talk.memory(unit)["cluster"] for unit in (espresso, nginx)] == [coffee, servers]
    talk.clusters.undo()
    talk.clusters.undo()
    with pytest.raises(ClusterUndoNothing):
        talk.clusters.undo()


def test_what_is_wrong_is_named(talk: Talk) -> None:
    espresso = remember(talk, "likes espresso")
    cluster = talk.clusters.move_to_new(espresso, "coffee at home")["memory"]["cluster"]
    assert cluster is not None
    for error, work in (
        (ClusterNotFound, lambda: talk.clusters.show(99)),
        (ClusterNotFound, lambda: talk.clusters.rename(99, "some words")),
        (ClusterNotFound, lambda: talk.clusters.merge(cluster, 99)),
        (ClusterNotFound, lambda: talk.clusters.move(espresso, 99)),
        (ClusterMergeSelf, lambda: talk.clusters.merge(cluster, cluster)),
        (ClusterKeyInvalid, lambda: talk.clusters.rename(cluster, "coffee")),
        (ClusterKeyInvalid, lambda: talk.clusters.rename(cluster, "<|im_end|> words")),
        (ClusterKeyTaken, lambda: talk.clusters.move_to_new(espresso, "Home coffee")),
        (ClusterRunNotFound, lambda: talk.clusters.run(99)),
        (ClusterRunNotFound, lambda: talk.clusters.undo(99)),
        (MemoryNotFound, lambda: talk.clusters.move(99, cluster)),
    ):
        with pytest.raises(error):
            work()
    assert (keys(talk), talk.clusters.history()["next_before"]) == (["coffee at home"], None)
    assert len(talk.clusters.history()["runs"]) == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "field"),
    [
        ("GET", "/v1/clusters?archived=maybe", None, 400, "archived"),
        ("GET", "/v1/clusters?limit=3", None, 400, "limit"),
        ("GET", "/v1/clusters/1?limit=0", None, 400, "limit"),
        ("GET", "/v1/clusters/1?before=x", None, 400, "before"),
        ("GET", "/v1/clusters/history?limit=501", None, 400, "limit"),
        ("GET", "/v1/clusters/one", None, 404, None),
        ("POST", "/v1/clusters/undo", {"run": "newest"}, 400, "run"),
        ("POST", "/v1/clusters/undo", {"runs": 1}, 400, "runs"),
        ("POST", "/v1/clusters/1/rename", {}, 400, "key"),
        ("POST", "/v1/clusters/1/rename", {"key": "a b", "tags": []}, 400, "tags"),
        ("POST", "/v1/clusters/1/rename", {"key": "my password is hunter22"}, 400, "key"),
        ("POST", "/v1/clusters/1/merge", {}, 400, "into"),
        ("POST", "/v1/clusters/1/merge", {"into": True}, 400, "into"),
        ("POST", "/v1/memories/1/move", {}, 400, "cluster"),
        ("POST", "/v1/memories/1/move", {"cluster": 1, "key": "a b"}, 400, "cluster"),
        ("POST", "/v1/memories/1/move", {"cluster": 0}, 400, "cluster"),
    ],
)
def test_requests_are_read_strictly(
    talk: Talk, method: str, path: str, body: dict[str, object] | None, status: int, field: str | None
) -> None:
    answer = talk.request(method, path, body)
    assert (answer.status, answer.field) == (status, field)


def test_a_secret_is_no_key(talk: Talk) -> None:
    espresso = remember(talk, "likes espresso")
    with pytest.raises(RequestInvalid) as caught:
        talk.clusters.move_to_new(espresso, "my password is hunter22")
    assert not isinstance(caught.value, FieldUnknown)
    assert keys(talk) == []


@pytest.mark.parametrize(
    ("words", "telling", "key"),
    [("zabaglione at noon", "zabaglione", "zabaglione and nginx"), ("拿铁咖啡的喜好", "拿铁", "拿铁与 nginx")],
)
def test_of_a_forgotten_memory_no_word_is_left_in_any_file(
    talk: Talk, folder: Path, words: str, telling: str, key: str
) -> None:
    told, other = remember(talk, words), remember(talk, "runs nginx on the server")
    cluster = talk.clusters.move_to_new(told, words)["memory"]["cluster"]
    assert cluster is not None
    talk.clusters.move(other, cluster)
    talk.clusters.rename(cluster, key)
    sweets = talk.clusters.move_to_new(told, "sweet things")["memory"]["cluster"]
    assert sweets is not None
    talk.clusters.merge(sweets, cluster)
    assert files_holding(folder, telling)
    talk.forget(told)
    assert files_holding(folder, telling) == []
    for _ in talk.clusters.history()["runs"]:
        talk.clusters.undo()
        assert telling not in str((talk.clusters.all(), talk.clusters.history()))
    assert files_holding(folder, telling) == []


def test_they_are_there_after_a_restart(folder: Path) -> None:
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        espresso = remember(daemon.talk, "likes espresso")
        cluster = daemon.talk.clusters.move_to_new(espresso, "coffee at home")["memory"]["cluster"]
        before = daemon.talk.clusters.all()
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        assert daemon.talk.clusters.all() == before
        assert daemon.talk.memory(espresso)["cluster"] == cluster
        daemon.talk.clusters.undo()
        assert daemon.talk.memory(espresso)["cluster"] is None
