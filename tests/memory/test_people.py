"""Whom a question asks about, and whom what was said is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge.memory.people import About, asked_people, name_spans, names, whom
from edge.memory.units import SELF, Kind, Source
from tests.memory.making import unit

KNOWN = frozenset({SELF, "Ann", "Bob", "小王"})


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did Ann buy?", {"Ann"}),
        ("What is ann's car?", {"Ann"}),
        ("Anns car, what is it?", {"Ann"}),
        ("What did Ann give to Bob?", {"Ann", "Bob"}),
        ("小王买了什么？", {"小王"}),
        ("What did I buy?", {SELF}),
        ("我买了什么？", {SELF}),
        ("What did I give to Bob?", {"Bob"}),
        ("Tell me about my cat.", {SELF}),
        ("Tell me of the elephant", set()),
        ("Could you tell me when the train leaves?", set()),
        ("Please remind me what Bob said.", {"Bob"}),
        ("Who told me about the train?", {SELF}),
        ("告诉我大象的事", set()),
        ("告诉我我的车牌号", {SELF}),
        ("给我讲讲大象", set()),
        ("谁给我买了票？", {SELF}),
        ("Is the annual fee paid?", set()),
        ("What is the capital of France?", set()),
        ("天气怎么样？", set()),
    ],
)
def test_who_is_asked_about(question: str, asked: set[str]) -> None:
    assert asked_people(question, KNOWN) == asked


def test_an_empty_name_is_nobodys() -> None:
    assert asked_people("What?", {"", " "}) == frozenset()


def test_a_name_is_found_with_what_belongs_to_it() -> None:
    assert [("Ann's and 小王的 Ann")[start:end] for start, end in name_spans("Ann's and 小王的 Ann", "Ann")] == [
        "Ann's",
        "Ann",
    ]
    assert names("J. (Jr.)", "(Jr.)") is False or names("a+b", "a+b")


@pytest.mark.parametrize(
    ("speaker", "text", "about"),
    [
        ("Ann", "I bought a car.", About.ASKED),
        ("Ann", "It was red.", About.ASKED),
        ("Bob", "I bought a car.", About.OTHERS),
        ("Ann", "You bought a car!", About.OTHERS),
        ("Bob", "You bought a car!", About.ASKED),
        ("Bob", "I saw that you bought a car!", About.OTHERS),
        ("Bob", "你买了车！", About.ASKED),
        ("Bob", "我买了车！", About.OTHERS),
        (SELF, "Bob's car is blue.", About.OTHERS),
        (SELF, "I saw Ann's car.", About.ASKED),
    ],
)
def test_words_are_about_who_says_them_unless_they_address_another(speaker: str, text: str, about: About) -> None:
    assert whom(unit(1, text, subject=speaker), frozenset({"Ann"})) is about


def test_the_assistants_words_are_nobodys_and_facts_their_subjects() -> None:
    said = unit(1, "You bought a car!")
    assert whom(replace(said, source=Source.ASSISTANT), frozenset({SELF})) is About.NOBODY
    fact = replace(said, kind=Kind.USER_PROFILE, subject="Ann")
    assert whom(fact, frozenset({"Ann"})) is About.ASKED
    assert whom(fact, frozenset({"Bob"})) is About.OTHERS
