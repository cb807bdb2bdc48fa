"""How fast the model is on this board, measured as it runs, and what that leaves a turn until its first token."""

from __future__ import annotations

from dataclasses import dataclass

from edge.clock import Clock
from edge.engine.model_ports import Generation, LanguageModel

_NEWEST_SHARE = 0.2
_TELLING_TOKENS = 16
"""Fewer tokens than this say more about overhead than about speed."""
_FIRST_SPREAD = 0.1
"""Of the first measure: how far others are taken to lie from it."""
_CAUTION = 2.0
"""Mean deviations beyond the mean: one of twenty measures is worse, as in a normal distribution."""
_STRAY = 2.0
"""A measure counts as at most so many times the mean: one that met a busy disk says nothing of the next."""
_TRIAL_TOKENS = 32
_STEP = 8


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds that something takes: their mean, and how far single measures lie from it, both exponentially smoothed.

    As round trips are estimated: Jacobson, "Congestion Avoidance and Control" (1988), appendix A.
    """

    mean: float
    spread: float

    @staticmethod
    def first(seconds: float) -> Measured:
        """What is known after one measure."""
        return Measured(seconds, seconds * _FIRST_SPREAD)

    def after(self, seconds: float) -> Measured:
        """What is known after one more."""
        off = min(seconds, _STRAY * self.mean) - self.mean
        return Measured(self.mean + _NEWEST_SHARE * off, self.spread + _NEWEST_SHARE * (abs(off) - self.spread))

    @property
    def careful(self) -> float:
        """What the next will hardly exceed."""
        return self.mean + _CAUTION * self.spread


_FIRST_OVERHEAD = Measured(0.1, 0.02)
"""Measured on two x86-64 cores with the 0.5B model; a board's own comes with its first reply."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known of a model on this board: seconds for a token of a prompt and of a reply, None before the first
    measure; and for what else goes by between a prompt and the first token of its reply."""

    prefill: Measured | None = None
    generate: Measured | None = None
    overhead: Measured = _FIRST_OVERHEAD


class Speed:
    """The figures of the model that is loaded. Written on the event loop, and read on any thread."""

    def __init__(self, figures: Figures = Figures()) -> None:
        self.figures = figures
        self._guess: float | None = None

    @property
    def prefill(self) -> float | None:
        """Prompt tokens a second; None before the first measure."""
        return _rate(self.figures.prefill)

    @property
    def generate(self) -> float | None:
        """Reply tokens a second; None before the first measure."""
        return _rate(self.figures.generate)

    @property
    def token_seconds(self) -> float | None:
        """Seconds that a token of a prompt hardly exceeds: a guess until it was measured, None without one."""
        measured = self.figures.prefill
        return self._guess if measured is None else measured.careful

    def begin(self, figures: Figures, guess: float | None = None) -> None:
        """A model was loaded of which this is known; `guess` is in seconds for a token of a prompt."""
        self.figures = figures
        self._guess = guess

    def note(self, generation: Generation, overhead: float | None = None) -> None:
        """Take a generation's figures into account, and what else went by until its first token, where the model made
        that."""
        known = self.figures
        self.figures = Figures(
            _newer(known.prefill, generation.evaluated, generation.prefill_seconds),
            _newer(known.generate, len(generation.tokens), generation.generate_seconds),
            known.overhead if overhead is None else known.overhead.after(max(0.0, overhead)),
        )


@dataclass(frozen=True, slots=True)
class Pace:
    """What there is time for, when the first token is wanted within `target` seconds."""

    speed: Speed
    target: float
    clock: Clock

    def tokens(self, since: float) -> int | None:
        """How many tokens of a prompt can be evaluated in time for a turn that began at `since` on the monotonic clock;
        None where nothing is known of the model. In steps of eight, so that a millisecond more or less of recall
        changes no prompt."""
        each = self.speed.token_seconds
        if each is None:
            return None
        left = self.target - (self.clock.monotonic() - since) - self.speed.figures.overhead.careful
        return max(0, int(left / each)) // _STEP * _STEP


def tried(model: LanguageModel, clock: Clock) -> float | None:
    """Seconds for a token of a prompt by a short trial, on the model's thread. None where the clock saw no time go by.
    Raises what `score` raises."""
    words = model.tokenizer.encode("The first words that are read tell how long others take. " * _TRIAL_TOKENS)
    started = clock.monotonic()
    model.score(words[:_TRIAL_TOKENS], [words[:1]], model.new_stop())
    taken = clock.monotonic() - started
    return taken / _TRIAL_TOKENS if taken > 0 else None


def _newer(before: Measured | None, tokens: int, seconds: float) -> Measured | None:
    if tokens < _TELLING_TOKENS or seconds <= 0:
        return before
    now = seconds / tokens
    return Measured.first(now) if before is None else before.after(now)


def _rate(measured: Measured | None) -> float | None:
    return None if measured is None else round(1 / measured.mean, 2)
