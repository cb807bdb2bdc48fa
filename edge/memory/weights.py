"""The weights of ranking for each language: those in force, and the reading of a person's own.

The ones here were fitted by `scripts/bench tune`, see BENCHMARKS.md.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edge.errors import SettingsInvalid
from edge.memory.scoring import WEIGHT_NAMES, Weights

WEIGHTS = {
    "en": Weights(
        late=12.0,
        bm25=0.47,
        words=0.0,
        dense=0.0,
        neighbour=0.41,
        talk=1.0,
        subject=2.55,
        time=5.3,
        sought=1.0,
        question=0.76,
        assistant=0.7,
        asks=3.0,
        order=3.0,
        cluster=0.0,
        company=0.1,
        late_floor=0.19,
        late_span=0.38,
        match_late=12.5,
        match_words=3.0,
        bias=-2.93,
        slope=0.194,
        contrast=1.3,
        plain_bias=-5.26,
        plain_slope=1.19,
        plain_words=0.0,
    ),
    "zh": Weights(
        late=5.7,
        bm25=2.06,
        words=6.44,
        dense=0.0,
        neighbour=0.71,
        talk=0.0,
        subject=1.5,
        time=3.6,
        sought=1.0,
        question=1.0,
        assistant=0.7,
        asks=3.0,
        order=3.0,
        cluster=0.0,
        company=0.1,
        late_floor=0.31,
        late_span=0.78,
        match_late=3.75,
        match_words=4.0,
        bias=-4.2,
        slope=0.3,
        contrast=1.3,
        plain_bias=-1.54,
        plain_slope=0.2,
        plain_words=9.5,
    ),
}


def parse_weights(text: str, where: str) -> dict[str, Weights]:
    """Weights from a TOML table for each language, `en` and `zh`; what it does not name stays as it is here. Raises
    SettingsInvalid, with `where` as the name of the text."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsInvalid(f"{where} is not TOML: {error}") from error
    unknown = [name for name in tables if name not in WEIGHTS]
    if unknown:
        raise SettingsInvalid(f"{where}: {unknown[0]} is none of the languages {', '.join(WEIGHTS)}.")
    return {language: _changed(known, tables.get(language, {}), where) for language, known in WEIGHTS.items()}


def _changed(known: Weights, table: Any, where: str) -> Weights:
    if not isinstance(table, Mapping):
        raise SettingsInvalid(f"{where}: a language is a table of weights, not {table!r}.")
    for name, value in table.items():
        if name not in WEIGHT_NAMES:
            raise SettingsInvalid(f"{where}: there is no weight {name}, only {', '.join(WEIGHT_NAMES)}.")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise SettingsInvalid(f"{where}: {name} must be a number, not {value!r}.")
    return replace(known, **{name: float(value) for name, value in table.items()})
