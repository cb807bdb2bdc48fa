"""Opens a saved index where it fits, says why where it does not, and fills an empty one from the store."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from edge.engine.ports import Ids, Vector
from edge.index.files import IndexStale, IndexUnfit, Shape, clean, move_aside, read_index, saved_files, storage_error
from edge.index.hnsw import HnswIndex

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """An index. With `unfit`, the reason why nothing was loaded, it is empty: fill it with `rebuild`.

    `aside` is the folder to which files that did not fit were moved.
    """

    index: HnswIndex
    unfit: str | None = None
    aside: Path | None = None


def open_index(folder: Path, embedder_id: str, dimension: int, generation: int, *, threads: int = 1) -> Opened:
    """Open the index that was saved for this embedder at this generation of the store.

    One that is damaged or of another embedder is not loaded but moved aside; one of another generation is deleted,
    for it may hold what was forgotten since. Either way the index is empty. `threads`
    build it when many vectors are added at once. Raises StoreReadOnly, DiskFull, StoreFailed where the folder cannot
    be used.
    """
    shape = Shape(embedder_id, dimension)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _open(folder, shape, generation, threads)
    except OSError as error:
        raise storage_error(folder, error) from error


def rebuild(
    index: HnswIndex, batches: Iterable[tuple[Ids, Vector]], progress: Callable[[int], None] | None = None
) -> int:
    """Add every batch of (unit ids, vectors) to an empty index; gives the number of vectors.

    `progress` is called after each batch with the number so far. Raises ValueError for an index that is not empty.
    """
    if len(index):
        raise ValueError(f"the index already holds {len(index)} vectors")
    for ids, vectors in batches:
        index.add(ids, vectors)
        if progress is not None:
            progress(len(index))
    return len(index)


def _open(folder: Path, shape: Shape, generation: int, threads: int) -> Opened:
    try:
        saved = read_index(folder, shape, generation)
    except IndexStale as error:
        _log.info("the saved vector index is of another time: %s", error)
        clean(folder, keep=())
        return Opened(HnswIndex(folder, shape, None, threads=threads), unfit=str(error))
    except IndexUnfit as error:
        aside = move_aside(folder)
        _log.warning("the saved vector index does not fit: %s; it was moved to %s", error, aside)
        return Opened(HnswIndex(folder, shape, None, threads=threads), unfit=str(error), aside=aside)
    clean(folder, keep=saved_files(folder) if saved else ())
    unfit = None if saved else "none was saved yet"
    return Opened(HnswIndex(folder, shape, saved, threads=threads), unfit=unfit)
