from pathlib import Path

import hnswlib
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.engine.ports import Mask, Vector
from edge.index.layout import HEADER_BYTES, Records, find_upper_levels, read_layout
from edge.index.walk import Graph
from tests.index.made_up import clustered
from tests.index.test_layout import mapped


def pair(path: Path, vectors: Vector, links: int = 16) -> tuple[hnswlib.Index, Graph]:
    """The same graph, searched by hnswlib and here."""
    graph = hnswlib.Index("ip", vectors.shape[1])
    graph.init_index(len(vectors), M=links, ef_construction=60, random_seed=5)
    graph.add_items(vectors, np.arange(len(vectors)), num_threads=1)
    graph.save_index(str(path))
    content = path.read_bytes()
    records = Records(mapped(content), read_layout(content[:HEADER_BYTES]))
    return graph, Graph(records, find_upper_levels(records))


def same(theirs: hnswlib.Index, ours: Graph, query: Vector, ef: int, allowed: Mask | None = None) -> bool:
    """Whether both give the same list; where they differ, it must be between distances that rounding tells apart."""
    theirs.set_ef(ef)
    keep = None if allowed is None else lambda label: bool(allowed[label])
    nearest = ours.search(query, ef, allowed)
    (labels,), (distances,) = theirs.knn_query(query[None], k=len(nearest.rows), num_threads=1, filter=keep)
    assert len(nearest.rows) == len(set(nearest.rows.tolist())) == len(nearest.cosines)
    assert np.allclose(1 - distances, nearest.cosines, atol=2e-6)
    assert nearest.seen[nearest.rows].all()
    return bool(labels.tolist() == nearest.rows.tolist())


@pytest.mark.parametrize(
    ("count", "dimension", "links"), [(300, 3, 4), (3000, 24, 16), (3000, 384, 16), (6000, 16, 8), (2000, 7, 2)]
)
@pytest.mark.parametrize("ef", [1, 16, 100])
def test_it_finds_what_hnswlib_finds(tmp_path: Path, count: int, dimension: int, links: int, ef: int) -> None:
    theirs, ours = pair(tmp_path / "graph", clustered(count, dimension, seed=1), links)
    equal = [same(theirs, ours, query, ef) for query in clustered(100, dimension, seed=2)]
    assert np.mean(equal) >= 0.99


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("ef", [4, 40])
def test_it_finds_what_hnswlib_finds_among_allowed(tmp_path: Path, share: float, ef: int) -> None:
    theirs, ours = pair(tmp_path / "graph", clustered(3000, 16, seed=1))
    allowed = np.random.default_rng(3).random(3000) < share
    queries = clustered(60, 16, seed=2)
    equal = [same(theirs, ours, query, ef, allowed) for query in queries]
    assert np.mean(equal) >= 0.99
    for query in queries:
        assert allowed[ours.search(query, ef, allowed).rows].all()


def test_all_allowed_is_no_filter(tmp_path: Path) -> None:
    _, ours = pair(tmp_path / "graph", clustered(2000, 16, seed=1))
    for query in clustered(20, 16, seed=2):
        one, other = ours.search(query, 30, None), ours.search(query, 30, np.ones(2000, dtype=np.bool_))
        assert one.rows.tolist() == other.rows.tolist()
        assert one.cosines.tolist() == other.cosines.tolist()


def test_none_allowed_finds_none(tmp_path: Path) -> None:
    _, ours = pair(tmp_path / "graph", clustered(200, 8, seed=1))
    assert len(ours.search(clustered(1, 8, seed=2)[0], 10, np.zeros(200, dtype=np.bool_)).rows) == 0


@pytest.mark.parametrize("count", [1, 2, 3, 17])
@pytest.mark.parametrize("ef", [1, 2, 50])
def test_tiny_graphs(tmp_path: Path, count: int, ef: int) -> None:
    vectors = clustered(count, 5, seed=1)
    theirs, ours = pair(tmp_path / "graph", vectors)
    for query in clustered(10, 5, seed=2):
        assert same(theirs, ours, query, ef)
        assert len(ours.search(query, ef, None).rows) == min(ef, count)


def test_duplicates_are_all_found_with_their_cosine(tmp_path: Path) -> None:
    vectors = np.repeat(clustered(60, 8, seed=1), 5, axis=0)
    theirs, ours = pair(tmp_path / "graph", vectors)
    for query in clustered(30, 8, seed=2):
        nearest = ours.search(query, 40, None)
        theirs.set_ef(40)
        _, (distances,) = theirs.knn_query(query[None], k=40)
        assert np.allclose(1 - distances, nearest.cosines, atol=2e-6)


def test_a_vector_finds_itself_with_cosine_one(tmp_path: Path) -> None:
    vectors = clustered(1000, 16, seed=1)
    _, ours = pair(tmp_path / "graph", vectors)
    for row in range(0, 1000, 50):
        nearest = ours.search(vectors[row], 32, None)
        assert nearest.rows[0] == row
        assert nearest.cosines[0] == pytest.approx(1.0, abs=1e-6)
        assert (np.diff(nearest.cosines) <= 0).all()


def test_seen_are_the_elements_that_an_answer_rests_on(tmp_path: Path) -> None:
    """With any other record changed, the answer is the same."""
    vectors = clustered(2000, 8, seed=1)
    _, ours = pair(tmp_path / "graph", vectors)
    query = clustered(1, 8, seed=2)[0]
    nearest = ours.search(query, 20, None)
    assert nearest.seen.sum() < 1500
    content = bytearray((tmp_path / "graph").read_bytes())
    layout = read_layout(bytes(content[:HEADER_BYTES]))
    for row in np.flatnonzero(~nearest.seen):
        start = HEADER_BYTES + 4 * layout.words * int(row)
        content[start : start + 4 * layout.words] = b"\xff" * (4 * layout.words)
    records = Records(mapped(bytes(content)), layout)
    again = Graph(records, find_upper_levels(records)).search(query, 20, None)
    assert again.rows.tolist() == nearest.rows.tolist()
    assert np.array_equal(again.seen, nearest.seen)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("walk") / "graph"
    pair(path, clustered(400, 6, seed=1), 4)
    return path.read_bytes()


WORD = st.integers(0, 2**32 - 1) | st.sampled_from([0, 399, 400, 0x7FC00000, 0xFFC00000, 0x7F800000, 2**31, 2**32 - 1])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.integers(0), WORD), min_size=1, max_size=400),
    start=st.integers(0),
    spread=st.integers(1, 40),
    share=st.none() | st.floats(0.01, 1),
)
def test_no_words_in_the_records_make_a_walk_fail(
    content: bytes, changes: list[tuple[int, int]], start: int, spread: int, share: float | None
) -> None:
    """What was seen is checked after the walk, so a walk through damaged records must come to its end."""
    layout = read_layout(content[:HEADER_BYTES])
    words = np.frombuffer(content, "<u4")[: len(content) // 4].copy()
    first, size = HEADER_BYTES // 4, layout.count * layout.words
    for number, (place, word) in enumerate(changes):
        words[first + (start + spread * number + place % 3) % size] = word
    records = Records(mapped(words.tobytes()), layout)
    upper = find_upper_levels(records)
    allowed = None if share is None else np.random.default_rng(1).random(layout.count) < share
    with np.errstate(all="ignore"):
        nearest = Graph(records, upper).search(clustered(1, 6, seed=2)[0], 20, allowed)
    assert len(nearest.rows) <= 20
    assert ((nearest.rows >= 0) & (nearest.rows < layout.count)).all()


def test_links_that_point_nowhere_do_not_make_a_walk_fail(content: bytes) -> None:
    layout = read_layout(content[:HEADER_BYTES])
    words = np.frombuffer(content, "<u4").copy()
    table = words[HEADER_BYTES // 4 :][: layout.count * layout.words].reshape(layout.count, layout.words)
    table[:, 0] = 0xFFFF
    table[:, 1 : 1 + layout.links : 2] = 0xFFFFFFF0
    records = Records(mapped(words.tobytes()), layout)
    for allowed in (None, np.ones(layout.count, dtype=np.bool_)):
        nearest = Graph(records, find_upper_levels(records)).search(clustered(1, 6, seed=2)[0], 20, allowed)
        assert (nearest.rows < layout.count).all()


def test_vectors_that_are_no_numbers_do_not_make_a_walk_endless(content: bytes) -> None:
    layout = read_layout(content[:HEADER_BYTES])
    words = np.frombuffer(content, "<u4").copy()
    table = words[HEADER_BYTES // 4 :][: layout.count * layout.words].reshape(layout.count, layout.words)
    table[:, layout.vector_at : layout.vector_end] = 0x7FC00000
    records = Records(mapped(words.tobytes()), layout)
    for allowed in (None, np.ones(layout.count, dtype=np.bool_)):
        assert len(Graph(records, find_upper_levels(records)).search(clustered(1, 6, seed=2)[0], 20, allowed).rows)
