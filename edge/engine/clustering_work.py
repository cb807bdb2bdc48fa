"""What the phases of a run share: what they look at, and what one unit of work comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edge.engine.clustering_asking import Asking
from edge.engine.clustering_picture import Picture, Topic
from edge.engine.clustering_state import State
from edge.engine.ports import Vector
from edge.memory.clusters import Change, Placement, Run, StagedNumber, Why
from edge.memory.language import Language
from edge.memory.units import OwnerId, UnitId


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work of a run. `asking` is None where centroids decide; a model is asked only about notes in the
    languages that it can read. `staged` are the placements so far."""

    owner: OwnerId
    run: Run
    state: State
    picture: Picture
    staged: Mapping[UnitId, Placement]
    asking: Asking | None = None
    languages: frozenset[Language] = frozenset()

    @property
    def fuller(self) -> bool:
        """Whether the longer prompt is used: in a second attempt."""
        return self.run.attempt > 1

    def reads(self, language: Language) -> Asking | None:
        """The model, where it can be asked about notes in this language."""
        return self.asking if language in self.languages else None

    def goes(self, unit: UnitId, topic: Topic, why: Why, score: float) -> Placement:
        return Placement(unit, topic.to, why, round(score, 4))

    def next_number(self, taken: int) -> StagedNumber:
        """A number for a new cluster, `taken` others of this unit of work aside."""
        numbers = [topic.to.number for topic in self.picture.topics if isinstance(topic.to, StagedNumber)]
        return StagedNumber(max(numbers, default=0) + 1 + taken)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a unit of work decided, to be written at once; `finished` says that the phase is."""

    state: State
    finished: bool
    changes: Sequence[Change] = ()
    placements: Sequence[Placement] = ()
    readings: Mapping[UnitId, Vector] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
