"""Recall by the intent of a talk, measured: which sessions are asked, and that units have the intent of their talks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.memory.units import UnitId
from scripts.benchmarks.conversations import Conversation, Memory, Question
from scripts.benchmarks.leading import KINDS, Told, measure_leading
from scripts.benchmarks.memory import ASKED_AT, OWNER, BenchMemory, bench_memory
from tests.fakes.embedder import HashEmbedder

TALKS = {
    "trip": ("We plan the trip to Lisbon.", "The trip to Lisbon has flights.", "The total amount is 900 euros."),
    "kitchen": ("The kitchen gets tiles.", "The tiles of the kitchen are blue.", "The total amount is 4000 euros."),
}
QUESTION = Question("What was the total amount?", frozenset({"trip 2"}), "1", answerable=True)


def conversation() -> Conversation:
    told = tuple(
        Memory(f"{talk} {number}", text, ASKED_AT, session=talk)
        for talk, texts in TALKS.items()
        for number, text in enumerate(texts)
    )
    across = Question("What amounts were there?", frozenset({"trip 2", "kitchen 2"}), "1", answerable=True)
    return Conversation("1", "locomo", "en", told, (QUESTION, across))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[BenchMemory]:
    with bench_memory(tmp_path, HashEmbedder()) as made:
        yield made


def test_every_unit_has_the_intent_of_its_talk(memory: BenchMemory) -> None:
    Told(memory, conversation())
    units = [unit.id for unit in memory.store.units(memory.scope, [UnitId(number) for number in range(1, 99)]).values()]
    vectors = memory.store.intents.of_units(OWNER, units)
    assert len(vectors) == len(units) == 6
    assert sorted(vector.turns for vector in vectors.values()) == [1, 1, 2, 2, 3, 3]


def test_a_talk_that_goes_on_is_asked_with_an_intent_and_a_first_question_without() -> None:
    report = measure_leading([conversation()], HashEmbedder())
    rows = {(row[2], row[5]): row for row in report.tables[0].rows}
    assert set(rows) == {(kind, how) for kind in KINDS for how in ("without", "with")}
    going_on, nowhere = (rows[kind, "with"] for kind in KINDS)
    assert going_on[3] == nowhere[3] == 1
    assert going_on[4] > 0 == nowhere[4]
    assert rows["out of nowhere", "with"][6:] == rows["out of nowhere", "without"][6:]
