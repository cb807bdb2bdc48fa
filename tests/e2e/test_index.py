"""The index over the socket: how it is, a rebuild, a verification, and files that are damaged under a daemon."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.errors import Busy, FieldUnknown
from edge.wire import IndexWire, VerifyDone
from tests.e2e.running import DaemonProcess, DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.talking import Talk, raw_request, read_until, until
from tests.fakes.language_model import ScriptedModel

TOLD = ("The zeppelin leaves at nine.", "飞艇九点起飞。")
FILLING = 100
"""Statements beside what was told: more than a head of 64 vectors holds."""


@pytest.fixture
def daemon(folder: Path) -> Iterator[DaemonThread]:
    """A daemon with a small head, so that little is enough for files."""
    with DaemonThread(folder, ScriptedModel(echo), EDGE_INDEX_HEAD="64") as running:
        yield running


def serving(talk: Talk) -> IndexWire:
    index = talk.index()["serving"]
    assert index is not None
    return index


def is_settled(talk: Talk) -> bool:
    index = serving(talk)
    all_in = talk.status()["counts"]["unembedded"] == 0 and index["fresh"] < 64
    return all_in and index["work"] is None and not index["rebuilding"]


def fill(talk: Talk) -> None:
    for text in TOLD:
        talk.remember(text, kind="fact_reference")
    for number in range(FILLING):
        talk.remember(f"Box {number} is on shelf {number // 7}. 第{number}箱。", kind="fact_reference")
    until(lambda: is_settled(talk))


@pytest.fixture
def half_full(folder: Path) -> Iterator[DaemonThread]:
    """A daemon whose head is worth a file from 16 vectors on when nobody uses it."""
    with DaemonThread(folder, ScriptedModel(echo), EDGE_INDEX_HEAD="128") as running:
        yield running


def verified(talk: Talk) -> VerifyDone:
    with talk.verify_index() as running:
        for _ in running:
            pass
    return running.result


def finds_by_meaning(talk: Talk) -> bool:
    """Whether what was told is found, and by its vector too."""
    answers = [talk.recall(text, explain=True)["recalled"] for text in TOLD]
    return all(found and "dense" in found[0]["signals"] for found in answers)


def rows_files(state: Path) -> list[Path]:
    """The files of the index that hold vectors."""
    return sorted(path for path in (state / "index").rglob("*") if path.is_file() and path.stat().st_size > 10_000)


def flip(path: Path) -> None:
    """Change one byte in the middle of a file, under the daemon that has it mapped."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 0xFF]))


def test_a_head_that_is_worth_it_is_sealed_off_peak(half_full: DaemonThread) -> None:
    talk = half_full.talk
    for number in range(40):
        talk.remember(f"Box {number} is on shelf {number // 7}.", kind="fact_reference")
    until(lambda: talk.status()["counts"]["unembedded"] == 0)
    assert not serving(talk)["segments"]
    with talk.consolidate(now=True, only="seal") as running:
        list(running)
    assert serving(talk)["fresh"] < 16
    assert serving(talk)["segments"]
    assert not verified(talk)["faults"]


def test_the_state_of_an_index(talk: Talk, daemon: DaemonThread) -> None:
    assert serving(talk)["vectors"] == 0
    fill(talk)
    index = serving(talk)
    assert index["embedder"] == "hash/64"
    assert index["vectors"] == FILLING + len(TOLD)
    assert sum(each["vectors"] for each in index["segments"]) + index["fresh"] == index["vectors"]
    files = rows_files(daemon.state)
    assert len(files) == len(index["segments"]) > 0
    assert sum(each["bytes"] for each in index["segments"]) >= sum(path.stat().st_size for path in files)
    assert (index["missing"], index["unfit"], index["work"]) == (0, [], None)
    assert finds_by_meaning(talk)
    assert talk.status()["degraded"] == []


def test_a_rebuild_goes_on_beside_questions_and_ends_with_the_same(talk: Talk, daemon: DaemonThread) -> None:
    fill(talk)
    before, files = serving(talk), {path.stat().st_ino for path in rows_files(daemon.state)}
    answer = talk.request("POST", "/v1/index/rebuild")
    assert answer.status == http.client.ACCEPTED
    assert answer.body["serving"]["rebuilding"]
    talk.rebuild_index()
    assert finds_by_meaning(talk)
    until(lambda: is_settled(talk))
    after = serving(talk)
    assert after["vectors"] == before["vectors"]
    assert files.isdisjoint(path.stat().st_ino for path in rows_files(daemon.state))
    assert finds_by_meaning(talk)
    assert verified(talk)["faults"] == []


def test_a_whole_index_is_verified_while_a_person_talks(talk: Talk) -> None:
    fill(talk)
    with talk.verify_index() as running:
        events = iter(running)
        first = next(events)
        assert talk.say("Say: 你好")["reply"] == "你好"
        progress = [first, *events]
    assert [each["done"] for each in progress] == sorted(each["done"] for each in progress)
    assert {each["embedder"] for each in progress} == {"hash/64"}
    sealed = sum(each["vectors"] for each in serving(talk)["segments"])
    assert (running.result["faults"], running.result["rebuilding"]) == ([], False)
    assert running.result["vectors"] == progress[-1]["total"] >= sealed > 0


def test_a_damaged_file_is_found_by_a_verification_and_rebuilt(talk: Talk, daemon: DaemonThread) -> None:
    fill(talk)
    flip(rows_files(daemon.state)[0])
    result = verified(talk)
    assert len(result["faults"]) == 1
    assert result["rebuilding"]
    assert all(talk.recall(text)["recalled"] for text in TOLD)
    until(lambda: is_settled(talk))
    assert serving(talk)["unfit"] == result["faults"]
    assert finds_by_meaning(talk)
    assert (verified(talk)["faults"], talk.status()["degraded"]) == ([], [])


def test_what_recall_finds_damaged_is_said_and_mended_without_another_word(talk: Talk, daemon: DaemonThread) -> None:
    fill(talk)
    flip(rows_files(daemon.state)[0])
    assert daemon.daemon is not None
    index = daemon.daemon.memory.vectors.index
    assert index is not None
    daemon.on_memory_thread(lambda: list(index.verify()))
    assert talk.status()["degraded"] == ["index"]
    answer = talk.recall(TOLD[1], explain=True)
    assert answer["degraded"] == ["index"]
    assert answer["recalled"][0]["content"] == TOLD[1]
    assert "dense" in answer["recalled"][0].get("signals", {})
    until(lambda: is_settled(talk))
    assert talk.recall(TOLD[1])["degraded"] == []


def test_a_verification_that_is_left_makes_room_for_another(talk: Talk) -> None:
    fill(talk)
    link = talk.connect()
    link.sendall(raw_request("POST", "/v1/index/verify"))
    assert b"event: " in read_until(link, b"event: ")
    link.close()

    def has_room() -> bool:
        try:
            return verified(talk)["faults"] == []
        except Busy:
            return False

    until(has_room)


def test_the_routes_take_no_fields(talk: Talk) -> None:
    for path in ("/v1/index/rebuild", "/v1/index/verify"):
        answer = talk.request("POST", path, {"embedder": "hash"})
        assert (answer.status, answer.code, answer.field) == (400, FieldUnknown.code, "embedder")
        assert talk.request("GET", path).status == http.client.NOT_FOUND
    assert talk.request("POST", "/v1/index/rebuild", b"{}").status == http.client.ACCEPTED


@pytest.mark.parametrize("harm", ["gone", "cut", "empty folder"])
def test_files_that_are_harmed_between_two_runs_are_built_anew(folder: Path, harm: str) -> None:
    daemon = DaemonProcess(folder, EDGE_INDEX_HEAD="64")
    with daemon as talk:
        fill(talk)
        assert daemon.stop() == 0
        for path in rows_files(daemon.state):
            if harm == "cut":
                with path.open("r+b") as file:
                    file.truncate(path.stat().st_size // 2)
            else:
                path.unlink()
        for path in [] if harm != "empty folder" else (daemon.state / "index").rglob("*"):
            if path.is_file():
                path.unlink()
        again = daemon.start()
        assert all(again.recall(text)["recalled"] for text in TOLD)
        until(lambda: again.status()["embedder"]["state"] == "ready" and is_settled(again))
        assert finds_by_meaning(again)
        assert serving(again)["vectors"] == FILLING + len(TOLD)
        assert verified(again)["faults"] == []
        assert (len(serving(again)["unfit"]) > 0) == (harm != "empty folder")
        assert daemon.stop() == 0
    assert "Traceback" not in daemon.log, daemon.log


def test_what_is_forgotten_is_gone_from_the_files_of_the_index(talk: Talk, daemon: DaemonThread) -> None:
    fill(talk)
    (unit,) = [found["id"] for found in talk.recall(TOLD[1])["recalled"] if found["content"] == TOLD[1]]
    before = serving(talk)["vectors"]
    talk.forget(unit)
    assert serving(talk)["vectors"] == before - 1
    assert unit not in [found["id"] for found in talk.recall(TOLD[1])["recalled"]]
