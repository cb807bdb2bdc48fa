from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.index.files import Entry, IndexUnfit, Shape, rows_path
from edge.index.layout import UpperLevels
from edge.index.sidefile import Side, outline_of, read_side, write_side

SHAPE = Shape("made-up/8", 8)
SIDE = Side(
    after=10,
    through=20,
    units=np.array([5, 2**40, 7], dtype=np.int64),
    sums=np.array([[1, 2], [3, 2**32 - 1], [5, 6]], dtype=np.uint32),
    left_out=np.array([8, 9], dtype=np.int64),
    upper=UpperLevels(np.array([1], dtype=np.uint32), np.array([3], dtype=np.uint8)),
    graph_bytes=1234,
    outline="abc",
)


def written(folder: Path, side: Side = SIDE) -> Entry:
    sha256 = write_side(rows_path(folder, "name"), SHAPE, side)
    return Entry("name", sha256, side.after, side.through, 0)


def assert_equal(one: Side, other: Side) -> None:
    for name in ("units", "sums", "left_out"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert np.array_equal(one.upper.elements, other.upper.elements)
    assert np.array_equal(one.upper.heights, other.upper.heights)
    assert (one.after, one.through) == (other.after, other.through)
    assert (one.graph_bytes, one.outline) == (other.graph_bytes, other.outline)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert_equal(read_side(tmp_path, SHAPE, written(tmp_path)), SIDE)


def test_an_empty_one(tmp_path: Path) -> None:
    nothing = UpperLevels(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint8))
    none = np.zeros(0, dtype=np.int64)
    empty = Side(3, 4, none, np.zeros((0, 2), dtype=np.uint32), none, nothing, 0, "")
    assert_equal(read_side(tmp_path, SHAPE, written(tmp_path, empty)), empty)


def test_the_manifest_may_give_it_more_at_its_start_or_less_and_no_other_end(tmp_path: Path) -> None:
    entry = written(tmp_path)
    for after in (0, 3, 10, 19):
        assert read_side(tmp_path, SHAPE, replace(entry, after=after)).after == 10
    for other in (replace(entry, through=19), replace(entry, through=21), replace(entry, after=20)):
        with pytest.raises(IndexUnfit, match="other vectors"):
            read_side(tmp_path, SHAPE, other)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [(replace(SHAPE, embedder="b/8"), "embedder"), (replace(SHAPE, dimension=4), "dimension of name.rows is 8, not 4")],
)
def test_one_of_another_shape_does_not_fit(tmp_path: Path, shape: Shape, reason: str) -> None:
    with pytest.raises(IndexUnfit, match=reason):
        read_side(tmp_path, shape, written(tmp_path))


def test_one_that_is_missing_empty_or_a_folder(tmp_path: Path) -> None:
    entry = written(tmp_path)
    path = rows_path(tmp_path, "name")
    path.write_bytes(b"")
    with pytest.raises(IndexUnfit, match="cannot be read"):
        read_side(tmp_path, SHAPE, entry)
    path.unlink()
    with pytest.raises(IndexUnfit, match="is missing"):
        read_side(tmp_path, SHAPE, entry)
    path.mkdir()
    with pytest.raises(IndexUnfit, match="cannot be read"):
        read_side(tmp_path, SHAPE, entry)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0), change=st.integers(0, 255))
def test_any_changed_byte_and_any_cut_is_noticed(tmp_path: Path, place: int, change: int) -> None:
    entry = written(tmp_path)
    path = rows_path(tmp_path, "name")
    content = bytearray(path.read_bytes())
    if change:
        content[place % len(content)] ^= change
    else:
        del content[place % len(content) :]
    path.write_bytes(content)
    with pytest.raises(IndexUnfit):
        read_side(tmp_path, SHAPE, entry)


def test_the_outline_is_all_but_the_records() -> None:
    content = bytes(range(256)) * 2
    before = outline_of(BytesIO(content), 300)
    for place in range(512):
        changed = bytearray(content)
        changed[place] ^= 1
        assert (outline_of(BytesIO(changed), 300) == before) == (96 <= place < 300)
