import errno
import shutil
from pathlib import Path

import hnswlib
import numpy as np
import pytest

from edge.index import building
from edge.index.building import ELEMENT_BYTES, Job, build_segment, capacity_of
from edge.index.files import Shape, graph_path, name_of
from edge.index.segment import Segment
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import EMBEDDER, built, built_entry, filled, finish, more

SHAPE = Shape(EMBEDDER, 8)


def held(segment: Segment) -> list[int]:
    return sorted(segment.units.tolist())


def test_it_holds_the_embeddings_of_its_interval(tmp_path: Path) -> None:
    log = filled(300)
    segment = built(tmp_path, log, 50, 170)
    assert held(segment) == list(range(51, 171))
    assert (segment.entry.after, segment.entry.through) == (50, 170)
    assert segment.entry.name == name_of(segment.entry.sha256)
    rows = [segment.units.tolist().index(unit) for unit in (51, 170)]
    assert np.array_equal(segment.records.vectors(0, 120)[rows], log.vectors[[50, 169]])


def test_superseded_units_are_left_out_and_noted(tmp_path: Path) -> None:
    log = filled(100)
    log.supersede([3, 7, 90])
    segment = built(tmp_path, log)
    assert held(segment) == sorted(set(range(1, 101)) - {3, 7, 90})
    assert segment.left_out.tolist() == [3, 7, 90]


def test_what_is_left_out_is_read_in_steps_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_READ", 32)
    log = filled(320)
    log.supersede(range(1, 321))
    steps = list(build_segment(tmp_path, SHAPE, log, Job(0, 320, 0, 1000), 1))
    assert steps == [0] * 10


def test_an_interval_without_embeddings_makes_no_files(tmp_path: Path) -> None:
    log = filled(20)
    log.forget(range(5, 15))
    assert built_entry(tmp_path, log, 4, 14) is None
    assert list(tmp_path.iterdir()) == []


def test_it_ends_where_its_capacity_does(tmp_path: Path) -> None:
    log = filled(3000)
    log.supersede(range(1, 101))
    build = build_segment(tmp_path, SHAPE, log, Job(0, 3000, 0, 2000), 1)
    entry = finish(build)
    assert entry is not None
    assert (entry.after, entry.through) == (0, 2100)
    assert held(Segment(tmp_path, SHAPE, entry)) == list(range(101, 2101))


def test_its_steps_are_small_and_say_how_far_it_is(tmp_path: Path) -> None:
    log = filled(1000)
    build = build_segment(tmp_path, SHAPE, log, Job(0, 1000, 0, 5000), 1)
    done = []
    while (step := next(build, None)) is not None:
        done.append(step)
    assert done[:4] == [16, 32, 48, 64]
    assert done == sorted(done)
    assert done[-1] == 1000


def test_what_is_kept_during_a_build_is_not_in_it(tmp_path: Path) -> None:
    log = filled(200)
    build = build_segment(tmp_path, SHAPE, log, Job(0, 200, 0, 5000), 1)
    next(build)
    more(log, 100, first=201, seed=2)
    entry = finish(build)
    assert entry is not None
    assert entry.through == 200
    assert held(Segment(tmp_path, SHAPE, entry)) == list(range(1, 201))


def test_two_builds_of_the_same_are_the_same(tmp_path: Path) -> None:
    log = filled(500)
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    assert built(one, log).entry == built(other, log).entry
    assert [path.read_bytes() for path in sorted(one.iterdir())] == [
        path.read_bytes() for path in sorted(other.iterdir())
    ]


@pytest.mark.parametrize("dimension", [8, 384])
@pytest.mark.parametrize("build_bytes", [64 << 20, 256 << 20])
def test_the_capacity_keeps_the_build_inside_its_memory(dimension: int, build_bytes: int) -> None:
    shape = Shape("made-up", dimension)
    capacity = capacity_of(shape, build_bytes)
    graph = hnswlib.Index("ip", dimension)
    graph.init_index(1000, M=shape.links, ef_construction=shape.ef_construction)
    graph.add_items(clustered(1000, dimension, seed=1), num_threads=1)
    record = 4 * (1 + 2 * shape.links + dimension + 2)
    assert record < graph.index_file_size() / 1000 < record + ELEMENT_BYTES
    assert 0.8 * build_bytes < capacity * (record + ELEMENT_BYTES) + building._RESERVE <= build_bytes


def test_the_least_capacity_is_a_few() -> None:
    assert capacity_of(SHAPE, 0) == 64


def test_a_build_without_room_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match="no room") as error:
        built(tmp_path, filled(100))
    assert error.value.errno == errno.ENOSPC
    assert all(path.stat().st_size == 0 for path in tmp_path.iterdir())


class Short(hnswlib.Index):  # type: ignore[misc]
    def save_index(self, path: str) -> None:
        Path(path).write_bytes(b"cut")


class Wrong(hnswlib.Index):  # type: ignore[misc]
    def save_index(self, path: str) -> None:
        super().save_index(path)
        content = bytearray(Path(path).read_bytes())
        content[-4:] = b"\x01\x00\x00\x00"
        Path(path).write_bytes(content)


@pytest.mark.parametrize(("kind", "reason"), [(Short, "written short"), (Wrong, "written wrong")])
def test_a_graph_that_was_written_otherwise_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type, reason: str
) -> None:
    monkeypatch.setattr(hnswlib, "Index", kind)
    with pytest.raises(OSError, match=reason) as error:
        built(tmp_path, filled(100))
    assert error.value.errno == errno.EIO


def test_only_the_owner_may_read_the_graph(tmp_path: Path) -> None:
    segment = built(tmp_path, filled(30))
    assert graph_path(tmp_path, segment.entry.name).stat().st_mode & 0o077 == 0


def test_a_unit_that_is_superseded_between_two_reads_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_READ", 32)
    log = VectorLog(8)
    log.keep([1 + place // 2 for place in range(63)], filled(63).vectors)
    more(log, 37, first=100)
    build = build_segment(tmp_path, SHAPE, log, Job(0, 100, 0, 5000), 1)
    next(build)
    log.supersede([16, 17])
    entry = finish(build)
    assert entry is not None
    segment = Segment(tmp_path, SHAPE, entry)
    assert segment.left_out.tolist() == [17]
    assert held(segment).count(16) == 2
