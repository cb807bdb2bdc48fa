"""What notes have in common, and what is decided from it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_signals import (
    LEAST_LEAD,
    LEAST_SCORE,
    Note,
    decide,
    frame,
    mixed,
    right_words,
    usable,
)
from edge.memory.language import language_of

_SCORES = st.lists(st.floats(-5, 5), max_size=6)


def note(text: str, *likely: int, probes: int = 6) -> Note:
    """A note whose reading is likely for some of the words."""
    reading = np.full(probes, -12.0, dtype=np.float32)
    reading[list(likely)] = -3.0
    return Note(text, language_of(text), reading)


PETS = [note("the dog limps", 0), note("he ate nothing", 0), note("猫又吐了", 0), note("换了猫粮", 0)]
HOME = [note("the boiler is cold", 3), note("no hot water", 3), note("锅炉坏了", 3), note("房东派人来修", 3)]


def test_notes_of_one_topic_are_near_in_and_across_languages() -> None:
    notes = [*PETS, *HOME]
    rows = frame(notes).features(notes)
    cosines = rows @ rows.T
    assert cosines[0, 1] > 0.5
    assert cosines[2, 3] > 0.5
    assert cosines[0, 2] > 0.5
    assert cosines[0, 4] < 0
    assert cosines[2, 6] < 0
    assert cosines[0, 6] < 0


def test_what_is_usual_in_a_language_tells_nothing() -> None:
    chinese = [note("天气很好", 0, 5), note("猫又吐了", 1, 5), note("锅炉坏了", 2, 5), note("房东来了", 3, 5)]
    english = [note("the dog", 0), note("the boiler", 1), note("the bill", 2), note("the bus", 3)]
    rows = frame([*chinese, *english]).features([*chinese, *english])
    assert rows[0] @ rows[4] > 0.5


def test_a_note_of_which_nothing_is_known_has_no_features() -> None:
    rows = frame(PETS).features([Note("嗯", "zh"), Note("ok", "en")])
    assert not rows.any()


def test_without_readings_words_count_and_in_english_vectors() -> None:
    vectors = np.eye(4, dtype=np.float32)
    english = [Note(f"word{at}", "en", None, vectors[at % 2]) for at in range(6)]
    chinese = [Note(text, "zh", None, vectors[2]) for text in ("锅炉坏了", "锅炉修好", "面团发酵", "面团太黏")]
    notes = [*english, *chinese]
    rows = frame(notes).features(notes)
    assert rows[0] @ rows[2] > 0.9 > 0 > rows[0] @ rows[1]
    assert rows[6] @ rows[7] > 0.2
    assert abs(rows[6] @ rows[8]) < 0.1


@given(st.lists(st.sampled_from([*PETS, *HOME, Note("嗯", "zh")]), max_size=12))
def test_features_have_length_one_or_none(notes: list[Note]) -> None:
    lengths = np.linalg.norm(frame(notes).features(notes), axis=1)
    assert all(length < 1e-6 or abs(length - 1) < 1e-4 for length in lengths)


@given(_SCORES)
def test_only_a_clear_best_is_chosen(scores: list[float]) -> None:
    at = decide(scores)
    if at is None:
        best = max(scores, default=-math.inf)
        assert best < LEAST_SCORE or sorted(scores)[-2] > best - LEAST_LEAD
    else:
        assert scores[at] == max(scores) >= LEAST_SCORE
        assert all(other <= scores[at] - LEAST_LEAD for place, other in enumerate(scores) if place != at)


def test_a_likelier_key_outweighs_a_little_nearness() -> None:
    assert decide(mixed([0.5, 0.4], [0.0, 2.0])) == 1
    assert decide(mixed([0.5, 0.4], [None, None])) == 0


def test_what_is_no_log_probability_is_no_answer() -> None:
    assert usable([-1.0, -2.0], 2)
    assert not usable([-1.0], 2)
    assert not usable([-1.0, math.nan], 2)
    assert not usable([-1.0, math.inf], 2)
    assert not usable([-1.0, 7.0], 2)


def test_a_reader_is_known_by_what_it_reads_rightly() -> None:
    readings = np.full((3, 3), -9.0, dtype=np.float32)
    assert right_words(readings + 6 * np.eye(3, dtype=np.float32), [[0], [1], [2]]) == 3
    assert right_words(readings + 6 * np.eye(3, dtype=np.float32)[::-1], [[0], [1], [2]]) == 1
