"""A slot's sentence, told in the other language."""

from __future__ import annotations

import pytest

from edge.memory.retelling import retold
from tests.memory.test_rules import RULES


@pytest.mark.parametrize(
    ("said", "language", "told"),
    [
        ("My name is Zhang Wei.", "zh", "用户的名字是Zhang Wei。"),
        ("我叫张伟。", "en", "The user's name is 张伟."),
        ("我的电话是138-0013-8000。", "en", "The user's phone number is 138-0013-8000."),
        ("I prefer window seats.", "zh", "用户偏好window seats。"),
        ("I live in Berlin.", "en", "The user lives in Berlin."),
        ("我对花生过敏。", "zh", "用户对花生过敏。"),
        ("我的购物车里有三盏灯。", "zh", "本次对话：用户的购物车里有三盏灯。"),
        ("我的购物车里有三盏灯。", "en", "In this talk: the user has 三盏灯 in the cart."),
        ("My favourite food is dumplings.", "en", "The user's favourite food is dumplings."),
        ("My favourite food is dumplings.", "zh", None),
        ("I have a dog named Rex.", "zh", None),
    ],
)
def test_a_value_moves_into_the_other_languages_sentence(said: str, language: str, told: str | None) -> None:
    (fact,) = RULES.find_facts(said)
    assert fact.slot is not None
    assert retold(fact.content, RULES.slots[fact.slot], language) == told


def test_what_the_slot_did_not_word_is_not_retold() -> None:
    assert retold("The user's name, as far as known, is Zhang Wei.", RULES.slots["name"], "zh") is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_slot_has_a_sentence_in_each_language(language: str) -> None:
    for slot in RULES.slots.values():
        assert slot.content[language]
        assert slot.labels[language]
