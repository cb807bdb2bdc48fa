"""Clusters that grew are called by what their members say now; nothing else of them changes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import pytest

from edge.engine.evolving import UNDOABLE, Evolving
from edge.engine.offpeak import Worked
from edge.engine.ports import EmbeddingRow, Page
from edge.memory.clusters import (
    Change,
    Create,
    Dissolve,
    NamedBy,
    Placement,
    Profile,
    Reprofile,
    RunState,
    StagedNumber,
    Why,
)
from edge.memory.units import ClusterId, Draft, Kind, OwnerId, Source, UnitId
from tests.engine.making import ANN, BOB, Desk, remembered
from tests.engine.test_distilling import Inline

T = TypeVar("T")
BREAD = ["Bought some rye.", "Rye is cheap in autumn.", "Rye again."]
GROWN = [
    "The starter doubled in five hours.",
    "The starter is weak and the loaf is dense.",
    "Fed the starter at noon.",
    "The loaf burnt in the oven.",
    "The loaf sank, the starter was cold.",
    "A loaf for the neighbours.",
    "This loaf has a thin crust.",
    "The starter smells of apples.",
]
BREAD_ZH = ["买了黑麦", "黑麦很便宜", "又买黑麦"]
GROWN_ZH = ["面团还是太黏", "面团发酵了五个小时", "烤箱里的面团没有张开", "烤箱不够热", "面团要再揉", "烤箱坏了"]
RENT = ["The boiler shows E133.", "The rent goes up.", "锅炉坏了", "房租涨了"]
RENTED = Profile("boiler and rent", RENT[0], ("boiler", "rent", "锅炉", "房租"), NamedBy.MODEL)
LANGUAGES = pytest.mark.parametrize(
    ("first", "grown", "key", "new"),
    [(BREAD, GROWN, "rye autumn", {"starter", "loaf"}), (BREAD_ZH, GROWN_ZH, "黑麦 便宜", {"面团", "烤箱"})],
)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def told(desk: Desk, sentences: Sequence[str], source: Source = Source.USER) -> list[UnitId]:
    drafts = [Draft(Kind.FACT_REFERENCE, sentence, source=source) for sentence in sentences]
    return [remembered(desk.store, draft, at=desk.clock.now()).id for draft in drafts]


def run(desk: Desk, changes: Sequence[Change], units: Sequence[UnitId], to: ClusterId | StagedNumber) -> None:
    """As a run of the night that is in force."""
    at = desk.clock.now()
    asked = {"trigger": "offpeak", "model": None, "prompts": None, "embedder": None}
    number = desk.store.clusters.begin_run(ANN, seed=1, attempt=1, at=at, **asked)  # type: ignore[arg-type]
    desk.store.clusters.stage(ANN, number, changes, [Placement(unit, to, Why.CENTROID) for unit in units])
    desk.store.clusters.apply_run(ANN, number, at)


def gathered(desk: Desk, units: Sequence[UnitId], profile: Profile) -> ClusterId:
    run(desk, [Create(StagedNumber(1), profile, None, "")], units, StagedNumber(1))
    return desk.store.clusters.clusters(ANN)[-1].id


def step(desk: Desk) -> Evolving:
    return Evolving(Inline(), desk.store.evolving, desk.store.clusters, desk.clock)


def night(desk: Desk) -> Counter[str]:
    """All that a night's units of work did."""
    counts: Counter[str] = Counter()
    for _ in range(500):
        worked = asyncio.run(step(desk).work(ANN, None))
        counts.update(worked.counts)
        if not worked.more:
            return counts
    raise AssertionError("it does not end")


def profile(desk: Desk, cluster: ClusterId) -> Profile:
    return desk.store.clusters.cluster(ANN, cluster).profile


@LANGUAGES
@pytest.mark.parametrize("by", NamedBy)
def test_a_grown_cluster_is_called_by_what_its_members_say(
    desk: Desk, first: list[str], grown: list[str], key: str, new: set[str], by: NamedBy
) -> None:
    gathered(desk, told(desk, RENT), RENTED)
    cluster = gathered(desk, told(desk, first), Profile(key, first[0], tuple(key.split()[:1]), by))
    assert night(desk) == {"looked at": 2}
    before, units = profile(desk, cluster), told(desk, grown)
    run(desk, [], units, cluster)
    remembered_before = desk.units()
    assert night(desk) == {"looked at": 1, "renamed" if by is NamedBy.WORDS else "refreshed": 1}
    after = profile(desk, cluster)
    assert new <= set(after.tags)
    assert bool(set(after.key.split()) & new) == (by is NamedBy.WORDS)
    assert (after.key == key, after.named_by) == (by is not NamedBy.WORDS, by)
    assert after.description in [*first, *grown]
    assert desk.units() == remembered_before
    (newest, *_) = desk.store.clusters.runs(ANN, limit=9)
    assert (newest.trigger, newest.model, newest.counts.reprofiled) == ("evolve", None, 1)
    assert night(desk) == {}
    desk.store.clusters.undo(ANN, None, desk.clock.now())
    assert profile(desk, cluster) == before
    assert night(desk) == {}


def test_a_cluster_that_grew_with_what_it_is_called_by_stays_as_it_is(desk: Desk) -> None:
    cluster = gathered(desk, told(desk, GROWN[:4]), Profile("starter loaf", GROWN[0], ("starter", "loaf")))
    night(desk)
    before = profile(desk, cluster)
    run(desk, [], told(desk, GROWN[4:]), cluster)
    runs = len(desk.store.clusters.runs(ANN, limit=9))
    assert night(desk) == {"looked at": 1}
    assert (profile(desk, cluster), len(desk.store.clusters.runs(ANN, limit=9))) == (before, runs)


def test_recall_finds_the_new_words_and_the_new_middle(desk: Desk) -> None:
    cluster = gathered(desk, told(desk, BREAD), Profile("rye autumn", BREAD[0], ("rye",)))
    units = told(desk, GROWN)
    run(desk, [], units, cluster)
    embedder = desk.store.embedder()
    assert embedder is not None
    vector = np.zeros(64, dtype=np.float32)
    vector[0] = 1.0
    desk.store.save_embeddings(embedder, [EmbeddingRow(unit, 0, vector, b"") for unit in units])
    before = desk.store.signposts(ANN, embedder)
    night(desk)
    after = desk.store.signposts(ANN, embedder)
    assert "loaf" not in before.terms[0]
    assert {"loaf", "starter"} <= after.terms[0]
    assert after.centroids[0].tolist() == pytest.approx(vector.tolist())


@pytest.mark.parametrize("source", [Source.ASSISTANT, Source.TOOL])
def test_nobody_s_words_but_the_person_s_name_a_cluster(desk: Desk, source: Source) -> None:
    cluster = gathered(desk, told(desk, BREAD), Profile("rye autumn", BREAD[0], ("rye",)))
    night(desk)
    run(desk, [], told(desk, GROWN, source), cluster)
    assert night(desk) == {"looked at": 1}
    assert profile(desk, cluster).key == "rye autumn"


@pytest.mark.parametrize(
    ("contents", "word"),
    [(["I like zabaglione.", "Espresso at nine."], "zabaglione"), (["我爱吃提拉米苏", "九点喝咖啡"], "提拉")],
)
def test_a_line_that_forgetting_took_is_written_anew(desk: Desk, contents: list[str], word: str) -> None:
    units = told(desk, contents)
    cluster = gathered(desk, units, Profile("sweet things", contents[0], (word,), NamedBy.MODEL))
    night(desk)
    desk.store.forget(ANN, units[:1])
    assert profile(desk, cluster).description == ""
    assert night(desk)["refreshed"] == 1
    assert profile(desk, cluster).description == contents[1]
    assert word not in str(profile(desk, cluster))


def test_two_clusters_never_get_the_same_key(desk: Desk) -> None:
    gathered(desk, told(desk, [f"The rent of month {number} is paid." for number in range(40)]), RENTED)
    both = [gathered(desk, told(desk, GROWN), Profile(key)) for key in ("topic 1", "topic 2")]
    assert night(desk)["renamed"] >= 1
    one, two = (profile(desk, cluster).key for cluster in both)
    assert set(one.split()) != set(two.split())


def test_many_clusters_are_looked_at_a_few_at_a_time(desk: Desk) -> None:
    for number in range(40):
        gathered(
            desk, told(desk, [f"Box {number} has a lid.", f"Box {number} is full."]), Profile(f"box number {number}")
        )
    done = [asyncio.run(step(desk).work(ANN, None)) for _ in range(3)]
    assert [each.counts["looked at"] for each in done] == [16, 16, 8]
    assert all(each.more for each in done)


def test_a_large_cluster_is_a_unit_of_work_of_its_own(desk: Desk) -> None:
    small = [
        gathered(desk, told(desk, [f"Box {number} has a lid."]), Profile(f"box number {number}")) for number in (1, 2)
    ]
    large = gathered(desk, told(desk, [f"I painted ship {number}." for number in range(700)]), Profile("painted ships"))
    done = [asyncio.run(step(desk).work(ANN, None)).counts["looked at"] for _ in range(2)]
    assert done == [2, 1]
    assert desk.store.evolving.changed(ANN, 9) == []
    assert len({*small, large}) == 3


def test_what_the_person_does_meanwhile_wins(desk: Desk) -> None:
    cluster = gathered(desk, told(desk, GROWN), Profile("topic 1"))
    named = Reprofile(cluster, Profile("bread of Ann", named_by=NamedBy.PERSON), None, "")
    desk.store.evolving.keep_evolved = _after(  # type: ignore[method-assign]
        lambda: desk.store.clusters.edit(ANN, "rename", [named], [], desk.clock.now()), desk.store.evolving.keep_evolved
    )
    asyncio.run(step(desk).work(ANN, None))
    assert (profile(desk, cluster).key, profile(desk, cluster).tags) == ("bread of Ann", ())


def test_a_cluster_that_is_gone_meanwhile_is_passed_over(desk: Desk) -> None:
    one, two = (gathered(desk, told(desk, part), Profile(key)) for part, key in ((GROWN, "topic 1"), (RENT, "topic 2")))
    members = desk.store.clusters.members
    looks: list[ClusterId] = []

    def gone(owner: OwnerId, cluster: ClusterId, *, limit: int, before: UnitId | None = None) -> Page:
        looks.append(cluster)
        if len(looks) == 3:  # the first two are of all clusters, beside each of which the others are seen
            desk.store.clusters.edit(ANN, "merge", [Dissolve(one, "", into=two)], [], desk.clock.now())
        return members(owner, cluster, limit=limit, before=before)

    desk.store.clusters.members = gone  # type: ignore[method-assign]
    assert asyncio.run(step(desk).work(ANN, None)).more
    assert [each.id for each in desk.store.clusters.clusters(ANN)] == [two]


def test_an_owner_s_clusters_are_looked_at_in_their_own_night(desk: Desk) -> None:
    gathered(desk, told(desk, GROWN), Profile("topic 1"))
    assert asyncio.run(step(desk).work(BOB, None)) == Worked(more=False)
    assert desk.store.clusters.runs(BOB, limit=9) == []


def test_old_runs_are_settled_one_at_a_time(desk: Desk) -> None:
    cluster = gathered(desk, told(desk, GROWN), Profile("starter loaf", GROWN[0], ("starter", "loaf")))
    for number in range(UNDOABLE + 2):
        run(desk, [], told(desk, [f"The loaf of day {number}, the starter."]), cluster)
    assert night(desk) == {"looked at": 1, "settled": 3}
    assert night(desk) == {}
    undone = 0
    while any(each.undoable for each in desk.store.clusters.runs(ANN, limit=99)):
        desk.store.clusters.undo(ANN, None, desk.clock.now())
        undone += 1
    assert undone == UNDOABLE
    states = [each.state for each in desk.store.clusters.runs(ANN, limit=99)]
    assert states == [RunState.UNDONE] * UNDOABLE + [RunState.DONE] * 3


def _after(first: Callable[[], object], then: Callable[..., T]) -> Callable[..., T]:
    def both(*asked: object) -> T:
        first()
        return then(*asked)

    return both
