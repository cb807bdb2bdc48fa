"""Off-peak work over the socket: asked for, told of, stopped by a turn and by hanging up, and after a kill."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from edge.client.events import Worked
from edge.errors import FieldUnknown, RequestInvalid
from edge.wire import NightWire
from tests.e2e.running import DaemonProcess, DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.talking import Talk
from tests.fakes.language_model import ScriptedModel

HOUSE = ("backlog", "seal", "text", "checkpoint", "backup")


@pytest.fixture
def daemon(folder: Path) -> Iterator[DaemonThread]:
    with DaemonThread(folder, ScriptedModel(echo)) as running:
        yield running


@pytest.fixture
def talk(daemon: DaemonThread) -> Talk:
    return daemon.talk


def consolidated(talk: Talk, only: str | None = None) -> NightWire:
    with talk.consolidate(now=True, only=only) as running:
        for _ in running:
            pass
    assert running.night is not None
    return running.night


def backups(daemon: DaemonThread) -> list[Path]:
    return sorted((daemon.settings.places.state / "backups").glob("*.db"))


def test_a_night_that_is_asked_for_ends_with_a_backup(daemon: DaemonThread, talk: Talk) -> None:
    talk.remember("The zeppelin leaves at nine. 飞艇九点起飞。", kind="fact_reference")
    night = consolidated(talk)
    states = {step["step"]: (step["state"], step["failure"]) for step in night["steps"]}
    assert all(states[step] == ("done", None) for step in HOUSE)
    assert (night["trigger"], night["state"]) == ("asked", "done")
    (backup,) = backups(daemon)
    with closing(sqlite3.connect(backup)) as db:
        assert db.execute("SELECT count(*) FROM units").fetchone() == (1,)


def test_one_step_alone(daemon: DaemonThread, talk: Talk) -> None:
    night = consolidated(talk, "checkpoint")
    assert [step["step"] for step in night["steps"]] == ["checkpoint"]
    assert backups(daemon) == []


def test_what_off_peak_does_is_told(talk: Talk) -> None:
    assert talk.request("GET", "/v1/consolidations").body["night"] is None
    night = consolidated(talk, "text")
    told = talk.request("GET", "/v1/consolidations").body
    assert told["night"] == night
    assert told["offpeak"] == talk.status()["offpeak"]
    assert told["offpeak"]["state"] in ("waits", "rests")


def test_a_wish_in_the_middle_of_the_day_waits(talk: Talk) -> None:
    talk.remember("I like tea.")
    with talk.consolidate() as running:
        events = list(running)
    if running.night is None:  # it is not one of the set hours here
        assert len(events) == 1
        assert not isinstance(events[0], Worked)


def test_what_is_forgotten_leaves_the_backups_with_the_next_night(daemon: DaemonThread, talk: Talk) -> None:
    unit = talk.remember("The zeppelin leaves at nine.", kind="fact_reference")["added"][0]
    consolidated(talk, "backup")
    (before,) = backups(daemon)
    talk.forget(unit)
    consolidated(talk, "backup")
    (after,) = backups(daemon)
    assert after != before
    assert b"zeppelin" not in after.read_bytes()


@pytest.mark.parametrize(
    ("told", "tags"),
    [
        (["The starter is weak.", "Fed the starter.", "The loaf sank.", "A loaf for Ann."], ["starter", "loaf"]),
        (["面团太黏", "面团发酵了五个小时", "烤箱不够热", "烤箱坏了"], ["面团", "烤箱"]),
    ],
)
def test_the_words_of_a_cluster_follow_its_members(talk: Talk, told: list[str], tags: list[str]) -> None:
    first, *rest = (talk.remember(words, kind="fact_reference")["added"][0] for words in told)
    cluster = talk.clusters.move_to_new(first, "things at home")["memory"]["cluster"]
    assert cluster is not None
    for unit in rest:
        talk.clusters.move(unit, cluster)
    (before,) = talk.clusters.all()["clusters"]
    assert (before["tags"], before["description"]) == ([], "")
    (step,) = consolidated(talk, "evolve")["steps"]
    assert (step["state"], step["counts"]) == ("done", {"looked at": 1, "refreshed": 1})
    (after,) = talk.clusters.all()["clusters"]
    assert (after["key"], after["named_by"], set(after["tags"])) == ("things at home", "person", set(tags))
    assert after["description"] in told
    assert [unit["content"] for unit in talk.clusters.show(cluster)["memories"]] == told[::-1]
    assert talk.clusters.history(limit=1)["runs"][0]["trigger"] == "evolve"
    talk.clusters.undo()
    assert talk.clusters.all()["clusters"] == [before]
    assert consolidated(talk, "evolve")["steps"][0]["counts"] == {}


def test_a_wrong_wish_is_refused_by_name(talk: Talk) -> None:
    with pytest.raises(RequestInvalid, match="only must be one of backlog"):
        talk.consolidate(now=True, only="sleep")
    with pytest.raises(FieldUnknown):
        talk._requests.begin("/v1/consolidations", {"when": "now"})


def test_hanging_up_leaves_a_daemon_in_order(talk: Talk) -> None:
    for number in range(30):
        talk.remember(f"Box {number} is on shelf {number // 7}.", kind="fact_reference")
    with talk.consolidate(now=True) as running:
        next(iter(running))
    assert talk.say("Say: hello")["reply"] == "hello"
    assert consolidated(talk)["state"] == "done"


def test_a_night_goes_on_after_a_kill(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    talk = daemon.start()
    for number in range(30):
        talk.remember(f"Box {number} is on shelf {number // 7}.", kind="fact_reference")
    with talk.consolidate(now=True) as running:
        next(iter(running))
        daemon.kill()
    talk = daemon.start()
    assert talk.status()["counts"]["units"] == 30
    assert consolidated(talk)["state"] == "done"
    assert daemon.stop() == 0
