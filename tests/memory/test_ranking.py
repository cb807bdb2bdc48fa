"""What is worth reading of what searches propose, and that a score means the same in both languages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.ranking import Candidate, Ranking, Signals, choose, order, shortlist
from edge.memory.text import query_terms
from edge.memory.units import Kind, OwnerId, Source, Unit, UnitId

AT = datetime(2026, 1, 1, tzinfo=UTC)
SCORES = st.dictionaries(st.integers(1, 60).map(UnitId), st.floats(0.01, 30), max_size=40)
COSINES = st.dictionaries(st.integers(1, 60).map(UnitId), st.floats(-1, 1), max_size=40)


def unit(number: int, content: str) -> Unit:
    return Unit(
        id=UnitId(number),
        owner=OwnerId("uid:1"),
        session=None,
        kind=Kind.EPISODE,
        content=content,
        subject="self",
        slot=None,
        value=None,
        entities=(),
        source=Source.USER,
        source_turn=None,
        confidence=1.0,
        importance=0.5,
        task_type=None,
        created_at=AT,
        valid_from=AT,
        valid_until=None,
    )


def ranked(
    candidates: Sequence[Candidate],
    question: str,
    language: str = "en",
    *,
    limit: int = 5,
    threshold: float = 0.3,
    companions: float = 0.5,
    refused: Collection[int] = (),
) -> Ranking:
    return choose(
        order(candidates, query_terms(question), language),
        lambda found: "refused" if found.id in refused else None,
        limit=limit,
        threshold=threshold,
        companions=companions,
    )


@given(SCORES, COSINES, st.sampled_from(["en", "zh"]), st.integers(0, 50))
def test_the_shortlist_holds_what_was_proposed_and_no_more(
    by_text: dict[UnitId, float], by_vector: dict[UnitId, float], language: str, limit: int
) -> None:
    listed = shortlist(by_text, by_vector, language, limit=limit)
    assert len(listed) == min(limit, len(by_text.keys() | by_vector.keys()))
    assert listed.keys() <= by_text.keys() | by_vector.keys()
    assert all(signals.bm25 == by_text.get(number, 0.0) for number, signals in listed.items())


def test_the_shortlist_keeps_the_best_of_both_searches() -> None:
    by_text = {UnitId(1): 5.0, UnitId(2): 0.1}
    by_vector = {UnitId(3): 0.7, UnitId(4): 0.1}
    assert list(shortlist(by_text, by_vector, "en", limit=2)) == [1, 3]


def test_a_unit_that_only_full_text_found_is_no_nearer_than_the_last_by_vector() -> None:
    listed = shortlist({UnitId(1): 3.0}, {UnitId(2): 0.7, UnitId(3): 0.4}, "en", limit=10)
    assert listed[UnitId(1)] == Signals(3.0, 0.4)


def test_without_vectors_full_text_decides() -> None:
    assert list(shortlist({UnitId(1): 1.0, UnitId(2): 2.0}, {}, "zh", limit=10)) == [2, 1]


@pytest.mark.parametrize(
    ("language", "question", "answer", "other"),
    [
        ("en", "Which book did I read in the library?", "I read a novel in the library today.", "I read the news."),
        ("zh", "我在图书馆看的小说叫什么名字？", "今天在图书馆看了一本小说。", "我看了新闻。"),
    ],
)
def test_an_answer_passes_the_threshold_and_another_unit_does_not(
    language: str, question: str, answer: str, other: str
) -> None:
    candidates = Candidate(unit(1, answer), Signals(6.0, 0.5)), Candidate(unit(2, other), Signals(1.0, 0.2))
    found = ranked(candidates, question, language, limit=10, threshold=0.35)
    assert [recalled.unit.id for recalled in found.kept] == [1]


def scored(*cosines: float) -> list[Candidate]:
    return [Candidate(unit(number, f"text {number}"), Signals(0.0, cosine)) for number, cosine in enumerate(cosines, 1)]


def test_a_best_under_the_threshold_means_nothing_reliable() -> None:
    found = ranked(scored(0.4, 0.3), "dog", threshold=0.35)
    assert found.kept == ()
    assert {why for _, why in found.dropped} == {"under the threshold of 0.35"}


def test_a_good_best_brings_its_companions_but_not_what_is_far_behind() -> None:
    found = ranked(scored(0.7, 0.45, 0.2), "dog")
    assert [recalled.unit.id for recalled in found.kept] == [1, 2]
    assert [(recalled.unit.id, why) for recalled, why in found.dropped] == [(3, "far behind the best")]
    assert [recalled.unit.id for recalled in ranked(scored(0.7, 0.45), "dog", companions=1.0).kept] == [1]


def test_no_more_than_the_limit_is_kept() -> None:
    found = ranked(scored(0.7, 0.7, 0.7), "dog", limit=2)
    assert [recalled.unit.id for recalled in found.kept] == [3, 2]
    assert [why for _, why in found.dropped] == ["after the best 2"]


def test_a_refused_unit_makes_room_and_brings_no_companions() -> None:
    found = ranked(scored(0.7, 0.45, 0.2), "dog", limit=1, refused={1})
    assert [recalled.unit.id for recalled in found.kept] == []
    found = ranked(scored(0.7, 0.65, 0.2), "dog", limit=1, refused={1})
    assert [recalled.unit.id for recalled in found.kept] == [2]
    assert [why for _, why in found.dropped] == ["refused", "far behind the best"]


def test_the_assistants_words_and_questions_weigh_less() -> None:
    user, question = unit(1, "Rex is a dog."), unit(2, "Is Rex a dog?")
    assistant = replace(user, id=UnitId(3), source=Source.ASSISTANT)
    candidates = [Candidate(found, Signals(1.0, 0.5)) for found in (question, assistant, user)]
    found = order(candidates, ["dog"], "en")
    assert [recalled.unit.id for recalled in found] == [1, 3, 2]
