"""The files of an index: which there are, and how they are written so that no crash leaves a wrong one.

`manifest.json` names the live segments; it is replaced last and at once. A segment NAME is two files: `NAME.hnsw` is
what hnswlib wrote, `NAME.rows` says what is in it (see `sidefile`). They are written under another name, brought to
the disk, renamed, and never changed afterwards but for vectors that are blanked when their units are forgotten.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from edge.disk import cause_of, sync_file, sync_folder
from edge.errors import EdgeError

FORMAT = 2
MANIFEST = "manifest.json"
UNCLEAN = "unclean"
"""File that counts how often in a row the index was opened and not closed. A block of a card that cannot be read ends
the process when it is touched through a map, and would do so again after every start."""
ASIDE = "unfit"
"""Folder that takes files which did not fit; it holds the last ones only."""
GRAPH_SUFFIX, ROWS_SUFFIX, TEMPORARY = ".hnsw", ".rows", ".tmp"
_NAME_CHARACTERS = 16
_CHUNK = 1 << 20
_GREATEST = 2**63 - 1
"""Number that the store can give."""


class IndexUnfit(Exception):
    """A file of the index is not the one that is asked for, or not whole; says why."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What an index is made for. Two of different shape have nothing in common."""

    embedder: str
    dimension: int
    links: int = 16
    """M of hnswlib: most links of an element in each upper level; twice as many in the lowest."""
    ef_construction: int = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A segment in the manifest: the embeddings with `after` < number <= `through`, but for those of units that were
    forgotten up to number `forgotten` of the store's list, and of superseded ones."""

    name: str
    sha256: str
    """Of the rows file, which holds the sums of the graph's file."""
    after: int
    through: int
    forgotten: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The live segments by ascending interval. `mark` is known to the store they were built from; `blanked`: the
    vectors of all units that were forgotten up to this number are gone from the files."""

    mark: str
    blanked: int
    segments: tuple[Entry, ...]


def write_manifest(folder: Path, shape: Shape, manifest: Manifest) -> None:
    """Put it in place of the one before. Raises OSError; then the old one stays."""
    content = {
        **stamp(shape),
        "mark": manifest.mark,
        "blanked": manifest.blanked,
        "segments": [asdict(entry) for entry in manifest.segments],
    }
    temporary = folder / (MANIFEST + TEMPORARY)
    temporary.write_text(json.dumps({**content, "sha256": _digest(content)}, indent=1), encoding="utf-8")
    sync_file(temporary)
    sync_folder(folder)  # the segments' names are on the disk before the manifest gives them
    temporary.replace(folder / MANIFEST)
    sync_folder(folder)


def stamp(shape: Shape) -> dict[str, Any]:
    """What every file of an index says of its kind."""
    return {"format": FORMAT, **asdict(shape)}


def check_stamp(content: Mapping[str, Any], shape: Shape, whose: str) -> None:
    """Raise IndexUnfit for a file of another kind; `whose` is how to speak of one of its fields, such as "its {}"."""
    for key, value in stamp(shape).items():
        if content.get(key) != value:
            raise IndexUnfit(f"{whose.format(key)} is {content.get(key)!r}, not {value!r}")


@contextmanager
def reading(path: Path) -> Iterator[BufferedReader]:
    """A file to read or map. Raises IndexUnfit where it is missing, and where it cannot be read in the block."""
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise IndexUnfit(f"{path.name} is missing") from error
    except (OSError, ValueError) as error:
        raise IndexUnfit(f"{path.name} cannot be read: {error}") from error


def read_manifest(folder: Path, shape: Shape) -> Manifest | None:
    """The manifest, None where there is none. Raises IndexUnfit with the reason."""
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise IndexUnfit(f"{MANIFEST} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise IndexUnfit(f"{MANIFEST} does not describe an index")
    digest = content.pop("sha256", None)
    check_stamp(content, shape, "its {}")
    if digest != _digest(content):
        raise IndexUnfit(f"{MANIFEST} has another sha256 than it says")
    try:
        entries = tuple(Entry(**entry) for entry in content["segments"])
        manifest = Manifest(content["mark"], content["blanked"], entries)
    except (KeyError, TypeError) as error:
        raise IndexUnfit(f"{MANIFEST} does not describe an index") from error
    if not _is_sound(manifest):
        raise IndexUnfit(f"{MANIFEST} does not describe an index")
    return manifest


def _is_sound(manifest: Manifest) -> bool:
    """Whether everything in it is of its type, each name is its file's, and the intervals follow one another."""
    segments = manifest.segments
    texts = [manifest.mark, *(text for entry in segments for text in (entry.name, entry.sha256))]
    ends = [end for entry in segments for end in (entry.after, entry.through)]
    numbers = [manifest.blanked, *ends, *(entry.forgotten for entry in segments)]
    return (
        all(isinstance(text, str) for text in texts)
        and all(type(number) is int and 0 <= number <= _GREATEST for number in numbers)
        and all(entry.sha256.startswith(entry.name) and entry.after < entry.through for entry in segments)
        and ends == sorted(ends)
    )


def graph_path(folder: Path, name: str) -> Path:
    """Where the graph of a segment is."""
    return folder / (name + GRAPH_SUFFIX)


def rows_path(folder: Path, name: str) -> Path:
    """Where a segment says what is in it."""
    return folder / (name + ROWS_SUFFIX)


def name_of(sha256: str) -> str:
    """The name of a segment whose rows file has this hash."""
    return sha256[:_NAME_CHARACTERS]


def move_aside(folder: Path, paths: Iterable[Path]) -> Path:
    """Put files into a folder of their own, in place of what was put there before; gives that folder."""
    aside = folder / ASIDE
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    for path in paths:
        with suppress(FileNotFoundError):
            path.rename(aside / path.name)
    sync_folder(folder)
    return aside


def drop_aside(folder: Path) -> None:
    """Delete what was moved aside."""
    shutil.rmtree(folder / ASIDE, ignore_errors=True)


def aside_is_foreign(folder: Path, shape: Shape) -> bool:
    """Whether what was moved aside has a manifest that is whole: it is of another state of the store."""
    try:
        return read_manifest(folder / ASIDE, shape) is not None
    except IndexUnfit:
        return False


def count_opening(folder: Path) -> int:
    """Note that the index is open; how often before it was not closed, in a row since the machine was started: what is
    unplugged every evening shall not start slowly every morning."""
    path, boot = folder / UNCLEAN, _boot()
    count = 0
    with suppress(OSError, ValueError):
        known, before = path.read_text().split()
        count = int(before) if known == boot else 0
    with suppress(OSError):
        path.write_text(f"{boot} {count + 1}")
    return count


def _boot() -> str:
    """The kernel's name of the time since it was started; one name for all where it does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def note_closing(folder: Path) -> None:
    """Note that the index was closed in order."""
    with suppress(OSError):
        (folder / UNCLEAN).unlink(missing_ok=True)


def read_whole(path: Path) -> None:
    """Read a file to its end, to learn whether it can be read. Raises OSError."""
    with path.open("rb") as file:
        while file.read(_CHUNK):
            pass


def own_files(folder: Path) -> list[Path]:
    """Files and leftovers of an index, whether they are live or not."""
    endings = (GRAPH_SUFFIX, ROWS_SUFFIX, TEMPORARY)
    return sorted(path for path in folder.iterdir() if path.name == MANIFEST or path.suffix in endings)


def named_segments(folder: Path, shape: Shape) -> set[str]:
    """The segments that the manifest on the disk names; none where it is unfit."""
    try:
        manifest = read_manifest(folder, shape)
    except IndexUnfit:
        return set()
    return set() if manifest is None else {entry.name for entry in manifest.segments}


def clean(folder: Path, live: Collection[str], *, building: bool = False) -> None:
    """Delete files of segments that are not live, and leftovers of a write that was cut off; while a
    segment is `building`, not its files."""
    for path in own_files(folder):
        leftover = not building if path.suffix == TEMPORARY else path.stem not in live
        if path.name != MANIFEST and leftover:
            path.unlink()


def storage_error(folder: Path, error: OSError) -> EdgeError:
    """What a failed write to the index's folder means to a person."""
    return cause_of(error)(f"The vector index cannot be kept in {folder}: {error.strerror or error}.")


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
