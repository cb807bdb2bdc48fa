"""Told in one session, asked in the same, in another, after a restart; forgotten, and then nowhere any more."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from edge.errors import MemoryNotFound
from tests.e2e.running import DaemonProcess, DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.e2e.stored import files_holding, stored_turns
from tests.e2e.talking import Talk
from tests.fakes.language_model import Gate, ScriptedModel


class Told(NamedTuple):
    statement: str
    question: str
    answer: str


OWNERS = [
    Told("My name is Zhang Wei.", "What is my name?", "Zhang Wei"),
    Told("My order number is ORD-55871.", "What is my order number?", "ORD-55871"),
    Told("I love black coffee.", "What do I like to drink?", "black coffee"),
    Told("我叫李小龙。", "我叫什么名字？", "李小龙"),
    Told("我的订单号是 CN20260317。", "我的订单号是多少？", "CN20260317"),
    Told("我喜欢喝乌龙茶。", "我喜欢什么？", "乌龙茶"),
]
SESSIONS = [
    Told("I put 3 red mugs in my cart.", "What is in my cart?", "3 red mugs"),
    Told("我把两本词典放进了购物车。", "我的购物车里有什么？", "两本词典"),
]


def seen_by_model(talk: Talk, told: Told, session: str) -> bool:
    """Whether the runtime found it for a question; what it put before the model now is seen in the model's echo."""
    done = talk.say(told.question, session)
    found = [unit for unit in done["recalled"] if told.answer in unit["content"]]
    sent = any(unit["sent"] for unit in found)
    return bool(found) and (not sent or told.answer in done["reply"])


@pytest.mark.parametrize("told", OWNERS, ids=lambda told: told.answer)
def test_what_is_the_persons_is_known_in_every_session(talk: Talk, told: Told) -> None:
    talk.say(told.statement, "first")
    assert seen_by_model(talk, told, "first")
    assert seen_by_model(talk, told, "第二")
    recalled = talk.recall(told.question)["recalled"]
    assert told.answer in recalled[0]["content"]


@pytest.mark.parametrize("told", SESSIONS, ids=lambda told: told.answer)
def test_what_concerns_a_talk_stays_in_it(talk: Talk, daemon: DaemonThread, told: Told) -> None:
    talk.say(told.statement, "shop")
    assert seen_by_model(talk, told, "shop")
    for session in ("other", "shop2", "Shop"):
        done = talk.say(told.question, session)
        assert not any(told.answer in unit["content"] for unit in done["recalled"])
        assert told.answer not in done["reply"]
        tokens = daemon.model.prompts[-1]
        if len(daemon.model.prompts) > 2:
            assert told.answer not in daemon.model.tokenizer.decode(tokens).decode()
    assert talk.recall(told.question)["recalled"] == []
    assert [unit["session"] for unit in talk.all_memories(kind="session_state")] == ["shop"]


def test_a_question_for_what_was_never_told_is_asked_back(talk: Talk, daemon: DaemonThread) -> None:
    for question, word in (("What is my phone number?", "phone"), ("我的电话号码是多少？", "电话")):
        done = talk.say(question, word)
        assert done["recalled"] == []
        assert done["answered_by"] == "runtime"
        assert word in done["reply"]
        assert daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode().endswith(done["reply"])


@pytest.mark.parametrize("language", [0, 1], ids=["en", "zh"])
def test_all_is_there_after_a_kill_right_after_the_reply(folder: Path, language: int) -> None:
    owners, session = OWNERS[language * 3 : language * 3 + 3], SESSIONS[language]
    daemon = DaemonProcess(folder)
    with daemon as first:
        talk = first
        for told in (*owners, session):
            talk.say(told.statement, "first")
            daemon.kill()
            talk = daemon.start()
            assert seen_by_model(talk, told, "first"), told
        for told in owners:
            assert seen_by_model(talk, told, "another"), told
        assert talk.say(session.question, "another")["recalled"] == []
        assert seen_by_model(talk, session, "first")


@pytest.mark.parametrize("told", OWNERS[1:2] + OWNERS[4:5], ids=lambda told: told.answer)
def test_forgotten_is_gone_from_recall_prompt_and_files(folder: Path, told: Told) -> None:
    with DaemonThread(folder, ScriptedModel(echo)) as daemon:
        talk = daemon.talk
        talk.say("Say: hello", "main")
        talk.say(told.statement, "main")
        assert seen_by_model(talk, told, "main")
        assert seen_by_model(talk, told, "other")
        fact = next(unit for unit in talk.all_memories() if unit["slot"] == "order_id")
        gone = talk.forget(fact["id"])["forgotten"]
        assert fact["id"] in gone
        assert len(gone) >= 2
        assert talk.recall(told.question)["recalled"] == []
        assert files_holding(daemon.state, told.answer) == []
        for session in ("main", "other", "new"):
            for message in (told.question, "Say: what did we speak of?", "Say: 我们说了什么？"):
                done = talk.say(message, session)
                assert told.answer not in str(done)
        for prompt in daemon.model.prompts[-6:]:
            assert told.answer not in daemon.model.tokenizer.decode(prompt).decode()
        for unit in gone:
            with pytest.raises(MemoryNotFound):
                talk.memory(unit)
            with pytest.raises(MemoryNotFound):
                talk.forget(unit)
    assert files_holding(daemon.state, told.answer) == []


def test_forgetting_and_asking_at_once(talk: Talk, daemon: DaemonThread) -> None:
    """Whatever the order comes to, every answer is whole, and in the end all that was forgotten is gone."""
    codes = [f"QX-{number:05}" for number in range(30)]
    for code in codes:
        talk.say(f"My order number is {code}.", f"s{code[-1]}")
    units = [unit["id"] for unit in talk.all_memories() if unit["slot"] == "order_id"]

    def forget(unit: int) -> None:
        try:
            talk.forget(unit)
        except MemoryNotFound:
            assert unit not in [left["id"] for left in talk.all_memories()]

    with ThreadPoolExecutor(6) as clients:
        work: list[Future[Any]] = [clients.submit(forget, unit) for unit in (*units, *units)]
        work += [clients.submit(talk.say, "What is my order number?", f"s{number % 10}") for number in range(2)]
        work += [clients.submit(talk.say, "Say: 还在吗", f"s{number}") for number in range(4)]
        for each in work:
            each.result()
    for code in codes:
        assert files_holding(daemon.state, code) == []
        assert talk.recall(code)["recalled"] == []
    for session in range(10):
        talk.say("Say: so?", f"s{session}")
        assert "QX-" not in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()


def test_forgetting_a_running_turns_words(folder: Path) -> None:
    """The words of the turn that runs are forgotten while it runs: they must not come back with its end."""
    gate = Gate()
    with DaemonThread(folder, ScriptedModel(echo, gate=gate)) as daemon, ThreadPoolExecutor(1) as other:
        running = other.submit(daemon.talk.say, "My order number is ZZ-90417. Please confirm it.")
        assert gate.reached.wait(60)
        unit = next(unit for unit in daemon.talk.all_memories() if unit["slot"] == "order_id")
        daemon.talk.forget(unit["id"])
        gate.open()
        assert running.result()["finish"] == "stop"
        assert daemon.talk.recall("ZZ-90417")["recalled"] == []
        daemon.talk.say("Say: 然后呢")
        assert "ZZ-90417" not in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()
        assert "ZZ-90417" not in str(stored_turns(daemon.state))


def test_the_same_told_again_and_again_is_one_unit(talk: Talk) -> None:
    for _ in range(5):
        talk.say("I like window seats.")
        talk.say("我喜欢喝乌龙茶。")
    kinds = [unit["content"] for unit in talk.all_memories() if unit["kind"] != "episode"]
    assert len(kinds) == 2


def test_odd_orders_of_calls(talk: Talk) -> None:
    assert talk.memories() == {"memories": [], "next_before": None}
    assert talk.recall("猫")["recalled"] == []
    with pytest.raises(MemoryNotFound):
        talk.forget(1)
    first = talk.remember("My cat is called Mimi", "猫")["added"][0]
    assert talk.sessions() == []
    assert talk.say("What is my cat called?", "猫")["recalled"]
    talk.forget(first)
    assert talk.remember("My cat is called Mimi")["added"][0] > first
    assert [session["session"] for session in talk.sessions()] == ["猫"]
