"""Questions whether something is so, turned into what they ask about."""

import pytest

from edge.memory.whether import as_statement


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Do I like coffee?", "I like coffee."),
        ("do I still live in Berlin", "I live in Berlin."),
        ("And am I allergic to nuts?", "I am allergic to nuts."),
        ("Do you know if do I like tea?", "I like tea."),
        ("我喜欢喝咖啡吗？", "我喜欢喝咖啡。"),
        ("请问我还住在北京吗？", "我住在北京。"),
        ("我对花生过敏吗?", "我对花生过敏。"),
    ],
)
def test_a_question_says_what_it_asks_the_truth_of(question: str, statement: str) -> None:
    assert as_statement(question) == statement


@pytest.mark.parametrize(
    "text",
    [
        "What do I like?", "Do I like tea or coffee?", "Do I have to pay?", "Do you like tea?", "I like tea.",
        "Do I know who called?", "Do I like tea? And what is my name?", "我喜欢什么？", "我喜欢茶还是咖啡？",
        "我喜欢茶。", "我可以用优惠券吗？", "你喜欢茶吗？", "", "?", "x" * 10_000,
    ],
)  # fmt: skip
def test_other_texts_say_nothing_of_the_kind(text: str) -> None:
    assert as_statement(text) is None
