"""Forgetting by words and by session, with a look at what goes before; and the archive, from end to end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from edge.errors import ForgettingChanged, MemoryNotFound, RequestInvalid, SessionNotFound
from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import files_holding, stored_turns
from tests.e2e.talking import Talk
from tests.fakes.language_model import Gate, ScriptedModel


class Trip(NamedTuple):
    """What is told of a trip in a session, and words of it that stand nowhere else."""

    told: list[str]
    fact: str
    words: list[str]
    query: str


TRIPS = [
    Trip(
        ["Say: the zabaglione hotel is lovely", "I put 3 crimson mugs in my cart.", "My order number is ORD-55871."],
        "ORD-55871",
        ["zabaglion", "crimson mug"],
        "zabaglione hotel",
    ),
    Trip(
        ["Say: 鳄鱼酒店很漂亮", "我把两本蓝皮词典放进了购物车。", "我的订单号是 CN20260317。"],
        "CN20260317",
        ["鳄鱼酒店", "蓝皮词典"],
        "鳄鱼酒店",
    ),
]


def tell(talk: Talk, trip: Trip, session: str = "trip") -> None:
    for message in trip.told:
        talk.say(message, session)
    talk.say("Say: good evening 晚上好", "home")


def ids_holding(talk: Talk, text: str) -> set[int]:
    return {unit["id"] for unit in talk.all_memories(past=True) if text in unit["content"]}


@pytest.mark.parametrize("trip", TRIPS, ids=lambda trip: trip.fact)
def test_a_forgotten_session_is_gone_from_recall_prompt_and_files(folder: Path, trip: Trip) -> None:
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        talk = daemon.talk
        tell(talk, trip)
        assert all(files_holding(daemon.state, words) for words in trip.words)
        shown = talk.forget_preview(session="trip")
        assert shown["turns"] == len(trip.told)
        assert [unit["content"] for unit in shown["kept"] if trip.fact in unit["content"]]
        assert shown["ids"] == [unit["id"] for unit in shown["memories"]]
        assert all(files_holding(daemon.state, words) for words in trip.words)
        gone = talk.forget_selected(shown["token"], session="trip")
        assert (gone["forgotten"], gone["kept"], gone["turns"]) == (shown["ids"], shown["kept_ids"], shown["turns"])
        assert [files_holding(daemon.state, words) for words in trip.words] == [[], []]
        assert trip.fact in talk.recall(trip.told[2])["recalled"][0]["content"]
        assert [session["session"] for session in talk.sessions()] == ["home"]
        talk.say("Say: and now?", "trip")
        for words in trip.words:
            assert words not in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()
        talk.forget_selected(session="trip")
        with pytest.raises(SessionNotFound):
            talk.forget_selected(session="trip")
    assert [files_holding(daemon.state, words) for words in trip.words] == [[], []]


@pytest.mark.parametrize("trip", TRIPS, ids=lambda trip: trip.fact)
def test_a_session_with_its_facts_leaves_nothing(talk: Talk, daemon: DaemonThread, trip: Trip) -> None:
    tell(talk, trip)
    talk.say(f"Say: {trip.fact} again", "home")
    shown = talk.forget_preview(session="trip", facts=True)
    assert shown["kept"] == []
    talk.forget_selected(shown["token"], session="trip", facts=True)
    assert [files_holding(daemon.state, words) for words in (*trip.words, trip.fact)] == [[], [], []]
    assert ids_holding(talk, "good evening")


@pytest.mark.parametrize("trip", TRIPS, ids=lambda trip: trip.fact)
def test_a_query_forgets_what_holds_its_words(talk: Talk, daemon: DaemonThread, trip: Trip) -> None:
    tell(talk, trip)
    shown = talk.forget_preview(query=trip.query)
    assert shown["found_by"] == "words"
    assert set(shown["ids"]) >= ids_holding(talk, trip.words[0])
    talk.forget_selected(shown["token"], query=trip.query)
    assert files_holding(daemon.state, trip.words[0]) == []
    assert files_holding(daemon.state, trip.words[1])
    with pytest.raises(MemoryNotFound):
        talk.forget_selected(query=trip.query)


def test_what_is_only_near_in_meaning_goes_after_a_look_alone(talk: Talk) -> None:
    talk.say("My order number is ORD-55871.")
    shown = talk.forget_preview(query="我的订单号是多少？")
    assert shown["found_by"] == "meaning"
    with pytest.raises(MemoryNotFound, match="these words"):
        talk.forget_selected(query="我的订单号是多少？")
    assert ids_holding(talk, "ORD-55871")
    talk.forget_selected(shown["token"], query="我的订单号是多少？")
    assert not ids_holding(talk, "ORD-55871")


def test_what_is_told_after_the_look_is_not_forgotten_with_it(talk: Talk) -> None:
    tell(talk, TRIPS[0])
    shown = talk.forget_preview(session="trip")
    talk.say("Say: one more thing", "trip")
    with pytest.raises(ForgettingChanged):
        talk.forget_selected(shown["token"], session="trip")
    assert {turn.session for turn in stored_turns_of(talk)} == {"trip", "home"}
    again = talk.forget_preview(session="trip")
    assert again["turns"] == shown["turns"] + 1
    talk.forget_selected(again["token"], session="trip")
    with pytest.raises(SessionNotFound):
        talk.forget_preview(session="trip")


def stored_turns_of(talk: Talk) -> Any:
    return stored_turns(Path(talk.status()["state_dir"]))


def test_two_clients_forget_the_same_session(talk: Talk, daemon: DaemonThread) -> None:
    """One of them does, the other is told that it is gone or has changed; a third goes on talking elsewhere."""
    tell(talk, TRIPS[0])
    shown = talk.forget_preview(session="trip")

    def forget(_: int) -> str:
        try:
            talk.forget_selected(shown["token"], session="trip")
        except (SessionNotFound, ForgettingChanged) as refusal:
            return type(refusal).__name__
        return "forgot"

    with ThreadPoolExecutor(5) as clients:
        others = [clients.submit(talk.say, "Say: 还在吗", f"s{number}") for number in range(2)]
        outcomes = list(clients.map(forget, range(4)))
        assert all(other.result()["reply"] == "还在吗" for other in others)
    assert sorted(outcomes) == ["SessionNotFound"] * 3 + ["forgot"]
    assert files_holding(daemon.state, TRIPS[0].words[0]) == []


@pytest.mark.parametrize("words", ["The zabaglione is ready", "鳄鱼酒店很漂亮"])
def test_a_session_is_forgotten_while_its_turn_runs(folder: Path, words: str) -> None:
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon, ThreadPoolExecutor(1) as other:
        running = other.submit(daemon.talk.say, words, "trip")
        assert gate.reached.wait(60)
        daemon.talk.forget_selected(session="trip")
        gate.open()
        assert running.result()["finish"] == "stop"
        daemon.talk.say("Say: 然后呢", "trip")
        assert words not in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()
        assert files_holding(daemon.state, words) == []
    assert files_holding(daemon.state, words) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "ids"),
        ({"ids": []}, "ids"),
        ({"ids": [0]}, "ids"),
        ({"ids": [True]}, "ids"),
        ({"ids": ["1"]}, "ids"),
        ({"ids": [2**70]}, "ids"),
        ({"ids": list(range(1, 600))}, "ids"),
        ({"ids": [1], "query": "x"}, "query"),
        ({"query": "x", "session": "y"}, "session"),
        ({"query": " "}, "query"),
        ({"session": ""}, "session"),
        ({"query": "x", "facts": True}, "facts"),
        ({"session": "x", "preview": "yes"}, "preview"),
        ({"session": "x", "more": 1}, "more"),
    ],
)
def test_a_wrong_request_forgets_nothing(talk: Talk, body: dict[str, Any], field: str) -> None:
    answer = talk.request("POST", "/v1/forget", body)
    assert (answer.status, answer.field) == (400, field)


def test_put_away_found_again_and_brought_back(talk: Talk) -> None:
    told, question = "The zeppelin leaves from hangar seven.", "Where does the zeppelin leave from?"
    unit = talk.remember(told)["added"][0]
    put_away = talk.archive(unit)
    assert (put_away["archived_why"], put_away["archived_at"] is not None) == ("by hand", True)
    assert talk.memories()["memories"] == []
    assert [each["id"] for each in talk.memories(archived=True)["memories"]] == [unit]
    assert [each["id"] for each in talk.all_memories(archived=True)] == [unit]
    (found,) = talk.recall(question)["recalled"]
    assert (found["id"], found["archived_why"]) == (unit, "by hand")
    assert talk.restore(unit)["archived_at"] is None
    assert talk.restore(unit)["archived_at"] is None
    assert "archived_why" not in talk.recall(question)["recalled"][0]
    for move in (talk.archive, talk.restore):
        with pytest.raises(MemoryNotFound):
            move(999)
    with pytest.raises(RequestInvalid):
        talk._requests.ask("POST", f"/v1/memories/{unit}/archive", {"why": "so"})


@pytest.mark.parametrize(
    ("told", "question", "mark"),
    [
        ("The zeppelin leaves from hangar seven.", "Where does the zeppelin leave from?", "archived]"),
        ("飞艇从七号机库起飞。", "飞艇从哪里起飞？", "已归档]"),
    ],
)
def test_what_serves_from_the_archive_is_active_again(
    talk: Talk, daemon: DaemonThread, told: str, question: str, mark: str
) -> None:
    unit = talk.remember(told)["added"][0]
    talk.archive(unit)
    done = talk.say(question)
    assert done["recalled"][0]["archived_why"] == "by hand"
    assert mark in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()
    back = talk.memory(unit)
    assert (back["archived_at"], back["access_count"], back["relevance"]) == (None, 1, 1.1)
    talk.say("不对" if "飞" in told else "No, that's wrong.")
    assert talk.memory(unit)["relevance"] == 0.8


def test_what_expired_leaves_the_active_set_by_itself(folder: Path) -> None:
    with DaemonThread(folder, ScriptedModel(echo), EDGE_MEMORY_EXPIRED_DAYS="0") as daemon:
        daemon.talk.remember("优惠券 ZEP-7100", kind="fact_reference", expires_in=0.001)
        daemon.talk.remember("The router is in the hall", kind="fact_reference")
    with DaemonThread(folder, ScriptedModel(echo), EDGE_MEMORY_EXPIRED_DAYS="0") as daemon:
        assert daemon.daemon is not None
        while daemon.on_memory_thread(daemon.daemon.memory.step):
            pass
        (gone,) = daemon.talk.memories(archived=True)["memories"]
        assert (gone["content"], gone["archived_why"]) == ("优惠券 ZEP-7100", "expired")
        assert [unit["content"] for unit in daemon.talk.memories()["memories"]] == ["The router is in the hall"]
