"""What a statement says beside its facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.statements import Rest, rest_of
from edge.memory.units import Draft, Kind
from tests.memory.test_rules import RULES


def parts(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The rest, and the slots of what it is tied to."""
    return [(rest.text, tuple(slot for slot, _ in rest.ties)) for rest in rest_of(text, RULES.find_facts(text))]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Berlin", "Remember that I live in Berlin.", "My name is Will and I live in Berlin.",
        "My phone number is 0151 2345678.", "I'm allergic to peanuts.", "I don't like coffee any more.",
        "My sister's phone number is 139 0000 1111", "Don't forget: my favourite colour is blue!",
        "我住在柏林", "请记住：我叫王芳，住在柏林。", "我的手机号是13900001111", "我最喜欢的颜色是蓝色。",
        "别忘了，我搬到汉堡了。", "对了，我现在住在汉堡。",
        "I live in Hamburg now.", "By the way, I live in Hamburg these days.",
    ],
)  # fmt: skip
def test_what_only_fills_slots_leaves_nothing(text: str) -> None:
    assert parts(text) == []


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("I live in Berlin near the big lake with my two cats.", ("home",)),
        ("My name is Zhang Wei, call me after six", ("name",)),
        ("I like green tea and I hate coffee because of my stomach", ("likes", "dislikes")),
        ("我住在柏林，邻居晚上吹小号。", ("home",)),
        ("我的手机号是13900001111，只在白天打。", ("phone",)),
        ("记住我的订单号是ORD-55871，周五到货", ("order_id",)),
    ],
)
def test_what_says_more_is_kept_and_tied(text: str, slots: tuple[str, ...]) -> None:
    assert parts(text) == [(text, slots)]


@pytest.mark.parametrize("text", ["The bike is blue", "我的自行车是蓝色的", "The tap drips. It is old.\nVery old.", ""])
def test_what_states_no_fact_is_kept_as_it_is(text: str) -> None:
    assert parts(text) == [(text, ())]


def test_only_the_sentences_that_say_more_are_kept() -> None:
    text = (
        "Bonn is a town. It is old. I live in Berlin. My neighbour plays the trumpet. My name is Will, say the papers."
    )
    assert parts(text) == [
        ("Bonn is a town. It is old.", ()),
        ("My neighbour plays the trumpet.", ()),
        ("My name is Will, say the papers.", ("name",)),
    ]
    assert parts("我住在柏林。邻居晚上吹小号。楼下有家面包店。") == [("邻居晚上吹小号。楼下有家面包店。", ())]


def test_a_sentence_with_a_secret_is_kept_and_ends_with_nothing() -> None:
    text = "I live in Berlin. My wifi password is hunter2."
    assert parts(text) == [("My wifi password is hunter2.", ())]


def test_facts_that_cannot_be_placed_leave_all_of_it() -> None:
    fact = Draft(Kind.USER_PROFILE, "The user lives in Berlin.", slot="home", value="berlin", quote="elsewhere")
    assert rest_of("I live in Berlin.", [fact]) == [Rest("I live in Berlin.", (("home", "self"),))]


WORDS = st.sampled_from(["I live in Berlin.", "我叫王芳，", "The tap drips.", " ", "\n", "。", "remember", "!"])


@given(st.lists(WORDS, max_size=9))
def test_every_part_stands_in_the_text_in_order(words: list[str]) -> None:
    text = "".join(words)
    at = 0
    for rest in rest_of(text, RULES.find_facts(text)):
        assert text.find(rest.text, at) >= 0
        at = text.index(rest.text, at) + len(rest.text)
