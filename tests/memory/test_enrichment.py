"""Which questions mean something they do not name, and what the talk before them says it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.enrichment import context_of, needs_context, points_at_a_person
from edge.memory.units import OwnerId, SessionId, Turn, TurnId, TurnState
from tests.memory.making import AT


def turn(message: str, reply: str = "") -> Turn:
    return Turn(TurnId(1), OwnerId("uid:1"), SessionId("s"), message, reply, TurnState.DONE, AT, AT)


@pytest.mark.parametrize(
    "question",
    [
        "And when was that?",
        "What did she say about it?",
        "Where does he live now?",
        "When?",
        "how much did it cost",
        "Is it the blue one?",
        "What happened then?",
        "Did Tom like it?",
        "What about my sister?",
        "Why?",
        "那是什么时候的事？",
        "她说了什么？",
        "他住在哪里？",
        "那家餐厅叫什么名字？",
        "多少钱？",
        "什么时候？",
        "然后呢？",
        "后来怎么样了",
        "那我妹妹呢？",
    ],
)
def test_a_question_that_points_or_names_nothing_needs_context(question: str) -> None:
    assert needs_context(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is my dentist's name?",
        "Which book did I recommend to Tom?",
        "What did Caroline say about her trip to the mountains?",
        "How are you?",
        "Who are you?",
        "What time is it?",
        "Thanks!",
        "That was great.",
        "She lives in Rome.",
        "我的牙医叫什么名字？",
        "今天天气怎么样？",
        "你是谁？",
        "你好吗？",
        "那太好了。",
        "",
    ],
)
def test_other_messages_need_none(question: str) -> None:
    assert not needs_context(question)


def test_the_last_turn_that_names_something_tells_what_is_meant() -> None:
    turns = [turn("I sold my violin."), turn("Where is the kettle?", "In the attic."), turn("And why is that?")]
    assert context_of(turns).split() == ["kettle", "attic"]
    assert (
        context_of([turn("我卖了小提琴。"), turn("水壶在哪里？", "在阁楼。"), turn("那是为什么？")])
        == "水壶在哪里？ 在阁楼。"
    )


def test_of_a_long_reply_only_names_and_numbers_are_taken() -> None:
    reply = "Well, as far as I can remember, you said that it was Doctor Hahn whom you saw at 10:30, and it went well."
    assert context_of([turn("Which dentist did I see?", reply)]).split() == [
        "dentist",
        "see",
        "I",
        "Doctor",
        "Hahn",
        "10:30",
    ]


def test_only_the_beginning_of_a_pasted_message_is_read() -> None:
    pasted = "I sold my violin. " + "so it is and so it was, " * 200
    assert context_of([turn(pasted + "The kettle is red.")]) == context_of([turn(pasted)]) != ""


@pytest.mark.parametrize(
    ("said", "leave"),
    [("The trip to Lisbon is long.", "Let's talk about something else."), ("去里斯本的旅行很长。", "换个话题吧。")],
)
def test_what_was_said_before_the_subject_changed_lends_no_words(said: str, leave: str) -> None:
    assert context_of([turn(said)])
    assert context_of([turn(said), turn(leave)]) == context_of([turn(leave)])


def test_forgotten_words_and_no_turns_give_nothing() -> None:
    assert context_of([]) == ""
    assert context_of([turn("", "")]) == ""


@pytest.mark.parametrize(
    ("question", "points"),
    [("What did she say?", True), ("他住哪里", True), ("When was it?", False), ("那是什么", False)],
)
def test_a_pronoun_may_mean_a_person(question: str, points: bool) -> None:
    assert points_at_a_person(question) is points


@given(st.text(), st.text())
def test_any_words_can_be_taken(message: str, reply: str) -> None:
    assert needs_context(message) in {True, False}
    assert len(context_of([turn(message, reply)])) <= 2 * (len(message) + len(reply)) + 2
