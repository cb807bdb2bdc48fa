"""What is worth reading of what searches propose, how it is put in order, and what is kept of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.pool import Candidate, Pool, Question, Signals
from edge.memory.ranking import Ranker, Ranking, choose, shortlist
from edge.memory.units import Kind, Recalled, Source, Stage, TurnId, UnitId
from tests.memory.making import AT, unit

SCORES = st.dictionaries(st.integers(1, 60).map(UnitId), st.floats(0.01, 30), max_size=40)
COSINES = st.dictionaries(st.integers(1, 60).map(UnitId), st.floats(-1, 1), max_size=40)


def pool_of(question: str, *contents: str, source: Source = Source.USER) -> Pool:
    """Units without codes; the earlier, the higher their BM25."""
    pool = Pool(Question(question, np.zeros((0, 8), dtype=np.float32), (), AT, UTC))
    pool.add(
        [
            Candidate(unit(number, text, source=source), Signals(10.0 / number, 0.5))
            for number, text in enumerate(contents, 1)
        ]
    )
    return pool


def scored(*scores: float) -> list[Recalled]:
    return [Recalled(unit(number, f"text {number}"), score, Stage.SEARCH) for number, score in enumerate(scores, 1)]


def chosen(
    ordered: Sequence[Recalled],
    *,
    limit: int = 5,
    threshold: float = 0.3,
    companions: float = 0.5,
    refused: Collection[int] = (),
) -> Ranking:
    return choose(
        ordered,
        lambda found: "refused" if found.unit.id in refused else None,
        limit=limit,
        threshold=threshold,
        companions=companions,
    )


def kept(found: Ranking) -> list[int]:
    return [recalled.unit.id for recalled in found.kept]


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
        ("en", "Which book did I read in the library?", "I read a novel in the library today.", "I slept."),
        ("zh", "我在图书馆看的小说叫什么名字？", "今天在图书馆看了一本小说。", "我睡了。"),
    ],
)
def test_an_answer_comes_first_with_a_higher_score(language: str, question: str, answer: str, other: str) -> None:
    first, second = Ranker().order(pool_of(question, answer, other), language)
    assert (first.unit.id, second.unit.id) == (1, 2)
    assert 0 <= second.score < first.score <= 1
    assert first.signals.keys() >= {"bm25", "late", "words", "dense", "subject", "time"}
    assert first.signals["words"] > second.signals["words"]


def test_a_tie_goes_to_the_newer() -> None:
    pool = Pool(Question("dog", np.zeros((0, 8), dtype=np.float32), (), AT, UTC))
    pool.add([Candidate(unit(number, "Rex is a dog."), Signals(1.0, 0.5)) for number in (2, 9, 4)])
    assert [found.unit.id for found in Ranker().order(pool, "en")] == [9, 4, 2]


def test_nothing_is_in_no_order() -> None:
    assert Ranker().order(pool_of("dog"), "en") == []


def test_a_best_under_the_threshold_means_nothing_reliable() -> None:
    found = chosen(scored(0.34, 0.3), threshold=0.35)
    assert found.kept == ()
    assert {why for _, why in found.dropped} == {"under the threshold of 0.35"}


def test_a_good_best_brings_its_companions_but_not_what_is_far_behind() -> None:
    found = chosen(scored(0.7, 0.45, 0.2))
    assert kept(found) == [1, 2]
    assert [(recalled.unit.id, why) for recalled, why in found.dropped] == [(3, "far behind the best")]
    assert kept(chosen(scored(0.7, 0.45), companions=1.0)) == [1]


def test_no_more_than_the_limit_is_kept() -> None:
    found = chosen(scored(0.7, 0.7, 0.7), limit=2)
    assert kept(found) == [1, 2]
    assert [why for _, why in found.dropped] == ["after the best 2"]


def test_what_says_the_same_as_a_better_one_makes_room() -> None:
    twice = [Recalled(unit(number, "I like tea."), 0.9, Stage.SEARCH) for number in (1, 2)]
    found = chosen([*twice, *scored(0.5, 0.5, 0.5)[2:]], limit=2)
    assert kept(found) == [1, 3]
    assert found.dropped[0][1] == "says the same as #1"


def test_a_refused_unit_makes_room_and_brings_no_companions() -> None:
    assert kept(chosen(scored(0.7, 0.25, 0.2), limit=1, refused={1})) == []
    found = chosen(scored(0.7, 0.65, 0.2), limit=1, refused={1})
    assert kept(found) == [2]
    assert [why for _, why in found.dropped] == ["refused", "far behind the best"]


def test_words_from_which_a_fact_was_drawn_come_along_where_only_their_score_was_low() -> None:
    fact, words, refused, others = (
        Recalled(replace(unit(number, f"text {number}", kind=kind), source_turn=TurnId(turn)), score, Stage.SEARCH)
        for number, kind, turn, score in (
            (1, Kind.FACT_REFERENCE, 7, 0.9),
            (2, Kind.EPISODE, 7, 0.1),
            (3, Kind.EPISODE, 7, 0.89),
            (4, Kind.EPISODE, 8, 0.1),
        )
    )
    ranking = chosen([fact, refused, words, others], refused=[3])
    assert kept(ranking) == [1]
    with_words = ranking.with_words_of([fact])
    assert kept(with_words) == [1, 2]
    assert [recalled.unit.id for recalled, _ in with_words.dropped] == [3, 4]
    assert kept(ranking.with_words_of([])) == [1]
