"""The files of a saved index, their format, and how they are written so that no crash leaves a wrong one.

`index.json` names the data files and says what they hold; it is replaced last and at once. `vectors-HASH.hnsw` is
what hnswlib writes, `units-HASH.i64` the unit of each label as little-endian int64, 0 for a removed one.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np

from edge.disk import cause_of, sync_folder
from edge.engine.ports import Ids, Vector
from edge.errors import EdgeError

FORMAT = 1
MANIFEST = "index.json"
ASIDE = "unfit"
"""Folder that takes files which did not fit; it holds the last ones only."""
_TEMPORARY = ".tmp"
_SPARE_BYTES = 1 << 20
_UNIT_TYPE = "<i8"

# hnswlib's header: six u64 (offsetLevel0, max_elements, count, size of an element, label offset, data offset), then
# level, entry point and parameters up to byte 96.
_HEADER_BYTES = 96


class IndexUnfit(Exception):
    """A saved index is not the one that is asked for, or not whole."""


class IndexStale(IndexUnfit):
    """A saved index is the right one but for the store's generation: an older state, with nothing wrong in it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What an index is made for. Two of different shape have nothing in common."""

    embedder: str
    dimension: int
    links: int = 16
    """M of hnswlib: links of an element in each upper level, half of those in the lowest."""
    ef_construction: int = 100


@dataclass(frozen=True, slots=True)
class Saved:
    """What is in the files: the graph, and by label the unit (0: removed) and the vector."""

    graph: hnswlib.Index
    units: Ids
    vectors: Vector


@dataclass(frozen=True, slots=True)
class _DataFile:
    name: str
    bytes: int
    sha256: str


def write_index(folder: Path, shape: Shape, saved: Saved, generation: int, *, drop_aside: bool) -> None:
    """Save an index in place of the one before, and with `drop_aside` delete what was once moved aside.

    Raises DiskFull, StoreReadOnly, StoreFailed; then the old one stays.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        graph = _write_data(folder, "vectors", ".hnsw", lambda path: _write_graph(path, saved))
        units = _write_data(folder, "units", ".i64", lambda path: path.write_bytes(_unit_bytes(saved.units)))
        content = {
            "format": FORMAT,
            **asdict(shape),
            "generation": generation,
            "count": len(saved.units),
            "graph": asdict(graph),
            "units": asdict(units),
        }
        _write_manifest(folder, json.dumps(content, indent=1))
        clean(folder, keep={MANIFEST, graph.name, units.name})
        if drop_aside:
            shutil.rmtree(folder / ASIDE, ignore_errors=True)
    except OSError as error:
        raise storage_error(folder, error) from error


def read_index(folder: Path, shape: Shape, generation: int) -> Saved | None:
    """The saved index, None where none was saved. Raises IndexUnfit, IndexStale with the reason.

    Nothing is given to hnswlib before its hash is checked: it trusts its file and crashes on a damaged one.
    """
    path = folder / MANIFEST
    if not path.exists():
        return None
    try:
        return _read(folder, _read_manifest(path), shape, generation)
    except OSError as error:
        raise IndexUnfit(f"it cannot be read: {error}") from error


def move_aside(folder: Path) -> Path:
    """Put what is saved into a folder of its own, in place of what was put there before; gives that folder."""
    aside = folder / ASIDE
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    for path in _own_files(folder):
        path.rename(aside / path.name)
    sync_folder(folder)
    return aside


def clean(folder: Path, keep: Collection[str]) -> None:
    """Delete what is not named: other data files and leftovers of a save that was cut off."""
    for path in _own_files(folder):
        if path.name not in keep:
            path.unlink()


def saved_files(folder: Path) -> set[str]:
    """Names of the files of a saved index that fits."""
    content = json.loads((folder / MANIFEST).read_bytes())
    return {MANIFEST, content["graph"]["name"], content["units"]["name"]}


def _own_files(folder: Path) -> list[Path]:
    endings = (".hnsw", ".i64", _TEMPORARY)
    return [path for path in folder.iterdir() if path.name == MANIFEST or path.suffix in endings]


def _write_data(folder: Path, stem: str, suffix: str, write: Callable[[Path], object]) -> _DataFile:
    """Write a file under a name made of its hash, so that it never replaces one that is in use."""
    temporary = folder / (stem + _TEMPORARY)
    write(temporary)
    _sync(temporary)
    digest = _sha256(temporary)
    path = folder / f"{stem}-{digest[:16]}{suffix}"
    temporary.rename(path)
    return _DataFile(path.name, path.stat().st_size, digest)


def _write_graph(path: Path, saved: Saved) -> None:
    """hnswlib reports no failure to write, so room is looked for before and the size checked after."""
    expected = saved.graph.index_file_size()
    path.write_bytes(b"")
    if shutil.disk_usage(path.parent).free < expected + _SPARE_BYTES:
        raise OSError(errno.ENOSPC, "no room for the vector index")
    saved.graph.save_index(str(path))
    if path.stat().st_size != expected:
        raise OSError(errno.EIO, "the vector index was written short")
    _blank_removed(path, saved.units)


def _blank_removed(path: Path, units: Ids) -> None:
    """Overwrite the vectors of removed units: what a person had forgotten does not stay on the disk."""
    removed = np.flatnonzero(units == 0)
    if len(removed):
        records = _records(path, mode="r+")
        records["vector"][np.isin(records["label"], removed)] = 0.0
        records.flush()


def _records(path: Path, mode: Any) -> Any:
    """The elements of hnswlib's file as a structured map, fields `vector` and `label`."""
    header = np.fromfile(path, dtype="<u8", count=6).tolist()
    _, _, count, size, label_offset, data_offset = header
    dimension = (label_offset - data_offset) // 4
    record = np.dtype(
        {
            "names": ["vector", "label"],
            "formats": [("<f4", (dimension,)), "<u8"],
            "offsets": [data_offset, label_offset],
            "itemsize": size,
        }
    )
    return np.memmap(path, dtype=record, mode=mode, offset=_HEADER_BYTES, shape=(count,))


def _unit_bytes(units: Ids) -> bytes:
    return units.astype(_UNIT_TYPE).tobytes()


def _write_manifest(folder: Path, text: str) -> None:
    temporary = folder / (MANIFEST + _TEMPORARY)
    temporary.write_text(text, encoding="utf-8")
    _sync(temporary)
    sync_folder(folder)  # the data files' names are on the disk before the manifest gives them
    temporary.replace(folder / MANIFEST)
    sync_folder(folder)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise IndexUnfit(f"{MANIFEST} cannot be read: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("count"), int):
        raise IndexUnfit(f"{MANIFEST} does not describe an index")
    return content


def _read(folder: Path, content: dict[str, Any], shape: Shape, generation: int) -> Saved:
    for key, value in {"format": FORMAT, **asdict(shape)}.items():
        if content.get(key) != value:
            raise IndexUnfit(f"its {key} is {content.get(key)!r}, not {value!r}")
    if content.get("generation") != generation:
        raise IndexStale(f"its generation is {content.get('generation')}, not {generation}")
    graph, units = _checked(folder, content, "graph"), _checked(folder, content, "units")
    return _load(graph, np.fromfile(units, dtype=_UNIT_TYPE).astype(np.int64), content["count"], shape)


def _checked(folder: Path, content: dict[str, Any], key: str) -> Path:
    """The path of a data file whose size and hash are right."""
    try:
        data = _DataFile(**content[key])
        path = folder / Path(data.name).name
        size = path.stat().st_size
    except (KeyError, TypeError, FileNotFoundError) as error:
        raise IndexUnfit(f"the file of its {key} is missing") from error
    if size != data.bytes:
        raise IndexUnfit(f"{path.name} has {size} bytes, not {data.bytes}")
    if _sha256(path) != data.sha256:
        raise IndexUnfit(f"{path.name} has another sha256 than {MANIFEST} says")
    return path


def _load(path: Path, units: Ids, count: int, shape: Shape) -> Saved:
    records = _records(path, mode="r")
    if not len(records) == len(units) == count or records.dtype["vector"].shape != (shape.dimension,):
        raise IndexUnfit(f"it holds {len(records)} vectors for {len(units)} labels, not {count}")
    vectors = np.zeros((count, shape.dimension), dtype=np.float32)
    vectors[records["label"].astype(np.int64)] = records["vector"]
    graph = hnswlib.Index("ip", shape.dimension)
    try:
        graph.load_index(str(path), max_elements=count)
    except RuntimeError as error:
        raise IndexUnfit(f"hnswlib refuses {path.name}: {error}") from error
    return Saved(graph, units, vectors)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def storage_error(folder: Path, error: OSError) -> EdgeError:
    """What a failed write to the index's folder means to a person."""
    return cause_of(error)(f"The vector index cannot be saved in {folder}: {error.strerror or error}.")
