"""The step that gathers an owner's units under topics, after CLAG (arXiv 2603.15421), made safe for a tiny model.

CLAG lets a small model route each memory to one of the nearest clusters by their profiles, and opens a new one where
none is similar enough (its agentic routing). Here the model only weighs: likelihoods of given words and keys decide
together with the embedding, new clusters need several units that lie together, and a sample of the places is checked by
a second reading in another form. A run that fails this is rolled back and done once more from other first groups, with
a fuller prompt; if that fails too, centroids decide without the model. Nothing is in force before a run is whole.

A run is many small units of work. What is decided is staged in the store, and how far it is stands in the run's note;
so a turn, a crash or a reboot loses one unit of work at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from edge.clock import Clock
from edge.engine import clustering_making as making
from edge.engine import clustering_placing as placing
from edge.engine.cluster_ports import ClusterStore, Unplaced, leads
from edge.engine.clustering_asking import Asking
from edge.engine.clustering_picture import Picture, Pictures, Topic
from edge.engine.clustering_state import Phase, State, read_state
from edge.engine.clustering_work import Outcome, Task
from edge.engine.offpeak import AsideModel, Worked
from edge.engine.ports import MemoryStore, Vector, Worker
from edge.engine.reading_ports import ReadingStore
from edge.memory.cluster_maths import SPLIT_OVER
from edge.memory.clusters import Cluster, Coarse, Dissolve, NamedBy, Run, StagedNumber
from edge.memory.language import Language
from edge.memory.nights import StepName
from edge.memory.units import ClusterId, OwnerId, UnitId
from edge.prompt.choosing import prompts_hash

RUN_UNITS = 150
"""Units that one run places at most."""
FIRST_UNITS = 600
"""The same of a run that makes the first clusters."""
_LOOKED_AT = 3
"""Runs that may look at a unit in vain; then it stays unplaced until its cluster's time comes by hand."""
_ATTEMPTS = 3
"""The third is done by centroids."""
_PAGE = 100
_TRIGGER = "offpeak"

_PHASES: Mapping[Phase, Callable[[Task], Awaitable[Outcome]]] = {
    Phase.READ: placing.read,
    Phase.WEIGH: placing.weigh,
    Phase.PLACE: placing.place,
    Phase.GATHER: making.gather,
    Phase.NAME: making.name,
    Phase.WEIGH_NEW: placing.weigh,
    Phase.REFINE: placing.refine,
    Phase.MERGE: making.merge,
    Phase.RENAME: making.rename,
    Phase.CHECK: placing.check,
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """A picture, and the run, phase and number of staged clusters that it shows."""

    run: Run
    phase: str
    picture: Picture


class Clustering:
    """One step of a night (see `Step`)."""

    name = StepName.CLUSTER
    needs_model = True

    def __init__(
        self, memory: Worker, store: MemoryStore, clusters: ClusterStore, readings: ReadingStore, clock: Clock
    ) -> None:
        """`memory` is the memory thread, to which the stores belong."""
        self._memory = memory
        self._clusters = clusters
        self._readings = readings
        self._clock = clock
        self._pictures = Pictures(memory, store, clusters, readings)
        self._fit: dict[str, frozenset[Language]] = {}
        self._usual: dict[tuple[str, Language], Vector] = {}
        self._seen: _Seen | None = None

    async def is_due(self, owner: OwnerId) -> bool:
        """Whether a run is open or to begin."""
        run = await self._memory.run(partial(self._clusters.open_run, owner))
        return run is not None or bool(await self._to_begin_with(owner))

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:
        """Do a little of the run that is open, or begin one where there are new units."""
        asking = None if model is None else Asking(model, self._usual)
        languages = frozenset[Language]() if asking is None else await self._languages(asking)
        able = asking if languages else None
        run = await self._memory.run(partial(self._clusters.open_run, owner))
        if run is None:
            return await self._begin(owner, able)
        if run.model is not None and (able is None or model is None or model.id != run.model):
            await self._memory.run(partial(self._give_up, owner, run, "its model is not there", able))
            return Worked(more=True)
        return await self._go_on(owner, run, able if run.model is not None else None, languages)

    async def _languages(self, asking: Asking) -> frozenset[Language]:
        """In which languages the model reads known notes rightly. Tried once in a process."""
        if asking.reader not in self._fit:
            self._fit[asking.reader] = await asking.fit_for()
        return self._fit[asking.reader]

    # --- a run ---

    async def _begin(self, owner: OwnerId, asking: Asking | None) -> Worked:
        units = await self._to_begin_with(owner)
        if not units:
            return Worked(more=False)
        await self._memory.run(partial(self._open, owner, units, asking, 1, 1))
        return Worked(more=True)

    async def _to_begin_with(self, owner: OwnerId) -> tuple[UnitId, ...]:
        """The units of a new run; none where none is new, or where there are too few for the first clusters."""
        due = await self._due(owner)
        has_clusters = bool(await self._memory.run(partial(self._clusters.clusters, owner)))
        if not any(unplaced.left == 0 for unplaced in due) or (not has_clusters and len(due) < making.BOOTSTRAP_FEWEST):
            return ()
        return tuple(unplaced.unit.id for unplaced in due)

    async def _due(self, owner: OwnerId) -> list[Unplaced]:
        """Units to place, but those that were looked at in vain too often."""
        has_clusters = bool(await self._memory.run(partial(self._clusters.clusters, owner)))
        most = RUN_UNITS if has_clusters else FIRST_UNITS
        found: list[Unplaced] = []
        after: UnitId | None = None
        while len(found) < most:
            page = await self._memory.run(partial(self._clusters.unplaced, owner, limit=_PAGE, after=after))
            found += [unplaced for unplaced in page if unplaced.left < _LOOKED_AT]
            if len(page) < _PAGE:
                break
            after = page[-1].unit.id
        return found[:most]

    async def _go_on(self, owner: OwnerId, run: Run, asking: Asking | None, languages: Collection[Language]) -> Worked:
        state, phase = read_state(run.note), Phase(run.phase) if run.phase else Phase.READ
        staged = await self._memory.run(partial(self._clusters.staged, owner, run.id))
        placements = {placement.unit: placement for placement in staged.placements}
        if not state.units:  # forgetting emptied it: what is staged stays
            due = [each.unit.id for each in await self._due(owner)]
            state, phase = State(tuple(dict.fromkeys([*placements, *due]))), Phase.READ
        if not state.units:
            why = "its units were forgotten"
            await self._memory.run(partial(self._clusters.abandon_run, owner, run.id, why, self._clock.now()))
            return Worked(more=True)
        picture = await self._picture(owner, run, phase, state, asking)
        task = Task(owner, run, state, picture, placements, asking, frozenset(languages) if asking else frozenset())
        outcome = await self._split(task) if phase is Phase.SPLIT else await _PHASES[phase](task)
        following = phase.next if outcome.finished else phase
        if outcome.changes:
            self._seen = None
        await self._memory.run(partial(self._write, owner, run, outcome, following or phase))
        if following is not None:
            return Worked(True, outcome.counts)
        return await self._end(owner, run, asking, outcome)

    async def _end(self, owner: OwnerId, run: Run, asking: Asking | None, last: Outcome) -> Worked:
        """Put the run in force, or roll it back where too many of its places were denied."""
        self._seen = None
        staged = await self._memory.run(partial(self._clusters.staged, owner, run.id))
        if placing.too_many_wrong(staged.placements):
            await self._memory.run(partial(self._give_up, owner, run, "too many places were denied", asking))
            return Worked(True, {**last.counts, "rolled_back": 1})
        applied = await self._memory.run(partial(self._clusters.apply_run, owner, run.id, self._clock.now()))
        moved = applied.counts.moved
        return Worked(True, {**last.counts, "applied": applied.counts.placed - moved, "moved": moved})

    async def _picture(self, owner: OwnerId, run: Run, phase: Phase, state: State, asking: Asking | None) -> Picture:
        """The picture at the beginning of the phase, or since clusters changed in it."""
        seen = self._seen
        if seen is None or (seen.run.id, seen.phase) != (run.id, phase):
            reader = None if asking is None else asking.reader
            self._seen = seen = _Seen(run, phase, await self._pictures.make(owner, run.id, state.units, reader))
        return seen.picture

    async def _split(self, task: Task) -> Outcome:
        """End clusters without members; halve one that is too large."""
        known = await self._memory.run(partial(self._clusters.clusters, task.owner))
        sizes = {each.id: each.size for each in known}
        arrived = {placement.to for placement in task.staged.values()}
        empty = [each.id for each in known if not each.size and each.id not in arrived and _may_go(each)]
        if empty and not task.state.is_done("emptied"):
            changes = [Dissolve(cluster, "no members are left") for cluster in empty]
            return Outcome(task.state.with_done("emptied"), False, changes)
        for topic in task.picture.topics:
            if isinstance(topic.to, StagedNumber) or topic.profile.coarse is Coarse.SMALL_TALK:
                continue
            if task.state.is_done(f"split {topic.to}"):
                continue
            if sizes.get(topic.to, 0) > SPLIT_OVER:
                return await self._split_one(task, topic, topic.to)
        return Outcome(task.state, True)

    async def _split_one(self, task: Task, topic: Topic, cluster: ClusterId) -> Outcome:
        members: list[UnitId] = []
        before: UnitId | None = None
        while True:
            found = partial(self._clusters.members, task.owner, cluster, limit=_PAGE, before=before)
            page = await self._memory.run(found)
            members += [unit.id for unit in page.units if leads(unit) and unit.id not in task.staged]
            before = page.next_before
            if before is None:
                break
        notes = await self._pictures.notes(task.owner, members, None if task.asking is None else task.asking.reader)
        wider = replace(task, picture=task.picture.with_notes(notes))
        return await asyncio.to_thread(making.split_into, wider, topic, [unit for unit in members if unit in notes])

    # --- on the memory thread ---

    def _open(self, owner: OwnerId, units: Collection[UnitId], asking: Asking | None, attempt: int, seed: int) -> None:
        run = self._clusters.begin_run(
            owner,
            trigger=_TRIGGER,
            seed=seed,
            attempt=attempt,
            model=None if asking is None else asking.model_id,
            prompts=None if asking is None else prompts_hash(),
            embedder=None,
            at=self._clock.now(),
        )
        self._clusters.note(owner, run, Phase.READ, State(tuple(units)).as_json())

    def _give_up(self, owner: OwnerId, run: Run, why: str, asking: Asking | None) -> None:
        """Abandon a run; the next attempt has another seed, and in the end no model."""
        self._clusters.abandon_run(owner, run.id, why, self._clock.now())
        attempt = min(run.attempt + 1, _ATTEMPTS)
        units = read_state(run.note).units
        self._open(owner, units, asking if attempt < _ATTEMPTS else None, attempt, run.seed + 1)

    def _write(self, owner: OwnerId, run: Run, outcome: Outcome, phase: Phase) -> None:
        """Readings first and the note last: what is written twice after a crash is the same."""
        if outcome.readings and run.model is not None:
            self._readings.keep_readings(owner, f"{run.model}/{run.prompts}", outcome.readings)
        if outcome.changes or outcome.placements:
            self._clusters.stage(owner, run.id, outcome.changes, outcome.placements)
        self._clusters.note(owner, run.id, phase, outcome.state.as_json())


def _may_go(cluster: Cluster) -> bool:
    return cluster.profile.named_by is not NamedBy.PERSON
