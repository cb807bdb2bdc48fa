"""Clients at once, clients that hang up, clients that do not read."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from edge.errors import Busy
from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import StoredTurn, stored_turns
from tests.e2e.talking import Talk, closing, read_all, read_until, turn_request, until
from tests.fakes.language_model import Gate, ScriptedModel

LONG = " ".join(f"word{number}" for number in range(1200))


def idle(talk: Talk) -> bool:
    return talk.status()["queue"]["turns"] == 0


def test_a_client_that_hangs_up_in_mid_prefill_frees_the_model(folder: Path) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon:
        with daemon.talk.begin("main", LONG):
            assert gate.reached.wait(60)
        until(lambda: idle(daemon.talk))
        gate.open()
        assert stored_turns(daemon.state) == [StoredTurn("main", LONG, "", "cancelled")]
        assert len(daemon.model.prompts[0]) > 2000
        after = daemon.talk.say("Say: next please", "other")
        assert after["reply"] == "next please"
        assert after["usage"]["reused_tokens"] < len(daemon.model.prompts[0]) / 2


def test_a_client_that_hangs_up_while_it_waits_leaves_nothing_behind(folder: Path) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon, ThreadPoolExecutor(1) as others:
        first = others.submit(daemon.talk.say, "Say: first", "first")
        assert gate.reached.wait(60)
        with daemon.talk.begin("second", "Say: second"):
            until(lambda: daemon.talk.status()["queue"]["turns"] == 2)
        with daemon.talk.begin("first", "Say: behind the first"):
            until(lambda: daemon.talk.status()["queue"]["turns"] == 3)
        gate.open()
        assert first.result()["reply"] == "first"
        until(lambda: idle(daemon.talk))
        turns = stored_turns(daemon.state)
        assert turns[0] == StoredTurn("first", "Say: first", "first", "done")
        assert {(turn.reply, turn.state) for turn in turns[1:]} <= {("", "cancelled")}
        assert daemon.talk.say("Say: third", "first")["reply"] == "third"


def test_a_client_that_hangs_up_between_tokens_is_noticed(folder: Path) -> None:
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        for number in range(20):
            with daemon.talk.begin("main", f"Say: {number} {LONG}") as link:
                read_until(link, b"event: token")
        until(lambda: idle(daemon.talk))
        states = {turn.state for turn in stored_turns(daemon.state)}
        assert states <= {"cancelled", "cut", "done"}
        assert daemon.talk.say("Say: still here")["reply"] == "still here"


def test_eight_clients_at_once_each_get_their_own(talk: Talk) -> None:
    def converse(number: int) -> list[str]:
        session, cart = f"session {number}", f"{number + 2} blue lamps"
        talk.say(f"I put {cart} in my cart.", session)
        talk.say(f"请记住：第{number}号客人在{session}", session)
        asked = talk.recall("What is in my cart?", session)
        return [talk.say(f"Say: only for {number}", session)["reply"], *(unit["content"] for unit in asked["recalled"])]

    with ThreadPoolExecutor(8) as clients:
        told = list(clients.map(converse, range(8)))
    for number, (reply, *recalled) in enumerate(told):
        assert reply == f"only for {number}"
        assert recalled == [f"In this talk: the user has {number + 2} blue lamps in the cart."]
    turns = {session["session"]: session["turns"] for session in talk.sessions()}
    assert turns == {f"session {number}": 3 for number in range(8)}


def test_more_clients_than_the_queue_takes_are_told_busy(folder: Path) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate), waiting=2) as daemon, ThreadPoolExecutor(8) as clients:

        def ask(number: int) -> str:
            try:
                return daemon.talk.say(f"Say: answer {number}", f"s{number}")["reply"]
            except Busy as busy:
                return busy.code

        asked = [clients.submit(ask, number) for number in range(8)]
        until(lambda: daemon.talk.alive() and sum(answer.done() for answer in asked) == 5)
        assert {answer.result() for answer in asked if answer.done()} == {"busy"}
        assert daemon.talk.alive()
        assert daemon.talk.recall("anything")["recalled"] == []
        waiting = [number for number, answer in enumerate(asked) if not answer.done()]
        gate.open()
        assert [asked[number].result() for number in waiting] == [f"answer {number}" for number in waiting]
        assert len(stored_turns(daemon.state)) == 3


def test_turns_of_one_session_follow_one_another(talk: Talk, daemon: DaemonThread) -> None:
    with ThreadPoolExecutor(8) as clients:
        replies = list(clients.map(lambda number: talk.say(f"Say: number {number}")["reply"], range(8)))
    assert replies == [f"number {number}" for number in range(8)]
    for before, after in zip(daemon.model.prompts, daemon.model.prompts[1:], strict=False):
        assert after[: len(before)] == before
    assert len(daemon.model.prompts) == 8


def test_a_slow_reader_blocks_nobody(talk: Talk) -> None:
    for number in range(8):
        talk.remember(f"elephant {number} {'x' * 300_000}")
    with talk.connect() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        slow.sendall(turn_request("slow", "elephant"))
        first = read_until(slow, b"event: recall")
        for number in range(4):
            assert talk.say(f"Say: quick {number}", "quick")["reply"] == f"quick {number}"
        slow.settimeout(60)
        rest = first + read_until(slow, b"event: done")
    assert len(rest) > 2_000_000
    assert b"event: error" not in rest


def test_connections_that_say_only_half_are_borne(talk: Talk) -> None:
    half = turn_request("main", "Say: never said")[:-5]
    links = [talk.connect() for _ in range(60)]
    for number, link in enumerate(links):
        link.sendall(half[: number * 3])
    assert talk.say("Say: whole")["reply"] == "whole"
    for link in links:
        link.close()
    assert [unit["content"] for unit in talk.all_memories(kind="episode")] == ["Say: whole"]


def test_a_request_in_single_bytes_is_read(talk: Talk) -> None:
    with talk.connect() as link:
        for byte in closing(turn_request("main", "Say: 慢慢来", stream=False)):
            link.sendall(bytes((byte,)))
        answer = read_all(link)
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["reply"] == "慢慢来"
