"""Random histories of telling, archiving, forgetting and time, against a plain model of the rules: what recall, lists,
slots and search see is what should be seen, now and at any moment before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.engine.past import Past
from edge.engine.ports import Scope
from edge.engine.recall import Limits, Recall
from edge.engine.remember import Remember
from edge.engine.truth import Doubts
from edge.engine.vectors import Vectors
from edge.memory.archive import Why
from edge.memory.lifecycle import Lifespans
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, Unit, UnitId
from edge.store.sqlite import SqliteStore, open_store
from tests.engine.making import MAIN, OTHER
from tests.fakes.clock import SetClock
from tests.memory.test_rules import RULES

RANK = {Source.ASSISTANT: 0, Source.TOOL: 1, Source.USER: 2, Source.IMPORT: 2}
SIDE = {Source.IMPORT: Source.USER}
OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}
SENTENCES = {
    "home": "The user lives in {}.",
    "likes": "The user likes {}.",
    "dislikes": "The user does not like {}.",
    None: "{} is far away.",
}
QUESTIONS = ["Where do I live?", "What do I like?", "我住在哪里？", "Berlin", "上海", "Is Hamburg far away?"]
PAST_QUESTIONS = ["Where did I live before?", "我以前住在哪里？"]


@dataclass(frozen=True)
class Tell:
    """Somebody says something. `bound` to the session it is told in; `hours` is how long it lives, where said."""

    owner: int
    session: SessionId | None
    slot: str | None
    value: str
    source: Source
    bound: bool
    hours: int | None

    @property
    def content(self) -> str:
        return SENTENCES[self.slot].format(self.value)


@dataclass(frozen=True)
class Drop:
    """A unit, the last but some, is archived or forgotten."""

    back: int
    how: str


@dataclass(frozen=True)
class Wait:
    hours: int


Step = Tell | Drop | Wait
TELLS = st.builds(
    Tell,
    owner=st.integers(0, 1),
    session=st.sampled_from([MAIN, OTHER, None]),
    slot=st.sampled_from(list(SENTENCES)),
    value=st.sampled_from(["Berlin", "Hamburg", "上海"]),
    source=st.sampled_from(Source),
    bound=st.booleans(),
    hours=st.none() | st.integers(1, 40),
).filter(lambda tell: not tell.bound or tell.session is not None)
STEPS: st.SearchStrategy[Step] = st.one_of(
    TELLS,
    TELLS,
    TELLS,
    st.builds(Drop, back=st.integers(1, 4), how=st.sampled_from(["archive", "forget"])),
    st.builds(Wait, hours=st.integers(1, 30)),
)


@dataclass
class Known:
    """A unit as the rules have it."""

    owner: int
    session: SessionId | None
    kind: Kind
    content: str
    slot: str | None
    value: str
    source: Source
    born: datetime
    until: datetime | None
    ended: bool = False
    archived: datetime | None = None
    gone: bool = False

    def lives_now(self, now: datetime) -> bool:
        return not (self.gone or self.ended or self.archived) and (self.until is None or self.until > now)

    def lived(self, then: datetime) -> bool:
        if self.gone or self.born > then or (self.archived and self.archived <= then):
            return False
        return self.until is None or self.until > then


@dataclass
class Model:
    """The rules, written plainly."""

    now: datetime
    units: list[Known] = field(default_factory=list)

    def seen(self, owner: int, session: SessionId | None, then: datetime | None = None) -> list[int]:
        return [
            at
            for at, unit in enumerate(self.units)
            if unit.owner == owner and unit.session in (None, session)
            if (unit.lives_now(self.now) if then is None else unit.lived(then))
        ]

    def tell(self, tell: Tell) -> None:
        kind = Kind.SESSION_STATE if tell.bound else Kind.USER_PROFILE
        seen = [self.units[at] for at in self.seen(tell.owner, tell.session)]
        near = [unit for unit in seen if unit.slot is not None and (not tell.bound or unit.session is not None)]
        rank = RANK[tell.source]
        same = [unit for unit in near if (unit.slot, unit.value) == (tell.slot, tell.value)]
        rivals = [unit for unit in near if unit.slot == OPPOSITE.get(tell.slot or "") and unit.value == tell.value]
        if tell.slot == "home":
            rivals = [unit for unit in near if unit.slot == "home" and unit.value != tell.value]
        weaker = [unit for unit in same if RANK[unit.source] < rank]
        beaten = [unit for unit in [*rivals, *weaker] if RANK[unit.source] <= rank]
        said = (kind, tell.content, SIDE.get(tell.source, tell.source))
        repeats = [unit for unit in seen if (unit.kind, unit.content, SIDE.get(unit.source, unit.source)) == said]
        if not beaten and (repeats or (same and tell.slot is not None)):
            return
        for unit in beaten:
            unit.ended, unit.until = True, min(filter(None, (unit.until, self.now)))
        life = tell.hours if tell.hours is not None else 24 if tell.bound else None
        self.units.append(
            Known(
                tell.owner,
                tell.session if tell.bound else None,
                kind,
                tell.content,
                None if rivals and not beaten else tell.slot,
                tell.value,
                tell.source,
                self.now,
                None if life is None else self.now + timedelta(hours=life),
            )
        )


class World:
    """The real thing, for owners that no other history has, and the model beside it."""

    def __init__(self, store: SqliteStore, clock: SetClock, number: int) -> None:
        self.store, self.clock = store, clock
        self.owners = OwnerId(f"uid:{number}a"), OwnerId(f"uid:{number}b")
        vectors = Vectors()
        truth = store.truth
        self.recall = Recall(store, RULES, vectors, Limits(200, 50, 0.0, 0.0), clock, past=Past(truth, RULES))
        self.remember = Remember(store, RULES, vectors, Lifespans(), Doubts(truth, RULES))
        self.model = Model(clock.now())
        self.ids: list[UnitId] = []
        self.moments = [clock.now()]

    def take(self, step: Step) -> None:
        self.clock.pass_by(minutes=1)
        self.model.now = self.clock.now()
        match step:
            case Tell():
                self._tell(step)
            case Drop():
                self._drop(step)
            case Wait():
                self.clock.pass_by(hours=step.hours)
        self.model.now = self.clock.now()
        self.moments.append(self.clock.now())

    def _tell(self, tell: Tell) -> None:
        now = self.clock.now()
        until = None if tell.hours is None else now + timedelta(hours=tell.hours)
        kind = Kind.SESSION_STATE if tell.bound else Kind.USER_PROFILE
        draft = Draft(
            kind, tell.content, source=tell.source, slot=tell.slot, value=tell.value if tell.slot else None,
            valid_until=until,
        )  # fmt: skip
        before = len(self.model.units)
        self.model.tell(tell)
        written = self.remember.drafts(self.owners[tell.owner], tell.session, [draft], now)
        assert len(written.added) == len(self.model.units) - before
        self.ids += written.added

    def _drop(self, drop: Drop) -> None:
        if len(self.ids) < drop.back:
            return
        unit, known = self.ids[-drop.back], self.model.units[-drop.back]
        owner = self.owners[known.owner]
        if drop.how == "forget":
            self.store.forget(owner, [unit])
            known.gone = True
        elif not known.gone and self.store.archive.archive(owner, [unit], Why.BY_HAND, self.clock.now()):
            known.archived = self.clock.now()

    def check(self) -> None:
        for number, owner in enumerate(self.owners):
            for session in (MAIN, OTHER, None):
                scope = Scope(owner, session, self.clock.now(), present=True)
                self._check_scope(scope, self._ids(number, session, None))
                self._check_recall(scope, self._ids(number, session, None))
                for moment in self.moments[-3:]:
                    then = replace(scope, as_of=moment, present=False)
                    self._check_scope(then, self._ids(number, session, moment))

    def _ids(self, owner: int, session: SessionId | None, then: datetime | None) -> set[UnitId]:
        return {self.ids[at] for at in self.model.seen(owner, session, then)}

    def _check_scope(self, scope: Scope, seen: set[UnitId]) -> None:
        assert set(np.flatnonzero(self.store.visible(scope)).tolist()) == seen
        assert self.store.units(scope, self.ids).keys() == seen
        units = self._known(seen)
        for slot in ("home", "likes", "dislikes"):
            assert {unit.id for unit in self.store.slot_units(scope, [slot], None)} == self._in_slot(units, slot)
        for word in ("Berlin", "Hamburg", "上海"):
            found = {unit for unit, _ in self.store.search_text(scope, word, 99)}
            assert found == {at for at, unit in units.items() if unit.value == word}
        if scope.session is not None:
            page = self.store.page(
                scope.owner, session=scope.session, kinds=None, before=None, limit=99, as_of=scope.as_of,
                include_past=False, present=scope.present,
            )  # fmt: skip
            assert {unit.id for unit in page.units} == seen

    def _check_recall(self, scope: Scope, seen: set[UnitId]) -> None:
        for question in QUESTIONS:
            recalled = [found.unit for found in self.recall.find(scope, question).recalled]
            archived = {unit.id for unit in recalled if unit.archived_at is not None}
            assert {unit.id for unit in recalled} - archived <= seen, question
            assert archived <= self._only_archived(scope), question
            assert not archived or len(archived) == len(recalled)
        for question in PAST_QUESTIONS:
            self._check_past([found.unit for found in self.recall.find(scope, question).recalled], scope)

    def _check_past(self, recalled: list[Unit], scope: Scope) -> None:
        """What was so once may be told, but nothing that is another's, archived, or forgotten."""
        for unit in recalled:
            known = self.model.units[self.ids.index(unit.id)]
            assert self.owners[known.owner] == scope.owner
            assert not known.gone
            assert known.archived is None or unit.id in self._only_archived(scope)
            assert known.session in (None, scope.session)

    def _only_archived(self, scope: Scope) -> set[UnitId]:
        """What would be seen but for having been archived: found again where nothing else is."""
        found = set()
        for unit, known in zip(self.ids, self.model.units, strict=True):
            would = replace(known, archived=None).lives_now(scope.as_of)
            if known.archived and would and self.owners[known.owner] == scope.owner:
                found |= {unit} if known.session in (None, scope.session) else set()
        return found

    def _known(self, ids: set[UnitId]) -> dict[UnitId, Known]:
        return {unit: self.model.units[at] for at, unit in enumerate(self.ids) if unit in ids}

    @staticmethod
    def _in_slot(units: dict[UnitId, Known], slot: str) -> set[UnitId]:
        return {unit for unit, known in units.items() if known.slot == slot}


class Stores:
    """One database for many histories, begun anew before it grows slow."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)
        self.clock = SetClock()
        self._store: SqliteStore | None = None

    def world(self) -> World:
        number = next(self._numbers)
        if self._store is None or number % 200 == 0:
            self.close()
            self._store = open_store(self._folder / f"{number}" / "memory.db", self.clock)
        return World(self._store, self.clock, number)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """In memory where there is such a folder: what is tested here is not the disk, and thousands of histories wait for
    it."""
    with ExitStack() as closing:
        shared = Path("/dev/shm")
        folder = tmp_path_factory.mktemp("histories")
        if os.access(shared, os.W_OK):
            folder = Path(closing.enter_context(TemporaryDirectory(dir=shared)))
        made = Stores(folder)
        closing.callback(made.close)
        yield made


def test_nothing_is_seen_that_should_not_be(stores: Stores, long_form: bool) -> None:
    @settings(
        max_examples=10_000 if long_form else 60, derandomize=not long_form, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.lists(STEPS, min_size=1, max_size=14))
    def history(steps: list[Step]) -> None:
        world = stores.world()
        for step in steps:
            world.take(step)
        world.check()

    history()
