"""What every NightStore does: the same tests for SQLite and for the fake."""

from __future__ import annotations

from dataclasses import replace

from edge.engine.night_ports import NightState, NightStore, Part, PartState
from edge.memory.nights import Seen, StepName, Trigger
from tests.store.making import ANN, BOB, NOON, after

PARTS = (Part(StepName.BACKLOG, None), Part(StepName.DISTIL, ANN), Part(StepName.DISTIL, BOB))
WORKED = replace(
    PARTS[1], state=PartState.FAILED, seconds=12.5, tokens=800, works=3, counts={"facts": 2}, failure="没有模型 🎈"
)


class NightsContract:
    """Subclasses give the `nights`."""

    def test_there_is_no_night_before_the_first(self, nights: NightStore) -> None:
        assert nights.last() is None
        assert nights.seen(ANN) == Seen()

    def test_a_night_begins_with_its_parts_in_the_order_of_the_steps(self, nights: NightStore) -> None:
        night = nights.begin(Trigger.UNITS, None, PARTS[::-1], {ANN: Seen(20, 4, 1)}, NOON)
        assert night.parts == PARTS
        assert (night.trigger, night.owner, night.state, night.ended_at) == (
            Trigger.UNITS, None, NightState.OPEN, None,
        )  # fmt: skip
        assert night.began_at == NOON
        assert nights.last() == night
        assert (nights.seen(ANN), nights.seen(BOB)) == (Seen(20, 4, 1), Seen())

    def test_what_a_part_did_is_kept(self, nights: NightStore) -> None:
        night = nights.begin(Trigger.ASKED, ANN, PARTS, {}, NOON)
        nights.keep_parts(night.id, [WORKED])
        last = nights.last()
        assert last is not None
        assert last.parts == (PARTS[0], WORKED, PARTS[2])
        assert (last.seconds, last.tokens, last.owner) == (12.5, 800, ANN)

    def test_a_night_ends_and_goes_on(self, nights: NightStore) -> None:
        night = nights.begin(Trigger.TASK, None, PARTS[:2], {ANN: Seen(1)}, NOON)
        nights.end(night.id, NightState.DONE, after(hours=1))
        ended = nights.last()
        assert ended is not None
        assert (ended.state, ended.ended_at) == (NightState.DONE, after(hours=1))
        again = nights.reopen(night.id, [WORKED, PARTS[2]], {ANN: Seen(9)})
        assert again == nights.last() == replace(night, parts=(PARTS[0], WORKED, PARTS[2]))
        assert nights.seen(ANN) == Seen(9)

    def test_one_that_was_asked_for_stands_beside_the_one_that_is_open(self, nights: NightStore) -> None:
        assert (nights.last_open(), nights.last_scheduled()) == (None, None)
        first = nights.begin(Trigger.TASK, None, PARTS, {}, NOON)
        second = nights.begin(Trigger.ASKED, BOB, (), {}, after(hours=1))
        assert second.id > first.id
        assert (nights.last(), nights.last_open(), nights.last_scheduled()) == (second, second, first)
        nights.end(second.id, NightState.DONE, NOON)
        assert nights.last_open() == first
