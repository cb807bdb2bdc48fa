"""Made-up vectors that lie in clusters, as those of texts do."""

from __future__ import annotations

import numpy as np

from edge.engine.ports import Vector


def clustered(count: int, dimension: int, *, seed: int, clusters: int = 50, spread: float = 1.2) -> Vector:
    """Vectors of length 1 around centres that are the same for every seed."""
    centres = np.random.default_rng(7).standard_normal((clusters, dimension))
    random = np.random.default_rng(seed)
    rows = centres[random.integers(0, clusters, count)] + spread * random.standard_normal((count, dimension))
    unit: Vector = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
