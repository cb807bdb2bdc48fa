"""What a turn was taken for: told at its end, and nothing is searched for small talk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.running import DaemonThread
from tests.fakes.language_model import ScriptedModel


@pytest.mark.parametrize(
    ("told", "asked", "greeting"),
    [
        ("The gate code is 4471.", "What's the gate code?", "Good morning!"),
        ("大门密码是4471。", "大门密码是多少？", "早上好！"),
    ],
)
def test_a_turn_says_what_it_was_taken_for(daemon: DaemonThread, told: str, asked: str, greeting: str) -> None:
    talk = daemon.talk
    assert talk.say(told)["intent"]["move"] == "tell"
    question = talk.say(asked)
    assert (question["intent"]["label"], question["intent"]["move"]) == ("fact", "ask")
    assert question["intent"]["sure"] is True
    assert question["recalled"]
    chat = talk.say(greeting, "other")
    assert (chat["intent"]["label"], chat["intent"]["move"]) == ("small_talk", "greet")
    assert not chat["recalled"]
    assert talk.say(f"{greeting} {asked}")["intent"]["label"] == "fact"


@pytest.mark.parametrize(
    ("told", "ways"),
    [
        (
            "The gate code is 4471.",
            (
                "What's the gate code?", "Good morning! What's the gate code?", "Hey edge, what's the gate code?",
                "Thanks! What's the gate code?", "What's the gate code? Thanks!", "what's the gate code, thanks",
            ),
        ),
        (
            "大门密码是4471。",
            (
                "大门密码是多少？", "早上好！大门密码是多少？", "你好，大门密码是多少？", "edge，大门密码是多少？",
                "大门密码是多少？谢谢！", "谢谢你，大门密码是多少",
            ),
        ),
    ],
)  # fmt: skip
def test_courtesies_around_a_question_change_nothing(folder: Path, told: str, ways: tuple[str, ...]) -> None:
    with DaemonThread(folder, ScriptedModel(lambda prompt: "I see.")) as daemon:
        daemon.talk.say(told)
        for at, way in enumerate(ways):
            done = daemon.talk.say(way, f"session-{at}")
            assert (done["intent"]["label"], done["intent"]["move"]) == ("fact", "ask"), way
            assert [unit["id"] for unit in done["recalled"]] == [1], way  # and not what was asked before
