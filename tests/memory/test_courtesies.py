"""A question is the same however politely it is put."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.courtesies import without_courtesies
from edge.memory.intents import Label, Move
from edge.memory.language import language_of
from tests.memory.test_intents import LISTS, rows
from tests.memory.test_rules import RULES

BEFORE = [
    "Good morning! ", "good morning, ", "Good morning edge, ", "Good evening ", "Hi! ", "hi ", "Hello there, ",
    "Hey edge, ", "hey Edge! ", "Edge, ", "Hey Anna, ", "Hey, ", "Thanks! ", "Thank you so much. ", "thanks, ",
    "Ok thanks. ", "Great, thanks! ", "Thanks for your help! ", "Thanks, that helps. ", "Sorry to bother you again, ",
    "Excuse me, ", "Quick question: ", "How are you? ", "Hi, how are you today? ", "Hello! I hope you’re well. ",
    "Good morning!\n\n", "Cheers mate, ", "Hey there! I'm back. ", "Morning! ", "Sorry, ",
]  # fmt: skip
BEHIND = [
    " Thanks!", " thanks", " Thank you very much.", " Thanks in advance :)", " Please.", " Cheers!", " Thanks, edge!",
    " Have a nice day!", " Much appreciated. Bye!", " - thanks",
]  # fmt: skip
BEFORE_ZH = [
    "早上好！", "你好，", "您好！", "你好 ", "嗨，", "嘿，edge，", "edge，", "大家好。", "谢谢！", "谢谢你，",
    "好久不见！", "打扰一下，",
    "不好意思，", "早！", "早安～", "晚上好，小助手！", "你好吗？", "你好！最近怎么样？", "辛苦了。",
    "Hi，", "Hello！", "你好请问",
]  # fmt: skip
BEHIND_ZH = [
    "谢谢！",
    "谢谢",
    "谢谢你啦～",
    "多谢。",
    "麻烦你了",
    "拜托了！",
    "感谢！",
    " 谢谢您",
    "谢谢，再见！",
    "辛苦了",
]

STOPPED = [before for before in BEFORE if before.rstrip()[-1] in "!,.?"]
QUESTION, QUESTION_ZH = "What's the gate code?", "大门密码是多少？"


@pytest.mark.parametrize("before", BEFORE)
def test_what_stands_before_a_question_is_left_out(before: str) -> None:
    assert without_courtesies(before + QUESTION) == QUESTION


@pytest.mark.parametrize("behind", BEHIND)
def test_what_stands_behind_a_question_is_left_out(behind: str) -> None:
    assert without_courtesies(QUESTION + behind) == QUESTION
    assert without_courtesies(f"Good morning! {QUESTION}{behind}") == QUESTION


@pytest.mark.parametrize("before", BEFORE_ZH)
def test_the_same_before_chinese(before: str) -> None:
    rest = without_courtesies(before + QUESTION_ZH)
    assert rest.removeprefix("请问") == QUESTION_ZH


@pytest.mark.parametrize("behind", BEHIND_ZH)
def test_the_same_behind_chinese(behind: str) -> None:
    assert without_courtesies(QUESTION_ZH + behind) == QUESTION_ZH
    assert without_courtesies(f"早上好！{QUESTION_ZH}{behind}") == QUESTION_ZH
    assert without_courtesies(f"大门密码是多少{behind}") == "大门密码是多少"


def test_what_is_typed_without_its_mark_is_left_as_it_was() -> None:
    assert without_courtesies("hey edge, what's the gate code, thanks") == "what's the gate code"


@pytest.mark.parametrize(
    "message",
    [
        "Good morning!", "Thanks!", "Hi there", "Thank you very much, edge!", "早上好！", "谢谢你",
        "你好吗？", "How are you?",
        "Hello Kitty is my daughter's favourite.", "Good morning America is on at eight.", "Did she say thanks?",
        "How do I say thank you in French?", "Thanksgiving is in November.", "Morning flights are cheap.",
        "Heysham is a port.", "Hipsters like it.", "Dear Ann's letter came.", "Edge computing is fun.",
        "Sorry is the hardest word.", "Have a nice trip?", "Cheers was a series.",
        "你好像说过大门密码。", "你好久没来了", "早点出发", "谢谢老师的花是谁送的？",
        "嗨歌去哪儿？", "她对我说谢谢", "麻烦大了", "早饭吃什么？",
        "", "   ", "!!!", "？",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_courtesy_stays(message: str) -> None:
    assert without_courtesies(message) == message


@given(st.text(max_size=80))
def test_it_cuts_only_at_the_ends_and_never_to_nothing(text: str) -> None:
    rest = without_courtesies(text)
    assert rest in text
    assert bool(rest) is bool(text)


@given(
    st.sampled_from([each for each in BEFORE if each.rstrip()[-1] in "!,.?"]),
    st.sampled_from(BEFORE),
    st.sampled_from(BEHIND),
)
def test_several_are_left_out_at_once_and_all_at_the_first_time(first: str, second: str, behind: str) -> None:
    rest = without_courtesies(first + second + QUESTION + behind)
    assert without_courtesies(rest) == rest == QUESTION


def test_a_long_message_is_read_at_its_ends() -> None:
    middle = "I walked. " * 100_000
    assert without_courtesies(f"Hello! {middle}What then? Thanks!") == f"{middle}What then?"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_what_a_message_is_for_does_not_hang_on_courtesies(path: Path) -> None:
    judged = [(label, text) for label, move, text in rows(path) if move in (Move.ASK, Move.REQUEST)]
    around = {
        "en": ("Good morning! {}", "Hey edge, {}", "Thanks! {}", "Hi, {}", "{} Thanks!"),
        "zh": ("早上好！{}", "你好，{}", "edge，{}", "{}谢谢！"),
    }
    for text in [text for label, text in judged if label != Label.SMALL_TALK]:
        plain = text if text.endswith(("?", "？", "。", ".", "!", "！")) else f"{text}."
        intent = RULES.intent_of(plain)
        for form in around[language_of(text)]:
            courteous = RULES.intent_of(form.format(plain))
            assert (courteous.leads, courteous.move) == (intent.leads, intent.move), form.format(plain)


@pytest.mark.parametrize(
    "message",
    [
        "Thanks a lot, you're a star",
        "Good evening, dear assistant",
        "cheers, that's brill",
        "谢谢，你真好",
        "好的，谢谢你",
    ],
)
def test_what_is_little_more_than_a_courtesy_is_small_talk(message: str) -> None:
    assert RULES.intent_of(message).leads is Label.SMALL_TALK
