"""What a message does to the topic: hand-written talks in both languages, and the bounds of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.topics import (
    FAR,
    TERM_COUNT,
    Move,
    New,
    Return,
    Stay,
    Topic,
    TopicId,
    content_terms,
    grown,
    move,
    smoothed,
)

CASES = Path(__file__).parent / "cases"
Line = tuple[str, str, str]


def talks(language: str) -> list[list[Line]]:
    """Talks of a file, each line as what it does, the topic it names, and the message."""
    text = (CASES / f"topics_{language}.txt").read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [[read(line) for line in talk.splitlines()] for talk in lines.strip().split("\n\n")]


def read(line: str) -> Line:
    deed, _, message = line.partition(": ")
    kind, _, name = deed.partition(" ")
    return kind, name, message


class Talk:
    """A talk that goes the way it is labelled, whatever the moves say."""

    def __init__(self) -> None:
        self.topics: list[Topic] = []
        self.names: dict[str, TopicId] = {}

    def moved(self, message: str, cosine: float | None = 0.4) -> Move:
        current = self.topics[0] if self.topics else None
        return move(message, current, self.topics[1:], lambda: cosine)

    def go(self, kind: str, name: str, message: str) -> None:
        if kind in ("begin", "new", "drift"):
            self.names[name] = TopicId(len(self.names) + 1)
            topic = Topic(self.names[name])
        elif kind == "back":
            topic = next(topic for topic in self.topics if topic.id == self.names[name])
        else:
            topic = self.topics[0]
        rest = [other for other in self.topics if other.id != topic.id]
        self.topics = [replace(topic, terms=grown(topic.terms, message)), *rest]

    def is_right(self, kind: str, name: str, moved: Move) -> bool:
        if kind == "back":
            return isinstance(moved, Return) and moved.topic.id == self.names[name]
        return isinstance(moved, New if kind in ("new", "drift") else Stay)


def judged(language: str) -> Iterator[tuple[str, str, bool]]:
    for lines in talks(language):
        talk = Talk()
        for kind, name, message in lines:
            moved = talk.moved(message, FAR / 2 if kind == "drift" else 0.4)
            yield kind, message, talk.is_right(kind, name, moved)
            talk.go(kind, name, message)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nine_in_ten_moves_of_the_talks_are_right(language: str) -> None:
    assert len(talks(language)) >= 20
    changes = [(message, right) for kind, message, right in judged(language) if kind in ("new", "drift", "back")]
    wrong = [message for message, right in changes if not right]
    assert len(wrong) <= len(changes) // 10, wrong


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_goes_on_stays(language: str) -> None:
    assert [message for kind, message, right in judged(language) if kind in ("begin", "stay") and not right] == []


def at_the_bill(language: str = "en") -> Talk:
    """A talk about a bill that came from a complaint."""
    talk = Talk()
    told = {
        "en": ("I have a complaint about the delivery driver.", "My electricity bill is too high."),
        "zh": ("我要投诉送货的司机。", "电费账单太高了。"),
    }[language]
    for name, message in zip(("complaint", "bill"), told, strict=True):
        talk.go("begin", name, message)
    return talk


SMALL = {
    "en": ["Thanks!", "Yes.", "No, thank you.", "Good morning!", "OK, great.", "What?", "12", "🙂", "", "Tell me more.",
           "By the way, did the tomatoes ripen on the balcony?", "Oh, and the tomatoes ripened on the balcony."],
    "zh": ["谢谢！", "是的。", "不用了。", "早上好！", "好的，知道了。", "什么？", "🙂", "请再说一遍。",
           "对了，阳台上的番茄红了吗？", "顺便问一下，阳台上的番茄红了吗？"],
}  # fmt: skip


@pytest.mark.parametrize(("language", "message"), [(lang, text) for lang, texts in SMALL.items() for text in texts])
def test_small_talk_and_asides_change_nothing(language: str, message: str) -> None:
    assert at_the_bill(language).moved(message, cosine=-1.0) == Stay()


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "A different topic came up at work, the bill I mean."),
        ("en", "My sister changed the subject of her thesis."),
        ("en", "I came back to Berlin yesterday."),
        ("zh", "他昨天换了个工作，账单也换了。"),
        ("zh", "我昨天回到上海了。"),
        ("zh", "我们公司有一个话题讨论会。"),
    ],
)
def test_the_same_words_inside_a_sentence_change_nothing(language: str, message: str) -> None:
    assert at_the_bill(language).moved(message) == Stay()


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "Let's go back to the holiday in Crete."),
        ("zh", "说回三亚的海滩。"),
        ("en", "Back to the bill."),
        ("zh", "回到账单。"),
    ],
)
def test_a_return_to_what_was_never_left_is_none(language: str, message: str) -> None:
    assert at_the_bill(language).moved(message) == Stay()


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "Different topic: has anybody read my complaint about the driver?"),
        ("en", "Has the delivery driver answered?"),
        ("en", "Let's go back to what we talked about before."),
        ("zh", "换个话题，投诉司机的事怎么样了？"),
        ("zh", "送货的司机道歉了吗？"),
        ("zh", "回到刚才的话题。"),
    ],
)
def test_what_was_left_comes_back_by_its_words(language: str, message: str) -> None:
    talk = at_the_bill(language)
    moved = talk.moved(message)
    assert isinstance(moved, Return)
    assert moved.topic.id == talk.names["complaint"]


def test_far_words_begin_another_topic_in_english_alone() -> None:
    english, chinese = "My aunt sings Verdi at the opera.", "姑姑每年冬天在歌剧院演唱威尔第。"
    assert at_the_bill().moved(english, FAR - 0.01) == New()
    assert at_the_bill().moved(english, FAR) == at_the_bill().moved(english, None) == Stay()
    assert at_the_bill("zh").moved(chinese, -1.0) == Stay()


def test_the_vector_is_asked_for_only_where_it_decides() -> None:
    def never() -> float:
        raise AssertionError("asked")

    talk = at_the_bill()
    for message in ("Thanks!", "The bill is due in March.", "New topic: opera.", "Has the delivery driver answered?"):
        move(message, talk.topics[0], talk.topics[1:], never)


def test_the_first_message_begins_no_other_topic() -> None:
    assert Talk().moved("Let's talk about something else.") == Stay()


def test_to_complain_is_about_a_complaint() -> None:
    talk = Talk()
    talk.go("begin", "complaint", "I want to complain about the driver.")
    talk.go("begin", "bill", "My electricity bill is too high.")
    assert isinstance(talk.moved("Back to the complaint."), Return)


def test_small_words_say_nothing_of_a_subject() -> None:
    assert content_terms("Thanks, could you please tell me more about that today?") == frozenset()
    assert content_terms("好的，谢谢，请再说一下。") == frozenset()
    assert {"invoic", "electr"} <= content_terms("the invoices for electricity")
    assert {"账单", "电费"} <= content_terms("电费账单")


def test_what_came_up_most_is_kept() -> None:
    terms = grown({}, "The bill has an invoice.")
    assert terms["bill"] == 2
    for number in range(TERM_COUNT):
        terms = grown(terms, f"The bill names item{number}x{number}.")
    assert len(terms) == TERM_COUNT
    assert terms["bill"] == TERM_COUNT + 2
    assert f"item{TERM_COUNT - 1}x{TERM_COUNT - 1}" in terms or f"{TERM_COUNT - 1}" in terms


def test_a_smoothed_vector_moves_half_way_and_has_length_one() -> None:
    one, other = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)
    assert smoothed(None, one) is one
    assert smoothed(one, other) == pytest.approx([2**-0.5, 2**-0.5])
    assert smoothed(one, -one) == pytest.approx(-one)
    assert smoothed(np.zeros(3, dtype=np.float32), one) is one


@given(st.lists(st.text(max_size=300), max_size=4), st.floats(-1, 1) | st.none())
def test_any_talk_moves_somewhere(messages: list[str], cosine: float | None) -> None:
    talk = Talk()
    for number, message in enumerate(messages):
        moved = talk.moved(message, cosine)
        if isinstance(moved, Return):
            assert moved.topic in talk.topics[1:]
        talk.go("stay" if isinstance(moved, Stay) and talk.topics else "new", str(number), message)
        assert len(talk.topics[0].terms) <= TERM_COUNT


@pytest.mark.parametrize("piece", ["嗯", "好。", "先", "ok ", "hmm, ", "now ", "的,", "let's ", "再说", "back to "])
def test_a_long_run_of_lead_words_is_read_all_the_same(piece: str) -> None:
    assert isinstance(at_the_bill().moved(piece * 20_000), Stay | New | Return)
