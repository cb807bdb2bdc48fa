"""The manifest: which models there are, what their files must be, and where the bytes can be had.

`models/manifest.toml` at the root of the repository is the one truth; the file of that name beside this module is a
link to it, which a built package holds as a copy.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NewType

from edge.errors import ModelUnknown

ModelId = NewType("ModelId", str)
"""A model's name in the manifest, which is also the name of its folder."""


class Role(StrEnum):
    """What a model is for."""

    LANGUAGE = "language"
    EMBEDDER = "embedder"


@dataclass(frozen=True, slots=True)
class WheelPart:
    """A member of a wheel that holds one stretch of a file."""

    requirement: str
    member: str
    bytes: int


@dataclass(frozen=True, slots=True)
class PypiSource:
    """Members of wheels whose bytes, one after the other, are the file."""

    parts: tuple[WheelPart, ...]


@dataclass(frozen=True, slots=True)
class HubSource:
    """The publisher's own file at a revision (a git commit) of its repository."""

    repository: str
    revision: str
    path: str


Source = PypiSource | HubSource


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model: right if, and only if, its size and sha256 are these."""

    name: str
    bytes: int
    sha256: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """A model. `trained_context` is in tokens; `kv_bytes_per_token` is for an f16 cache, 0 for an embedder;
    `min_memory_mb` is the least memory of a device that it suits."""

    id: ModelId
    role: Role
    architecture: str
    parameters: int
    licence: str
    trained_context: int
    min_memory_mb: int
    kv_bytes_per_token: int
    default: bool
    files: tuple[ModelFile, ...]

    @property
    def bytes(self) -> int:
        """Size of all its files."""
        return sum(file.bytes for file in self.files)

    def file(self, name: str) -> ModelFile:
        """The file of that name. Raises ModelUnknown."""
        for file in self.files:
            if file.name == name:
                return file
        raise ModelUnknown(f"The model {self.id} has no file {name!r}.", model=self.id, file=name)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All models, in order of preference within a role."""

    models: tuple[Model, ...]

    def model(self, model_id: str) -> Model:
        """The model of that id. Raises ModelUnknown."""
        for model in self.models:
            if model.id == model_id:
                return model
        raise ModelUnknown(f"The manifest has no model {model_id!r}.", model=model_id)

    def default(self, role: Role) -> Model:
        """What a first run takes: the model that can be had everywhere."""
        return next(model for model in self.models if model.role is role and model.default)

    def ladder(self, role: Role, memory_mb: int) -> tuple[ModelId, ...]:
        """Ids that suit a device of that memory, best first. Empty where even the smallest asks for more."""
        return tuple(model.id for model in self.models if model.role is role and model.min_memory_mb <= memory_mb)

    def files_with(self, sha256: str) -> tuple[tuple[Model, ModelFile], ...]:
        """Every place that a file of that sha256 has; more than one where models share a file."""
        return tuple((model, file) for model in self.models for file in model.files if file.sha256 == sha256)


def device_memory_mb() -> int:
    """Memory of this device in MiB, as far as its kernel may use it (MemTotal of /proc/meminfo)."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (1024 * 1024)


def load_manifest(path: Path | None = None) -> Manifest:
    """Read and check a manifest; without a path, the one this package came with. Raises ManifestInvalid."""
    from edge.models.manifest_reader import read_manifest

    return read_manifest(path or Path(__file__).with_name("manifest.toml"))
