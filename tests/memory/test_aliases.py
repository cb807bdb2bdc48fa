"""A relation and the name that was told for it are one person, as long as the name holds and nobody shares it."""

from __future__ import annotations

import pytest

from edge.memory.aliases import NO_ALIASES, Aliases, may_have_names
from edge.memory.units import NAME, SELF, Draft, Kind

RELATIONS = frozenset({"sister", "wife"})
WORDS = {"en": {"sister": ("sister", "sis")}, "zh": {"sister": ("姐姐", "妹妹")}}


def called(subject: str, *names: str) -> list[Draft]:
    return [Draft(Kind.FACT_REFERENCE, "a name", subject=subject, slot=NAME, value=name) for name in names]


def test_one_who_is_named_goes_by_either() -> None:
    aliases = Aliases(called("sister", "hannah"), RELATIONS)
    for subject in ("sister", "hannah"):
        assert aliases.asked(subject) == aliases.told(subject) == {"sister", "hannah"}
    assert aliases.asked("ruth") == {"ruth"}


def test_of_two_who_are_named_either_is_herself_and_the_relation_is_both() -> None:
    aliases = Aliases(called("sister", "hannah", "ruth"), RELATIONS)
    assert aliases.asked("hannah") == aliases.told("hannah") == {"hannah"}
    assert aliases.asked("sister") == {"sister", "hannah", "ruth"}
    assert aliases.told("sister") == {"sister"}


def test_whoever_is_no_relation_has_no_other_name() -> None:
    aliases = Aliases([*called(SELF, "ann"), *called("tom", "tommy")], RELATIONS)
    assert aliases.asked(SELF) == {SELF}
    assert aliases.asked("tom") == {"tom"}
    assert NO_ALIASES.asked("sister") == {"sister"}
    assert may_have_names([SELF, "tom"])
    assert not may_have_names([SELF])


def test_the_given_name_of_a_full_one_counts() -> None:
    assert Aliases(called("sister", "hannah miller"), RELATIONS).asked("hannah") == {"hannah", "sister"}


@pytest.mark.parametrize(
    ("text", "relations", "people"),
    [
        ("Is Hannah well?", {}, {"hannah", "sister"}),
        ("How is my sister?", {"sister": "sister"}, {"hannah", "sister"}),
        ("Is Johannah well?", {}, set()),
    ],
)
def test_people_in_a_text_where_one_is_named(text: str, relations: dict[str, str], people: set[str]) -> None:
    assert set(Aliases(called("sister", "hannah"), RELATIONS).people_in(text, relations)) == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("How is my sister?", {"sister", "hannah", "ruth"}),
        ("How is my sister Ruth?", {"ruth"}),
        ("How are Ruth and Hannah?", {"ruth", "hannah"}),
    ],
)
def test_people_in_a_text_where_two_are_named(text: str, people: set[str]) -> None:
    relations = {"sister": "sister"} if "sister" in text else {}
    assert set(Aliases(called("sister", "hannah", "ruth"), RELATIONS).people_in(text, relations)) == people


@pytest.mark.parametrize(
    ("language", "name", "text", "said"),
    [
        ("en", "hannah", "where does Hannah work?", "where does my sister work?"),
        ("en", "hannah", "where does my sister Hannah work?", "where does my sister work?"),
        ("zh", "思敏", "思敏在哪里工作？", "我姐姐在哪里工作？"),
        ("zh", "思敏", "我的妹妹思敏在哪里工作？", "我姐姐在哪里工作？"),
    ],
)
def test_a_question_by_name_is_said_by_relation(language: str, name: str, text: str, said: str) -> None:
    assert Aliases(called("sister", name), RELATIONS).by_relation(text, WORDS[language]) == (said, name)
    assert Aliases(called("sister", "ruth"), RELATIONS).by_relation(text, WORDS[language]) is None
