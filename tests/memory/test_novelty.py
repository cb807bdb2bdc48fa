"""A reply that only restates is told from one that adds something."""

from __future__ import annotations

import pytest

from edge.memory.novelty import adds_something


@pytest.mark.parametrize(
    ("reply", "known"),
    [
        ("Your name is Zhang Wei.", ["What is my name?", "The user's name is Zhang Wei."]),
        ("你的名字是张伟。", ["我叫什么名字？", "用户的名字是张伟。"]),
        ("Zhang Wei", ["The user's name is Zhang Wei."]),
        ("Yes.", []),
        ("好的。", []),
        ("", ["anything"]),
    ],
)
def test_it_restates(reply: str, known: list[str]) -> None:
    assert not adds_something(reply, known)


@pytest.mark.parametrize(
    ("reply", "known"),
    [
        ("Try the harbour tour at nine, or the castle.", ["What should I see?"]),
        ("我推荐你去看港口和城堡。", ["我该看什么？"]),
        ("Your name is Zhang Wei; bring an umbrella and boots.", ["The user's name is Zhang Wei."]),
    ],
)
def test_it_adds_something(reply: str, known: list[str]) -> None:
    assert adds_something(reply, known)


def test_the_share_that_must_be_new_can_be_set() -> None:
    reply, known = "cat dog bird fish harbour castle", ["cat dog bird fish"]
    assert not adds_something(reply, known)
    assert adds_something(reply, known, share=0.3)
