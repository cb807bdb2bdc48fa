"""The background work of an index: sealing, merging, rebuilding, and blanking what was forgotten.

What is built is published in one order: its files are on the disk, then a mark is in the store (and with it all
embeddings that the files hold), then the manifest names both. A crash between any two leaves the index before.
"""

from __future__ import annotations

import errno
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from edge.engine.vector_ports import IndexWork
from edge.index import files
from edge.index.building import Build, Job, build_segment
from edge.index.files import Entry, IndexUnfit, Manifest
from edge.index.holdings import Holdings
from edge.index.planning import Interval, Size, Task, next_task
from edge.index.segment import Segment

_log = logging.getLogger(__name__)
_BLANKED_A_STEP = 128


@dataclass(slots=True)
class _Work:
    task: Task
    forgotten: int
    build: Build
    done: int = 0


class Upkeep:
    """Does the work in small steps, one piece at a time."""

    def __init__(self, holdings: Holdings) -> None:
        self._holdings = holdings
        self._work: _Work | None = None
        self._rebuilt = 0
        """Vectors of the pieces that were rebuilt since there was nothing to rebuild."""
        self._superseded: dict[str, int] | None = None
        """How many live rows of each segment are superseded; None where that is to be counted anew."""
        self._early = False
        """Whether the head is to be sealed before its bound."""

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
        if self._work is None or self._holdings.blanked < self._holdings.forgotten:
            self._lose_removed()
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

    def seal(self) -> None:
        """Seal the head in the next steps, if it is worth a file."""
        self._early = True

    def rebuild(self) -> None:
        """Build all segments anew, one after the other."""
        for segment in self._holdings.segments:
            segment.stale = True

    def lose(self, names: set[str], reason: str) -> None:
        """Move damaged segments aside; their intervals are missing until they are built anew."""
        held = self._holdings
        self.stop()
        held.unfit.append(reason)
        self._superseded = None
        held.segments = [segment for segment in held.segments if segment.entry.name not in names]
        held.find_gaps()
        try:
            aside = files.move_aside(held.folder, [path for name in sorted(names) for path in _paths(held, name)])
        except OSError as error:  # it is not used any more, and deleted with the next manifest
            _log.warning("a part of the vector index does not fit: %s; it cannot be moved aside: %s", reason, error)
        else:
            _log.warning("a part of the vector index does not fit: %s; it was moved to %s", reason, aside)

    def _lose_removed(self) -> None:
        """Segments whose files were removed under them can be searched as long as they are open, and no longer."""
        held = self._holdings
        held.folder.mkdir(parents=True, exist_ok=True)
        removed = sorted(one.entry.name for one in held.segments if not one.is_there())
        if removed:
            self.lose(set(removed), f"files of {', '.join(removed)} were removed while they were open")

    def _begin(self) -> bool:
        held = self._holdings
        task = next_task(self._sizes(), held.gaps, self._head_size(), held.bounds, early=self._early)
        self._early = self._early and task is not None and task.name == "seal"  # until what it was asked for is done
        if self._rebuilt and not self._to_rebuild() and (task is None or task.name != "rebuild"):
            _log.info("%d vectors of the index were built anew from the database", self._rebuilt)
            self._rebuilt = 0
        if task is None:
            return False
        if not (held.folder / files.MANIFEST).exists():  # else one that went missing looks like one that never was
            self._write([segment.entry for segment in held.segments], held.blanked)
        self._clean_up()
        job = Job(task.interval.after, task.interval.through, held.forgotten, held.bounds.capacity)
        build = build_segment(held.folder, held.shape, held.log, job, held.options.threads)
        self._work = _Work(task, held.forgotten, build)
        return True

    def _to_rebuild(self) -> int:
        """Vectors, at most, that are missing or to be built anew."""
        stale = sum(len(segment) for segment in self._holdings.segments if segment.stale)
        return stale + sum(gap.through - gap.after for gap in self._holdings.gaps)

    def _head_size(self) -> Size:
        head = self._holdings.head
        return Size(Interval(head.start, head.last), len(head), 0)

    def _sizes(self) -> list[Size]:
        superseded, sizes = self._count_superseded(), []
        for segment in self._holdings.segments:
            interval = Interval(segment.entry.after, segment.entry.through)
            rows, of_no_use = len(segment.units), superseded[segment.entry.name]
            stale = segment.stale or segment.is_cut
            sizes.append(Size(interval, rows, rows - len(segment) + of_no_use, stale))
        return sizes

    def _count_superseded(self) -> dict[str, int]:
        """After each change of the segments, for it looks at every unit of them."""
        held = self._holdings
        if self._superseded is None:
            units = held.log.superseded(held.shape.embedder)
            self._superseded = {segment.entry.name: segment.count_live(units) for segment in held.segments}
        return self._superseded

    def _advance(self) -> None:
        work = self._work
        assert work is not None
        try:
            work.done = next(work.build)
        except StopIteration as end:
            self._work = None
            self._publish(work.task, end.value)
            self._rebuilt += work.done if work.task.name == "rebuild" else 0

    def _publish(self, task: Task, entry: Entry | None) -> None:
        """Put what was built in place of what it covers. A failure leaves the new files: the manifest may name them.

        Of a segment that it covers in part, because more was to be built than a build may hold, the rest stays.
        """
        held = self._holdings
        after, through = task.interval.after, task.interval.through if entry is None else entry.through
        segments = [one for one in held.segments if not _inside(one.entry, after, through)]
        entries = [_cut(one.entry, after, through) for one in segments]
        blanked = held.blanked
        if entry is not None:
            new = self._open(entry)
            segments, entries = [*segments, new], [*entries, entry]
            blanked = min(blanked, entry.forgotten) if len(new) < len(new.units) else blanked
        mark = self._write(entries, blanked)
        for one, its in zip(segments, entries, strict=True):
            one.entry = its
        self._superseded = None
        held.segments, held.blanked = sorted(segments, key=lambda one: one.entry.after), blanked
        held.head.drop_through(through)
        held.find_gaps()
        self._tidy(mark)

    def _open(self, entry: Entry) -> Segment:
        """What was just built, without what was forgotten meanwhile."""
        held = self._holdings
        try:
            segment = Segment(held.folder, held.shape, entry)
        except IndexUnfit as error:
            raise OSError(errno.EIO, f"what was just written cannot be read: {error}") from error
        segment.kill(held.log.forgotten_after(held.shape.embedder, entry.forgotten)[1])
        return segment

    def _blank(self) -> None:
        """Overwrite some vectors of forgotten units; with the last, note that it is done."""
        held = self._holdings
        for segment in held.segments:
            rows = segment.unblanked()[:_BLANKED_A_STEP]
            if len(rows):
                segment.blank(rows)
                return
        files.drop_aside(held.folder)
        mark = self._write([segment.entry for segment in held.segments], held.forgotten)
        held.blanked = held.forgotten
        self._tidy(mark)

    def _write(self, entries: Sequence[Entry], blanked: int) -> str:
        """The mark, then the manifest with it."""
        held = self._holdings
        mark = secrets.token_hex(8)
        held.log.keep_mark(held.shape.embedder, mark)
        manifest = Manifest(mark, blanked, tuple(sorted(entries, key=lambda entry: entry.after)))
        files.write_manifest(held.folder, held.shape, manifest)
        return mark

    def _tidy(self, mark: str) -> None:
        """Away with what neither the manifest nor the running build needs any more."""
        held = self._holdings
        stands = [segment.entry.forgotten for segment in held.segments]
        if self._work is not None:
            stands.append(self._work.forgotten)
        held.log.prune(held.shape.embedder, keep=mark, forgotten=min(stands, default=held.forgotten))
        self._clean_up()
        if held.aside_is_foreign and not held.gaps:
            files.drop_aside(held.folder)
            held.aside_is_foreign = False

    def _clean_up(self) -> None:
        """Delete what earlier builds left; not what the manifest names, which may be ahead after a failure."""
        held = self._holdings
        live = {segment.entry.name for segment in held.segments}
        files.clean(held.folder, live | files.named_segments(held.folder, held.shape), building=self._work is not None)


def _inside(entry: Entry, after: int, through: int) -> bool:
    return after <= entry.after and entry.through <= through


def _cut(entry: Entry, after: int, through: int) -> Entry:
    """What is left of a segment's interval when another covers (after, through]."""
    return replace(entry, after=through) if after <= entry.after < through else entry


def _paths(held: Holdings, name: str) -> list[Path]:
    return [files.graph_path(held.folder, name), files.rows_path(held.folder, name)]
