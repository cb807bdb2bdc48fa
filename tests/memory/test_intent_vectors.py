"""The vector of intent: how it is smoothed, when it is sure, what it agrees with, and how scores are led by it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.intent_vectors import (
    DIMENSION,
    WEIGHT,
    IntentVector,
    agreement,
    coherence,
    confidence,
    followed,
    led,
    of_turn,
    packed,
    unpacked,
)
from edge.memory.intents import Intent, Label, Move
from edge.memory.language import language_of
from edge.memory.topics import content_terms

TRIP = {
    "en": (
        "We plan the trip to Lisbon with flights.",
        "The flights to Lisbon are cheap.",
        "Is the trip to Lisbon long?",
    ),
    "zh": ("我们计划去里斯本旅行，先看航班。", "去里斯本的航班很便宜。", "去里斯本旅行要多久？"),
}
ELSE = {"en": "The kitchen needs new cabinets and tiles.", "zh": "厨房要换新的橱柜和瓷砖。"}
shares = st.floats(0, 1, allow_nan=False)


def turn(text: str, label: Label = Label.FACT, share: float = 0.9) -> IntentVector:
    return of_turn(Intent(label, share, "as the test says", Move.ASK), dict.fromkeys(content_terms(text), 1.0))


def thread(*texts: str) -> IntentVector:
    vector: IntentVector | None = None
    for text in texts:
        vector = followed(vector, turn(text))
    assert vector is not None
    return vector


def sure(before: IntentVector | None, message: str) -> float:
    return confidence(before, turn(message), len(content_terms(message)), language_of(message))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_turns_about_one_thing_are_an_intent_and_a_question_that_goes_on_has_it(language: str) -> None:
    first, second, question = TRIP[language]
    before = thread(first, second)
    assert sure(before, question) > 0.5
    assert agreement(before, turn(question)) > 2 * agreement(before, turn(ELSE[language]))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_from_elsewhere_has_no_intent_behind_it(language: str) -> None:
    other = ELSE[language]
    assert sure(thread(*TRIP[language][:2]), other) < 0.2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_turn_and_turns_of_nothing_in_common_are_no_intent(language: str) -> None:
    first, second, _ = TRIP[language]
    assert sure(None, first) == 0
    assert sure(thread(first), second) == 0
    assert sure(thread(first, ELSE[language]), "hm") < 0.2


def test_a_question_of_few_words_goes_on_with_what_is_talked_of() -> None:
    before = thread(*TRIP["en"][:2])
    assert sure(before, "What was the budget?") == pytest.approx(min(1, coherence(before) / 0.25))


def test_the_mean_cosine_of_turns_is_read_from_the_vector_alone() -> None:
    same = thread(*[TRIP["en"][0]] * 5)
    assert coherence(same) == pytest.approx(1, abs=1e-5)
    one, two = turn(TRIP["en"][0]), turn(TRIP["en"][1])
    assert coherence(followed(one, two)) == pytest.approx(float(one.subject @ two.subject), abs=1e-5)


def test_labels_follow_the_last_turns() -> None:
    vector = turn("", Label.TEMPORAL)
    for _ in range(3):
        vector = followed(vector, turn("", Label.AGGREGATE))
    assert vector.label is Label.AGGREGATE
    assert vector.labels.sum() == pytest.approx(1, abs=1e-5)
    assert vector.labels[list(Label).index(Label.TEMPORAL)] > vector.labels[list(Label).index(Label.PROFILE)]


def test_small_talk_between_leaves_the_subject() -> None:
    before = thread(*TRIP["en"][:2])
    after = followed(before, turn("", Label.SMALL_TALK))
    assert after.turns == before.turns
    assert np.array_equal(after.subject, before.subject)


def test_a_rare_word_tells_more_than_one_that_is_everywhere() -> None:
    intent = Intent(Label.FACT, 0.9, "as the test says", Move.ASK)
    told = of_turn(intent, {"caroline": 0.3, "pottery": 4.0})
    assert agreement(told, of_turn(intent, {"pottery": 4.0})) > 0.9
    assert agreement(told, of_turn(intent, {"caroline": 0.3})) < 0.1


@pytest.mark.parametrize("turns", [1, 3, 40])
def test_a_vector_survives_being_stored(turns: int) -> None:
    vector = thread(*[TRIP["zh"][number % 3] for number in range(turns)])
    back = unpacked(packed(vector))
    assert back is not None
    assert (back.turns, back.label) == (vector.turns, vector.label)
    assert agreement(vector, back) > 0.99
    assert abs(coherence(back) - coherence(vector)) < 0.05


@pytest.mark.parametrize("stored", [None, b"", b"\x01", b"\x02" + bytes(267), bytes(300)])
def test_what_is_no_vector_is_none(stored: bytes | None) -> None:
    assert unpacked(stored) is None


@given(st.lists(st.tuples(shares, st.none() | shares), max_size=12), shares)
def test_the_best_keeps_the_best_score_and_scores_fall_in_order(
    pairs: list[tuple[float, float | None]], certain: float
) -> None:
    scores, agreements = [score for score, _ in pairs], [value for _, value in pairs]
    order, moved = led(scores, agreements, certain)
    assert sorted(order) == list(range(len(pairs)))
    assert moved == sorted(moved, reverse=True)
    assert all(0 <= score <= 1 for score in moved)
    if scores:
        assert moved[0] == max(scores)


@given(st.lists(shares, min_size=1, max_size=12), shares, shares)
def test_where_all_agree_alike_nothing_changes(scores: list[float], value: float, certain: float) -> None:
    order, moved = led(scores, [value] * len(scores), certain)
    assert moved == pytest.approx(sorted(scores, reverse=True))
    assert [scores[row] for row in order] == sorted(scores, reverse=True)


@given(st.lists(shares, min_size=1, max_size=12), st.lists(shares, min_size=12, max_size=12))
def test_an_intent_that_is_not_sure_changes_nothing(scores: list[float], agreements: list[float]) -> None:
    order, moved = led(scores, agreements[: len(scores)], 0.0)
    assert moved == sorted(scores, reverse=True)
    assert order == sorted(range(len(scores)), key=lambda row: -scores[row])


@given(st.lists(st.tuples(shares, shares), min_size=2, max_size=8), shares)
def test_the_order_is_that_of_the_weighted_sum(pairs: list[tuple[float, float]], certain: float) -> None:
    order, _ = led([score for score, _ in pairs], [value for _, value in pairs], certain)
    weight = WEIGHT * certain
    mixed = [(1 - weight) * pairs[row][0] + weight * pairs[row][1] for row in order]
    assert all(one >= other - 1e-9 for one, other in pairwise(mixed))


def test_of_two_that_match_alike_the_one_of_the_intent_is_first_and_one_that_matches_far_better_stays() -> None:
    assert led([0.8, 0.8], [0.1, 0.7], 1.0)[0] == [1, 0]
    assert led([0.9, 0.3], [0.0, 0.9], 1.0)[0] == [0, 1]
    assert led([0.8, 0.7], [0.1, None], 1.0)[0] == [0, 1]


def test_a_subject_has_its_places() -> None:
    assert turn(TRIP["en"][0]).subject.shape == (DIMENSION,)
    assert not turn("").subject.any()
