"""What a turn was taken for: told at its end, and nothing is searched for small talk."""

from __future__ import annotations

import pytest

from tests.e2e.running import DaemonThread


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
