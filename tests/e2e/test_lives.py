"""Starting, stopping and dying: what a daemon leaves and takes over, and what it refuses."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from edge.client.events import Done, Found
from edge.errors import EdgeError
from tests.e2e.running import REAL, DaemonProcess, environment
from tests.e2e.stored import stored_turns
from tests.e2e.talking import Talk, first_found, read_all, turn_request, until


def edge_daemon(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`edge daemon`, which is expected to refuse."""
    return subprocess.run(REAL, env=environ, capture_output=True, text=True, timeout=120)


def test_an_idle_daemon_ends_with_status_0_and_takes_its_socket_along(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        talk.say("Say: 再见")
        assert daemon.stop() == 0
    assert not daemon.socket.exists()
    assert not (daemon.state / "memory.db-wal").exists()
    assert "Traceback" not in daemon.log


def test_open_connections_do_not_keep_it_from_ending(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        idle = [talk.connect() for _ in range(5)]
        half = talk.connect()
        half.sendall(turn_request("main", "Say: half")[:40])
        assert daemon.stop() == 0
        for link in (*idle, half):
            link.close()


def test_a_turn_that_runs_is_told_and_stored_when_the_daemon_stops(folder: Path) -> None:
    daemon = DaemonProcess(folder, EDGE_TEST_HOLD="1")
    with daemon as talk:
        with talk.turn("main", "My name is Ann Lee.") as turn:
            events = iter(turn)
            first_found(events)
            waiting = talk.begin("other", "Say: behind it")
            daemon.ask_to_stop()
            with pytest.raises(EdgeError) as told:
                list(events)
        assert told.value.code in ("cancelled", "stopping")
        with waiting:
            assert re.search(rb'"code": "(cancelled|stopping)"', read_all(waiting))
        assert daemon.ended() == 0
    turns = stored_turns(daemon.state)
    assert (turns[0].message, turns[0].reply, turns[0].state) == ("My name is Ann Lee.", "", "cancelled")
    assert {turn.state for turn in turns} == {"cancelled"}


def test_a_stale_socket_is_taken_over(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        talk.say("My order number is AB-1234.")
        daemon.kill()
        assert daemon.socket.is_socket()
        again = daemon.start()
        assert "AB-1234" in again.recall("What is my order number?")["recalled"][0]["content"]
        assert daemon.socket.stat().st_mode & 0o777 == 0o660
        assert daemon.stop() == 0


def test_a_second_daemon_is_refused_and_names_the_process(folder: Path) -> None:
    daemon = DaemonProcess(folder)
    with daemon as talk:
        same_state = {**daemon.environ, "EDGE_SOCKET": str(folder / "t")}
        same_socket = {**daemon.environ, "EDGE_STATE_DIR": str(folder / "other")}
        for environ in (daemon.environ, same_state, same_socket):
            second = edge_daemon(environ)
            assert second.returncode == 4
            assert str(daemon.process.pid) in second.stderr
            assert "Traceback" not in second.stderr
        assert talk.say("Say: undisturbed")["reply"] == "undisturbed"
        assert daemon.stop() == 0


def test_what_lies_where_the_socket_should_be_is_left_alone(folder: Path) -> None:
    (folder / "s").write_text("precious")
    refused = edge_daemon(environment(folder))
    assert refused.returncode == 4
    assert str(folder / "s") in refused.stderr
    assert (folder / "s").read_text() == "precious"


def test_a_socket_path_of_107_bytes_serves_and_one_of_108_is_refused_with_a_shorter_one(folder: Path) -> None:
    fits = folder / ("s" * (107 - len(os.fsencode(folder)) - 1))
    assert len(os.fsencode(fits)) == 107
    daemon = DaemonProcess(folder, EDGE_SOCKET=str(fits))
    with daemon as talk:
        assert talk.alive()
        assert daemon.stop() == 0
    refused = edge_daemon(environment(folder, EDGE_SOCKET=f"{fits}s"))
    assert refused.returncode == 4
    assert "108 bytes" in refused.stderr
    assert "EDGE_SOCKET" in refused.stderr
    chinese = edge_daemon(environment(folder, EDGE_SOCKET=str(folder / ("套" * 40))))
    assert chinese.returncode == 4


def test_a_damaged_database_is_refused_by_name_and_kept(folder: Path) -> None:
    state = folder / "state"
    state.mkdir()
    (state / "memory.db").write_bytes(b"not a database at all " * 400)
    refused = edge_daemon(environment(folder))
    assert refused.returncode == 7
    assert "not a database" in refused.stderr
    assert any(b"not a database" in path.read_bytes() for path in state.rglob("*") if path.is_file())


_LETTERS = str.maketrans("0123456789-", "abcdefghijx")


class Writer(threading.Thread):
    """Talks to a daemon until it dies, and keeps what was confirmed.

    No turn shares a word with a fact: a reply that was given one would not be kept where the other writer forgets it.
    """

    def __init__(self, talk: Talk, life: int, number: int) -> None:
        super().__init__()
        self.said: set[str] = set()
        self.replied: set[str] = set()
        self.facts: set[int] = set()
        self.gone: set[int] = set()
        self.confirmations = 0
        self.enough = threading.Event()
        self._talk = talk
        self._name = f"{life}-{number}"
        self._chance = random.Random(f"{life}-{number}")

    def run(self) -> None:
        with suppress(EdgeError):
            for count in range(10_000):
                self._once(f"{self._name}-{count}")
                self.confirmations += 1
                if self.confirmations == 4:
                    self.enough.set()

    def _once(self, name: str) -> None:
        what = self._chance.random()
        if what < 0.6:
            self._turn(f"Say: 第{name}回 answer")
        elif what < 0.85 or not self.facts:
            self.facts.update(self._talk.remember(f"The box {name.translate(_LETTERS)} is blue 蓝")["added"])
        else:
            unit = self._chance.choice(sorted(self.facts))
            self.facts.discard(unit)
            self.gone.update(self._talk.forget(unit)["forgotten"])

    def _turn(self, message: str) -> None:
        with self._talk.turn(self._name, message) as turn:
            for event in turn:
                if isinstance(event, Found):
                    self.said.add(message)
                if isinstance(event, Done):
                    self.replied.add(message)


def kill_again_and_again(folder: Path, times: int) -> None:
    chance = random.Random(times)
    daemon = DaemonProcess(folder)
    writers: list[Writer] = []
    with daemon as first:
        talk = first
        for life in range(times):
            mine = [Writer(talk, life, number) for number in range(2)]
            for writer in mine:
                writer.start()
            for writer in mine:
                assert writer.enough.wait(60)
            for _ in range(chance.randint(0, 60)):
                talk.alive()
            daemon.kill()
            for writer in mine:
                writer.join()
            writers += mine
            talk = daemon.start()
            check(daemon, talk, writers)


def check(daemon: DaemonProcess, talk: Talk, writers: list[Writer]) -> None:
    """Everything that was confirmed is there, in rows and in search; nothing confirmed to be gone is."""
    turns = {turn.message: turn for turn in stored_turns(daemon.state)}
    assert not any(turn.state == "open" for turn in turns.values())
    units = {unit["id"] for unit in talk.all_memories(past=True)}
    for writer in writers:
        assert writer.said <= turns.keys()
        assert all(turns[message].reply == message.removeprefix("Say: ") for message in writer.replied)
        assert writer.facts <= units
        assert not writer.gone & units
    fact = next((unit for writer in writers for unit in writer.facts), None)
    if fact is not None:
        unit = talk.memory(fact)
        # A memory without codes yet is scored by what the real embedder's are worth, which the scripted one's are not.
        until(lambda: talk.status()["counts"]["unembedded"] == 0)
        assert fact in [found["id"] for found in talk.recall(unit["content"], unit["session"])["recalled"]]
    assert talk.say("Say: alive")["reply"] == "alive"


def test_kills_at_random_moments(folder: Path) -> None:
    kill_again_and_again(folder, 5)


@pytest.mark.long
def test_a_hundred_and_twenty_kills_at_random_moments(folder: Path) -> None:
    kill_again_and_again(folder, 120)


def test_a_kill_while_a_turn_waits_for_the_model_keeps_the_persons_words(folder: Path) -> None:
    daemon = DaemonProcess(folder, EDGE_TEST_HOLD="1")
    with daemon as talk:
        with talk.turn("main", "我的订单号是 CN20260317。") as turn:
            first_found(iter(turn))
            daemon.kill()
        again = daemon.start()
        assert "CN20260317" in again.recall("我的订单号是多少？")["recalled"][0]["content"]
        assert [turn.state for turn in stored_turns(daemon.state)] == ["interrupted"]


def test_a_wrong_group_or_a_missing_service_manager_is_no_reason_to_fail(folder: Path) -> None:
    gone = folder / "gone"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
        link.bind(str(gone))
    daemon = DaemonProcess(folder, EDGE_DAEMON_GROUP="no-such-group")
    with daemon as talk:
        assert talk.alive()
        assert daemon.stop() == 0
