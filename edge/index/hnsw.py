"""The vector index in the heap: an hnswlib graph, with an exact scan where the graph would come back short.

The graph is HNSW (Malkov and Yashunin 2018, section 4).
"""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from pathlib import Path

import hnswlib
import numpy as np

from edge.engine.ports import Ids, Vector
from edge.index.files import Saved, Shape, write_index
from edge.index.rows import FIRST_CAPACITY, Found, Rows, Table
from edge.memory.units import UnitId

SEARCH_EF = 64
"""Least number of candidates that a search keeps; twice as many as neighbours are asked for. Measured on 10,000
made-up clustered vectors: recall at 10 of 1.00, at 200 of 0.95."""
ROWS_A_STEP = 16
"""Rows that are scanned in the time in which the graph takes in one more candidate; measured: 16 to 18."""
_SPARE = 8
_ELEMENT_BYTES = 128  # hnswlib's locks, levels and table of labels
_UNIT_LENGTH_TOLERANCE = 1e-3
_MOST_REMOVED = 0.25
_SEED = 100


class HnswIndex:
    """A `VectorIndex`. One thread owns it: hnswlib may not be searched while something is added.

    Vectors are kept twice, in the graph and as rows for the exact scan: 1.5 kB and 1.7 kB each at 384 dimensions.
    What is removed is never found again and is neither in the rows nor in what is saved; the graph in memory passes
    through it until more than a quarter is removed, which the next save leaves out.
    """

    def __init__(self, folder: Path, shape: Shape, saved: Saved | None, *, threads: int) -> None:
        self._folder = folder
        self._shape = shape
        self._threads = threads
        if saved is None:
            self._clear()
        else:
            self._graph, self._table = saved.graph, Table(saved.units, saved.vectors)

    def __len__(self) -> int:
        return self._table.live

    def add(self, ids: Ids, vectors: Vector) -> None:
        """Make vectors (n, dimension) of units (n,) searchable at once.

        Raises ValueError, and adds nothing, for another dimension, a number that is none, a vector that is not of
        length 1, or an id that is not positive.
        """
        self._check(vectors, 2)
        if ids.shape != (len(vectors),):
            raise ValueError(f"{ids.shape} ids for {len(vectors)} vectors")
        if len(ids) and ids.min() <= 0:
            raise ValueError(f"a unit's id is positive, not {ids.min()}")
        if len(ids):
            rows = self._table.append(ids, vectors)
            self._link(rows, vectors)

    def remove(self, ids: Collection[UnitId]) -> None:
        """Take units out with all their vectors; unknown ids are ignored."""
        for row in self._table.remove(np.unique(np.fromiter(ids, dtype=np.int64))).tolist():
            self._graph.mark_deleted(row)

    def search(self, vector: Vector, limit: int, allowed: Ids | None) -> Found:
        """The nearest units with their cosine, best first, each once with its best vector.

        `vector` is (dimension,), `allowed` the ascending ids that may be returned, None for all. Never fewer than
        min(limit, number of allowed units indexed). Raises ValueError as `add` does, and for a negative limit.
        """
        self._check(vector, 1)
        if limit < 0:
            raise ValueError(f"a limit of {limit}")
        rows = self._table.all() if allowed is None else self._table.of(allowed)
        if limit == 0 or len(rows) == 0:
            return []
        found = self._walk(vector, limit, rows)
        return self._scan(vector, limit, rows) if found is None else found

    def memory_bytes(self) -> int:
        """Bytes of memory it holds; room for more is not counted before it is used."""
        return int(self._graph.index_file_size()) + self._table.count * _ELEMENT_BYTES + self._table.nbytes

    def save(self, generation: int) -> None:
        """Write it where `open_index` finds it; a crash at any moment leaves what was saved before.

        `generation` is the store's, of the embeddings that are in it. Raises DiskFull, StoreReadOnly, StoreFailed.
        """
        removed = self._table.count - self._table.live
        if removed > _MOST_REMOVED * self._table.count:
            self._leave_out_removed()
        saved = Saved(self._graph, self._table.units, self._table.vectors)
        write_index(self._folder, self._shape, saved, generation, drop_aside=removed > 0)

    def _check(self, vectors: Vector, axes: int) -> None:
        if vectors.ndim != axes or vectors.shape[-1] != self._shape.dimension:
            raise ValueError(f"vectors of shape {vectors.shape} in an index of {self._shape.dimension} dimensions")
        lengths = np.sqrt(np.vecdot(vectors, vectors))
        if not np.all(np.abs(lengths - 1.0) <= _UNIT_LENGTH_TOLERANCE):  # also refuses NaN
            raise ValueError("a vector is not of length 1")

    def _clear(self) -> None:
        dimension = self._shape.dimension
        self._table = Table(np.zeros(0, dtype=np.int64), np.zeros((0, dimension), dtype=np.float32))
        self._graph = hnswlib.Index("ip", dimension)
        self._graph.init_index(
            FIRST_CAPACITY, M=self._shape.links, ef_construction=self._shape.ef_construction, random_seed=_SEED
        )

    def _link(self, rows: Rows, vectors: Vector) -> None:
        if self._table.count > self._graph.get_max_elements():
            self._graph.resize_index(self._table.capacity)
        self._graph.add_items(vectors, rows, num_threads=self._threads)

    def _leave_out_removed(self) -> None:
        old, rows = self._table, self._table.all()
        units, vectors = old.units[rows], old.vectors[rows]
        self._clear()
        self.add(units, vectors)

    def _walk(self, query: Vector, limit: int, rows: Rows) -> Found | None:
        """Through the graph, wider until enough allowed units are met. None where a scan is the better way."""
        allowed = np.zeros(self._table.count, dtype=np.bool_)
        allowed[rows] = True
        wanted = ceil((limit + _SPARE) * self._table.count / len(rows))
        while ROWS_A_STEP * max(SEARCH_EF, 2 * wanted) <= len(rows):
            labels, cosines = self._nearest(query, wanted)
            met = allowed[labels]
            found = self._table.best(labels[met], cosines[met], limit)
            if len(found) == limit:
                return found
            wanted *= 2
        return None

    def _nearest(self, query: Vector, count: int) -> tuple[Rows, Vector]:
        """Rows by the graph, best first. Fewer than asked for where the graph cannot reach more."""
        self._graph.set_ef(max(SEARCH_EF, 2 * count))
        try:
            labels, distances = self._graph.knn_query(query, k=count, num_threads=1)
        except RuntimeError:  # its only complaint about a query: not as many neighbours within reach
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        return labels[0].astype(np.int64), 1.0 - distances[0]

    def _scan(self, query: Vector, limit: int, rows: Rows) -> Found:
        cosines = self._table.cosines(query, rows)
        wanted = 2 * limit + _SPARE
        while True:
            top = _highest(cosines, wanted)
            found = self._table.best(rows[top], cosines[top], limit)
            if len(found) == limit or wanted >= len(rows):
                return found
            wanted *= 4


def _highest(values: Vector, count: int) -> Rows:
    """Positions of the highest values, in descending order."""
    if count < len(values):
        among = np.argpartition(values, len(values) - count)[len(values) - count :]
        return among[np.argsort(-values[among], kind="stable")]
    return np.argsort(-values, kind="stable")
