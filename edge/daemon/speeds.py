"""The file that keeps how fast models are on this board, from one start to the next.

It is about the machine, not about anybody's memory: so it is no part of the database, which a backup may take to
another board. What cannot be read or written of it is measured again.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edge.daemon.parts import Models
from edge.engine.model_ports import LanguageModel
from edge.engine.speed import Figures, Measured, Speed

_log = logging.getLogger(__name__)
_KEPT_SETUPS = 16
_LONGEST = 3600.0
"""Seconds: what is longer, or no number, was not measured."""
_WORTH_WRITING = 0.1
"""Share by which the speed must have changed to be written again: not with every turn, for flash wears out."""


@dataclass(frozen=True, slots=True)
class SpeedFile:
    """Figures by setup: the model's file, and how it is run."""

    path: Path

    def read(self, setup: str) -> Figures:
        """What is known of a setup; nothing of one that was never measured."""
        try:
            return _figures(self._all().get(setup, {}))
        except (TypeError, ValueError):
            _log.warning("what %s holds of the model's speed is not valid; it is measured again", self.path)
            return Figures()

    def write(self, setup: str, figures: Figures) -> None:
        """Keep the figures of a setup; of others the newest few."""
        others = [(name, kept) for name, kept in self._all().items() if name != setup]
        kept = dict([*others[-_KEPT_SETUPS + 1 :], (setup, asdict(figures))])
        temporary = self.path.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
            temporary.replace(self.path)
        except OSError as error:
            _log.warning("the model's speed is not kept: %s", error.strerror)

    def _all(self) -> dict[str, Any]:
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}


class SpeedKeeper:
    """Begins with what is known of a model when it is loaded, and keeps what is learnt."""

    def __init__(self, speed: Speed, file: SpeedFile, models: Models) -> None:
        self._speed = speed
        self._file = file
        self._models = models
        self._setup: str | None = None
        self._written = 0.0

    def load(self) -> LanguageModel:
        """Load the model, and try its speed where nothing is known of it. On the model's thread."""
        model = self._models.load_language()
        setup = self._models.language_setup()
        if setup != self._setup:
            figures = self._file.read(setup)
            guess = self._models.tried(model) if figures.prefill is None else None
            self._speed.begin(figures, guess)
            self._setup, self._written = setup, _mean(figures)
        return model

    def keep(self) -> bool:
        """Write the figures where they have changed clearly. A background step; has no second one."""
        now = _mean(self._speed.figures)
        if self._setup is not None and abs(now - self._written) > _WORTH_WRITING * self._written:
            self._file.write(self._setup, self._speed.figures)
            self._written = now
        return False


def _mean(figures: Figures) -> float:
    return 0.0 if figures.prefill is None else figures.prefill.mean


def _figures(kept: Any) -> Figures:
    """Raises TypeError or ValueError for what is none."""
    if not isinstance(kept, dict):
        raise TypeError(f"{kept!r} is no table")
    known = {name: _measured(kept[name]) for name in ("prefill", "generate", "overhead") if kept.get(name)}
    return Figures(**known)


def _measured(kept: dict[str, float]) -> Measured:
    measured = Measured(**kept)
    if not 0 < measured.mean < _LONGEST or not 0 <= measured.spread < _LONGEST:
        raise ValueError(f"{measured} is no time")
    return measured
