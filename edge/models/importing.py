"""Copying model files in from a folder or a USB stick, for machines without a network."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from edge.errors import ModelDamaged, ModelFileUnknown
from edge.models.disk import (
    FreeBytes,
    chunks_of,
    free_bytes,
    locked,
    put_in_place,
    require_space,
    sha256_of,
    storage_errors,
)
from edge.models.files import ModelFiles, State
from edge.models.manifest import Manifest, Model, ModelFile
from edge.models.partial import drop_partial
from edge.models.progress import Phase, Progress, Report, silent


@dataclass(frozen=True, slots=True)
class Imported:
    """A file that is in its place now; `copied` is false where a right one was there already."""

    model: Model
    file: ModelFile
    path: Path
    copied: bool


def import_path(
    files: ModelFiles, path: Path, report: Report = silent, free_of: FreeBytes = free_bytes
) -> tuple[Imported, ...]:
    """Copy a model file in, or every model file of a folder and the folders in it, whatever their names are.

    Raises ModelFileUnknown where the file, or no file of the folder, is in the manifest; ModelDamaged where the
    copy differs from what was read first; DiskFull, StoreReadOnly, StoreFailed.
    """
    if path.is_dir():
        return _import_folder(files, path, report, free_of)
    sha256 = _sha256_of_source(path, report)
    if not files.manifest.files_with(sha256):
        raise _unknown_file(files.manifest, path, sha256)
    return _import_known(files, path, sha256, report, free_of)


def _import_folder(files: ModelFiles, folder: Path, report: Report, free_of: FreeBytes) -> tuple[Imported, ...]:
    imported: list[Imported] = []
    for path in _candidates(files.manifest, folder):
        sha256 = _sha256_of_source(path, report)
        imported += _import_known(files, path, sha256, report, free_of)
    if not imported:
        raise ModelFileUnknown(f"No file in {folder} is one of the manifest's models.", path=str(folder))
    return tuple(imported)


def _candidates(manifest: Manifest, folder: Path) -> Iterator[Path]:
    """Files under a folder whose size is that of a model file; the others need not be read."""
    sizes = {file.bytes for model in manifest.models for file in model.files}
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            if path.is_file() and path.stat().st_size in sizes:
                yield path


def _sha256_of_source(path: Path, report: Report) -> str:
    try:
        size = path.stat().st_size
        return sha256_of(path, lambda done: report(Progress(Phase.CHECKING, "", path.name, done, size, str(path))))
    except OSError as failure:
        message = f"{path} cannot be read: {failure.strerror}."
        raise ModelFileUnknown(message, hint="Check the path, and that you may read it.", path=str(path)) from failure


def _unknown_file(manifest: Manifest, path: Path, sha256: str) -> ModelFileUnknown:
    size = path.stat().st_size
    namesakes = [file for model in manifest.models for file in model.files if file.name == path.name]
    expected = "".join(f" The manifest's {file.name} has {file.bytes} bytes, {file.sha256}." for file in namesakes)
    return ModelFileUnknown(
        f"{path} is none of the manifest's files: it has {size} bytes and the sha256 {sha256}.{expected}",
        path=str(path),
        bytes=size,
        sha256=sha256,
    )


def _import_known(
    files: ModelFiles, path: Path, sha256: str, report: Report, free_of: FreeBytes
) -> tuple[Imported, ...]:
    return tuple(
        _import_as(files, path, model, file, report, free_of)
        for model, file in files.manifest.files_with(sha256)
    )  # fmt: skip


def _import_as(
    files: ModelFiles, path: Path, model: Model, file: ModelFile, report: Report, free_of: FreeBytes
) -> Imported:
    found = files.check_file(model, file, report)
    if found.state is State.PRESENT:
        return Imported(model, file, found.path, copied=False)
    folder = files.home(model)
    waiting = Progress(Phase.WAITING, model.id, file.name, 0, file.bytes, "another fetch or import of this model")
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder, lambda: report(waiting)):
            require_space(folder, file.bytes, free_of)
            _copy(path, folder / file.name, model, file, report)
            drop_partial(folder / file.name)
    return Imported(model, file, files.check_file(model, file, report).path, copied=True)


def _copy(source: Path, target: Path, model: Model, file: ModelFile, report: Report) -> None:
    """Copy under another name, check what was copied, and only then give it its name."""
    temporary = target.with_name(f".{target.name}.import")
    try:
        digest, done = hashlib.sha256(), 0
        with temporary.open("wb") as out:
            for chunk in chunks_of(source):
                out.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                report(Progress(Phase.COPYING, model.id, file.name, done, file.bytes, str(source)))
            out.flush()
            os.fsync(out.fileno())
        if digest.hexdigest() != file.sha256:
            raise ModelDamaged(
                f"{source} changed while it was copied; nothing was imported.",
                hint="Check the stick or disk it is on, and try again.",
                path=str(source),
            )
        put_in_place(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
