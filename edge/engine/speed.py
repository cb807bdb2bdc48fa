"""How fast the model is on this board, measured as it runs."""

from __future__ import annotations

from edge.engine.model_ports import Generation

_NEWEST_SHARE = 0.2
_TELLING_TOKENS = 16
"""Fewer tokens than this say more about overhead than about speed."""


class Speed:
    """Exponentially smoothed tokens a second; None before the first measure."""

    def __init__(self) -> None:
        self.prefill: float | None = None
        self.generate: float | None = None

    def note(self, generation: Generation) -> None:
        """Take a generation's figures into account."""
        self.prefill = _smoothed(self.prefill, generation.evaluated, generation.prefill_seconds)
        self.generate = _smoothed(self.generate, len(generation.tokens), generation.generate_seconds)


def _smoothed(before: float | None, tokens: int, seconds: float) -> float | None:
    if tokens < _TELLING_TOKENS or seconds <= 0:
        return before
    now = tokens / seconds
    return round(now if before is None else before + _NEWEST_SHARE * (now - before), 2)
