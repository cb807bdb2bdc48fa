"""Opens an index: what fits is used, what does not is moved aside and built anew by the index's steps."""

from __future__ import annotations

import logging
from pathlib import Path

from edge.engine.vector_ports import VectorLog
from edge.index import files
from edge.index.files import Entry, IndexUnfit, Manifest, Shape, storage_error
from edge.index.holdings import Holdings
from edge.index.index import SegmentedIndex
from edge.index.options import Options
from edge.index.segment import Segment

_log = logging.getLogger(__name__)
WARM_BYTES = 128 << 20
"""Bytes of segments, the newest, that the kernel is asked to read ahead."""
_UNCLEAN_BEFORE_READING = 2
"""Openings in a row that were not followed by a closing, after which all files are read once before they are used."""
_NOTHING = Manifest("", 0, ())


def open_index(
    folder: Path, embedder: str, dimension: int, log: VectorLog, options: Options | None = None
) -> SegmentedIndex:
    """Open the index of an embedder's vectors, made if there is none, and bring it up to the store's state.

    It takes in what is new while that is little; what is missing beyond that is rebuilt by `step`. Raises
    StoreReadOnly, DiskFull, StoreFailed where the folder cannot be used.
    """
    shape = Shape(embedder, dimension)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        manifest, unfit = _read(folder, shape, log)
        suspect = files.count_opening(folder) >= _UNCLEAN_BEFORE_READING
        segments, damaged = _open_segments(folder, shape, manifest, suspect=suspect)
        files.clean(folder, {segment.entry.name for segment in segments})
    except OSError as error:
        raise storage_error(folder, error) from error
    holdings = Holdings(folder, shape, log, options or Options(), segments, manifest.blanked)
    holdings.unfit += damaged if unfit is None else [str(unfit)]
    holdings.aside_is_foreign = files.aside_is_foreign(folder, shape)
    if holdings.aside_is_foreign and not holdings.gaps:
        files.drop_aside(folder)
    return SegmentedIndex(holdings)


def _read(folder: Path, shape: Shape, log: VectorLog) -> tuple[Manifest, IndexUnfit | None]:
    """The manifest, and why it was moved aside with all other files, where it does not fit."""
    try:
        manifest = files.read_manifest(folder, shape)
        if manifest is None and any(path.suffix == files.ROWS_SUFFIX for path in files.own_files(folder)):
            raise IndexUnfit(f"{files.MANIFEST} is missing")
        if manifest is not None and not log.has_mark(shape.embedder, manifest.mark):
            raise IndexUnfit("it was written for another database, or for another state of this one")
    except IndexUnfit as error:
        aside = files.move_aside(folder, files.own_files(folder))
        _log.warning("the vector index does not fit: %s; it was moved to %s and is built anew", error, aside)
        return _NOTHING, error
    return manifest or _NOTHING, None


def _open_segments(folder: Path, shape: Shape, manifest: Manifest, *, suspect: bool) -> tuple[list[Segment], list[str]]:
    """The segments that fit, and why others do not; `suspect` ones are read whole before they are mapped."""
    segments: list[Segment] = []
    unfit: list[tuple[Entry, str]] = []
    for entry in manifest.segments:
        try:
            if suspect:
                _read_whole(files.graph_path(folder, entry.name))
            segments.append(Segment(folder, shape, entry))
        except IndexUnfit as error:
            unfit.append((entry, str(error)))
    if unfit:
        names = {entry.name for entry, _ in unfit}
        aside = files.move_aside(folder, [path for path in files.own_files(folder) if path.stem in names])
        for _, reason in unfit:
            _log.warning(
                "a part of the vector index does not fit: %s; it was moved to %s and is built anew", reason, aside
            )
    _warm(segments)
    return segments, [reason for _, reason in unfit]


def _read_whole(path: Path) -> None:
    try:
        files.read_whole(path)
    except FileNotFoundError:
        return  # an empty segment has no graph, and of another it is missed when it is opened
    except OSError as error:
        raise IndexUnfit(f"{path.name} cannot be read: {error}") from error


def _warm(segments: list[Segment]) -> None:
    left = WARM_BYTES
    for segment in reversed(segments):
        left -= segment.bytes
        segment.advise(warm=left >= 0)
