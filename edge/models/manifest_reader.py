"""Reading the manifest's TOML: every field is checked, and an error names the entry and the field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from edge.errors import ManifestInvalid
from edge.models.manifest import HubSource, Manifest, Model, ModelFile, ModelId, PypiSource, Role, Source, WheelPart

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REVISION = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_PATH = re.compile(r"[A-Za-z0-9_{][A-Za-z0-9._/{}-]*")
# One exact version and nothing else: the text becomes an argument of pip.
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._{}-]*==[0-9][0-9A-Za-z.]*")
_TOP = "top level"
_TEXT = re.compile(r"\S(.*\S)?")


class _Table:
    """A table of the manifest that knows its name for errors, and which of its fields were not asked for."""

    def __init__(self, entry: str, values: object) -> None:
        self.entry = entry
        if not isinstance(values, dict):
            self.fail("", "must be a table")
        self._values: dict[str, Any] = dict(values)

    def fail(self, field: str, why: str) -> NoReturn:
        where = f"{self.entry}, field {field!r}" if field else self.entry
        raise ManifestInvalid(f"The manifest's {where}: {why}.", entry=self.entry, field=field)

    def _take(self, field: str) -> Any:
        if field not in self._values:
            self.fail(field, "is missing")
        return self._values.pop(field)

    def has(self, field: str) -> bool:
        return field in self._values

    def text(self, field: str, form: re.Pattern[str] = _TEXT) -> str:
        value = self._take(field)
        if not isinstance(value, str) or not form.fullmatch(value):
            self.fail(field, f"{value!r} is not of the right form")
        return value

    def count(self, field: str, least: int = 1) -> int:
        value = self._take(field)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.fail(field, f"{value!r} is not a whole number of at least {least}")
        return value

    def flag(self, field: str) -> bool:
        value = self._values.pop(field, False)
        if not isinstance(value, bool):
            self.fail(field, f"{value!r} is neither true nor false")
        return value

    def table(self, field: str) -> _Table:
        return _Table(self._label(field), self._take(field))

    def tables(self, field: str) -> list[_Table]:
        values = self._take(field)
        if not isinstance(values, list) or not values:
            self.fail(field, "must be a list of tables with at least one")
        return [_Table(self._label(f"{field} {number}"), value) for number, value in enumerate(values, start=1)]

    def _label(self, name: str) -> str:
        return name if self.entry == _TOP else f"{self.entry}, {name}"

    def end(self) -> None:
        for field in self._values:
            self.fail(field, "is not a known field")


def read_manifest(path: Path) -> Manifest:
    """Read and check a manifest. Raises ManifestInvalid, which names the entry and the field."""
    root = _Table(_TOP, _load(path))
    models = tuple(_read_model(table) for table in root.tables("model"))
    root.end()
    _require_distinct(root, "model", (model.id for model in models))
    for role in Role:
        if sum(model.default for model in models if model.role is role) != 1:
            root.fail("model", f"exactly one {role} model must be the default")
    return Manifest(models)


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as failure:
        raise ManifestInvalid(f"The manifest {path} cannot be read: {failure.strerror}.", path=str(path)) from failure
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as failure:
        raise ManifestInvalid(f"The manifest {path} is not TOML: {failure}.", path=str(path)) from failure


def _require_distinct(table: _Table, field: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            table.fail(field, f"{name!r} is there twice")
        seen.add(name)


def _read_model(table: _Table) -> Model:
    model_id = table.text("id", _PLAIN_NAME)
    table.entry = f"model {model_id}"
    model = Model(
        id=ModelId(model_id),
        role=_read_role(table),
        architecture=table.text("architecture", _PLAIN_NAME),
        parameters=table.count("parameters"),
        licence=table.text("licence"),
        trained_context=table.count("trained_context"),
        min_memory_mb=table.count("min_memory_mb"),
        kv_bytes_per_token=table.count("kv_bytes_per_token", least=0),
        default=table.flag("default"),
        files=tuple(_read_file(file) for file in table.tables("file")),
    )
    _require_distinct(table, "file", (file.name for file in model.files))
    table.end()
    return model


def _read_role(table: _Table) -> Role:
    role = table.text("role")
    if role not in set(Role):
        table.fail("role", f"{role!r} is none of {', '.join(Role)}")
    return Role(role)


def _read_file(table: _Table) -> ModelFile:
    name = table.text("name", _PLAIN_NAME)
    size = table.count("bytes")
    sha256 = table.text("sha256", _SHA256)
    sources = tuple(_read_source(source, size) for source in table.tables("source"))
    table.end()
    return ModelFile(name, size, sha256, sources)


def _read_source(table: _Table, size: int) -> Source:
    source = _read_pypi(table.table("pypi"), size) if table.has("pypi") else _read_hub(table.table("hub"))
    table.end()
    return source


def _read_hub(table: _Table) -> HubSource:
    source = HubSource(
        repository=table.text("repository", _REPOSITORY),
        revision=table.text("revision", _REVISION),
        path=table.text("path", _PATH),
    )
    table.end()
    return source


def _read_pypi(table: _Table, size: int) -> PypiSource:
    requirement = table.text("requirement", _REQUIREMENT)
    member = table.text("member", _PATH)
    parts = table.count("parts") if table.has("parts") else 1
    part_bytes = table.count("part_bytes") if parts > 1 else size
    table.end()
    last = size - part_bytes * (parts - 1)
    if not 0 < last <= part_bytes:
        table.fail("part_bytes", f"{parts} parts of {part_bytes} bytes do not make the file's {size}")
    if parts > 1 and ("{n}" not in requirement or "{n" not in member):
        table.fail("requirement", "several parts need {n} in requirement and member")
    sizes = [part_bytes] * (parts - 1) + [last]
    return PypiSource(
        tuple(
            WheelPart(_numbered(requirement, number), _numbered(member, number), part)
            for number, part in enumerate(sizes, start=1)
        )
    )


def _numbered(pattern: str, number: int) -> str:
    return pattern.replace("{nn}", f"{number:02}").replace("{n}", str(number))
