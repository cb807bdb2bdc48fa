"""Recall in the course of a talk, on a real database: what a question means without naming it, what was only asked, and
first and last times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from edge.engine.ports import Scope
from edge.engine.recall import Limits, Recall
from edge.engine.vectors import Vectors, embedder_key
from edge.memory.text import content_key
from edge.memory.units import Draft, Insert, Kind, OwnerId, SessionId, Source, TurnState
from edge.store.sqlite import SqliteStore, open_store
from tests.engine.making import ANN, BOB, MAIN, OTHER
from tests.fakes.clock import NOON, SetClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex
from tests.memory.test_rules import RULES


class Talk:
    """A real store in which things are said, each in a turn."""

    def __init__(self, store: SqliteStore, clock: SetClock, zone: ZoneInfo | None = None) -> None:
        self.store = store
        self.clock = clock
        self.vectors = Vectors()
        embedder = HashEmbedder()
        store.use_embedder(embedder_key(embedder))
        self.vectors.attach(embedder, ExactIndex(store.vector_log, embedder_key(embedder), embedder.dimension))
        self.recall = Recall(store, RULES, self.vectors, Limits(200, 8, 0.0, 0.0), clock, zone=zone)

    def say(
        self, message: str, reply: str = "", session: SessionId = MAIN, owner: OwnerId = ANN, subject: str = "self"
    ) -> None:
        self.clock.pass_by(minutes=1)
        now, source = self.clock.now(), Source.USER if subject == "self" else Source.IMPORT
        words = Draft(Kind.EPISODE, message, source=source, subject=subject)
        key = content_key(Kind.EPISODE, subject, source, f"{message} {now}")
        written = self.store.begin_turn(owner, session, message, [Insert(words, None, key, now)], now)
        assert written.turn is not None
        self.store.finish_turn(owner, written.turn, reply, TurnState.DONE, [], now)
        while self.vectors.embed_backlog(self.store, 64):
            pass

    def ask(
        self, query: str, session: SessionId = MAIN, owner: OwnerId = ANN, *, as_of: datetime | None = None
    ) -> list[str]:
        self.clock.pass_by(minutes=1)
        scope = Scope(owner, session, as_of or self.clock.now(), present=as_of is None)
        return [recalled.unit.content for recalled in self.recall.find(scope, query).recalled]


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(tmp_path: Path, clock: SetClock) -> Iterator[SqliteStore]:
    store = open_store(tmp_path / "memory.db", clock)
    yield store
    store.close()


@pytest.fixture
def talk(store: SqliteStore, clock: SetClock) -> Talk:
    return Talk(store, clock)


ENGLISH = ("I sold the violin at the market.", "The aquarium in Lisbon was closed on Friday.", "I baked bread.")
CHINESE = ("我在集市卖掉了小提琴。", "里斯本的水族馆星期五没有开门。", "我烤了面包。")


@pytest.mark.parametrize(
    ("told", "before", "question", "answer"),
    [
        (ENGLISH, "Let us speak of the aquarium.", "And when was that?", ENGLISH[1]),
        (ENGLISH, "Do you remember the violin?", "Where was it?", ENGLISH[0]),
        (CHINESE, "我们说说水族馆吧。", "那是什么时候的事？", CHINESE[1]),
        (CHINESE, "你记得那把小提琴吗？", "在哪里卖的？", CHINESE[0]),
    ],
)
def test_a_question_is_about_what_was_talked_of_last(
    talk: Talk, told: tuple[str, ...], before: str, question: str, answer: str
) -> None:
    for words in told:
        talk.say(words, session=OTHER)
    talk.say(before)
    found = [content for content in talk.ask(question) if content in told]
    assert found[0] == answer


def test_what_is_meant_comes_from_this_session_of_this_owner_only(talk: Talk) -> None:
    for words in ENGLISH:
        talk.say(words, session=SessionId("told"))
    talk.say("Let us speak of the aquarium.", session=MAIN)
    talk.say("Let us speak of the bread I baked.", session=OTHER)
    talk.say("Let us speak of the violin.", session=MAIN, owner=BOB)
    assert next(words for words in talk.ask("And when was that?", MAIN) if words in ENGLISH) == ENGLISH[1]
    assert next(words for words in talk.ask("And when was that?", OTHER) if words in ENGLISH) == ENGLISH[2]


def test_what_was_said_after_the_moment_asked_about_is_not_meant(talk: Talk) -> None:
    for words in ENGLISH:
        talk.say(words, session=OTHER)
    talk.say("Let us speak of the aquarium.")
    then = talk.clock.now() + timedelta(seconds=1)
    talk.say("Let us speak of the violin.")
    assert next(words for words in talk.ask("And when was that?", as_of=then) if words in ENGLISH) == ENGLISH[1]


def test_forgotten_words_are_not_meant_any_more(talk: Talk) -> None:
    for words in ENGLISH:
        talk.say(words, session=OTHER)
    talk.say("Let us speak of the aquarium.")
    scope = Scope(ANN, MAIN, talk.clock.now(), present=True)
    about = [unit for unit, _ in talk.store.search_text(scope, "speak", 5)]
    talk.store.forget(ANN, about)
    assert talk.recall._context(scope, "And when was that?") == ""


@pytest.mark.parametrize(
    ("told", "before", "question", "answer"),
    [
        (
            ("I met my cousin at noon.", "I moved to Oslo."),
            "What did Eve say of Lisbon?",
            "What did she say?",
            "I loved Lisbon.",
        ),
        (("我中午见了表妹。", "我搬到了奥斯陆。"), "小红说过里斯本吗？", "她说了什么？", "我喜欢里斯本。"),
    ],
)
def test_a_pronoun_means_the_person_who_was_talked_of(
    talk: Talk, told: tuple[str, ...], before: str, question: str, answer: str
) -> None:
    for words in told:
        talk.say(words, session=OTHER)
    talk.say(answer, session=OTHER, subject="Eve" if question.isascii() else "小红")
    talk.say(before)
    said = [content for content in talk.ask(question) if content != before]
    assert said[0] == answer


@pytest.mark.parametrize(
    ("asked", "answer", "question"),
    [
        ("Which bread did I like?", "The rye bread was really good.", "Which bread did I like best?"),
        ("Who repaired the old bicycle?", "Tom repaired the bicycle.", "So who repaired the old bicycle again"),
        ("哪种面包适合烤？", "黑麦面包适合烤。", "到底哪种面包适合烤呢？"),
        ("谁修好了旧自行车？", "小李修好了自行车。", "到底是谁修好了旧自行车呢"),
    ],
)
def test_a_question_that_was_asked_before_stands_behind_its_answer(
    talk: Talk, asked: str, answer: str, question: str
) -> None:
    talk.say(asked, session=OTHER)
    talk.say(answer, session=OTHER)
    found = talk.ask(question)
    assert found[0] == answer


@pytest.mark.parametrize(
    ("asked", "other", "question"),
    [
        (
            "Which bread is good for toast?",
            "The rye bread is good for toast.",
            "What did I ask you about bread for toast?",
        ),
        ("哪种面包适合烤？", "黑麦面包适合烤。", "关于适合烤的面包，我问过你什么？"),
    ],
)
def test_a_question_is_found_where_it_is_asked_for(talk: Talk, asked: str, other: str, question: str) -> None:
    talk.say(asked, session=OTHER)
    talk.say(other, session=OTHER)
    assert asked in talk.ask(question)


@pytest.mark.parametrize(
    ("visits", "first", "last"),
    [
        (
            ("I went to the dentist in the rain.", "I went to the dentist by bus.", "I went to the dentist with Tom."),
            "When did I first go to the dentist?",
            "When did I last go to the dentist?",
        ),
        (
            ("我冒雨去看牙医。", "我坐车去看牙医。", "我和小李去看牙医。"),
            "我第一次去看牙医是什么时候？",
            "我最近一次去看牙医是什么时候？",
        ),
    ],
)
def test_first_and_last_are_told_apart(talk: Talk, visits: tuple[str, ...], first: str, last: str) -> None:
    for visit in visits:
        talk.say(visit, session=OTHER)
        talk.clock.pass_by(days=30)
        talk.say("I painted the fence. 我刷了篱笆。", session=OTHER)
    assert talk.ask(first)[0] == visits[0]
    assert talk.ask(last)[0] == visits[-1]


@pytest.mark.parametrize("question", ["What did I plant yesterday?", "我昨天种了什么？"])
@pytest.mark.parametrize(
    ("zone", "now", "yesterday", "before"),
    [  # the clock goes back on 25 October 2026: that day has 25 hours; forward on 29 March: 23
        ("Europe/Berlin", (2026, 10, 26, 0, 30), (2026, 10, 25, 0, 10), (2026, 10, 24, 23, 50)),
        ("Europe/Berlin", (2026, 3, 30, 0, 30), (2026, 3, 29, 0, 10), (2026, 3, 28, 23, 50)),
        ("Asia/Shanghai", (2026, 5, 3, 23, 30), (2026, 5, 2, 0, 10), (2026, 5, 1, 23, 50)),
    ],
)
def test_yesterday_is_the_persons_day_also_where_the_clock_changes(
    store: SqliteStore,
    question: str,
    zone: str,
    now: tuple[int, ...],
    yesterday: tuple[int, ...],
    before: tuple[int, ...],
) -> None:
    place = ZoneInfo(zone)

    def moment(parts: tuple[int, ...]) -> datetime:
        year, month, day, hour, minute = parts
        return datetime(year, month, day, hour, minute, tzinfo=place).astimezone(UTC)

    clock = SetClock(NOON)
    talk = Talk(store, clock, place)
    for said, words in ((before, "I planted tomatoes. 我种了番茄。"), (yesterday, "I planted beans. 我种了豆子。")):
        clock.set(moment(said) - timedelta(minutes=1))
        talk.say(words, session=OTHER)
    clock.set(moment(now) - timedelta(minutes=1))
    assert talk.ask(question)[0] == "I planted beans. 我种了豆子。"
