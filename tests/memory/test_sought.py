"""What kind of thing a question seeks, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.sought import seeks_a_kind, seeks_amount, seeks_several, seeks_time, what_is_sought
from edge.memory.text import search_terms


@pytest.mark.parametrize(
    ("question", "holds", "lacks"),
    [
        ("When did we repair the bicycle?", "We repaired it last Friday.", "We repaired the bicycle."),
        ("What year was it?", "It was in 2019.", "It was long over."),
        ("How much did the lamp cost?", "I paid 45 euros.", "It was dear."),
        ("How many cats has Ann?", "She has three of them.", "She has cats."),
        ("我们什么时候修的自行车？", "上周修的自行车", "我们修了自行车"),
        ("台灯多少钱？", "花了四十块", "台灯很贵"),
    ],
)
def test_a_text_holds_what_is_sought(question: str, holds: str, lacks: str) -> None:
    sought = what_is_sought(question)
    assert sought is not None
    assert sought(frozenset(search_terms(holds)))
    assert not sought(frozenset(search_terms(lacks)))


@pytest.mark.parametrize("question", ["Who helped me?", "Where is the kettle?", "谁帮了我？", "水壶在哪里？", ""])
def test_any_text_may_answer_other_questions(question: str) -> None:
    assert what_is_sought(question) is None


@given(st.text(), st.text())
def test_any_text_is_read(question: str, text: str) -> None:
    sought = what_is_sought(question)
    assert sought is None or sought(frozenset(search_terms(text))) in {True, False}


@pytest.mark.parametrize(
    ("question", "time", "amount"),
    [
        ("When was it?", True, False),
        ("Which week was it?", True, False),
        ("是哪个星期的事？", True, False),
        ("什么时候的事？", True, False),
        ("How many were there?", False, True),
        ("一共多少个？", False, True),
        ("Who was it?", False, False),
    ],
)
def test_a_time_and_an_amount_are_known_by_the_words_that_ask_for_them(question: str, time: bool, amount: bool) -> None:
    assert (seeks_time(question), seeks_amount(question)) == (time, amount)


@pytest.mark.parametrize(
    "question",
    [
        "Which cities has Jon visited?",
        "What LGBTQ+ events has she been to?",
        "What sports does John like besides basketball?",
        "What are Maria's dogs' names?",
        "Who are my neighbours?",
        "Where has Ann camped?",
        "what have I told you about the rent",
        "Who have written notes of gratitude to me?",
        "她去过哪里？",
        "我都买了什么",
        "小林养过哪些花？",
        "老周参加了些什么活动？",
    ],
)
def test_a_question_in_the_plural_seeks_several(question: str) -> None:
    assert seeks_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is his address?",
        "What does this class cost?",
        "Which bus goes there?",
        "What are you doing?",
        "What keeps Ann busy?",
        "Where have I put the ladder?",
        "What has he to do?",
        "What was the last of the books she read?",
        "Whose keys are these?",
        "小林喜欢哪种茶？",
        "他最近看过什么电影？",
        "水壶在哪里？",
        "",
    ],
)
def test_other_questions_seek_one_thing(question: str) -> None:
    assert not seeks_several(question)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What kind of soup did John make?", True),
        ("What type of dress was it?", True),
        ("What kinds of soups did John make?", False),
        ("What kind of soups does he make?", False),
        ("What soup did John make?", False),
        ("小林喜欢哪种茶？", True),
        ("小林喝哪些茶？", False),
    ],
)
def test_of_what_kind_one_thing_is(question: str, kind: bool) -> None:
    assert seeks_a_kind(question) is kind
