"""Groups of notes that are about nothing."""

from __future__ import annotations

import pytest

from edge.memory.clusters import check_key
from edge.memory.language import Language
from edge.memory.small_talk import is_courtesy, is_small_talk, is_small_talk_name, small_talk_names

THANKS = [
    "Thanks, Gina! Means a lot.",
    "Wow, that is amazing!",
    "So proud of you, keep it up!",
    "Congrats, John! You got this.",
    "Bye, talk to you soon!",
]
DANKE = ["谢谢你的建议，我会试试的", "好的，谢谢朋友", "你好，今天我又来和你聊天了", "嗯，加油！", "太棒了，恭喜你"]


@pytest.mark.parametrize("note", [*THANKS, *DANKE])
def test_thanks_praise_and_good_wishes_are_courtesies(note: str) -> None:
    assert is_courtesy(note)


@pytest.mark.parametrize(
    "note",
    [
        "The loaf is dense, the starter is weak.",
        "Thanks! The boiler shows error E133, the landlord sends a plumber on Tuesday with a pump.",
        "Took two tablets for the fever.",
        "面团发酵了五个小时",
        "谢谢！锅炉显示故障，房东星期二派人来修水管",
        "又发烧了",
        "",
    ],
)
def test_what_tells_something_is_none(note: str) -> None:
    assert not is_courtesy(note)


@pytest.mark.parametrize("members", [THANKS, DANKE])
def test_courtesies_that_have_no_words_in_common_are_small_talk(members: list[str]) -> None:
    assert is_small_talk(members, 0.3)
    assert not is_small_talk(members, 0.7)
    assert not is_small_talk([], 0.0)


@pytest.mark.parametrize(
    "members", [["The loaf is dense.", "The oven is cold.", "Bought rye."], ["面团太黏", "烤箱不热", "买了黑麦"]]
)
def test_notes_without_a_word_in_common_are_no_small_talk(members: list[str]) -> None:
    assert not is_small_talk([*members, *THANKS[:2]], 0.0)


@pytest.mark.parametrize(("members", "language"), [(THANKS, "en"), (DANKE, "zh")])
def test_small_talk_has_names_to_choose_from(members: list[str], language: Language) -> None:
    names = small_talk_names(members, language)
    assert names[0] == {"en": "small talk", "zh": "闲聊"}[language]
    assert len(set(names)) == len(names) > 1
    assert [check_key(name) for name in names] == names


def test_the_name_says_what_most_of_it_is() -> None:
    assert small_talk_names(["Thanks!", "Wow!", "Bye!"], "en")[1] == "thanks and praise"
    assert small_talk_names(["Keep going!", "Good luck!", "Thanks!"], "en")[1] == "words of encouragement"
    assert small_talk_names(["再见", "晚安", "谢谢"], "zh")[1] == "问候告别"
    assert small_talk_names([], "zh") == ["闲聊"]


@pytest.mark.parametrize("note", ["So what have you been up to?", "那你觉得怎么样呢"])
def test_a_note_without_a_word_that_tells_is_a_courtesy(note: str) -> None:
    assert is_courtesy(note)


@pytest.mark.parametrize("note", ["192.168.1.1", "At 7 and not at 8", "Are you"])
def test_figures_or_a_word_or_two_are_no_courtesy(note: str) -> None:
    assert not is_courtesy(note)


@pytest.mark.parametrize("note", ["Maria: So what have you been up to?", "John: Thanks a lot, Maria!"])
def test_who_speaks_is_no_word_of_a_courtesy(note: str) -> None:
    assert is_courtesy(note)


def test_what_few_of_it_do_is_no_name_of_small_talk() -> None:
    told = ["We find our own way.", "Such a feeling.", "It is like another world."]
    assert small_talk_names([*told, "Bye!"], "en") == ["small talk"]
    assert small_talk_names(["我们自己的路", "另一个世界", "再见"], "zh") == ["闲聊"]


def test_a_word_that_most_of_a_few_have_is_no_small_talk() -> None:
    assert not is_small_talk(THANKS, 0.59)


@pytest.mark.parametrize(("language", "more"), [("en", "everyday chat"), ("zh", "日常闲谈")])
def test_what_has_no_words_of_its_own_has_another_name(language: Language, more: str) -> None:
    assert small_talk_names([], language, 0.2)[-1] == more
    assert more not in small_talk_names([], language, 0.5)
    assert is_small_talk_name(more)
