"""Which words of a talk are things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_nouns import THING, things

TALK = [
    "The studio is on the corner.",
    "I like this studio.",
    "She feels motivated, so motivated.",
    "You motivated me to paint.",
    "Keep spreading joy, we are spreading it.",
    "My mental health. A talk on mental health.",
]


@pytest.mark.parametrize(
    ("word", "is_thing"),
    [("studio", True), ("health", True), ("motivated", False), ("spreading", False), ("mental", False)],
)
def test_a_thing_ends_its_phrase_and_is_neither_done_nor_said_of_something(word: str, *, is_thing: bool) -> None:
    assert (things(TALK, [word])[word] >= THING) is is_thing


def test_one_and_several_are_one_thing() -> None:
    told = things(["The studios are open.", "A studio."], ["studio", "studios"])
    assert told["studio"] == told["studios"] > 0.5


def test_a_name_is_a_thing_wherever_it_stands() -> None:
    assert things(["We love Harry dearly", "so Harry said", "to Harry now"], ["harry"])["harry"] > 0.5
    assert things(["we love dearly", "so dearly said", "to dearly now"], ["dearly"])["dearly"] < THING


def test_where_a_word_stands_once_its_ending_speaks() -> None:
    told = things(["adoption papers", "organized papers"], ["adoption", "organized"])
    assert told["adoption"] >= THING > told["organized"]


@given(st.lists(st.text(max_size=40), max_size=5), st.lists(st.text(min_size=1, max_size=8), max_size=5))
def test_how_far_a_word_is_a_thing_is_a_share(texts: list[str], words: list[str]) -> None:
    told = things(texts, words)
    assert told.keys() == set(words)
    assert all(0 <= share <= 1 for share in told.values())
