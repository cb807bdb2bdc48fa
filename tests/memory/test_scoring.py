"""The weighted sum, what neighbours and a talk pass on, whose words matched, and the curve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.scoring import (
    CONTRAST_LIMIT,
    Evidence,
    calibrated,
    company,
    content,
    contrast,
    in_order,
    neighbours,
    sums,
    talk_means,
)
from edge.memory.weights import WEIGHTS

EN = WEIGHTS["en"]
_FLAGS = {"question", "asks", "assistant", "replies", "own", "others"}
_ROWS = {"before": -1, "after": -1, "home": -1}


def evidence(count: int, **given: Any) -> Evidence:
    """Evidence with zeros for what is not given."""
    arrays: dict[str, Any] = {}
    for name in Evidence.__dataclass_fields__:
        kind = np.bool_ if name in _FLAGS else np.int64 if name in ("talk", *_ROWS) else np.float32
        arrays[name] = np.array(given.get(name, [_ROWS.get(name, 0)] * count), dtype=kind)
    return Evidence(**arrays)


def floats(*values: float) -> Any:
    return np.array(values, dtype=np.float32)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["late", "bm25", "words", "subject", "time", "sought"])
def test_more_of_what_speaks_for_a_unit_is_never_worse(language: str, name: str) -> None:
    some, more = (sums(evidence(2, **{name: [0.2, value]}), WEIGHTS[language]) for value in (0.2, 0.8))
    assert more[1] >= some[1]
    assert more[1] > some[1] or getattr(WEIGHTS[language], name) == 0


@pytest.mark.parametrize("name", ["question", "assistant", "asks"])
def test_what_only_asks_and_what_the_assistant_said_weigh_less(name: str) -> None:
    first, second = sums(evidence(2, late=[0.5, 0.5], **{name: [True, False]}), EN)
    assert first < second


def test_an_order_puts_the_first_of_what_is_as_good_before_the_rest() -> None:
    texts = {"late": [0.6, 0.6, 0.55, 0.2]}
    asked = evidence(4, **texts, order=[0.25, 0.5, 0.75, 1.0])
    assert np.argsort(-sums(asked, EN)).tolist() == [2, 1, 0, 3]
    assert in_order(asked, content(asked, EN)).tolist() == pytest.approx([1 / 3, 2 / 3, 1, 0])
    assert not in_order(evidence(4, **texts), content(asked, EN)).any()


def test_a_cluster_that_agrees_boosts_and_leaves_the_best_sum_where_it_was() -> None:
    weights = replace(EN, cluster=0.5)
    texts = {"late": [0.6, 0.55, 0.54]}
    plain, agreed = sums(evidence(3, **texts), weights), sums(evidence(3, **texts, cluster=[0.5, 1, 0]), weights)
    assert (agreed - plain).tolist() == pytest.approx([0, 0.25, -0.25], abs=1e-5)
    apart = sums(evidence(3, **texts, cluster=[0, 0, 1]), replace(EN, cluster=9.0))
    assert apart.argmax() == 2


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), min_size=1, max_size=8))
def test_without_clusters_or_weight_every_sum_is_the_same_to_the_bit(rows: Any) -> None:
    given = {"late": [late for late, _ in rows], "words": [late for late, _ in reversed(rows)]}
    agreed = {**given, "cluster": [share for _, share in rows]}
    plain = sums(evidence(len(rows), **given), EN)
    assert sums(evidence(len(rows), **given), replace(EN, cluster=0.7)).tobytes() == plain.tobytes()
    assert sums(evidence(len(rows), **agreed), replace(EN, cluster=0.0)).tobytes() == plain.tobytes()


def test_company_is_what_matches_in_other_talks_of_the_cluster() -> None:
    told = evidence(5, home=[7, 7, 7, 8, -1], talk=[0, 0, 1, 1, 2])
    total = np.log(np.array([1, 2, 3, 4, 10], dtype=np.float32))
    assert company(told, total).tolist() == pytest.approx([3 / 20, 3 / 20, 3 / 20, 0, 0])
    assert not company(evidence(5), total).any()


def test_company_decides_between_equals_and_leaves_the_best_sum_where_it_was() -> None:
    texts: dict[str, Any] = {"late": [0.6, 0.5, 0.5], "talk": [0, 1, 2]}
    weights = replace(EN, company=0.2, talk=0.0)
    plain, gathered = sums(evidence(3, **texts), weights), sums(evidence(3, **texts, home=[4, -1, 4]), weights)
    assert plain[1] == plain[2]
    assert gathered[2] > gathered[1]
    assert gathered[0] == plain[0]


ROWS = st.lists(
    st.tuples(st.floats(-30, 30, width=32), st.integers(-1, 3), st.integers(-3, 3)), min_size=1, max_size=12
)


@given(ROWS, st.randoms())
def test_company_is_a_share_whatever_the_order(rows: Any, random: Any) -> None:
    def shares(rows: Any) -> list[float]:
        total = floats(*(value for value, _, _ in rows))
        told = evidence(len(rows), home=[home for _, home, _ in rows], talk=[talk for *_, talk in rows])
        return [float(share) for share in company(told, total)]

    found, moved = shares(rows), random.sample(range(len(rows)), len(rows))
    assert all(0 <= share <= 1 + 1e-6 for share in found)
    assert all(share == 0 for share, (_, home, _) in zip(found, rows, strict=True) if home < 0)
    assert shares([rows[row] for row in moved]) == pytest.approx([found[row] for row in moved], abs=1e-5)


@given(ROWS)
def test_without_a_cluster_or_its_weight_company_changes_nothing(rows: Any) -> None:
    given = {"late": [value / 60 + 0.5 for value, _, _ in rows], "talk": [talk for *_, talk in rows]}
    plain = sums(evidence(len(rows), **given), EN)
    assert sums(evidence(len(rows), **given), replace(EN, company=9.0)).tobytes() == plain.tobytes()
    homes = evidence(len(rows), **given, home=[home for _, home, _ in rows])
    assert sums(homes, replace(EN, company=0.0)).tobytes() == plain.tobytes()


def test_what_asks_has_no_place_in_an_order() -> None:
    asked = evidence(2, late=[0.9, 0.3], order=[1.0, 0.5], asks=[True, False])
    assert in_order(asked, content(asked, EN)).tolist() == [0, 1]
    assert not in_order(evidence(1, order=[1.0], question=[True]), floats(1)).any()


def test_without_codes_the_words_stand_for_late_interaction() -> None:
    known, unknown = content(evidence(2, late=[EN.late_floor + EN.late_span * 0.5, np.nan], words=[0.5, 0.5]), EN)
    assert known == pytest.approx(unknown, abs=1e-4)
    assert np.isfinite(sums(evidence(1, late=[np.nan]), EN)).all()


def test_a_neighbour_passes_on_the_better_side() -> None:
    given = evidence(3, before=[-1, 0, -1], after=[1, 2, -1])
    assert neighbours(given, floats(5, 1, 3)).tolist() == [1, 5, 1]
    assert neighbours(evidence(0), floats()).tolist() == []


def test_a_talk_passes_on_its_best_three() -> None:
    talk = np.array([7, 7, 7, 7, -1, 2])
    assert talk_means(talk, floats(1, 2, 3, 4, 6, 0)).tolist() == [3, 3, 3, 3, 2, 0]
    assert talk_means(np.array([], dtype=np.int64), floats()).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 9, width=32)), min_size=1, max_size=20))
def test_a_talks_mean_is_that_of_its_best_three_written_plainly(rows: list[tuple[int, float]]) -> None:
    talk, own = np.array([name for name, _ in rows]), floats(*(value for _, value in rows))
    for (name, _), mean in zip(rows, talk_means(talk, own), strict=True):
        best = sorted((value for other, value in rows if other == name), reverse=True)[:3]
        assert mean == pytest.approx(sum([*best, *[own.min()] * (3 - len(best))]) / 3, abs=1e-4)


def test_words_of_others_that_match_better_speak_against_an_answer() -> None:
    sides = {"own": [True, False, False], "others": [False, True, False]}
    theirs = contrast(evidence(3, match_late=[0.2, 0.7, 0.9], **sides), EN)
    own = contrast(evidence(3, match_late=[0.7, 0.2, 0.9], **sides), EN)
    assert theirs is not None
    assert own == pytest.approx(-theirs, abs=1e-3)
    assert theirs < -3


def test_the_question_of_another_is_no_rival_to_its_answer() -> None:
    sides = {"own": [True, False], "others": [False, True], "match_late": [0.4, 0.4]}
    plain, asked = (contrast(evidence(2, question=[False, asks], **sides), EN) for asks in (False, True))
    assert plain == pytest.approx(0, abs=1e-3)
    assert asked == pytest.approx(np.log(5), abs=1e-3)


def test_without_two_sides_there_is_nobody_to_be_mistaken_for() -> None:
    assert contrast(evidence(2, own=[True, True]), EN) is None
    assert contrast(evidence(0), EN) is None


@given(st.lists(st.floats(-2, 2, width=32), min_size=2, max_size=9))
def test_odds_stay_within_their_limit(matches: list[float]) -> None:
    side = [place % 2 == 0 for place in range(len(matches))]
    odds = contrast(evidence(len(matches), match_late=matches, own=side, others=[not own for own in side]), EN)
    assert odds is not None
    assert -CONTRAST_LIMIT <= odds <= CONTRAST_LIMIT


@given(st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=9), st.none() | st.floats(-6, 6))
def test_scores_are_shares_in_the_order_of_the_sums(raw: list[float], odds: float | None) -> None:
    scores = calibrated(evidence(len(raw)), floats(*sorted(raw)), odds, EN)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (np.diff(scores) >= 0).all()


def test_the_curve_is_the_logistic_one() -> None:
    weights = replace(EN, bias=-3.0, slope=0.5, contrast=2.0, plain_bias=-1.0, plain_slope=1.0, plain_words=2.0)
    text = evidence(2, late=[0.0, 0.0], words=[0.0, 0.5])
    assert calibrated(text, floats(3, 5), None, replace(weights, words=0.0)).tolist() == pytest.approx(
        [0.119, 0.5], abs=1e-3
    )
    assert calibrated(evidence(1), floats(2), 1.0, weights).tolist() == [0.5]
    assert calibrated(evidence(1), floats(2), -1.0, weights)[0] == pytest.approx(0.018, abs=1e-3)


def test_a_reply_that_is_asked_for_matches_as_well_as_what_it_replied_to() -> None:
    texts = {"late": [0.6, 0.1, 0.2], "before": [-1, 0, 1]}
    asked = content(evidence(3, **texts, replies=[False, True, False]), EN)
    plain = content(evidence(3, **texts), EN)
    assert asked[1] == asked[0] == plain[0]
    assert asked[2] == plain[2]


def test_a_reply_with_nothing_before_it_matches_by_itself() -> None:
    texts = {"late": [0.6, 0.1], "before": [-1, -1]}
    assert (content(evidence(2, **texts, replies=[False, True]), EN) == content(evidence(2, **texts), EN)).all()


@pytest.mark.parametrize("odds", [6.0, 5.0])
def test_scores_show_how_far_a_unit_is_behind_the_best_whoever_is_asked_about(odds: float) -> None:
    best, near, far = calibrated(evidence(3), floats(17, 15, 6), odds, EN)
    assert best > near > 0.8 * best
    assert far < 0.6 * best


@given(st.floats(-5, 40, width=32), st.floats(-CONTRAST_LIMIT, CONTRAST_LIMIT), st.sampled_from([0.4, 0.7, 0.9]))
def test_whether_the_best_passes_a_threshold_is_a_matter_of_its_curve_alone(
    raw: float, odds: float, threshold: float
) -> None:
    logit = EN.bias + EN.slope * raw + EN.contrast * odds
    curve = 1 / (1 + np.exp(-logit))
    if abs(curve - threshold) > 1e-4:
        assert (calibrated(evidence(2), floats(raw, raw - 3), odds, EN).max() >= threshold) == (curve >= threshold)
