"""Random histories of clusters: SQLite and the plain store never differ, and undoing restores exactly what was."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from edge.errors import EdgeError
from edge.memory.archive import Why as Archived
from edge.memory.clusters import (
    Change,
    Cluster,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    Run,
    RunId,
    StagedNumber,
    Vector,
    Why,
)
from edge.memory.units import ClusterId, Draft, Kind, OwnerId, Source, TurnState, UnitId
from edge.store.sqlite import open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.clusters_contract import EMBEDDER, Stores
from tests.store.conftest import NoonClock
from tests.store.making import ANN, BOB, MAIN, NOON, after, embedding, episode, fact, insert

OWNERS = st.sampled_from([ANN, ANN, ANN, BOB])
CONTENTS = st.sampled_from(
    [
        "likes espresso",
        "espresso beans at home",
        "zabaglione on Sundays",
        "runs nginx",
        "喝拿铁咖啡",
        "咖啡豆",
        "A-20417",
    ]
)
KEYS = st.sampled_from(["espresso at home", "Home espresso", "zabaglione and nginx", "拿铁咖啡", "code A-20417"])
UNITS = st.integers(1, 9).map(UnitId)
CLUSTERS = st.integers(1, 4).map(ClusterId)
NUMBERS = st.integers(1, 2).map(StagedNumber)
PROFILES = st.builds(
    Profile,
    key=KEYS,
    description=st.sampled_from(["", "Of espresso and 拿铁."]),
    tags=st.lists(st.sampled_from(["espresso", "拿铁", "nginx"]), max_size=2).map(tuple),
    named_by=st.sampled_from(NamedBy),
)
WHYS = st.sampled_from(["", "they lie together", "zabaglione"])
CENTROIDS: st.SearchStrategy[Vector | None] = st.none() | st.just(np.array([0.6, 0.8], dtype=np.float32))
TARGETS = CLUSTERS | NUMBERS | st.none()
_CHANGE: st.SearchStrategy[Change] = (
    st.builds(Create, NUMBERS, PROFILES, CENTROIDS, WHYS)
    | st.builds(Reprofile, CLUSTERS, PROFILES, CENTROIDS, WHYS)
    | st.builds(Dissolve, CLUSTERS, WHYS, TARGETS)
)
_CHECKED = st.sampled_from([None, True, False])
_PLACEMENT = st.builds(Placement, UNITS, TARGETS, st.sampled_from(Why), st.sampled_from([0.0, 0.5]), _CHECKED)
CHANGES, SOME_CHANGES = st.lists(_CHANGE, max_size=3), st.lists(_CHANGE, min_size=1, max_size=4)
PLACEMENTS, SOME_PLACEMENTS = st.lists(_PLACEMENT, max_size=4), st.lists(_PLACEMENT, min_size=2, max_size=6)


@dataclass(slots=True)
class Snapshot:
    """What was before a run came into force; profiles are no longer comparable once something was forgotten."""

    clusters: list[Cluster]
    homes: dict[UnitId, ClusterId | None]
    exact: bool = True


class ClusterHistories(RuleBasedStateMachine):
    """Each step is done to both stores; each answer, and all that can be read after it, must be the same."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.real = open_store(Path(self.folder.name) / "memory.db", NoonClock())
        self.plain = FakeMemoryStore()
        self.both: tuple[Stores, Stores] = (self.real, self.plain)
        self.before: dict[OwnerId, list[Snapshot]] = {ANN: [], BOB: []}
        self.settled: dict[OwnerId, int] = {ANN: 0, BOB: 0}
        for store in self.both:
            store.use_embedder(EMBEDDER)
        for content in ("likes espresso", "espresso beans at home", "zabaglione on Sundays", "喝拿铁咖啡"):
            self.tell(ANN, content)
        self.talk(ANN, "runs nginx", "A-20417")
        for unit, key in enumerate(("espresso at home", "拿铁咖啡"), start=1):
            self.move_to_new(ANN, UnitId(unit), Profile(key))

    def teardown(self) -> None:
        if hasattr(self, "real"):
            self.real.close()
            self.folder.cleanup()

    def do(self, work: Callable[[Stores], object]) -> object:
        """The answer of both, or the error of both."""
        answers = [_outcome(work, store) for store in self.both]
        assert answers[0] == answers[1]
        return answers[0]

    # --- units ---

    @rule(owner=OWNERS, content=CONTENTS)
    def tell(self, owner: OwnerId, content: str) -> None:
        self.do(lambda store: store.apply(owner, [insert(fact(content))], NOON))

    @rule(owner=OWNERS, content=CONTENTS, reply=CONTENTS)
    def talk(self, owner: OwnerId, content: str, reply: str) -> None:
        tool = Draft(Kind.TOOL_RESULT, f"result: {content}", source=Source.TOOL)
        begun = self.real.begin_turn(owner, MAIN, content, [insert(episode(content)), insert(tool)], NOON)
        assert begun == self.plain.begin_turn(owner, MAIN, content, [insert(episode(content)), insert(tool)], NOON)
        turn, said = begun.turn, [insert(episode(reply, Source.ASSISTANT))]
        assert turn is not None
        self.do(lambda store: store.finish_turn(owner, turn, reply, TurnState.DONE, said, NOON))

    @rule(owner=OWNERS, content=CONTENTS, old=UNITS)
    def replace_one(self, owner: OwnerId, content: str, old: UnitId) -> None:
        self.do(lambda store: store.apply(owner, [insert(fact(content), supersedes=(old,))], NOON))

    @rule(owner=OWNERS, unit=UNITS)
    def put_away(self, owner: OwnerId, unit: UnitId) -> None:
        self.do(lambda store: store.archive.archive(owner, [unit], Archived.BY_HAND, NOON))

    @rule(unit=UNITS, value=st.sampled_from([1.0, -1.0, 0.5]))
    def embed(self, unit: UnitId, value: float) -> None:
        if unit in self.plain._units:
            self.do(lambda store: store.save_embeddings(EMBEDDER, [embedding(unit, 0, value)]))

    @rule(owner=OWNERS, units=st.lists(UNITS, min_size=1, max_size=2))
    def forget(self, owner: OwnerId, units: list[UnitId]) -> None:
        gone = self.do(lambda store: store.forget(owner, units))
        assert isinstance(gone, tuple)
        for snapshot in self.before[owner]:
            snapshot.exact = snapshot.exact and not gone
            snapshot.homes = {unit: home for unit, home in snapshot.homes.items() if unit not in gone}

    # --- runs ---

    @rule(owner=OWNERS, embedder=st.sampled_from([EMBEDDER, None]))
    def begin(self, owner: OwnerId, embedder: str | None) -> None:
        asked = {"trigger": "units", "model": None, "prompts": None, "embedder": embedder}
        self.do(lambda store: store.clusters.begin_run(owner, seed=1, attempt=1, at=NOON, **asked))  # type: ignore[arg-type]

    @rule(owner=OWNERS, changes=CHANGES, placements=PLACEMENTS)
    def stage(self, owner: OwnerId, changes: list[Change], placements: list[Placement]) -> None:
        if self.running(owner) is None:
            self.begin(owner, EMBEDDER)
        running = self.running(owner)
        assert running is not None
        self.do(lambda store: store.clusters.stage(owner, running, changes, placements))

    @rule(owner=OWNERS)
    def apply(self, owner: OwnerId) -> None:
        running, before = self.running(owner), self.snapshot(owner)
        if running is not None:
            self.do(lambda store: store.clusters.apply_run(owner, running, NOON))
            self.before[owner].append(before)

    @rule(changes=SOME_CHANGES, placements=SOME_PLACEMENTS, others=PLACEMENTS)
    def organise(self, changes: list[Change], placements: list[Placement], others: list[Placement]) -> None:
        """A whole run, with what is open already."""
        self.stage(ANN, changes, placements)
        self.stage(ANN, [], others)
        self.apply(ANN)

    @rule()
    def undo_newest(self) -> None:
        self.undo(ANN, None)

    @rule(owner=OWNERS)
    def abandon(self, owner: OwnerId) -> None:
        running = self.running(owner)
        if running is not None:
            self.do(lambda store: store.clusters.abandon_run(owner, running, "zabaglione on Sundays", NOON))

    @rule(owner=OWNERS, run=st.none() | st.integers(1, 9).map(RunId))
    def undo(self, owner: OwnerId, run: RunId | None) -> None:
        undone = self.do(lambda store: store.clusters.undo(owner, run, after(hours=1)))
        if isinstance(undone, Run):
            before, now = self.before[owner].pop(), self.snapshot(owner)
            assert len(self.before[owner]) >= self.settled[owner]
            assert {unit: now.homes[unit] for unit in before.homes} == before.homes
            if before.exact:
                assert [(each.id, each.profile) for each in now.clusters] == [
                    (each.id, each.profile) for each in before.clusters
                ]

    @rule(owner=OWNERS, kept=st.integers(0, 3))
    def settle(self, owner: OwnerId, kept: int) -> None:
        if self.do(lambda store: store.clusters.settle(owner, kept)):
            self.settled[owner] += 1

    # --- edits ---

    @rule(owner=OWNERS, cluster=CLUSTERS, profile=PROFILES)
    def rename(self, owner: OwnerId, cluster: ClusterId, profile: Profile) -> None:
        self.edit(owner, "rename", [Reprofile(cluster, profile, None, "")], [])

    @rule(owner=OWNERS, cluster=CLUSTERS, into=CLUSTERS)
    def merge(self, owner: OwnerId, cluster: ClusterId, into: ClusterId) -> None:
        if cluster != into:
            self.edit(owner, "merge", [Dissolve(cluster, "", into)], [])

    @rule(owner=OWNERS, unit=UNITS, to=CLUSTERS | st.none())
    def move(self, owner: OwnerId, unit: UnitId, to: ClusterId | None) -> None:
        self.edit(owner, "move", [], [Placement(unit, to, Why.PERSON)])

    @rule(owner=OWNERS, unit=UNITS, profile=PROFILES)
    def move_to_new(self, owner: OwnerId, unit: UnitId, profile: Profile) -> None:
        new = StagedNumber(1)
        self.edit(owner, "new", [Create(new, profile, None, "")], [Placement(unit, new, Why.PERSON)])

    def edit(self, owner: OwnerId, what: str, changes: Sequence[Change], placements: Sequence[Placement]) -> None:
        before = self.snapshot(owner)
        done = self.do(lambda store: store.clusters.edit(owner, what, changes, placements, NOON))
        if isinstance(done, Run):
            self.before[owner].append(before)

    # --- what can be read ---

    def running(self, owner: OwnerId) -> RunId | None:
        found = self.plain.clusters.open_run(owner)
        return None if found is None else found.id

    def snapshot(self, owner: OwnerId) -> Snapshot:
        homes = {unit.id: unit.cluster for unit in self.plain._units.values() if unit.owner == owner}
        return Snapshot(self.plain.clusters.clusters(owner), homes)

    @invariant()
    def units_are_in_the_same_clusters(self) -> None:
        if hasattr(self, "real"):
            rows = self.real._db.rows("SELECT id, cluster FROM units ORDER BY id")
            assert rows == [(unit.id, unit.cluster) for unit in self.plain._units.values()]

    @invariant()
    def clusters_and_runs_read_the_same(self) -> None:
        for owner in (ANN, BOB) if hasattr(self, "real") else ():
            clusters = self.do(lambda store, who=owner: _clusters(store, who))  # type: ignore[misc]
            assert isinstance(clusters, list)
            for cluster, *_ in clusters:
                self.do(lambda store, who=owner, one=cluster.id: store.clusters.members(who, one, limit=3))  # type: ignore[misc]
            self.do(lambda store, who=owner: _unplaced(store, who))  # type: ignore[misc]
            self.do(lambda store, who=owner: _runs(store, who))  # type: ignore[misc]

    @invariant()
    def units_are_in_clusters_that_are_there(self) -> None:
        for owner in (ANN, BOB) if hasattr(self, "real") else ():
            there = {cluster.id for cluster in self.plain.clusters.clusters(owner)} | {None}
            mine = [unit for unit in self.plain._units.values() if unit.owner == owner]
            assert {unit.cluster for unit in mine} <= there


def _outcome(work: Callable[[Stores], object], store: Stores) -> object:
    try:
        return work(store)
    except EdgeError as error:
        return type(error), error.details


def _clusters(store: Stores, owner: OwnerId) -> list[tuple[Cluster, object]]:
    return [(each, _rounded(each.centroid)) for each in store.clusters.clusters(owner)]


def _unplaced(store: Stores, owner: OwnerId) -> object:
    found = store.clusters.unplaced(owner, limit=5)
    return [(each, _rounded(each.vector)) for each in found], store.clusters.count_unplaced(owner)


def _runs(store: Stores, owner: OwnerId) -> object:
    runs = store.clusters.runs(owner, limit=20)
    told = [(store.clusters.changes(owner, run.id), store.clusters.staged(owner, run.id)) for run in runs]
    return runs, told


def _rounded(vector: Vector | None) -> list[float] | None:
    return None if vector is None else [round(float(part), 5) for part in vector]


TestClusterHistories = ClusterHistories.TestCase
TestClusterHistories.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
