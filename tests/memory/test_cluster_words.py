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


def test_what_an_import_adds_is_nobodys_word() -> None:
    members = ["A kiln. [shares a photo of a man sitting]", "Clay! [shares a photo of a man]", "A kiln."]
    assert not {"man", "sitting", "photo"} & set(said_by(members, ["Bus."], "en").words)
    members = ["窑开了 [分享照片：花园]", "窑坏了 [分享照片：花园]"]
    assert "花园" not in said_by(members, STOVE, "zh").words


def test_who_speaks_is_no_word_where_others_speak_to_them() -> None:
    members = ["Maria: The kiln is hot.", "Maria: More clay.", "Thanks, Maria!", "Maria: A bowl.", "Hey Maria, clay."]
    assert "maria" not in said_by([*members, *["Maria: Clay again."] * 9], ["Bus."], "en").words


def test_what_an_assistant_is_called_is_no_word() -> None:
    assert "伴侣" not in said_by(["你好AI伴侣，攀岩去", "AI伴侣，攀岩装备"], STOVE, "zh").words
    assert "伴侣" in said_by(["伴侣生病了", "我的伴侣"], STOVE, "zh").words


@pytest.mark.parametrize(
    ("members", "part", "whole"),
    [
        (["这本书好看", "那本书难懂", "几本书架上的书"], "本书", None),
        (["自然环境中散步", "自然环境中呼吸", "自然环境中画画"], "自然环境中", "自然环境"),
    ],
)
def test_a_measure_word_or_where_is_no_part_of_a_chinese_word(members: list[str], part: str, whole: str | None) -> None:
    words = said_by(members, STOVE, "zh").words
    assert part not in words
    assert whole is None or whole in words


@pytest.mark.parametrize(
    ("members", "language", "silent"),
    [
        (["Few smile.", "Such a woman.", "In my corner."], "en", {"few", "smile", "woman", "corner"}),
        (["制定计划", "选择宝贵", "优美"], "zh", {"制定", "选择", "宝贵", "优美"}),
    ],
)
def test_generic_words_tell_nothing(members: list[str], language: Language, silent: set[str]) -> None:
    assert not silent & set(said_by(members, STOVE, language).words)
