from __future__ import annotations

import pytest

from edge.memory.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is my name?", "en"),
        ("我叫什么", "zh"),
        ("我的 order number 是 ABC123，明天 ship", "zh"),
        ("I live in 北京 now", "en"),
        ("我的訂單號是多少", "zh"),
        ("", "en"),
        ("12345 !?", "en"),
        ("猫", "zh"),
        ("\x00\ud800", "en"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_long_text_is_judged_by_its_head() -> None:
    assert language_of("word " * 1000 + "我" * 9000) == "en"
