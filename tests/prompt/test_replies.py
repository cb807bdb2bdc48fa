"""What the runtime replies itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta

import pytest

from edge.memory.units import Kind, Source, Unit
from edge.prompt.replies import ACKNOWLEDGEMENTS, acknowledged, quoted
from tests.prompt.test_texts import NOW, unit


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_remembered_is_acknowledged_as_such(language: str) -> None:
    noted, heard = (acknowledged(language, remembered=remembered) for remembered in (True, False))
    assert noted != heard
    assert {noted, heard} <= set(ACKNOWLEDGEMENTS)


WORDS = Kind.EPISODE


@pytest.mark.parametrize(
    ("language", "remembered", "reply"),
    [
        ("en", unit("The user likes tea."), "You said today: You like tea."),
        ("en", unit("I ran\nyesterday.", kind=WORDS, days=2), "You said on 1 May: I ran yesterday (30 April)."),
        ("en", unit("Go.", kind=WORDS, source=Source.ASSISTANT, days=1), "I said yesterday: Go."),
        ("en", unit("12 km", source=Source.TOOL, days=500), "A tool found on 19 December 2024: 12 km"),
        ("en", unit("Ann: Hi.", kind=WORDS, source=Source.IMPORT, days=2), "Imported on 1 May: Ann: Hi."),
        ("zh", unit("用户喜欢茶。"), "你今天说过：你喜欢茶。"),
        ("zh", unit("我喜欢茶。", kind=WORDS, days=2), "你5月1日说过：我喜欢茶。"),
        ("zh", unit("走吧。", kind=WORDS, source=Source.ASSISTANT, days=1), "我昨天说过：走吧。"),
        ("zh", unit("12公里", source=Source.TOOL, days=500), "工具2024年12月19日查到：12公里"),
        ("zh", unit("小安：你好。", kind=WORDS, source=Source.IMPORT), "今天导入：小安：你好。"),
    ],
)
def test_a_memory_is_quoted_with_who_and_when(language: str, remembered: Unit, reply: str) -> None:
    assert quoted(remembered, language, NOW, UTC) == reply


@pytest.mark.parametrize(
    ("language", "content", "reply"),
    [
        ("en", "The user lives in Berlin.", "You said: From 23 April to yesterday: You live in Berlin."),
        ("zh", "用户住在北京。", "你说过：4月23日到昨天，你住在北京。"),
    ],
)
def test_what_has_ended_is_quoted_with_its_time(language: str, content: str, reply: str) -> None:
    ended = replace(unit(content, days=10), valid_until=NOW - timedelta(days=1))
    assert quoted(ended, language, NOW, UTC) == reply
