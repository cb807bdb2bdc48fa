"""The background work of an index: sealing, merging, rebuilding, and blanking what was forgotten.

What is built is published in one order: its files are on the disk, then a mark is in the store (and with it all
embeddings that the files hold), then the manifest names both. A crash between any two leaves the index before.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from pathlib import Path

from edge.engine.vector_ports import IndexWork
from edge.index import files
from edge.index.building import Build, Job, build_segment
from edge.index.files import Entry, Manifest
from edge.index.holdings import Holdings
from edge.index.planning import Interval, Size, Task, next_task
from edge.index.segment import Segment

_log = logging.getLogger(__name__)
_BLANKED_A_STEP = 128


@dataclass(slots=True)
class _Work:
    task: Task
    build: Build
    done: int = 0


class Upkeep:
    """Does the work in small steps, one piece at a time."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._work: _Work | None = None
        self._rebuilt = 0
        """Vectors of the pieces that were rebuilt since there was nothing to rebuild."""
        self._superseded: dict[str, int] = {}
        self._counted: list[Segment] | None = None

    @property
    def work(self) -> IndexWork | None:
        """What is being built."""
        work = self._work
        if work is None:
            return None
        before = self._rebuilt if work.task.name == "rebuild" else 0
        total = before + (self._to_rebuild() if work.task.name == "rebuild" else work.task.expected)
        return IndexWork(work.task.name, before + work.done, max(total, before + work.done))

    def memory_bytes(self) -> int:
        """Bytes that the build holds, about."""
        per_vector = 4 * (self._holdings.shape.dimension + 2 * self._holdings.shape.links) + 150
        return 0 if self._work is None else self._work.done * per_vector

    def step(self) -> bool:
        """A little work; True while more is due. Raises OSError, and what the log raises: then it begins again."""
        if self._holdings.blanked < self._holdings.forgotten:
            self._blank()
            return True
        if self._work is None and not self._begin():
            return False
        try:
            self._advance()
        except BaseException:
            self.stop()
            raise
        return True

    def stop(self) -> None:
        """Give up what is being built."""
        if self._work is not None:
            self._work.build.close()
            self._work = None

    def rebuild(self) -> None:
        """Build all segments anew, one after the other."""
        for segment in self._holdings.segments:
            segment.stale = True

    def lose(self, names: set[str], reason: str) -> None:
        """Move damaged segments aside; their intervals are missing until they are built anew."""
        held = self._holdings
        self.stop()
        paths = [path for name in sorted(names) for path in _paths(held, name)]
        aside = files.move_aside(held.folder, paths)
        _log.warning("a part of the vector index does not fit: %s; it was moved to %s", reason, aside)
        held.unfit.append(reason)
        held.segments = [segment for segment in held.segments if segment.entry.name not in names]
        held.find_gaps()

    def _begin(self) -> bool:
        held = self._holdings
        task = next_task(self._sizes(), held.gaps, self._head_size(), held.bounds)
        if task is None or task.name != "rebuild":
            self._rebuilt = 0
        if task is None:
            return False
        job = Job(task.interval.after, task.interval.through, held.forgotten, held.bounds.capacity)
        self._work = _Work(task, build_segment(held.folder, held.shape, held.log, job, held.options.threads))
        return True

    def _to_rebuild(self) -> int:
        """Vectors, at most, that are missing or to be built anew."""
        stale = sum(len(segment) for segment in self._holdings.segments if segment.stale)
        return stale + sum(gap.through - gap.after for gap in self._holdings.gaps)

    def _head_size(self) -> Size:
        head = self._holdings.head
        return Size(Interval(head.start, head.last), len(head), 0)

    def _sizes(self) -> list[Size]:
        self._count_superseded()
        sizes = []
        for segment in self._holdings.segments:
            interval = Interval(segment.entry.after, segment.entry.through)
            rows, superseded = len(segment.units), self._superseded.get(segment.entry.name, 0)
            sizes.append(Size(interval, rows, rows - len(segment) + superseded, segment.stale))
        return sizes

    def _count_superseded(self) -> None:
        """After each change of the segments, for it looks at every unit of them."""
        held = self._holdings
        if self._counted is not held.segments:
            units = held.log.superseded(held.shape.embedder)
            self._superseded = {segment.entry.name: segment.count_live(units) for segment in held.segments}
            self._counted = held.segments

    def _advance(self) -> None:
        work = self._work
        assert work is not None
        try:
            work.done = next(work.build)
        except StopIteration as end:
            self._work = None
            self._publish(work.task, end.value)
            self._rebuilt += work.done

    def _publish(self, task: Task, entry: Entry | None) -> None:
        """Put what was built in place of what it covers. A failure leaves the new files: the manifest may name them."""
        held = self._holdings
        through = task.interval.through if entry is None else entry.through
        segments = [one for one in held.segments if not _inside(one.entry, task.interval.after, through)]
        blanked = held.blanked
        if entry is not None:
            new = Segment(held.folder, held.shape, entry)
            new.kill(held.log.forgotten_after(held.shape.embedder, entry.forgotten)[1])
            segments = sorted([*segments, new], key=lambda one: one.entry.after)
            blanked = min(blanked, entry.forgotten) if len(new) < len(new.units) else blanked
        mark = self._write(segments, blanked)
        held.segments, held.blanked = segments, blanked
        held.head.drop_through(through)
        held.find_gaps()
        self._tidy(mark)

    def _blank(self) -> None:
        """Overwrite some vectors of forgotten units; with the last, note that it is done."""
        held = self._holdings
        for segment in held.segments:
            rows = segment.unblanked()[:_BLANKED_A_STEP]
            if len(rows):
                segment.blank(rows)
                return
        files.drop_aside(held.folder)
        mark = self._write(held.segments, held.forgotten)
        held.blanked = held.forgotten
        self._tidy(mark)

    def _write(self, segments: list[Segment], blanked: int) -> str:
        """The mark, then the manifest with it."""
        held = self._holdings
        mark = secrets.token_hex(8)
        held.log.keep_mark(held.shape.embedder, mark)
        manifest = Manifest(mark, blanked, tuple(segment.entry for segment in segments))
        files.write_manifest(held.folder, held.shape, manifest)
        return mark

    def _tidy(self, mark: str) -> None:
        """Away with what the manifest does not need any more."""
        held = self._holdings
        known = min((segment.entry.forgotten for segment in held.segments), default=held.forgotten)
        held.log.prune(held.shape.embedder, keep=mark, forgotten=known)
        files.clean(held.folder, {segment.entry.name for segment in held.segments})
        if held.aside_is_foreign and not held.gaps:
            files.drop_aside(held.folder)
            held.aside_is_foreign = False


def _inside(entry: Entry, after: int, through: int) -> bool:
    return after <= entry.after and entry.through <= through


def _paths(held: Holdings, name: str) -> list[Path]:
    return [files.graph_path(held.folder, name), files.rows_path(held.folder, name)]
