"""The vector index: the same neighbours as hnswlib, how fast, with which filter, and what it takes of the memory.

Building and searching are each done in a process of its own, so that one's memory is not taken for the other's.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import hnswlib
import numpy as np

from edge.engine.ports import Mask, Vector
from edge.engine.vector_ports import VectorLog
from edge.index.files import Shape, graph_path, read_manifest
from edge.index.index import SegmentedIndex
from edge.index.layout import Rows
from edge.index.opening import open_index
from edge.index.options import Options
from edge.index.parts import cosines_of, highest
from edge.index.segment import SEARCH_EF, Segment
from edge.models.device import usable_cpus
from scripts.benchmarks.made_up_vectors import DIMENSION, FileLog, clustered, read_vectors, write_vectors
from scripts.benchmarks.private_memory import peak_of_private_bytes, private_bytes
from scripts.benchmarks.report import NOISE, Report, Table, spread
from scripts.benchmarks.vector_store import fill_store, vector_store

T = TypeVar("T")
_EMBEDDER = "made-up/384"
_LIMIT = 10
_QUESTIONS_SEED = 1_000_003
_SELECTIVITIES = (0.5, 0.1, 0.01, 0.001)
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: how many vectors, how many questions, the memory that a build may take, and whether the vectors
    come out of a real database."""

    vectors: int
    questions: int
    build_mb: int
    store: bool

    @property
    def options(self) -> Options:
        return Options(threads=len(usable_cpus()), build_bytes=self.build_mb * _MIB)


@dataclass(frozen=True, slots=True)
class Built:
    """Seconds of building, private bytes at its peak above those at its start, the milliseconds that its steps took,
    and those in which their thread computed."""

    seconds: float
    peak: int
    steps: Sequence[float]
    computed: Sequence[float]


@dataclass(frozen=True, slots=True)
class Searched:
    """One size. Times in milliseconds; `same` lists of all are hnswlib's; `grown` private bytes since opening."""

    segments: int
    disk: int
    opened: float
    grown: int
    whole: Sequence[float]
    graph: Sequence[float]
    library: Sequence[float]
    exact: Sequence[float]
    same: int
    filters: Sequence[tuple[float, float, float]]
    """Share of the units that is allowed, recall at 10, median time."""


def measure_index(sizes: Sequence[int], questions: int, build_mb: int, *, store: bool) -> Report:
    """Build, open and ask an index of each size, made anew in a temporary folder."""
    report = Report("index")
    built: list[tuple[int, Built, Searched]] = []
    for size in sizes:
        plan = Plan(size, questions, build_mb, store)
        with tempfile.TemporaryDirectory() as folder:
            _apart(_write, Path(folder), plan)
            made = _apart(_build, Path(folder), plan)
            built.append((size, made, _apart(_search, Path(folder), plan)))
    report.tables = [_speeds(built, questions), _filters(built), _memory(built, build_mb), _steps(built)]
    return report


def _speeds(built: Sequence[tuple[int, Built, Searched]], questions: int) -> Table:
    rows = [
        (
            f"{size:,}",
            searched.segments,
            *spread(searched.whole),
            spread(searched.graph)[0],
            spread(searched.library)[0],
            spread(searched.exact)[0],
            f"{searched.same} of {questions}",
        )
        for size, _, searched in built
    ]
    columns = ("vectors", "segments", "median ms", "p95 ms", "walks ms", "hnswlib ms", "exact ms", "same lists")
    note = (
        f"Made-up clustered vectors of {DIMENSION} dimensions, the {_LIMIT} nearest, ef {SEARCH_EF}, one thread. The "
        "times are of the whole search;\n  `walks`: of the walks through all graphs alone; `hnswlib`: of its own "
        "search in the same files, loaded into memory; `exact`: of comparing\n  with every float32 vector. "
        f"`same lists`: questions to which all walks give hnswlib's list at the same ef. {NOISE}"
    )
    return Table("Index: searching", columns, rows, note)


def _filters(built: Sequence[tuple[int, Built, Searched]]) -> Table:
    rows = [
        (f"{size:,}", f"{100 * share:g}%", recall, milliseconds)
        for size, _, searched in built
        for share, recall, milliseconds in searched.filters
    ]
    return Table("Index: searching among allowed units", ("vectors", "allowed", "recall@10", "median ms"), rows)


def _memory(built: Sequence[tuple[int, Built, Searched]], build_mb: int) -> Table:
    rows = [
        (f"{size:,}", made.seconds, made.peak / _MIB, build_mb, searched.opened, searched.grown / _MIB, searched.disk)
        for size, made, searched in built
    ]
    columns = ("vectors", "build s", "peak MiB", "bound MiB", "opens in ms", "grown MiB", "files MB")
    note = "Private memory, without mapped files: the peak of building, and from opening to after all questions."
    return Table("Index: building, opening, memory", columns, rows, note)


def _steps(built: Sequence[tuple[int, Built, Searched]]) -> Table:
    rows = [
        (f"{size:,}", len(made.steps), *spread(made.steps), max(made.steps), max(made.computed))
        for size, made, _ in built
    ]
    columns = ("vectors", "steps", "median ms", "p95 ms", "longest ms", "longest computing ms")
    note = (
        "A turn that comes waits for the step that is going on. `computing`: without waits for the disk and for a core."
    )
    return Table("Index: steps of building", columns, rows, note)


def _apart(work: Callable[[Path, Plan], T], folder: Path, plan: Plan) -> T:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        return process.submit(work, folder, plan).result()


def _write(folder: Path, plan: Plan) -> None:
    write_vectors(folder / "vectors", plan.vectors)
    if plan.store:
        fill_store(folder / "memory.db", _EMBEDDER, folder / "vectors")


@contextmanager
def _log(folder: Path, plan: Plan) -> Iterator[VectorLog]:
    if plan.store:
        with vector_store(folder / "memory.db") as store:
            yield store.vector_log
    else:
        yield FileLog(folder / "vectors")


def _open(folder: Path, log: VectorLog, options: Options) -> SegmentedIndex:
    return open_index(folder / "index", _EMBEDDER, DIMENSION, log, options)


def _build(folder: Path, plan: Plan) -> Built:
    with peak_of_private_bytes() as peak, _log(folder, plan) as log:
        started = time.perf_counter()
        index = _open(folder, log, plan.options)
        if not index.state().missing:  # few enough to stay in memory: build them all the same
            index = _open(folder, log, _sealing(plan))
        steps, computed, due = list[float](), list[float](), True
        while due:
            before = time.thread_time()
            due, took = _timed(index.step)
            computed.append((time.thread_time() - before) * 1000)
            steps.append(took)
        seconds = time.perf_counter() - started
    return Built(seconds, peak[0], steps, computed)


def _sealing(plan: Plan) -> Options:
    return Options(plan.options.threads, head_vectors=plan.vectors, build_bytes=plan.options.build_bytes)


def _search(folder: Path, plan: Plan) -> Searched:
    with _log(folder, plan) as log:
        return _searched(folder, plan, log)


def _searched(folder: Path, plan: Plan, log: VectorLog) -> Searched:
    questions = clustered(plan.questions, _QUESTIONS_SEED)
    before = private_bytes()
    started = time.perf_counter()
    index = _open(folder, log, plan.options)
    opened = (time.perf_counter() - started) * 1000
    whole = [_timed(partial(index.search, question, _LIMIT, None))[1] for question in questions]
    grown = private_bytes() - before
    state = index.state()
    filters = [_filtered(index, folder, plan, questions[:100], share) for share in _SELECTIVITIES]
    vectors = read_vectors(folder / "vectors")
    exact = [_timed(partial(_nearest, vectors, question))[1] for question in questions[:30]]
    graph, library, same = _beside_library(folder, questions)
    disk = sum(segment.bytes for segment in state.segments) // 1_000_000
    return Searched(len(state.segments), disk, opened, grown, whole, graph, library, exact, same, filters)


def _beside_library(folder: Path, questions: Vector) -> tuple[list[float], list[float], int]:
    """Each question to each segment's graph and to hnswlib with the same file: times, and how often all lists agree."""
    shape = Shape(_EMBEDDER, DIMENSION)
    manifest = read_manifest(folder / "index", shape)
    assert manifest is not None
    graph, library = [0.0] * len(questions), [0.0] * len(questions)
    agree = np.ones(len(questions), dtype=np.bool_)
    for entry in manifest.segments:
        segment = Segment(folder / "index", shape, entry)
        labels = segment.records.labels()
        theirs = hnswlib.Index("ip", DIMENSION)
        theirs.load_index(str(graph_path(folder / "index", entry.name)))
        theirs.set_ef(SEARCH_EF)
        for number, question in enumerate(questions):
            ours, took = _timed(partial(segment.graph.search, question, SEARCH_EF, None))
            graph[number] += took
            (found, _), took = _timed(partial(theirs.knn_query, question, k=_LIMIT, num_threads=1))
            library[number] += took
            agree[number] &= bool((labels[ours.rows[:_LIMIT]] == found[0].astype(np.int64)).all())
    return graph, library, int(np.count_nonzero(agree))


def _filtered(
    index: SegmentedIndex, folder: Path, plan: Plan, questions: Vector, share: float
) -> tuple[float, float, float]:
    allowed: Mask = np.random.default_rng(5).random(plan.vectors + 1) < share
    allowed[0] = False
    vectors = read_vectors(folder / "vectors")
    found, wanted, times = 0, 0, []
    units = np.flatnonzero(allowed)
    picked = vectors[units - 1]
    for question in questions:
        answer, took = _timed(partial(index.search, question, _LIMIT, allowed))
        times.append(took)
        nearest = units[_nearest(picked, question)]
        found += len({int(unit) for unit, _ in answer} & set(nearest.tolist()))
        wanted += len(nearest)
    return share, found / wanted, spread(times)[0]


def _nearest(vectors: Vector, question: Vector) -> Rows:
    return highest(cosines_of(vectors, question), _LIMIT)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - started) * 1000
