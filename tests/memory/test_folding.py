"""What says the same twice is folded; what differs in a word that matters is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.folding import in_their_own_words, saying
from edge.memory.units import Kind, Source, TurnId, Unit, UnitId
from tests.memory.making import unit


def says_the_same(one: Unit, other: Unit) -> bool:
    return saying(one) == saying(other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("I live in Berlin.", "i really live in Berlin now!", True),
        ("I live in Berlin.", "I live in Hamburg.", False),
        ("I like coffee.", "I don't like coffee.", False),
        ("I like coffee.", "Do I like coffee?", False),
        ("I like coffee.", "I like coffee?", False),
        ("我住在北京。", "我住在北京", True),
        ("我住在北京。", "我不住在北京。", False),
        ("订单号是 A-2041", "订单号是 A-2042", False),
        ("🙂", "🙃", False),
    ],
)
def test_only_words_that_change_nothing_are_passed_over(one: str, other: str, same: bool) -> None:
    assert says_the_same(unit(1, one), unit(2, other)) is same
    assert says_the_same(unit(2, other), unit(1, one)) is same


def test_another_persons_words_and_the_assistants_are_their_own() -> None:
    said = unit(1, "I live in Berlin.")
    assert not says_the_same(said, replace(said, subject="Ann"))
    assert not says_the_same(said, replace(said, source=Source.ASSISTANT))
    assert says_the_same(said, replace(said, source=Source.IMPORT))


def test_slots_are_compared_by_value() -> None:
    phone = replace(unit(1, "phone: 1"), slot="phone", value="1")
    assert says_the_same(phone, replace(phone, content="telephone: 1"))
    assert not says_the_same(phone, replace(phone, value="2"))
    assert not says_the_same(phone, replace(phone, slot=None, value=None))


def test_long_texts_are_not_compared() -> None:
    assert not says_the_same(unit(1, "a " * 2000), unit(2, "a " * 2000))


@given(st.text(max_size=40))
def test_every_text_says_the_same_as_itself(text: str) -> None:
    assert says_the_same(unit(1, text), unit(2, text))


def test_a_line_gives_way_to_the_words_it_retells() -> None:
    words = replace(unit(1, "I keep bees."), kind=Kind.EPISODE, source_turn=TurnId(7))
    line = replace(unit(2, "The user keeps bees."), kind=Kind.FACT_REFERENCE, source_turn=TurnId(7))
    reply = replace(words, id=UnitId(3), source=Source.ASSISTANT)
    assert in_their_own_words([words, line]) == {line.id}
    assert in_their_own_words([replace(words, source=Source.IMPORT), line]) == {line.id}
    assert in_their_own_words([line]) == in_their_own_words([reply, line]) == frozenset()
    assert in_their_own_words([replace(words, source_turn=TurnId(8)), line]) == frozenset()


def test_what_says_more_than_the_words_gives_way_to_nothing() -> None:
    words = replace(unit(1, "I keep bees."), kind=Kind.EPISODE, source_turn=TurnId(7))
    line = replace(unit(2, "The user keeps bees."), kind=Kind.FACT_REFERENCE, source_turn=TurnId(7))
    for other in (
        replace(line, slot="pet"),
        replace(line, value="bees"),
        replace(line, kind=Kind.USER_PROFILE),
        replace(line, source=Source.ASSISTANT),
    ):
        assert in_their_own_words([words, other]) == frozenset()
