"""Words that set notes apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_words import as_said, called_by_name, in_a_row, said_by
from edge.memory.language import Language

SPORT = ["打羽毛球", "羽毛球拍坏了", "又去打羽毛球"]
STOVE = ["锅炉坏了", "房东派人来修锅炉"]


def test_the_words_of_members_are_ranked_beside_others() -> None:
    said = said_by(["The dog barks.", "A dog.", "The bus."], ["The bus.", "A train."], "en")
    assert said.words[0] == "dog"
    assert said.count(["dog", "bus"]) == 3
    assert said.lead(["dog"]) == pytest.approx(2 / 3)
    assert said.lead(["bus"]) == pytest.approx(1 / 3 - 1 / 2)
    assert said.lead(["dog", "bus"]) == pytest.approx(1 - 1 / 2)


def test_inflected_forms_are_one_word_as_it_is_written_most() -> None:
    said = said_by(["Dogs.", "Two dogs bark.", "A dog.", "The cat."], ["Dog food."], "en")
    assert "dogs" in said.words
    assert "dog" not in said.words
    assert said.count(["dogs"]) == 3
    assert said.lead(["dogs"]) == pytest.approx(3 / 4 - 1)


def test_characters_that_always_stand_together_are_one_word() -> None:
    said = said_by(SPORT, STOVE, "zh")
    assert said.words[0] == "羽毛球"
    assert said.lead(["羽毛球"]) == 1
    assert said_by(["听演唱会", "演唱会很好", "演唱会的票"], STOVE, "zh").words[0] == "演唱会"
    assert said_by(["钢琴课", "弹钢琴", "钢琴要调音"], STOVE, "zh").words[0] == "钢琴"


def test_courtesies_and_measure_words_tell_nothing_in_chinese() -> None:
    words = said_by(["谢谢你的建议，朋友", "推荐一本书吧", "谢谢建议", "一本好看的"], STOVE, "zh").words
    assert not {"谢谢", "建议", "朋友", "推荐", "一本"} & set(words)


def test_whom_texts_speak_to_is_known() -> None:
    assert called_by_name("Thanks, Maria! See you, John.") == {"maria", "john"}
    said = said_by(["Thanks, Maria! A kiln.", "Hey Maria, clay.", "Wow, Maria, a bowl."], ["Bus."], "en")
    assert said.called == {"maria"}
    assert "maria" not in said.words


@pytest.mark.parametrize(
    ("first", "second", "texts", "said"),
    [
        ("health", "mental", ["A talk on mental health.", "My mental health."], "mental health"),
        ("pottery", "class", ["The pottery class.", "a class of pottery"], "pottery class"),
        ("房租", "水电", ["水电房租都交了"], "水电 房租"),
    ],
)
def test_two_words_stand_in_the_order_they_are_said_in(first: str, second: str, texts: list[str], said: str) -> None:
    assert as_said(first, second, texts) == said
    one, two = said.split()
    assert in_a_row(one, two, texts) >= in_a_row(two, one, texts)


@given(st.lists(st.text(max_size=30), max_size=5), st.lists(st.text(max_size=30), max_size=3))
def test_a_lead_is_a_difference_of_shares(members: list[str], others: list[str]) -> None:
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        said = said_by(members, others, language)
        assert len(set(said.words)) == len(said.words)
        assert all(-1 <= said.lead([word]) <= 1 for word in said.words)
        assert all(1 <= said.count([word]) <= len(members) for word in said.words)
