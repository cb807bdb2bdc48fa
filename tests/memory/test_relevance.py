"""What raises and lowers relevance, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.relevance import EFFECTS, FIRST, LEAST, MOST, Event, after
from edge.memory.units import Kind

FACTS = [Kind.USER_PROFILE, Kind.FACT_REFERENCE]


@pytest.mark.parametrize("kind", Kind)
def test_merely_being_found_changes_nothing(kind: Kind) -> None:
    assert after(1.3, Event.FOUND, kind) == 1.3


@pytest.mark.parametrize("kind", set(Kind) - {Kind.BATCH_OPERATION})
def test_serving_raises_and_misleading_lowers(kind: Kind) -> None:
    assert after(FIRST, Event.SERVED, kind) == 1.1
    assert after(FIRST, Event.MISLED, kind) == 0.7
    assert after(FIRST, Event.IGNORED, kind) == 0.7
    assert after(1.95, Event.SERVED, kind) == MOST
    assert after(0.3, Event.MISLED, kind) == LEAST


@pytest.mark.parametrize("kind", Kind)
def test_five_confirmations_keep_or_raise(kind: Kind) -> None:
    relevance = FIRST
    for _ in range(5):
        relevance = after(relevance, Event.CONFIRMED, kind)
    assert relevance == (1.5 if kind in FACTS else FIRST)


@given(st.lists(st.tuples(st.sampled_from(Event), st.sampled_from(Kind))))
def test_relevance_stays_in_its_range(events: list[tuple[Event, Kind]]) -> None:
    relevance = FIRST
    for event, kind in events:
        relevance = after(relevance, event, kind)
        assert LEAST <= relevance <= MOST


def test_the_table_is_whole() -> None:
    assert EFFECTS.keys() == set(Event)
    assert all(effects.keys() == set(Kind) for effects in EFFECTS.values())
