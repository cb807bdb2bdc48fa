"""The weights in force where the settings name no others: fitted by `scripts/bench tune`, see BENCHMARKS.md."""

from __future__ import annotations

from edge.memory.scoring import Weights

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
        question=0.76,
        assistant=0.7,
        late_floor=0.19,
        late_span=0.38,
        match_late=12.5,
        match_words=3.0,
        bias=-2.93,
        slope=0.194,
        contrast=1.3,
        plain_bias=-8.13,
        plain_slope=0.661,
    ),
    "zh": Weights(
        late=5.0,
        bm25=2.4,
        words=4.2,
        dense=0.0,
        neighbour=0.67,
        talk=0.15,
        subject=1.5,
        time=3.3,
        question=0.9,
        assistant=0.7,
        late_floor=0.31,
        late_span=0.78,
        match_late=3.75,
        match_words=4.0,
        bias=-4.2,
        slope=0.3,
        contrast=1.3,
        plain_bias=-4.15,
        plain_slope=0.532,
    ),
}
