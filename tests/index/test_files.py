import errno
import json
import os
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.errors import DiskFull, StoreFailed, StoreReadOnly
from edge.index import files
from edge.index.files import ASIDE, MANIFEST, Entry, IndexUnfit, Manifest, Shape, read_manifest, write_manifest

SHAPE = Shape("made-up/8", 8)
ENTRIES = (Entry("0123", "0123abc", 0, 40, 0), Entry("4567", "4567def", 40, 99, 3))
MADE = Manifest("mark", 3, ENTRIES)


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    assert read_manifest(tmp_path, SHAPE) == MADE
    write_manifest(tmp_path, SHAPE, Manifest("later", 0, ()))
    assert read_manifest(tmp_path, SHAPE) == Manifest("later", 0, ())
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_manifest(tmp_path, SHAPE) is None


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (replace(SHAPE, embedder="other/8"), "embedder is 'made-up/8', not 'other/8'"),
        (replace(SHAPE, dimension=9), "dimension is 8, not 9"),
        (replace(SHAPE, links=8), "links is 16, not 8"),
        (replace(SHAPE, ef_construction=7), "ef_construction is 100, not 7"),
    ],
)
def test_one_of_another_shape_does_not_fit(tmp_path: Path, shape: Shape, reason: str) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    with pytest.raises(IndexUnfit, match=reason):
        read_manifest(tmp_path, shape)


def test_one_of_another_format_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    monkeypatch.setattr(files, "FORMAT", 99)
    with pytest.raises(IndexUnfit, match="format is 2, not 99"):
        read_manifest(tmp_path, SHAPE)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff\xfe", b"{}", b'{"segments": 3}', b"\0" * 50])
def test_what_is_no_manifest_does_not_fit(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(IndexUnfit):
        read_manifest(tmp_path, SHAPE)


def test_a_folder_in_its_place_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).mkdir()
    with pytest.raises(IndexUnfit, match="cannot be read"):
        read_manifest(tmp_path, SHAPE)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0), change=st.integers(1, 255))
def test_a_changed_byte_never_gives_another_manifest(tmp_path: Path, place: int, change: int) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    content = bytearray((tmp_path / MANIFEST).read_bytes())
    content[place % len(content)] ^= change
    (tmp_path / MANIFEST).write_bytes(content)
    with suppress(IndexUnfit):
        assert read_manifest(tmp_path, SHAPE) == MADE  # a space that became another one


def test_what_is_left_out_of_a_manifest_is_noticed(tmp_path: Path) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    content = json.loads((tmp_path / MANIFEST).read_text())
    content["segments"].pop()
    (tmp_path / MANIFEST).write_text(json.dumps(content))
    with pytest.raises(IndexUnfit, match="another sha256"):
        read_manifest(tmp_path, SHAPE)


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_failed_write_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    write_manifest(tmp_path, SHAPE, MADE)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(failing, fail)
    with pytest.raises(OSError, match="no space"):
        write_manifest(tmp_path, SHAPE, Manifest("later", 0, ()))
    assert read_manifest(tmp_path, SHAPE) == MADE


def test_leftovers_are_cleaned_and_nothing_else(tmp_path: Path) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    for name in ("a.hnsw", "a.rows", "b.hnsw", "c.rows", "segment.tmp", "segment.rows.tmp", "manifest.json.tmp"):
        (tmp_path / name).write_bytes(b"x")
    for name in ("notes.txt", "a.hnsw.bak"):
        (tmp_path / name).write_text("not ours")
    (tmp_path / ASIDE).mkdir()
    files.clean(tmp_path, {"a"})
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {MANIFEST, "a.hnsw", "a.rows", "notes.txt", "a.hnsw.bak", ASIDE}


def test_only_the_last_files_stay_aside(tmp_path: Path) -> None:
    (tmp_path / "one.rows").write_text("1")
    aside = files.move_aside(tmp_path, [tmp_path / "one.rows", tmp_path / "never.rows"])
    assert [path.name for path in aside.iterdir()] == ["one.rows"]
    (tmp_path / "two.rows").mkdir()
    assert files.move_aside(tmp_path, files.own_files(tmp_path)) == aside
    assert [path.name for path in aside.iterdir()] == ["two.rows"]
    files.drop_aside(tmp_path)
    files.drop_aside(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EROFS, StoreReadOnly), (errno.EIO, StoreFailed)]
)
def test_what_the_disk_says_is_told(number: int, kind: type[Exception]) -> None:
    told = files.storage_error(Path("/var/lib/edge"), OSError(number, os.strerror(number)))
    assert isinstance(told, kind)
    assert os.strerror(number) in str(told)
    assert "/var/lib/edge" in str(told)


def test_names_come_from_the_hash() -> None:
    name = files.name_of("0123456789abcdef" * 4)
    assert files.graph_path(Path("/i"), name) == Path("/i/0123456789abcdef.hnsw")
    assert files.rows_path(Path("/i"), name) == Path("/i/0123456789abcdef.rows")


def test_a_manifest_is_a_plain_file(tmp_path: Path) -> None:
    write_manifest(tmp_path, SHAPE, MADE)
    assert stat.S_ISREG((tmp_path / MANIFEST).stat().st_mode)
    assert json.loads((tmp_path / MANIFEST).read_text())["segments"][1]["through"] == 99
