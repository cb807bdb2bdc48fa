"""What the rules find in whole conversations is stated there as it is remembered: judged by reading, once.

The conversations are not part of the project. With their folder (`locomo`, `memorybank`) in BENCH_DATA the facts are
found and sampled again, and compared with the judgements in `cases/judged_facts.json`, which are kept as hashes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.memory.sampled_facts import SAMPLE, FoundFact, found_facts, sample
from tests.memory.talks import CASES
from tests.memory.test_rules import RULES

_DATA = os.environ.get("BENCH_DATA", "")


def judged(verdict: str) -> set[str]:
    found: list[str] = json.loads((CASES / "judged_facts.json").read_text(encoding="utf-8"))[verdict]
    return set(found)


@pytest.mark.skipif(not _DATA, reason="BENCH_DATA names no folder of conversations")
def test_of_sampled_facts_nearly_all_are_stated_in_their_source() -> None:
    drawn = sample(found_facts(Path(_DATA), RULES))
    unread = [fact for fact in drawn if fact.fingerprint not in judged("right") | judged("wrong")]
    assert unread == [], "read these beside their sources, and add their fingerprints to judged_facts.json"
    right = [fact for fact in drawn if fact.fingerprint in judged("right")]
    assert len(right) >= 0.95 * len(drawn)


def test_the_sample_is_the_same_for_the_same_facts_in_any_order() -> None:
    facts = [FoundFact(f"I like tea {n}.", "likes", "self", f"tea {n}", "...") for n in range(2 * SAMPLE)]
    assert sample(facts) == sample(facts[::-1])
    assert len(sample(facts)) == SAMPLE
    changed = sample([*facts[1:], FoundFact("I like milk.", "likes", "self", "milk", "...")])
    assert len(set(changed) & set(sample(facts))) >= SAMPLE - 2


def test_no_judgement_is_both() -> None:
    assert not judged("right") & judged("wrong")
