"""The model files on this machine: where they are, and whether they are what the manifest says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from edge.errors import ModelDamaged, ModelMissing
from edge.models.disk import sha256_of
from edge.models.manifest import Manifest, Model, ModelFile
from edge.models.partial import partial_path
from edge.models.progress import Phase, Progress, Report, silent


class State(StrEnum):
    """Of a file: `partial` is the beginning of a fetch. Of a model: `partial` has some of its bytes."""

    PRESENT = "present"
    MISSING = "missing"
    PARTIAL = "partial"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """What was found of a file. `path` is where it is, or would be fetched to; `problem` says what is wrong with it."""

    file: ModelFile
    state: State
    path: Path
    found_bytes: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """What was found of a model, file by file."""

    model: Model
    files: tuple[FileCheck, ...]

    @property
    def state(self) -> State:
        """Damaged where any file is; present where all are; missing where none is there at all."""
        states = {check.state for check in self.files}
        if State.DAMAGED in states:
            return State.DAMAGED
        return states.pop() if len(states) == 1 else State.PARTIAL


class ModelFiles:
    """Model files in folders, as `<folder>/<model id>/<file name>`.

    All folders are searched, in order; the first one takes what is fetched or imported. A file that was checked once
    gets a stamp beside it (`<file>.verified`), which spares reading it again while size, time and inode stay.
    """

    def __init__(self, manifest: Manifest, folders: Sequence[Path]) -> None:
        if not folders:
            raise ValueError("at least one folder is needed")
        self.manifest = manifest
        self._folders = tuple(folders)

    def home(self, model: Model) -> Path:
        """The folder into which this model's files are fetched."""
        return self._folders[0] / model.id

    def check(self, model_id: str, report: Report = silent) -> ModelCheck:
        """Look at a model's files; reads those that have no valid stamp. Raises ModelUnknown."""
        model = self.manifest.model(model_id)
        return ModelCheck(model, tuple(self.check_file(model, file, report) for file in model.files))

    def verify(self, model_id: str, report: Report = silent) -> ModelCheck:
        """Read a model's files whole, whatever stamps there are. Raises ModelUnknown."""
        model = self.manifest.model(model_id)
        return ModelCheck(model, tuple(self.check_file(model, file, report, trust=False) for file in model.files))

    def usable_path(self, model_id: str, file_name: str, report: Report = silent) -> Path:
        """The path of a file that is whole and right. Raises ModelUnknown, ModelMissing or ModelDamaged."""
        model = self.manifest.model(model_id)
        check = self.check_file(model, model.file(file_name), report)
        if check.state is State.PRESENT:
            return check.path
        where = f"{check.file.name} of the model {model.id}"
        if check.state is State.DAMAGED:
            message = f"{where} is damaged: {check.path} {check.problem}."
            hint = f"Fetch it again with `edge models fetch {model.id}`, or copy it in with `edge models import FILE`."
            raise ModelDamaged(
                message, hint=hint, model=model.id, path=str(check.path),
                bytes=check.found_bytes, expected_bytes=check.file.bytes,
            )  # fmt: skip
        part = f"only in part ({check.found_bytes} of {check.file.bytes} bytes)" if check.found_bytes else "not"
        hint = f"Fetch it with `edge models fetch {model.id}`, or copy it in with `edge models import FILE`."
        raise ModelMissing(f"{where} is {part} on this machine.", hint=hint, model=model.id, file=check.file.name)

    def check_file(self, model: Model, file: ModelFile, report: Report = silent, *, trust: bool = True) -> FileCheck:
        """Look for one file in all folders: the first right one, else the first wrong one, else its beginning."""
        wrong = None
        for folder in self._folders:
            check = _check_at(folder / model.id / file.name, model, file, report, trust)
            if check.state is State.PRESENT:
                return check
            if check.state is State.DAMAGED:
                wrong = wrong or check
        return wrong or self._beginning(model, file)

    def _beginning(self, model: Model, file: ModelFile) -> FileCheck:
        target = self.home(model) / file.name
        try:
            size = partial_path(target).stat().st_size
        except OSError:
            return FileCheck(file, State.MISSING, target)
        return FileCheck(file, State.PARTIAL, target, size)


def _check_at(path: Path, model: Model, file: ModelFile, report: Report, trust: bool) -> FileCheck:
    try:
        status = path.stat()
        if status.st_size != file.bytes:
            problem = f"has {status.st_size} bytes, expected {file.bytes}"
            return FileCheck(file, State.DAMAGED, path, status.st_size, problem)
        if not (trust and _stamp_fits(path, status, file)):
            found = sha256_of(path, _checking(model, file, report))
            if found != file.sha256:
                problem = f"has {status.st_size} bytes as expected, but sha256 {found}, expected {file.sha256}"
                _drop_stamp(path)
                return FileCheck(file, State.DAMAGED, path, status.st_size, problem)
            _write_stamp(path, status, file)
    except (FileNotFoundError, NotADirectoryError):
        return FileCheck(file, State.MISSING, path)
    except OSError as failure:
        return FileCheck(file, State.DAMAGED, path, 0, f"cannot be read ({failure.strerror})")
    return FileCheck(file, State.PRESENT, path, status.st_size)


def _checking(model: Model, file: ModelFile, report: Report) -> Callable[[int], None]:
    return lambda done: report(Progress(Phase.CHECKING, model.id, file.name, done, file.bytes))


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _stamp_of(status: os.stat_result, file: ModelFile) -> dict[str, int | str]:
    return {
        "bytes": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "inode": status.st_ino,
        "sha256": file.sha256,
    }


def _stamp_fits(path: Path, status: os.stat_result, file: ModelFile) -> bool:
    try:
        stamp = json.loads(_stamp_path(path).read_bytes())
    except (OSError, ValueError):
        return False
    return bool(stamp == _stamp_of(status, file))


def _write_stamp(path: Path, status: os.stat_result, file: ModelFile) -> None:
    """Keep that a file is right. Taken from before it was read: a change in between makes the stamp unfit."""
    temporary = path.with_name(f".{path.name}.verified.{os.getpid()}")
    # In a folder of the system's that this user cannot write, or on a full disk, there is no stamp: it is read again
    # the next time.
    with suppress(OSError):
        try:
            temporary.write_text(json.dumps(_stamp_of(status, file)), encoding="ascii")
            temporary.replace(_stamp_path(path))
        finally:
            temporary.unlink(missing_ok=True)


def _drop_stamp(path: Path) -> None:
    with suppress(OSError):
        _stamp_path(path).unlink()
