"""The evidence that a pool gathers: words, tokens, people, times and the talk."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from edge.memory.places import NOWHERE, Place
from edge.memory.pool import Candidate, Pool, Question, Signals
from edge.memory.scoring import Evidence
from edge.memory.units import ClusterId, Kind, SessionId, Source, UnitId
from edge.memory.weights import WEIGHTS
from tests.fakes.embedder import HashEmbedder
from tests.memory.making import AT, unit

EMBEDDER = HashEmbedder()
S, T = SessionId("s"), SessionId("t")
NOW = datetime(2026, 1, 20, 12, tzinfo=UTC)


def asked(text: str, now: datetime = NOW) -> Question:
    read = EMBEDDER.read_query(text)
    return Question(text, read.tokens, read.spans, now, UTC)


def candidate(
    number: int,
    content: str,
    *,
    subject: str = "self",
    bm25: float = 0.0,
    place: Place = NOWHERE,
    at: datetime = AT,
    coded: bool = True,
    source: Source = Source.USER,
) -> Candidate:
    codes = EMBEDDER.embed([content])[0].codes if coded else ()
    return Candidate(unit(number, content, subject=subject, at=at, source=source), Signals(bm25, 0.5), codes, place)


def pool_of(question: str, *candidates: Candidate) -> Pool:
    pool = Pool(asked(question))
    pool.add(candidates)
    return pool


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Where is the blue kettle?", "The blue kettle is in the attic.", "A lamp is in the cellar."),
        ("蓝色的水壶在哪里？", "蓝色的水壶在阁楼。", "台灯在地下室。"),
    ],
)
def test_words_and_tokens_speak_for_the_answer(question: str, answer: str, other: str) -> None:
    evidence = pool_of(question, candidate(1, answer, bm25=4.0), candidate(2, other, bm25=1.0)).evidence()
    assert evidence.words[0] > evidence.words[1]
    assert evidence.late[0] > evidence.late[1]
    assert evidence.bm25.tolist() == [1.0, 0.25]
    assert evidence.dense.tolist() == [0.5, 0.5]


def test_without_codes_late_interaction_is_unknown() -> None:
    evidence = pool_of("kettle", candidate(1, "kettle"), candidate(2, "kettle", coded=False)).evidence()
    assert np.isnan(evidence.late).tolist() == [False, True]
    bare = Pool(Question("kettle", np.zeros((0, 8), dtype=np.float32), (), NOW, UTC))
    bare.add([candidate(1, "kettle", coded=False)])
    assert np.isnan(bare.evidence().late).all()
    assert bare.evidence().words.tolist() == [1.0]


def test_an_empty_pool_has_empty_evidence() -> None:
    evidence = pool_of("kettle").evidence()
    assert all(len(getattr(evidence, name)) == 0 for name in type(evidence).__dataclass_fields__)


def test_a_long_text_is_as_good_as_its_best_chunk_and_holds_its_words() -> None:
    words = " ".join(f"word{number}" for number in range(600))
    long = candidate(1, f"{words} The blue kettle is in the attic. {words}")
    pool = pool_of("Where is the blue kettle?", long, candidate(2, "Nothing."))
    assert len(long.codes) > 3
    assert 0 < pool.chunks()[0] < len(long.codes) - 1
    assert pool.evidence().words[0] == 1.0


def test_who_is_asked_about_is_known_where_several_speak() -> None:
    ann, bob = candidate(1, "I like tea.", subject="Ann"), candidate(2, "I like rum.", subject="Bob")
    evidence = pool_of("What does Ann like?", ann, bob).evidence()
    assert (evidence.own.tolist(), evidence.others.tolist()) == ([True, False], [False, True])
    assert evidence.subject.tolist() == [1.0, 0.0]
    alone = pool_of("What does Ann like?", ann).evidence()
    assert not alone.others.any()
    own = pool_of("What do I like?", candidate(1, "I like tea."), candidate(2, "You are nice.")).evidence()
    assert not own.others.any()


def test_the_name_of_who_is_asked_about_decides_no_match() -> None:
    names = candidate(1, "Ann! Ann! Ann!", subject="Bob"), candidate(2, "I drank tea.", subject="Ann")
    evidence = pool_of("What tea did Ann drink?", *names).evidence()
    assert evidence.words[0] > 0
    assert evidence.match_words[0] == 0
    assert evidence.match_late[1] > evidence.match_late[0]


def test_the_assistants_words_count_where_they_are_asked_for() -> None:
    said = candidate(1, "I recommend the castle.", source=Source.ASSISTANT), candidate(2, "I saw the castle.")
    other = pool_of("Which castle did I see?", *said).evidence()
    assert (other.assistant.tolist(), other.subject.tolist()) == ([True, False], [0.0, 1.0])
    asked_for = pool_of("Which castle did you recommend to me?", *said).evidence()
    assert (asked_for.assistant.tolist(), asked_for.subject.tolist()) == ([False, False], [1.0, 0.0])


@pytest.mark.parametrize("question", ["What did I do on 1 January?", "1月1日我做了什么？"])
def test_a_named_time_is_compared_in_the_persons_zone(question: str) -> None:
    late = datetime(2025, 12, 31, 20, tzinfo=UTC)
    east = Question(question, np.zeros((0, 8), dtype=np.float32), (), NOW, timezone(timedelta(hours=8)))
    pool = Pool(east)
    pool.add([candidate(1, "a", at=late), candidate(2, "b", at=late - timedelta(days=9))])
    assert pool.evidence().time.tolist() == [1.0, 0.0]
    assert east.today.isoformat() == "2026-01-20"


@pytest.mark.parametrize(
    ("text", "asks"),
    [("Is it red?", True), ("它是红的吗", True), ("Ann: Is it red? [shares a photo]", True), ("It is red.", False)],
)
def test_what_only_asks_is_marked(text: str, asks: bool) -> None:
    assert pool_of("red", candidate(1, text)).evidence().question.tolist() == [asks]


def test_the_promising_are_the_best_by_their_own_text() -> None:
    pool = pool_of("blue kettle", candidate(1, "nothing"), candidate(2, "the blue kettle", bm25=2.0))
    assert [found.unit.id for found in pool.promising(WEIGHTS["en"], 1)] == [2]


def test_a_unit_agrees_as_well_as_its_cluster() -> None:
    pool = Pool(replace(asked("Where is the kettle?"), clusters={ClusterId(7): 0.5}))
    units = [
        replace(unit(number, "a kettle"), cluster=cluster)
        for number, cluster in ((1, ClusterId(7)), (2, ClusterId(8)), (3, None))
    ]
    pool.add([Candidate(each, Signals(1.0, 0.5)) for each in units])
    assert pool.evidence().cluster.tolist() == [0.5, 0.0, 0.0]
    assert pool.evidence().home.tolist() == [7, 8, -1]
    assert not pool_of("kettle", candidate(1, "kettle")).evidence().cluster.any()


FACT_OF_SISTER = Candidate(unit(3, "a fact", subject="sister", kind=Kind.FACT_REFERENCE), Signals())


@pytest.mark.parametrize(
    ("question", "relations", "told", "other"),
    [
        ("Where does my sister work?", {"sister": "sister"}, "My sister works in Bergen.", "I bought olives."),
        ("我姐姐在哪里工作？", {"sister": "姐姐"}, "我姐姐在杭州当护士。", "我买了橄榄。"),
    ],
)
def test_where_only_the_owner_speaks_nobody_is_mistaken_for_another(
    question: str, relations: dict[str, str], told: str, other: str
) -> None:
    pool = Pool(replace(asked(question), relations=relations))
    pool.add([candidate(1, told), candidate(2, other), FACT_OF_SISTER])
    evidence = pool.evidence()
    assert not evidence.own.any()
    assert not evidence.others.any()
    assert evidence.subject.tolist() == [1.0, 0.0, 1.0]


def test_what_another_says_of_themselves_is_still_told_apart() -> None:
    pool = Pool(replace(asked("Where does my sister work?"), relations={"sister": "sister"}))
    pool.add([candidate(1, "My sister works in Bergen."), candidate(2, "I work in Oslo.", subject="Nate")])
    pool.add([FACT_OF_SISTER])
    evidence = pool.evidence()
    assert evidence.own.tolist() == [True, False, True]
    assert evidence.others.tolist() == [False, True, False]


@pytest.mark.parametrize("gone", [(), (1,), (2, 3), (1, 2, 3, 4)])
def test_without_some_all_is_as_if_they_had_never_been_there(gone: tuple[int, ...]) -> None:
    given = [
        candidate(1, "Where is the blue kettle?", bm25=9.0),
        candidate(2, "The blue kettle is in the attic. 蓝色的水壶在阁楼。", bm25=4.0),
        candidate(3, "A lamp is in the cellar.", bm25=1.0, coded=False),
        candidate(4, "Ann has a kettle.", subject="Ann", bm25=2.0),
    ]
    left = [each for each in given if each.unit.id not in gone]
    fresh = pool_of("Where is the blue kettle?", *left)
    pool = pool_of("Where is the blue kettle?", *given).without([UnitId(number) for number in gone])
    assert list(pool.candidates) == left
    assert pool.chunks().tolist() == fresh.chunks().tolist()
    for field in fields(Evidence):
        np.testing.assert_array_equal(getattr(pool.evidence(), field.name), getattr(fresh.evidence(), field.name))
