import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edge.engine.ports import Mask, Vector
from edge.index.files import IndexUnfit, Shape, graph_path, rows_path
from edge.index.layout import HEADER_BYTES
from edge.index.parts import EMPTY, Part
from edge.index.segment import Segment, SegmentDamaged
from edge.index.walk import Graph, Nearest
from edge.memory.units import UnitId
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import EMBEDDER, built, check_true, exact, filled, mask_of, walk_always

COUNT = 1500
QUERIES = clustered(25, 8, seed=2)


def answer(segment: Segment, query: Vector, wanted: int, allowed: Mask | None = None) -> list[tuple[int, float]]:
    """Its rows, each unit once."""
    part = segment.search(query, wanted, allowed)
    best: dict[int, float] = {}
    for unit, cosine in zip(part.units.tolist(), part.cosines.tolist(), strict=True):
        best.setdefault(unit, cosine)
    return list(best.items())


@pytest.fixture(params=["scan", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How it is searched: by comparing all, as these few rows would be, or by a walk wherever there is one."""
    if request.param == "walk":
        walk_always(monkeypatch)
    return str(request.param)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 0.01, 0.001, 0.0])
@pytest.mark.parametrize("wanted", [1, 10, 200])
def test_it_finds_the_nearest_of_the_allowed(tmp_path: Path, way: str, share: float, wanted: int) -> None:
    log = filled(COUNT)
    segment = built(tmp_path, log)
    allowed = np.random.default_rng(3).random(COUNT + 1) < share if share < 1 else None
    recall = [
        check_true([*map(_typed, answer(segment, query, wanted, allowed))], exact(log, query, allowed), wanted)
        for query in QUERIES
    ]
    assert np.mean(recall) >= (0.95 if way == "walk" else 1.0)
    part = segment.search(QUERIES[0], wanted, allowed)
    assert part.more == (len(exact(log, QUERIES[0], allowed)) > wanted)


def _typed(pair: tuple[int, float]) -> tuple[UnitId, float]:
    return UnitId(pair[0]), pair[1]


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_what_is_killed_is_not_found_and_the_rest_is(tmp_path: Path, way: str, share: float) -> None:
    log = filled(COUNT)
    segment = built(tmp_path, log)
    allowed = np.random.default_rng(3).random(COUNT + 1) < share if share < 1 else None
    luck = np.random.default_rng(4)
    for gone in (luck.choice(COUNT, 200), luck.choice(COUNT, 900), np.array([COUNT * 2])):
        segment.kill(gone)
        log.forget(gone.tolist())
        assert len(segment) == len(log.units)
        recall = [
            check_true([*map(_typed, answer(segment, query, 10, allowed))], exact(log, query, allowed), 10)
            for query in QUERIES
        ]
        assert np.mean(recall) >= 0.95
    segment.kill(np.arange(COUNT + 1))
    assert len(segment) == 0
    assert len(segment.search(QUERIES[0], 5, allowed).units) == 0


def test_many_of_the_same_vector_are_all_found(tmp_path: Path, way: str) -> None:
    log = VectorLog(8)
    log.keep(range(1, 601), np.repeat(clustered(1, 8, seed=1), 600, axis=0))
    segment = built(tmp_path, log)
    for wanted in (1, 50, 599, 600):
        assert len(answer(segment, QUERIES[0], wanted)) == wanted


def test_chunks_of_a_unit_are_rows_of_their_own(tmp_path: Path, way: str) -> None:
    log = VectorLog(8)
    log.keep(np.arange(COUNT) // 3, clustered(COUNT, 8, seed=1))
    segment = built(tmp_path, log)
    assert len(segment) == COUNT
    part = segment.search(QUERIES[0], 90, mask_of(range(0, 500, 2), 501))
    assert set(part.units.tolist()) <= set(range(0, 500, 2))
    assert len(part.units) == 90


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_what_a_walk_does_not_reach_is_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    """A graph may fall apart into pieces; a walk stays in one."""
    walk_always(monkeypatch)
    log = filled(COUNT)
    segment = built(tmp_path, log)
    allowed = np.random.default_rng(3).random(COUNT + 1) < share if share < 1 else None
    reached = []

    def reach_few(graph: Graph, query: Vector, ef: int, rows: Mask | None) -> Nearest:
        reached.append(ef)
        return Nearest(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32), np.zeros(COUNT, dtype=np.bool_))

    monkeypatch.setattr(Graph, "search", reach_few)
    for query in QUERIES:
        found = [*map(_typed, answer(segment, query, 10, allowed))]
        assert check_true(found, exact(log, query, allowed), 10) == 1.0
    assert len(reached) == len(QUERIES)


def graph_bytes(segment: Segment, folder: Path) -> bytes:
    return graph_path(folder, segment.entry.name).read_bytes()


def test_blanking_takes_the_vectors_from_the_file_and_no_answer(tmp_path: Path, way: str) -> None:
    log = filled(COUNT)
    segment = built(tmp_path, log)
    gone, before = list(range(100, 140)), len(graph_bytes(segment, tmp_path))
    vectors = [log.vectors[unit - 1].tobytes() for unit in gone]
    assert all(vector in graph_bytes(segment, tmp_path) for vector in vectors)
    segment.kill(np.array(gone))
    log.forget(gone)
    assert segment.units[segment.unblanked()].tolist() == sorted(gone, key=segment.units.tolist().index)
    while len(rows := segment.unblanked()[:7]):
        segment.blank(rows)
    content = graph_bytes(segment, tmp_path)
    assert not any(vector in content for vector in vectors)
    assert len(content) == before
    recall = [check_true([*map(_typed, answer(segment, query, 10))], exact(log, query), 10) for query in QUERIES]
    assert np.mean(recall) >= 0.95
    segment.verify(0, COUNT)
    again = Segment(tmp_path, Shape(EMBEDDER, 8), segment.entry)
    again.kill(np.array(gone))
    again.verify(0, COUNT)


def test_what_is_blank_already_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = built(tmp_path, filled(COUNT))
    segment.kill(np.arange(100, 140))
    segment.blank(segment.unblanked())
    again = Segment(tmp_path, Shape(EMBEDDER, 8), segment.entry)
    again.kill(np.arange(100, 142))
    written, pwrite = [], os.pwrite

    def note(file: int, content: bytes, place: int) -> int:
        written.append(place)
        return pwrite(file, content, place)

    monkeypatch.setattr(os, "pwrite", note)
    again.blank(again.unblanked())
    assert len(written) == 2
    assert len(again.unblanked()) == 0


def test_a_blank_vector_of_a_unit_that_lives_is_damage(tmp_path: Path, way: str) -> None:
    segment = built(tmp_path, filled(COUNT))
    segment.kill(np.array([7]))
    segment.blank(segment.unblanked())
    again = Segment(tmp_path, Shape(EMBEDDER, 8), segment.entry)
    row = again.units.tolist().index(7)
    with pytest.raises(SegmentDamaged, match=f"record {row} of"):
        again.search(filled(COUNT).vectors[6], 5, None)


def search_or_notice(segment: Segment, query: Vector) -> tuple[Part, SegmentDamaged | None]:
    try:
        return segment.search(query, 10, None), None
    except SegmentDamaged as damage:
        return EMPTY, damage


@pytest.mark.parametrize("part", ["links", "vector", "label"])
def test_no_answer_rests_on_a_damaged_record(tmp_path: Path, way: str, part: str) -> None:
    """A damaged record either is not looked at, or there is no answer."""
    log = filled(COUNT)
    whole = built(tmp_path, log)
    layout, noticed = whole.records.layout, 0
    path = graph_path(tmp_path, whole.entry.name)
    content = path.read_bytes()
    at = {"links": 2, "vector": layout.vector_at + 3, "label": layout.label_at}[part]
    for number, row in enumerate(range(0, COUNT, 60)):
        damaged = bytearray(content)
        damaged[HEADER_BYTES + 4 * (row * layout.words + at)] ^= 1 << number % 8
        path.unlink()
        path.write_bytes(damaged)
        segment = Segment(tmp_path, Shape(EMBEDDER, 8), whole.entry)
        for query in QUERIES:
            found, damage = search_or_notice(segment, query)
            if damage is not None:
                assert damage.segment == whole.entry.name
                assert f"record {row} of" in str(damage)
                noticed += 1
                break
            assert np.array_equal(found.units, whole.search(query, 10, None).units)
        with pytest.raises(SegmentDamaged, match=f"record {row} of"):
            segment.verify(0, COUNT)
    assert noticed >= (25 if way == "scan" else 10)


def test_verifying_looks_again_at_what_was_looked_at(tmp_path: Path) -> None:
    segment = built(tmp_path, filled(300))
    segment.verify(0, 300)
    path = graph_path(tmp_path, segment.entry.name)
    with path.open("r+b") as file:
        file.seek(HEADER_BYTES + 4 * segment.records.layout.words * 200 + 8)
        file.write(b"\xab")
    segment.verify(0, 200)
    with pytest.raises(SegmentDamaged, match="record 200 of"):
        segment.verify(200, 9999)


def test_keys_tell_whether_the_store_has_the_same(tmp_path: Path) -> None:
    log = filled(300)
    segment = built(tmp_path, log)
    assert np.array_equal(np.sort(segment.keys_of(log.units, log.vectors)), np.sort(segment.keys()))
    assert not np.isin(segment.keys_of(log.units + 1, log.vectors), segment.keys()).any()


def test_opening_asks_for_the_files_that_the_entry_names(tmp_path: Path) -> None:
    segment = built(tmp_path, filled(300))
    shape, entry = Shape(EMBEDDER, 8), segment.entry
    for other in (Shape("other/8", 8), Shape(EMBEDDER, 9), Shape(EMBEDDER, 8, links=8)):
        with pytest.raises(IndexUnfit):
            Segment(tmp_path, other, entry)
    with pytest.raises(IndexUnfit, match="missing"):
        Segment(tmp_path, shape, replace(entry, name="0" * 16))
    graph_path(tmp_path, entry.name).unlink()
    with pytest.raises(IndexUnfit, match="missing"):
        Segment(tmp_path, shape, entry)
    graph_path(tmp_path, entry.name).mkdir()
    with pytest.raises(IndexUnfit, match="cannot be read"):
        Segment(tmp_path, shape, entry)


def test_the_graph_of_another_segment_does_not_fit(tmp_path: Path) -> None:
    """Of the same size, and with the same hash of its upper levels where there are none."""
    log = filled(16)
    one, other = built(tmp_path, log, 0, 8), built(tmp_path, log, 8, 16)
    graph_path(tmp_path, one.entry.name).write_bytes(graph_bytes(other, tmp_path))
    with pytest.raises((IndexUnfit, SegmentDamaged)):
        Segment(tmp_path, Shape(EMBEDDER, 8), one.entry).verify(0, 8)


def test_one_of_superseded_units_alone_has_no_graph(tmp_path: Path) -> None:
    log = filled(20)
    log.supersede(range(1, 21))
    segment = built(tmp_path, log)
    assert (len(segment), segment.left_out.tolist(), segment.greatest_unit) == (0, list(range(1, 21)), 20)
    assert len(segment.search(QUERIES[0], 5, None).units) == 0
    assert not graph_path(tmp_path, segment.entry.name).exists()
    assert segment.bytes == rows_path(tmp_path, segment.entry.name).stat().st_size
    segment.kill(np.array([4]))
    segment.advise(warm=True)
    assert len(segment.unblanked()) == 0


def test_it_says_what_it_holds(tmp_path: Path) -> None:
    segment = built(tmp_path, filled(COUNT))
    assert segment.bytes == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert segment.nbytes <= 3 * COUNT
    assert segment.greatest_unit == COUNT
    assert segment.count_live(np.array([3, 5, COUNT + 9])) == 2
    segment.kill(np.array([3]))
    assert segment.count_live(np.array([3, 5])) == 1
