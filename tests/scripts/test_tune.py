"""Fitting weights: it learns what the evidence has, keeps what it cannot learn, and holds conversations out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edge.memory.scoring import WEIGHT_NAMES
from edge.memory.weights import WEIGHTS, parse_weights
from scripts.benchmarks.conversations import read_folder
from scripts.benchmarks.fitting import Sample, _fit_clusters, fit
from scripts.benchmarks.tune import as_toml, best_score, cross_validated, found_at, measure_tuning
from tests.fakes.embedder import HashEmbedder
from tests.memory.test_scoring import evidence
from tests.scripts.test_bench import locomo

START = WEIGHTS["en"]


def sample(seed: int, told: str = "time", *, kind: str = "answerable", conversation: str = "1") -> Sample:
    """Ten candidates of which one answers: what tells it is one signal, the others are noise."""
    chance = np.random.default_rng(seed)
    gold = np.arange(10) == seed % 10
    signals = {name: chance.random(10) * 0.3 for name in ("late", "bm25", "words", "dense")}
    signals[told] = np.where(gold & (kind == "answerable"), 0.9, 0.1)
    signals["own"], signals["others"] = np.arange(10) % 2 == 0, np.arange(10) % 2 == 1
    signals["match_late"] = chance.random(10) * 0.1 + 0.3 * (signals["own"] == (kind == "answerable"))
    return Sample(conversation, "en", "locomo 4", kind, evidence(10, **signals), gold & (kind == "answerable"), 1)


@pytest.mark.parametrize("told", ["late", "bm25", "words", "dense", "time"])
def test_what_tells_the_evidence_gets_weight(told: str) -> None:
    start = replace(START, **{told: 0.1})
    fitted = fit([sample(seed, told) for seed in range(60)], start)
    assert getattr(fitted, told) > 1
    assert np.mean([found_at(sample(seed, told), fitted)[0] for seed in range(60, 90)]) > 0.95


def test_what_no_question_tells_of_stays() -> None:
    fitted = fit([sample(seed) for seed in range(30)], START)
    assert (fitted.assistant, fitted.match_late, fitted.plain_bias) == (
        START.assistant,
        START.match_late,
        START.plain_bias,
    )


def test_a_cluster_gets_weight_only_where_no_conversation_loses() -> None:
    def of(conversation: str, *, helps: bool) -> list[Sample]:
        """Twelve alike candidates; the evidence is the last, which the clusters point at or away from."""
        gold = np.arange(12) == 11
        signals = {"late": np.full(12, 0.5), "cluster": np.where(gold == helps, 1.0, 0.0)}
        told = evidence(12, **signals) if helps else evidence(12, late=np.linspace(0.5, 0.501, 12), cluster=~gold)
        return [Sample(conversation, "en", "locomo 4", "answerable", told, gold, 1) for _ in range(3)]

    start = replace(START, cluster=0.0)
    assert _fit_clusters(of("1", helps=True), start).cluster == 0.05
    assert _fit_clusters([*of("1", helps=True), *of("2", helps=False)], start).cluster == 0.0
    assert _fit_clusters([sample(1)], replace(START, cluster=0.3)).cluster == 0.3


def test_company_gets_weight_only_where_no_conversation_loses() -> None:
    def of(conversation: str, *, helps: bool) -> list[Sample]:
        """Of eleven alike candidates behind the best, one is with it in a cluster: the evidence, or another."""
        gold = np.arange(12) == 11
        beside = gold if helps else np.arange(12) == 1
        late = np.where(np.arange(12) == 0, 0.6, 0.5 if helps else np.where(gold, 0.5001, 0.5))
        home = np.where(beside | (np.arange(12) == 0), 3, -1)
        told = evidence(12, late=late, home=home, talk=np.arange(12))
        return [Sample(conversation, "en", "locomo 4", "answerable", told, gold, 1) for _ in range(3)]

    start = replace(START, company=0.0)
    assert _fit_clusters(of("1", helps=True), start).company == 0.05
    assert _fit_clusters(of("2", helps=False), start).company == 0.0
    assert _fit_clusters([sample(1)], replace(START, company=0.3)).company == 0.3


def test_no_weight_turns_against_what_it_counts() -> None:
    fitted = fit([replace(sample(seed), gold=sample(seed + 1).gold) for seed in range(40)], START)
    assert min(getattr(fitted, name) for name in ("late", "bm25", "words", "dense", "subject", "time", "question")) >= 0


def test_the_score_tells_the_answerable_from_the_others() -> None:
    told = [sample(seed) for seed in range(60)]
    others = [sample(seed, kind="unanswerable") for seed in range(60)]
    fitted = fit([*told, *others], START)
    assert np.mean([best_score(one, fitted) for one in told]) > 0.8
    assert np.mean([best_score(one, fitted) for one in others]) < 0.3


def test_a_conversation_is_ranked_by_weights_of_the_others() -> None:
    samples = [sample(seed, told, conversation=told) for told in ("bm25", "words") for seed in range(30)]
    paired = cross_validated(samples, replace(START, bm25=0.1, words=0.1))
    assert [one.conversation for one, _ in paired] == ["bm25"] * 30 + ["words"] * 30
    assert paired[0][1].words > paired[0][1].bm25
    assert paired[-1][1].bm25 > paired[-1][1].words


def test_tuning_gives_all_weights_of_each_language(tmp_path: Path) -> None:
    locomo(tmp_path, "1", ("Ann", "Bob"), "violin")
    locomo(tmp_path, "2", ("Eve", "Max"), "tractor")
    report, fitted = measure_tuning(read_folder(tmp_path), HashEmbedder())
    assert [table.rows[-1][1] for table in report.tables[:1]] == [4]
    assert set(report.figures) == {f"en.{name}" for name in WEIGHT_NAMES}
    written = parse_weights(as_toml(fitted), "fitted")
    assert written["en"].late == pytest.approx(fitted["en"].late, abs=1e-3)
    assert written["zh"] == WEIGHTS["zh"]
    refused = report.tables[1]
    assert refused.columns[1:] == ("locomo answerable", "locomo unanswerable", "locomo unrelated")
    assert all(0 <= share <= 1 for row in refused.rows for share in row[1:])
