"""What asks, and what can only be answered from memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.questions import (
    asks,
    asks_of_assistant,
    asks_only_of_assistant,
    asks_what_was_asked,
    asks_what_was_said,
    ends_asking,
    is_question,
    may_ask,
    only_asks,
    only_memory_can_answer,
    only_who_knows_them_can_answer,
    wants_a_guess,
    wants_agreement,
)


@pytest.mark.parametrize("text", ["Is it late?", "晚了吗", "晚了吗？", "他呢。", "Really? "])
def test_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["Is it late?", "Really? ", "晚了吗", "晚了吗。", "晚了？"])
def test_what_ends_as_only_questions_do(text: str) -> None:
    assert ends_asking(text)


@pytest.mark.parametrize("text", ["It is late", "我在吃饭呢", "他呢。", ""])
def test_what_may_end_a_statement_too(text: str) -> None:
    assert not ends_asking(text)


@pytest.mark.parametrize("text", ["how is Rome", "have you eaten", "was Ann there", "柏林怎么样", "是不是柏林", "几点"])
def test_words_that_ask(text: str) -> None:
    assert may_ask(text)


@pytest.mark.parametrize("text", ["have moved to Rome", "was Rome", "I live in Rome", "还是柏林", ""])
def test_no_word_that_asks(text: str) -> None:
    assert not may_ask(text)


@pytest.mark.parametrize(
    "text", ["That is wrong, right?", "that was wrong, right", "是错的，对不对", "错了吗！", "对吧。"]
)
def test_agreement_is_wanted(text: str) -> None:
    assert wants_agreement(text)


@pytest.mark.parametrize("text", ["That is right.", "turn right", "对", "不对呢"])
def test_no_agreement_is_wanted(text: str) -> None:
    assert not wants_agreement(text)


@pytest.mark.parametrize("text", ["It is late.", "晚了。", "", "?!"])
def test_no_question(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend to me?",
        "what is my sister's plan",
        "Do you remember the hotel?",
        "Where did I leave the car?",
        "你上次推荐了什么？",
        "我之前说过哪家店？",
        "你还记得我的计划吗",
        "你之前建议我怎么去机场？",
        # also without a mark
        "how did you say I get to the airport",
        "你之前建议我怎么去机场",
    ],
)
def test_only_memory_can_answer(text: str) -> None:
    assert asks_what_was_said(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "How do I fix my bike?",
        "My bike is red.",
        "法国的首都是什么？",
        "怎么修我的自行车？",
        "我的车是红的。",
    ],
)
def test_others_can(text: str) -> None:
    assert not asks_what_was_said(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is my dentist's name?",
        "what's my dentist's name",
        "when did I go to Rome",
        "Hello? Do you know a vet for my cat Milo?",
        "我的牙医叫什么名字？",
        "我的牙医叫什么",
        "你记得吗？我的牙医是谁",
    ],
)
def test_a_text_of_questions_only_asks(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "My dentist is Dr. Hahn. Can you remember that?",
        "When I was young I lived in Rome",
        "How nice!",
        "What a day",
        "I'm fine. How are you?",
        "我的牙医叫韩大夫，记住了吗？我会再来。",
        "我的牙医叫韩大夫",
        "",
    ],
)
def test_what_also_tells_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("What did I ask you yesterday?", True),
        ("Have I ever asked about Rome?", True),
        ("What was my last question?", True),
        ("我问过你什么？", True),
        ("我刚才问你什么了", True),
        ("我的上一个问题是什么", True),
        ("What did I ask for at the restaurant?", False),
        ("What is my name?", False),
        ("我的名字是什么？", False),
        ("有问题吗？", False),
    ],
)
def test_asking_for_what_was_asked(text: str, is_it: bool) -> None:
    assert asks_what_was_asked(text) is is_it


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    assert {asks(text), only_asks(text), asks_what_was_asked(text)} <= {True, False}
    assert asks_what_was_said(text) in {True, False}
    assert is_question(text) in {True, False}
    assert asks_of_assistant(text) or not asks_only_of_assistant(text)


@given(st.text())
def test_each_way_to_see_a_question_sees_what_a_stricter_one_sees(text: str) -> None:
    assert is_question(text) or not ends_asking(text)
    assert asks(text) or not is_question(text)
    assert may_ask(text) or not is_question(text)
    assert wants_agreement(text) or not ends_asking(text)


@pytest.mark.parametrize(
    "text",
    [
        "Where did I leave the car?",
        "What did you recommend to me?",
        "What name did you give my boat?",
        "Where is my passport?",
        "What was my plan for Sunday?",
        "Do you remember what I said about the roof?",
        "When was my last checkup?",
        "我上次去的是哪家店？",
        "我的护照在哪？",
        "你上次推荐了什么？",
        "你还记得我的计划吗",
        "我昨天买了什么？",
        "我跟你说过谁会来？",
    ],
)
def test_no_model_can_know(text: str) -> None:
    assert only_memory_can_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is the best way to clean my telescope?",
        "What is my headache a sign of?",
        "How do I fix my bike?",
        "Is my idea good?",
        "What should I cook for my sister?",
        "Which wine goes with my fish?",
        "Where did I leave the car? And write me a poem about it, in four lines with rhymes, that I can send to a "
        "friend who likes cars more than poems.",
        "What is the capital of France?",
        "我的自行车怎么修？",
        "我明天应该穿什么？",
        "我的背为什么疼？",
        "法国的首都是哪里？",
        "帮我想想我的假期可以去哪？",
        "My bike is red.",
    ],
)
def test_a_model_may_know(text: str) -> None:
    assert not only_memory_can_answer(text)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What did you recommend?", True),
        ("Which painters did you suggest to me?", True),
        ("What have you ever told me about it?", True),
        ("你给我推荐过什么书？", True),
        ("What did I tell you?", False),
        ("Do you know my name?", False),
        ("我告诉过你什么？", False),
    ],
)
def test_what_the_assistant_said_is_asked_for(text: str, asked: bool) -> None:
    assert asks_of_assistant(text) is asked


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend to me?",
        "What did you tell me?",
        "What was your advice?",
        "你推荐了什么？",
        "你跟我说过什么？",
        "你的建议是什么？",
    ],
)
def test_nothing_but_the_assistants_words_is_asked_for(question: str) -> None:
    assert asks_only_of_assistant(question)


@pytest.mark.parametrize(
    "question",
    ["Which book did you recommend?", "What did I recommend to Tom?", "你推荐的餐馆叫什么？", "我说过什么？", ""],
)
def test_more_than_the_assistants_words_is_asked_for(question: str) -> None:
    assert not asks_only_of_assistant(question)


@pytest.mark.parametrize(
    "text",
    [
        "What is Nate's favourite dish?",
        "Why did Joanna cry at the film?",
        "Does my sister live near the sea?",
        "do you know where Nate works",
        "小丽最喜欢什么菜？",
        "我姐姐住在海边吗？",
        "你知道小王在哪上班吗",
    ],
)
def test_only_who_knows_them_can_tell(text: str) -> None:
    assert only_who_knows_them_can_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "What should I cook for Nate?",
        "Can you write Nate a birthday card?",
        "How do I tell Joanna that I am leaving?",
        "What does Joanna's name mean?",
        "Would Nate like a goldfish?",
        "Nate likes goldfish.",
        "小丽会不会喜欢金鱼？",
        "我该给小丽做什么菜？",
        "怎么跟小丽说我要走了？",
        "帮我给小王写张贺卡好吗？",
        "小王喜欢金鱼。",
    ],
)
def test_others_can_help_with_somebody(text: str) -> None:
    assert not only_who_knows_them_can_answer(text)


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ("Would Nate like a goldfish?", True),
        ("What might John's degree be in?", True),
        ("Could she be allergic to cats?", True),
        ("Is it likely that Nate has other friends?", True),
        ("What would I enjoy in Lisbon?", True),
        ("他会不会喜欢金鱼？", True),
        ("她可能对猫过敏吗？", True),
        ("我妈妈会喜欢这本书吗", True),
        ("Could you tell me my order number?", False),
        ("Would you remind me what Nate said?", False),
        ("I would like to know my order number, where is it?", False),
        ("When did Nate get his turtles?", False),
        ("She might come on Friday.", False),
        ("他什么时候买的乌龟？", False),
        ("有没有可能性报告？", False),
        ("他可能周五来。", False),
    ],
)
def test_wants_a_guess(text: str, guess: bool) -> None:
    assert wants_a_guess(text) == guess
