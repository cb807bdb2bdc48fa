import mmap
from pathlib import Path

import hnswlib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.index.layout import HEADER_BYTES, LayoutUnfit, Records, find_upper_levels, read_layout
from tests.index.made_up import clustered

COUNT, DIMENSION, LINKS = 700, 12, 4


def saved(path: Path, vectors: np.ndarray, links: int = LINKS) -> hnswlib.Index:
    graph = hnswlib.Index("ip", vectors.shape[1])
    graph.init_index(len(vectors), M=links, ef_construction=50, random_seed=5)
    graph.add_items(vectors, np.arange(len(vectors)) + 1000, num_threads=1)
    graph.save_index(str(path))
    return graph


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of hnswlib."""
    path = tmp_path_factory.mktemp("layout") / "graph"
    saved(path, clustered(COUNT, DIMENSION, seed=1))
    return path.read_bytes()


def mapped(content: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(content))
    memory.write(content)
    return memory


def records_of(content: bytes) -> Records:
    return Records(mapped(content), read_layout(content[:HEADER_BYTES]))


def test_the_header_says_where_things_stand(content: bytes) -> None:
    layout = read_layout(content[:HEADER_BYTES])
    assert (layout.count, layout.dimension, layout.links) == (COUNT, DIMENSION, 2 * LINKS)
    assert layout.words == 1 + 2 * LINKS + DIMENSION + 2
    assert layout.vector_end == layout.label_at
    assert layout.tail_at == HEADER_BYTES + 4 * layout.words * COUNT
    assert layout.top_level > 1


def test_records_hold_vectors_and_labels(content: bytes) -> None:
    records = records_of(content)
    assert np.array_equal(records.vectors(0, COUNT), clustered(COUNT, DIMENSION, seed=1))
    assert np.array_equal(records.vectors(5, 7), clustered(COUNT, DIMENSION, seed=1)[5:7])
    assert np.array_equal(records.labels(), np.arange(COUNT) + 1000)


def test_upper_levels_are_what_a_slow_reading_finds(content: bytes) -> None:
    records = records_of(content)
    upper = find_upper_levels(records)
    slow, at = {}, records.layout.tail_at
    for element in range(COUNT):
        length = int.from_bytes(content[at : at + 4], "little")
        if length:
            slow[element] = length // (4 * records.layout.upper_words)
        at += 4 + length
    assert dict(zip(upper.elements.tolist(), upper.heights.tolist(), strict=True)) == slow
    assert upper.heights.max() == records.layout.top_level
    assert slow[records.layout.entry] == records.layout.top_level


@pytest.mark.parametrize("count", [1, 2, 3])
def test_tiny_graphs(tmp_path: Path, count: int) -> None:
    saved(tmp_path / "graph", clustered(count, 3, seed=1), 16)
    records = records_of((tmp_path / "graph").read_bytes())
    assert records.labels().tolist() == [1000, 1001, 1002][:count]
    assert len(find_upper_levels(records).elements) <= count


@pytest.mark.parametrize("length", [0, 1, HEADER_BYTES - 1])
def test_a_short_header_is_none(content: bytes, length: int) -> None:
    with pytest.raises(LayoutUnfit, match=f"it has {length} bytes"):
        read_layout(content[:length])


@pytest.mark.parametrize(
    ("at", "value", "size", "reason"),
    [
        (0, 1, 8, "not hnswlib's|hnswlib's"),
        (16, 0, 8, "entry point"),
        (24, 7, 8, "hnswlib's"),
        (32, 0, 8, "hnswlib's"),
        (40, 2, 8, "hnswlib's"),
        (48, -1, 4, "entry point"),
        (48, 64, 4, "entry point"),
        (52, COUNT, 4, "entry point"),
        (56, 5, 8, "hnswlib's"),
        (64, 0, 8, "hnswlib's"),
    ],
)
def test_each_field_that_cannot_be_is_noticed(content: bytes, at: int, value: int, size: int, reason: str) -> None:
    header = bytearray(content[:HEADER_BYTES])
    header[at : at + size] = value.to_bytes(size, "little", signed=True)
    with pytest.raises(LayoutUnfit, match=reason):
        read_layout(bytes(header))


def test_more_elements_than_there_are_bytes(content: bytes) -> None:
    with pytest.raises(LayoutUnfit, match="too few"):
        records_of(content[: len(content) // 2])
    with pytest.raises(LayoutUnfit, match="bytes"):
        records_of(content[:-1])


FLIPS = st.lists(st.tuples(st.integers(0), st.integers(1, 255)), min_size=1, max_size=8)
MANY = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(flips=FLIPS, cut=st.none() | st.integers(0))
def test_any_header_and_tail_is_read_or_refused(content: bytes, flips: list[tuple[int, int]], cut: int | None) -> None:
    """Whatever stands there: a layout within the file, or LayoutUnfit, and never another error."""
    damaged = bytearray(content)
    tail_at = read_layout(content).tail_at
    outline = HEADER_BYTES + len(content) - tail_at
    for place, change in flips:
        at = place % outline
        damaged[at if at < HEADER_BYTES else tail_at + at - HEADER_BYTES] ^= change
    if cut is not None:
        del damaged[cut % len(damaged) :]
    try:
        records = records_of(bytes(damaged) or b"\0")
        upper = find_upper_levels(records)
    except LayoutUnfit:
        return
    assert 0 <= records.layout.entry < records.layout.count
    assert len(upper.elements) == len(upper.heights)
    words = int((upper.heights.astype(int) * records.layout.upper_words).sum()) + records.layout.count
    assert words == len(records.tail)


@MANY
@given(header=st.binary(min_size=HEADER_BYTES, max_size=HEADER_BYTES))
def test_noise_is_no_header(header: bytes) -> None:
    with pytest.raises(LayoutUnfit):
        read_layout(header)
