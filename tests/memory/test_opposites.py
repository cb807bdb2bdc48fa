"""Statements that cannot both hold, and the many that can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.opposites import Opposed, opposed, outline
from edge.memory.sameness import say_the_same
from tests.memory.test_sameness import PAIRS

DOUBT, CHANGE = Opposed.DOUBT, Opposed.CHANGE


@pytest.mark.parametrize(
    ("older", "newer", "how"),
    [
        ("The user eats meat.", "The user does not eat meat.", DOUBT),
        ("The user doesn't eat meat.", "The user eats meat.", DOUBT),
        ("The user is not afraid of dogs.", "The user is afraid of dogs.", DOUBT),
        ("The user smokes.", "The user no longer smokes.", CHANGE),
        ("The user drinks coffee.", "The user doesn't drink coffee any more.", CHANGE),
        ("The bakery opens at 8.", "The bakery opens at 9.", DOUBT),
        ("The bakery opens at eight.", "The bakery opens at 9.", DOUBT),
        ("The user has 2 dogs.", "The user has 3 dogs.", DOUBT),
        ("The user has 2 dogs.", "The user now has 3 dogs.", CHANGE),
        ("用户吃肉。", "用户不吃肉。", DOUBT),
        ("用户不怕狗。", "用户怕狗。", DOUBT),
        ("用户没有车。", "用户有车。", DOUBT),
        ("用户喝咖啡。", "用户不再喝咖啡。", CHANGE),
        ("面包店8点开门。", "面包店9点开门。", DOUBT),
        ("面包店八点开门。", "面包店九点开门。", DOUBT),
        ("用户有2只狗。", "用户有3只狗。", DOUBT),
    ],
)
def test_what_cannot_both_hold_is_opposed(older: str, newer: str, how: Opposed) -> None:
    assert opposed(older, newer) is how
    assert outline(older) == outline(newer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user eats meat.", "The user eats meat."),
        ("The user eats meat.", "The user does not eat fish."),
        ("The user eats meat.", "The user's sister does not eat meat."),
        ("The user paid 20 euros for the ticket.", "The user paid 30 euros for the ticket."),
        ("The user ran 5 kilometres.", "The user ran 8 kilometres."),
        ("The user bought 2 lamps.", "The user bought 3 lamps."),
        ("The user sometimes eats meat.", "The user sometimes does not eat meat."),
        ("Does the user eat meat?", "The user does not eat meat."),
        ("The user opens at 8 or 9.", "The user opens at 8 or 10."),
        ("The bakery opens at 8.", "The bakery closes at 9."),
        ("The bakery opens at 8 on Monday.", "The bakery opens at 9 on Tuesday."),
        ("The user is at table 4 in room 2.", "The user is at table 5 in room 3."),
        ("The user was not tired.", "The user was tired."),
        ("用户吃肉。", "用户不吃鱼。"),
        ("用户买了2个灯。", "用户买了3个灯。"),
        ("用户去过北京。", "用户没去过北京。"),
        ("面包店8点开门。", "面包店9点关门。"),
        ("用户有时吃肉。", "用户有时不吃肉。"),
        ("用户吃肉。", "The user does not eat meat."),
        ("用户不错过机会。", "用户错过机会。"),
    ],
)
def test_what_may_both_hold_is_left_alone(one: str, other: str) -> None:
    assert opposed(one, other) is None
    assert opposed(other, one) is None


def test_of_what_only_looks_alike_the_contradictions_are_told() -> None:
    found = {name: [(one, other) for one, other in PAIRS[name] if opposed(one, other)] for name in PAIRS}
    assert (found["same_en"], found["same_zh"]) == ([], [])
    assert ("The garage door code is 4471.", "The garage door code is 4417.") in found["different_en"]
    assert ("备用钥匙在邻居家。", "备用钥匙不在邻居家。") in found["different_zh"]
    assert (len(found["different_en"]), len(found["different_zh"])) == (4, 4)


@pytest.mark.parametrize(("one", "other"), [*PAIRS["same_en"], *PAIRS["same_zh"]])
def test_what_is_joined_has_one_outline(one: str, other: str) -> None:
    assert outline(one) == outline(other) or not say_the_same(one, other, 1.0)


TEXT = st.text(st.sampled_from("the user not 不 没有 是 8 9 opens at n't don't 。.?"), max_size=40)


@given(TEXT, TEXT)
def test_nothing_opposes_itself_and_opposition_has_two_sides(one: str, other: str) -> None:
    assert opposed(one, one) is None
    assert (opposed(one, other) is None) == (opposed(other, one) is None)


@given(TEXT, TEXT)
def test_what_says_the_same_or_the_opposite_has_one_outline(one: str, other: str) -> None:
    if say_the_same(one, other, 1.0) or opposed(one, other):
        assert outline(one) == outline(other)
