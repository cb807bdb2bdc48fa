"""Questions whether something is so, turned into what they ask about."""

import pytest

from edge.memory.units import SELF
from edge.memory.whether import as_statement
from tests.memory.test_rules import RULES


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Do I like coffee?", "I like coffee."),
        ("do I still live in Berlin", "I live in Berlin."),
        ("And am I allergic to nuts?", "I am allergic to nuts."),
        ("Do you know if do I like tea?", "I like tea."),
        ("Don't I live in Bonn?", "I live in Bonn."),
        ("Good morning! Do I still live in Bonn? Thanks!", "I live in Bonn."),
        ("Is my number still 0151 2345678?", "My number is 0151 2345678."),
        ("Is my sister's dog still called Rex?", "My sister's dog is called Rex."),
        ("Is Bonn still my home town?", "My home town is Bonn."),
        ("I still live in Bonn, right?", "I live in Bonn."),
        ("My number is 0151 2345678, isn't it?", "My number is 0151 2345678."),
        ("我喜欢喝咖啡吗？", "我喜欢喝咖啡。"),
        ("请问我还住在北京吗？", "我住在北京。"),
        ("我对花生过敏吗?", "我对花生过敏。"),
        ("我现在是不是还住在成都？", "我住在成都。"),
        ("那现在我还住在成都吗？", "我住在成都。"),
        ("你好，我还住在成都吗？谢谢", "我住在成都。"),
        ("我还住在成都，对吧？", "我住在成都。"),
        ("我的电话还是13800138000，对吗？", "我的电话是13800138000。"),
        ("我妹妹的狗还叫豆豆吗？", "我妹妹的狗叫豆豆。"),
    ],
)
def test_a_question_says_what_it_asks_the_truth_of(question: str, statement: str) -> None:
    assert as_statement(question) == statement


@pytest.mark.parametrize(
    "text",
    [
        "What do I like?", "Do I like tea or coffee?", "Do I have to pay?", "Do you like tea?", "I like tea.",
        "Do I know who called?", "Do I like tea? And what is my name?", "我喜欢什么？", "我喜欢茶还是咖啡？",
        "我喜欢茶。", "我可以用优惠券吗？", "你喜欢茶吗？", "", "?", "x" * 10_000, "Is this still my order?",
        "Is it still my turn?", "Where do I live, right?", "那是什么，对吧？",
    ],
)  # fmt: skip
def test_other_texts_say_nothing_of_the_kind(text: str) -> None:
    assert as_statement(text) is None


@pytest.mark.parametrize(
    ("question", "slot", "subject"),
    [
        ("Do I still live in Bonn?", "home", SELF),
        ("我还住在成都吗？", "home", SELF),
        ("Do I still work at Siemens?", "workplace", SELF),
        ("Does it rain?", None, None),
        ("Do I like coffee?", None, None),  # what is liked are many things, and no other is an answer
        ("我喜欢咖啡吗？", None, None),
    ],
)
def test_what_names_a_value_asks_for_what_its_slot_holds(question: str, slot: str | None, subject: str | None) -> None:
    asked = RULES.find_whether(question)
    assert (asked and asked.slots, asked and asked.subject) == ((slot,) if slot else None, subject)
    assert asked is None or not asked.certain
