"""Yes, no, right and wrong: one list of words for all that listens for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import SettingsInvalid
from edge.memory.rules import OwnTable, parse_rules
from tests.memory.test_rules import RULES, read_tables

ASSENT = RULES.assent
YES = ["yes", "Yeah, right.", "yup", "exactly", "thats right", "是的", "对", "对啊", "没错", "嗯嗯", "完全正确"]
NO = ["no", "nope", "No!", "不", "不是", "不对"]
NEITHER = [
    "yesterday I ran",
    "right now",
    "truely",
    "nobody came",
    "no problem",
    "是不是",
    "对了",
    "不知道",
    "没事",
    "",
]


@pytest.mark.parametrize("text", YES)
def test_a_yes_agrees(text: str) -> None:
    assert ASSENT.agrees(text)
    assert ASSENT.only_agrees(text)
    assert ASSENT.says_right(text) or "," in text
    assert not ASSENT.denies(text)


@pytest.mark.parametrize("text", NO)
def test_a_no_denies(text: str) -> None:
    assert ASSENT.denies(text)
    assert not ASSENT.agrees(text)
    assert not ASSENT.only_agrees(text)


@pytest.mark.parametrize("text", NEITHER)
def test_what_only_begins_like_one_is_neither(text: str) -> None:
    assert not ASSENT.agrees(text)
    assert not ASSENT.denies(text)


@pytest.mark.parametrize("text", ["wrong", "incorrect", "That is not right.", "不对", "错了"])
def test_a_wrong_denies_and_judges(text: str) -> None:
    assert ASSENT.denies(text)
    assert ASSENT.says_wrong(text)
    assert not ASSENT.says_right(text)


@pytest.mark.parametrize("text", ["it has changed", "I moved", "换了", "现在是汉堡"])
def test_what_says_that_it_changed_agrees(text: str) -> None:
    assert ASSENT.agrees(text)
    assert not ASSENT.only_agrees(text)


@pytest.mark.parametrize("text", ["still the old one", "没变", "还是原来的"])
def test_what_says_that_it_did_not_denies(text: str) -> None:
    assert ASSENT.denies(text)


def test_a_word_of_an_own_table_counts_everywhere() -> None:
    own = OwnTable("own", '[language.en]\nyes = ["jawohl"]\nno = ["nein"]\nwrong = ["falsch"]\n')
    rules = parse_rules(read_tables(), own)
    assert rules.assent.agrees("Jawohl, Berlin")
    assert rules.assent.only_agrees("jawohl")
    assert rules.assent.says_right("Jawohl.")
    assert rules.assent.denies("nein")
    assert rules.assent.says_wrong("that is falsch")
    (fact,) = rules.find_facts("Nein, March 4", [("My birthday is March 3.", "OK.")])
    assert (fact.slot, fact.value, fact.corrects) == ("birthday", "--03-04", True)


@pytest.mark.parametrize("entry", ['yes = ["ja("]', 'judged_wrong = ["that is {worng}"]'])
def test_a_mistake_in_an_own_table_is_named(entry: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"own.*(?:ja|worng)"):
        parse_rules(read_tables(), OwnTable("own", f"[language.en]\n{entry}\n"))


@given(st.text(max_size=200))
def test_any_text_is_heard(text: str) -> None:
    heard = (ASSENT.agrees, ASSENT.denies, ASSENT.only_agrees, ASSENT.says_right, ASSENT.says_wrong, ASSENT.forbids)
    assert {hear(text) for hear in heard} <= {True, False}
