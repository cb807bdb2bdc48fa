"""The time to the first token decides what of memories and contexts a turn is told, and the turn says what gave way.

A token is taken to last ten seconds, of a thousand: what the machine of the tests takes for a turn changes nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.running import DaemonThread
from tests.e2e.scripted_daemon import echo
from tests.fakes.language_model import ScriptedModel

RESULT = {"last_tool_result": {"状态": "已发货", "notes": "one lamp and a kettle " * 20}}
UNITS = [("My order number is ORD-55871.", "What is my order number?", "ORD-55871"),
         ("我的订单号是 CN20260317。", "我的订单号是多少？", "CN20260317")]  # fmt: skip


def daemon_with(folder: Path, target: float, token_seconds: float | None = 10.0) -> DaemonThread:
    return DaemonThread(
        folder,
        ScriptedModel(echo),
        token_seconds=token_seconds,
        EDGE_PROMPT_TARGET_FIRST_TOKEN=str(target),
        EDGE_RECALL_FAST_ANSWERS="false",
    )


def test_a_result_gives_way_when_there_is_no_time_for_it_and_the_turn_says_so(folder: Path) -> None:
    with daemon_with(folder, 1000) as daemon:
        talk = daemon.talk
        talk.say("Say: hello")
        talk.request("PUT", "/v1/sessions/main/context", RESULT)
        usage = talk.say("Say: 你好")["usage"]
        assert usage["in_time_tokens"] == 96
        assert usage["appended_tokens"] <= 96
        [gave_way] = usage["gave_way"]
        assert (gave_way["section"], gave_way["count"], gave_way["because"]) == ("last_tool_result", 1, "seconds")
        assert gave_way["tokens"] > 96
        assert "已发货" not in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()


def test_with_more_time_it_is_told(folder: Path) -> None:
    with daemon_with(folder, 3600) as daemon:
        talk = daemon.talk
        talk.say("Say: hello")
        talk.request("PUT", "/v1/sessions/main/context", RESULT)
        assert talk.say("Say: 你好")["usage"]["gave_way"] == []
        assert "已发货" in daemon.model.tokenizer.decode(daemon.model.prompts[-1]).decode()


@pytest.mark.parametrize(("statement", "question", "answer"), UNITS, ids=["en", "zh"])
def test_what_is_certain_is_told_however_slow_the_board_is(
    folder: Path, statement: str, question: str, answer: str
) -> None:
    with daemon_with(folder, 1) as daemon:
        daemon.talk.say(statement, "first")
        done = daemon.talk.say(question, "second")
        assert done["usage"]["in_time_tokens"] == 0
        assert done["recalled"][0]["sent"] is True
        assert answer in done["reply"]
        assert question in done["reply"]


def test_nothing_gives_way_to_seconds_where_the_speed_is_not_known(folder: Path) -> None:
    with daemon_with(folder, 1, None) as daemon:
        usage = daemon.talk.say("Say: hello")["usage"]
        assert (usage["in_time_tokens"], usage["gave_way"]) == (None, [])


def test_what_was_measured_serves_after_a_restart(folder: Path) -> None:
    (folder / "state").mkdir(mode=0o700)
    kept = {"scripted": {"prefill": {"mean": 5.0, "spread": 2.5}, "generate": None}}
    (folder / "state" / "speeds.json").write_text(json.dumps(kept))
    for _ in range(2):
        with daemon_with(folder, 1000) as daemon:
            assert daemon.talk.say("Say: hello")["usage"]["in_time_tokens"] == 96
            assert daemon.talk.status()["speed"] == {"prefill_tokens_s": 0.2, "generate_tokens_s": None}
