"""The same in other words, and what only looks alike."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from edge.memory.sameness import LEAST_COSINE, may_be_same, say_the_same
from edge.memory.units import SELF, Kind, OwnerId, SessionId, Source, Unit, UnitId
from tests.models.real_embedder import real_embedder

PAIRS: dict[str, list[list[str]]] = tomllib.loads(
    (Path(__file__).parent / "cases" / "same_and_different.toml").read_text(encoding="utf-8")
)
NOW = datetime(2026, 5, 3, tzinfo=UTC)


def pairs(name: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in PAIRS[name]]


def test_there_are_as_many_of_each() -> None:
    assert {name: len(found) for name, found in PAIRS.items()} == dict.fromkeys(PAIRS, 30)


@pytest.mark.parametrize(("one", "other"), pairs("different_en") + pairs("different_zh"))
def test_what_only_looks_alike_is_never_joined(one: str, other: str) -> None:
    assert not say_the_same(one, other, 1.0)
    assert not say_the_same(other, one, 1.0)


@pytest.mark.parametrize(("name", "least"), [("same_en", 21), ("same_zh", 24)])
def test_most_of_what_says_the_same_is_joined(name: str, least: int) -> None:
    assert sum(say_the_same(one, other, 1.0) and say_the_same(other, one, 1.0) for one, other in pairs(name)) >= least


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dog chased the cat.", "The cat chased the dog."),
        ("Anna's mother called Tom.", "Tom called Anna's mother."),
        ("The bus goes from Bonn to Trier.", "The bus goes from Trier to Bonn."),
        ("Tea before coffee.", "Coffee before tea."),
        ("The user likes the blue cup.", "The user doesn't like the blue cup."),
        ("The car was red.", "The car is red."),
        ("Her keys are here.", "His keys are here."),
        ("小李喜欢小王。", "小王喜欢小李。"),
        ("我喜欢猫不喜欢狗。", "我喜欢狗不喜欢猫。"),
        ("The moon is far.", "月亮很远。"),
        ("", ""),
    ],
)
def test_another_order_or_a_small_word_says_something_else(one: str, other: str) -> None:
    assert not say_the_same(one, other, 1.0)


@pytest.mark.parametrize(
    ("one", "other"),
    [("The tap in the kitchen drips.", "The kitchen tap drips."), ("厨房的水龙头漏水。", "厨房水龙头漏水。")],
)
def test_vectors_must_agree(one: str, other: str) -> None:
    assert say_the_same(one, other, 0.95)
    assert not say_the_same(one, other, 0.7)


def unit(number: int) -> Unit:
    return Unit(
        UnitId(number), OwnerId("ann"), None, Kind.FACT_REFERENCE, "x", SELF, None, None, (), Source.USER, None, 1.0,
        0.5, None, NOW, NOW, None,
    )  # fmt: skip


def test_units_must_stand_in_one_place() -> None:
    one, other = unit(1), unit(2)
    assert may_be_same(one, other)
    assert may_be_same(one, replace(other, source=Source.IMPORT))
    assert not may_be_same(one, one)
    for change in (
        {"owner": OwnerId("bob")},
        {"session": SessionId("main")},
        {"kind": Kind.USER_PROFILE},
        {"subject": "sister"},
        {"source": Source.TOOL},
    ):
        assert not may_be_same(one, replace(other, **change))


@pytest.mark.models
def test_the_real_vectors_keep_what_the_words_let_pass() -> None:
    embedder = real_embedder()
    for name in ("same_en", "same_zh"):
        kept = [pair for pair in pairs(name) if say_the_same(*pair, 1.0)]
        vectors = [[each.vectors[0] for each in embedder.embed(list(pair))] for pair in kept]
        near = [float(first @ second) for first, second in vectors]
        assert min(near) >= LEAST_COSINE["en" if name.endswith("en") else "zh"]
