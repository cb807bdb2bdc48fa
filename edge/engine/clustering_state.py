"""How far a run of clustering is: what it keeps in the store between two units of work."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from edge.memory.language import Language
from edge.memory.units import UnitId

BACKGROUND = 8
"""Notes of a language that say how likely a key usually is."""
LEAST_BACKGROUND = 4


class Phase(StrEnum):
    """The phases of a run, in their order; each is done in small units of work."""

    READ = "read"
    WEIGH = "weigh"
    PLACE = "place"
    GATHER = "gather"
    SPLIT = "split"
    NAME = "name"
    WEIGH_NEW = "weigh_new"
    REFINE = "refine"
    MERGE = "merge"
    RENAME = "rename"
    CHECK = "check"

    @property
    def next(self) -> Phase | None:
        phases = list(Phase)
        at = phases.index(self) + 1
        return phases[at] if at < len(phases) else None


@dataclass(frozen=True, slots=True)
class State:
    """`units` are those that the run places, `background` the notes that say what is usual, `usual` the sums of the
    likelihoods of keys over the first of them and how many those are, `done` what of the phase needs no second look
    (numbers or ids), `tries` are the units whose places are checked."""

    units: tuple[UnitId, ...] = ()
    background: Mapping[Language, tuple[UnitId, ...]] = field(default_factory=dict)
    usual: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    done: frozenset[str] = frozenset()
    tries: tuple[UnitId, ...] = ()

    def with_done(self, *done: object) -> State:
        return replace(self, done=self.done | {str(one) for one in done})

    def is_done(self, one: object) -> bool:
        return str(one) in self.done

    def at(self, language: Language, key: str) -> int:
        """How many of the background's notes a key was weighed after."""
        return self.usual.get(_place(language, key), (0.0, 0))[1]

    def weighed(self, language: Language, scores: Mapping[str, float | None]) -> State:
        """After one more note of the background; None where the answer was no use."""
        usual = dict(self.usual)
        for key, score in scores.items():
            total, count = usual.get(_place(language, key), (0.0, 0))
            # a note that gave no answer counts as the mean, so that the next one is the next
            given = score if score is not None else (total / count if count else 0.0)
            usual[_place(language, key)] = (total + given, count + 1)
        return replace(self, usual=usual)

    def usually(self, language: Language, key: str) -> float | None:
        """How likely a key is after a note of the language, whatever it says; None where that is not known."""
        total, count = self.usual.get(_place(language, key), (0.0, 0))
        return total / count if count >= LEAST_BACKGROUND else None

    def as_json(self) -> str:
        return json.dumps(
            {
                "units": self.units,
                "background": self.background,
                "usual": {key: [round(total, 3), count] for key, (total, count) in self.usual.items()},
                "done": sorted(self.done),
                "tries": self.tries,
            },
            ensure_ascii=False,
        )


def read_state(text: str) -> State:
    """The state in a run's note; forgetting may have emptied it, and then what it held is found out again."""
    known: dict[str, Any] = json.loads(text or "{}")
    return State(
        tuple(UnitId(unit) for unit in known.get("units", ())),
        {language: tuple(map(UnitId, units)) for language, units in known.get("background", {}).items()},
        {key: (float(total), int(count)) for key, (total, count) in known.get("usual", {}).items()},
        frozenset(known.get("done", ())),
        tuple(map(UnitId, known.get("tries", ()))),
    )


def _place(language: Language, key: str) -> str:
    return f"{language}:{key}"
