"""The ports between the store's embeddings and the index that is built from them. See `ports` for the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from edge.engine.ports import Ids, Mask, Vector
from edge.memory.units import UnitId


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Embeddings of one embedder as an index takes them in: their numbers (n,), units (n,), vectors (n, dimension).
    `superseded` says of which the unit has a successor."""

    numbers: Ids
    units: Ids
    vectors: Vector
    superseded: Mask


class VectorLog(Protocol):
    """What the store knows of embeddings, in the order in which it kept them: what an index is built from and follows.

    Every embedding has a number, greater than those of all before it and never given again (a power cut may take back
    the newest together with their numbers, but none that a mark made durable). What was forgotten has numbers of its
    own, one for each unit. The store implements it.
    """

    def last_number(self, embedder: str) -> int:
        """The greatest number of this embedder's embeddings, 0 where there is none."""

    def vectors_between(self, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
        """The first `limit` embeddings with `after` < number <= `through`, by ascending number."""

    def vectors_of(self, embedder: str, units: Ids) -> VectorRows:
        """All embeddings of some units, by ascending unit."""

    def newest_between(self, embedder: str, after: int, through: int, limit: int) -> VectorRows:
        """The last `limit` embeddings with `after` < number <= `through`, by descending number."""

    def superseded(self, embedder: str) -> Ids:
        """All units with embeddings that `superseded` of their rows would be true for, ascending."""

    def forgotten_after(self, embedder: str, number: int) -> tuple[int, Ids]:
        """Units with embeddings that were forgotten after one with this number, and the number of the last; the same
        number where there are none."""

    def keep_mark(self, embedder: str, mark: str) -> None:
        """Note that an index was written. When it returns, the mark and every embedding kept before are durable."""

    def has_mark(self, embedder: str, mark: str) -> bool:
        """Whether this history of the store has the mark: a database restored from a backup may not."""

    def prune(self, embedder: str, *, keep: str, forgotten: int) -> None:
        """Delete all marks but one, and what is noted of units forgotten up to a number: no index needs them now."""


@dataclass(frozen=True, slots=True)
class SegmentState:
    """One file of an index: how many vectors it holds, how many of them are dead weight, and its bytes."""

    name: str
    vectors: int
    dead: int
    bytes: int


@dataclass(frozen=True, slots=True)
class IndexWork:
    """What an index does in the background: `seal`, `merge` or `rebuild`; how many of how many vectors are done. Those
    of a rebuilding are of all that is to be rebuilt, whatever number of files that is."""

    task: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexState:
    """An index as a person would ask about it.

    `vectors` can be found through it, `fresh` of them are held in memory until they are sealed. `missing` (at most so
    many) are in the store but not yet in the index again; while there are any it is degraded. `unfit` says of files
    that were moved aside since it was opened why they were.
    """

    vectors: int
    fresh: int
    missing: int
    segments: tuple[SegmentState, ...]
    work: IndexWork | None
    unfit: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """How far a verification is: vectors checked of all; `faults` that were found so far, as sentences."""

    done: int
    total: int
    faults: tuple[str, ...]


class VectorIndex(Protocol):
    """Nearest neighbours by cosine among the embeddings of one embedder in a `VectorLog`, which it was opened on.

    A unit may have several vectors (one a chunk); it is found by its best. All methods may be called from several
    threads as far as the log may; the thread that owns the log makes the changes.
    """

    def follow(self) -> None:
        """Take in what the store kept and forgot since: searchable, or gone from every answer, when it returns."""

    def search(self, vector: Vector, limit: int, allowed: Mask | None) -> list[tuple[UnitId, float]]:
        """The nearest units with their cosine, best first. `allowed`: units that may be returned, None for all; never
        fewer than min(limit, number of allowed units with an embedding), except while degraded."""

    def step(self) -> bool:
        """A little of what is due in the background: sealing, merging, rebuilding; True while more is due. Raises
        DiskFull, StoreReadOnly, StoreFailed; then it stays due."""

    def seal(self) -> None:
        """Say that the time is good for it: what is held in memory goes to a file in the next steps, if there is enough
        for one, without waiting until there is no more room."""

    def rebuild(self) -> None:
        """Build all of it anew from the store, in later steps; until then it answers as it does now."""

    def verify(self) -> Iterator[Verified]:
        """Compare every vector with its checksum and with the store, a little with each item; what is wrong is moved
        aside and rebuilt in later steps. Other calls may come between the items."""

    def state(self) -> IndexState:
        """What there is and what it does."""

    def memory_bytes(self) -> int:
        """Bytes of memory it holds, without what is mapped from files."""

    def close(self) -> None:
        """Let go of its files. Nothing is lost: what is not in them is read from the store again."""
