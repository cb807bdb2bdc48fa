"""What this process has seen of turns: how they ended, their tokens, and how long things took. Nothing of who asked, or
what."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from edge.engine.events import TurnDone, TurnFailed
from edge.engine.model_ports import Finish
from edge.engine.recall import Found
from edge.errors import Cancelled

FIRST_TOKEN_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
TURN_BOUNDS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
RECALL_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Seconds."""
OUTCOMES = ("done", "cut", "cancelled", "failed")
TOKENS = ("reused", "evaluated", "generated", "memories")


class Spread:
    """How often something took how long: counts between bounds, as a histogram of Prometheus has them."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(bounds) + 1)
        """In each interval up to a bound, and last what took longer than all."""
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """Once more, so long."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.sum += seconds

    @property
    def count(self) -> int:
        """How often."""
        return sum(self.counts)

    def below(self, share: float) -> float | None:
        """Seconds under which a share of all lies, taken evenly within its interval as `histogram_quantile` does; the
        last bound where they took longer than that. None before the first."""
        wanted = share * self.count
        if not self.count:
            return None
        seen, low = 0, 0.0
        for bound, count in zip(self.bounds, self.counts, strict=False):
            if count and seen + count >= wanted:
                return low + (bound - low) * max(0.0, wanted - seen) / count
            seen, low = seen + count, bound
        return self.bounds[-1]


@dataclass(slots=True)
class TurnFigures:
    """Since the process began. Lives on the event loop."""

    turns: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    by_runtime: int = 0
    """Replies that the runtime made without the model."""
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TOKENS, 0))
    first_token: Spread = field(default_factory=lambda: Spread(FIRST_TOKEN_BOUNDS))
    turn: Spread = field(default_factory=lambda: Spread(TURN_BOUNDS))
    recall: Spread = field(default_factory=lambda: Spread(RECALL_BOUNDS))
    stages: dict[str, Spread] = field(default_factory=dict)
    """Of recall: `rules`, and those of a search that was made."""

    def ended(self, event: TurnDone | TurnFailed) -> None:
        """A turn ended."""
        if isinstance(event, TurnFailed):
            self.turns["cancelled" if isinstance(event.error, Cancelled) else "failed"] += 1
            return
        self.turns["cut" if event.finish is Finish.LENGTH else "done"] += 1
        self.by_runtime += event.told_by_runtime
        usage = event.usage
        for name, count in zip(TOKENS, (usage.reused, usage.evaluated, usage.completion, usage.memories), strict=True):
            self.tokens[name] += count
        if event.timings.first_token is not None:
            self.first_token.add(event.timings.first_token)
        self.turn.add(event.timings.total)
        self._recalled(event.found)

    def _recalled(self, found: Found) -> None:
        self.recall.add(found.total_seconds)
        for stage, seconds in {"rules": found.rules_seconds, **found.stages}.items():
            self.stages.setdefault(stage, Spread(RECALL_BOUNDS)).add(seconds)
