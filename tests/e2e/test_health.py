"""Health over the socket: an owner's own, and figures for anybody."""

from __future__ import annotations

import http.client
import socket
from datetime import timedelta
from pathlib import Path
from typing import get_type_hints

import pytest

from edge.clock import SystemClock
from edge.errors import StoreFailed
from edge.memory.health import Tally, TurnSign
from edge.memory.units import OwnerId
from edge.wire import HealthWire, MachineWire
from tests.daemon.watching import PROMTOOL, Samples, labels, promtool, samples
from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.talking import Talk
from tests.fakes.language_model import ScriptedModel
from tests.store.making import fact, insert

STRANGER = OwnerId("uid:54321")


class Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("edge")
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def metrics(daemon: DaemonThread) -> bytes:
    connection = Connection(daemon.settings.places.socket)
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return body


def figures(daemon: DaemonThread) -> Samples:
    return samples(metrics(daemon))


@pytest.fixture
def strangers(daemon: DaemonThread) -> DaemonThread:
    """A daemon where another owner has memories, of which half hold no more, and a tally of their own."""
    assert daemon.daemon is not None
    memory, clock, nights = daemon.daemon.memory, SystemClock(), daemon.daemon.health

    def tell() -> None:
        now = clock.now()
        for number in range(3):
            memory.store.apply(STRANGER, [insert(fact(f"zeppelin 飞艇 {number}"), valid_from=now)], now)
            ended = now - timedelta(hours=1)
            old = insert(fact(f"balloon 气球 {number}"), valid_from=ended, valid_until=ended)
            memory.store.apply(STRANGER, [old], ended)
        tally = Tally()
        for _ in range(3):
            tally = tally.after(TurnSign(False, True))
        nights._tallies.keep(STRANGER, tally)

    daemon.on_memory_thread(tell)
    return daemon


def test_what_served_and_what_did_not_is_counted_and_outlives_a_restart(folder: Path) -> None:
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        talk = daemon.talk
        talk.say("My order number is A-20391-XK.")
        talk.say("What is my order number?")
        talk.say("我的电话号码是多少？")
        before = talk.health()
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        after = daemon.talk.health()
    assert before["quality"] == after["quality"]
    quality = after["quality"]
    assert quality is not None
    assert quality["hit_rate"] == {
        "share": 0.5, "served": 1, "recalls": 2, "window": 100, "healthy_from": 0.7, "is_healthy": None,
    }  # fmt: skip
    assert quality["amnesia"] == {"alert": False, "turns_in_a_row": 1, "alert_from": 3}
    assert before["machine"]["turns"]["done"] == 3
    assert after["machine"]["turns"]["done"] == 0


@pytest.mark.parametrize(
    "questions",
    [
        ("What is my phone number?", "What is my brother's name?", "Where do I live?"),
        ("我的电话号码是多少？", "我弟弟叫什么名字？", "我住在哪里？"),
    ],
)
def test_three_turns_that_forgot_are_an_alert(talk: Talk, questions: tuple[str, ...]) -> None:
    for number, question in enumerate(questions, 1):
        assert not talk.health()["needs"]
        reply = talk.say(question)
        assert reply["recalled"] == []
        quality = talk.health()["quality"]
        assert quality is not None
        assert quality["amnesia"]["turns_in_a_row"] == number
    found = talk.health()
    assert (found["needs"], found["is_healthy"]) == (["amnesia"], False)
    talk.say("Say: hello")
    assert talk.health()["is_healthy"] is True


def test_the_answer_has_its_shape_and_the_machines_figures(talk: Talk) -> None:
    talk.say("Say: hello")
    found = talk.health()
    assert found.keys() == get_type_hints(HealthWire).keys()
    machine = found["machine"]
    assert machine.keys() == get_type_hints(MachineWire).keys()
    assert machine["first_token"]["count"] == machine["recall"]["count"] == 1
    assert machine["tokens"]["generated"] > 0
    assert machine["memory"]["total"] > 0
    assert machine["queue"] == {"turns": 0, "limit": 8}


def test_an_owner_sees_their_own_memory_alone(strangers: DaemonThread) -> None:
    found = strangers.talk.health()
    assert found["quality"] == {
        "freshness": {"share": 1.0, "valid": 0, "active": 0, "healthy_from": 0.85, "is_healthy": True},
        "hit_rate": {
            "share": None, "served": 0, "recalls": 0, "window": 100, "healthy_from": 0.7, "is_healthy": None,
        },
        "amnesia": {"alert": False, "turns_in_a_row": 0, "alert_from": 3},
    }  # fmt: skip
    assert STRANGER not in str(found)


def test_under_the_threshold_it_says_so_and_a_cleaning_run_mends_it(daemon: DaemonThread, talk: Talk) -> None:
    assert daemon.daemon is not None
    store, clock, owner = daemon.daemon.memory.store, SystemClock(), OwnerId(talk.status()["owner"])

    def tell() -> None:
        now = clock.now()
        for number in range(4):
            store.apply(owner, [insert(fact(f"holds {number}"), valid_from=now)], now)
            ended = now - timedelta(hours=1)
            store.apply(owner, [insert(fact(f"过期 {number}"), valid_from=ended, valid_until=ended)], ended)

    daemon.on_memory_thread(tell)
    found = talk.health()
    assert (found["needs"], found["is_healthy"]) == (["freshness"], False)
    with talk.consolidate(now=True, only="clean") as running:
        list(running)
    assert running.night is not None
    assert [step["counts"] for step in running.night["steps"]] == [{"archived": 4}]
    quality = talk.health()["quality"]
    assert quality is not None
    assert quality["freshness"] == {"share": 1.0, "valid": 4, "active": 4, "healthy_from": 0.85, "is_healthy": True}


def test_the_figures_for_anybody_are_sums_without_a_name_or_a_word(strangers: DaemonThread) -> None:
    strangers.talk.say("My sister's cat is called Mimi. 我的猫叫咪咪。", session="private-session")
    exposed = metrics(strangers)
    told = samples(exposed)
    assert told["edge_memory_valid_units", ()] > 3
    assert told["edge_memory_active_units", ()] == told["edge_memory_valid_units", ()] + 3
    assert told["edge_memory_hit_ratio", ()] == 0
    assert told["edge_memory_amnesia_owners", ()] == 1
    text = exposed.decode().lower()
    for word in ("uid:", STRANGER, "owner=", "mimi", "zeppelin", "飞艇", "咪咪", "private-session", "sister"):
        assert word not in text
    names = {name for _, each in told for name, _ in each}
    assert names == {"le", "outcome", "kind", "stage", "part", "state", "version"}


def test_turns_move_the_figures(daemon: DaemonThread, talk: Talk) -> None:
    before = figures(daemon)
    talk.say("Say: hello")
    after = figures(daemon)
    assert after["edge_turns_total", labels(outcome="done")] == before["edge_turns_total", labels(outcome="done")] + 1
    assert after["edge_tokens_total", labels(kind="generated")] > before["edge_tokens_total", labels(kind="generated")]
    assert after["edge_recall_seconds_count", ()] == 1


def test_looking_does_not_put_off_peak_off(daemon: DaemonThread, talk: Talk) -> None:
    assert daemon.daemon is not None
    last = daemon.daemon.quiet._last
    talk.health()
    metrics(daemon)
    assert daemon.daemon.quiet._last == last


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian package prometheus)")
def test_promtool_takes_what_a_daemon_serves(daemon: DaemonThread, talk: Talk) -> None:
    talk.say("Say: hello")
    done = promtool("check", "metrics", stdin=metrics(daemon))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_database_that_fails_is_told_and_the_machine_all_the_same(daemon: DaemonThread, talk: Talk) -> None:
    made = daemon.daemon
    assert made is not None

    def fail(*_: object) -> None:
        raise StoreFailed("The disk is gone.")

    made.memory.store.counts = fail  # type: ignore[assignment, method-assign]
    made.health._nights.count = fail  # type: ignore[assignment, method-assign]
    made.health._nights.owners = fail  # type: ignore[assignment, method-assign]
    found = talk.health()
    assert (found["quality"], found["is_healthy"], found["needs"]) == (None, None, [])
    assert found["error"] is not None
    assert found["error"]["code"] == "store_failed"
    assert found["machine"]["memory"]["total"] > 0
    told = figures(daemon)
    assert told["edge_store_readable", ()] == 0
    assert ("edge_memory_freshness_ratio", ()) not in told


def test_the_textfile_is_there_while_the_daemon_is(folder: Path) -> None:
    path = folder / "edge.prom"
    with DaemonThread(folder, ScriptedModel(echo), EDGE_HEALTH_TEXTFILE=str(path)) as daemon:
        for _ in range(1000):  # it is written beside what is asked
            if path.exists():
                break
            daemon.talk.health()
        assert samples(path.read_bytes())["edge_store_readable", ()] == 1
    assert not path.exists()
