import errno
import json
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from edge.errors import DiskFull, StoreFailed, StoreReadOnly
from edge.index import files
from edge.index import index as index_module
from edge.index.files import ASIDE, MANIFEST, UNCLEAN
from edge.index.layout import HEADER_BYTES
from edge.index.opening import open_index
from edge.index.segment import Segment
from edge.store.sqlite import open_store
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import (
    EMBEDDER,
    bytes_of_folder,
    check_exact,
    drain,
    exact,
    filled,
    mask_of,
    more,
    opened,
    sealed,
    small,
)
from tests.store.conftest import NoonClock

QUERIES = clustered(5, 8, seed=2)
OPTIONS = small(capacity=100)


@pytest.fixture
def log() -> VectorLog:
    """Three segments of 100, 100 and 60, and five fresh units."""
    return filled(260)


@pytest.fixture
def folder(tmp_path: Path, log: VectorLog) -> Path:
    sealed(tmp_path / "index", log, OPTIONS).close()
    more(log, 5, first=261, seed=3)
    return tmp_path / "index"


def parts(folder: Path, suffix: str) -> list[Path]:
    """The files of the segments, by their interval."""
    segments = json.loads((folder / MANIFEST).read_text())["segments"]
    return [folder / (segment["name"] + suffix) for segment in segments]


def assert_answers(folder: Path, log: VectorLog, index: index_module.SegmentedIndex) -> None:
    for query in QUERIES:
        for allowed in (None, mask_of(range(50, 150)), mask_of([7])):
            for limit in (10, 1000):
                check_exact(index.search(query, limit, allowed), exact(log, query, allowed), limit)


def test_a_new_one_is_empty(tmp_path: Path) -> None:
    index = opened(tmp_path / "some" / "where", VectorLog(8))
    assert index.state().vectors == 0
    assert (index.state().missing, index.state().unfit, index.state().segments) == (0, (), ())
    assert [path.name for path in (tmp_path / "some" / "where").iterdir()] == [UNCLEAN]
    index.close()
    assert list((tmp_path / "some" / "where").iterdir()) == []


def test_one_of_a_new_database(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", NoonClock())
    index = open_index(tmp_path / "index", EMBEDDER, 8, store.vector_log)
    assert index.search(QUERIES[0], 5, None) == []
    assert not index.step()
    store.close()


def test_it_is_as_it_was_closed(folder: Path, log: VectorLog) -> None:
    index = opened(folder, log, OPTIONS)
    state = index.state()
    assert [segment.vectors for segment in state.segments] == [100, 100, 60]
    assert (state.vectors, state.fresh, state.missing, state.work, state.unfit) == (265, 5, 0, None, ())
    assert sum(segment.bytes for segment in state.segments) == sum(
        path.stat().st_size for path in folder.iterdir() if path.name not in {MANIFEST, UNCLEAN}
    )
    assert_answers(folder, log, index)
    assert drain(index) == 0


def test_little_that_is_new_is_taken_in_at_once(folder: Path, log: VectorLog) -> None:
    more(log, 59, first=300, seed=4)
    index = opened(folder, log, OPTIONS)
    assert (index.state().fresh, index.state().missing) == (64, 0)
    assert_answers(folder, log, index)


def test_much_that_is_new_is_built_in_steps(folder: Path, log: VectorLog) -> None:
    more(log, 300, first=300, seed=4)
    index = opened(folder, log, OPTIONS)
    assert (index.state().fresh, index.state().missing, index.state().vectors) == (0, 305, 260)
    more(log, 3, first=700, seed=5)
    index.follow()
    assert index.state().fresh == 3
    assert_answers(folder, log, index)
    while index.step():
        assert_answers(folder, log, index)
    assert index.state().missing == 0
    assert_answers(folder, log, opened(folder, log, OPTIONS))


def test_what_was_forgotten_meanwhile_is_not_found(folder: Path, log: VectorLog) -> None:
    vectors = log.vectors[[4, 150, 262]].copy()
    log.forget([5, 151, 263])
    index = opened(folder, log, OPTIONS)
    assert index.state().vectors == 262
    assert_answers(folder, log, index)
    drain(index)
    assert not any(vector.tobytes() in bytes_of_folder(folder) for vector in vectors)


def test_all_may_be_forgotten_meanwhile(folder: Path, log: VectorLog) -> None:
    log.forget(range(1, 1000))
    index = opened(folder, log, OPTIONS)
    assert index.search(QUERIES[0], 5, None) == []
    drain(index)
    assert (index.state().segments, index.state().unfit) == ((), ())
    assert parts(folder, ".rows") == []


# --- damage ---


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_text("in it")


def swap(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def change_manifest(folder: Path, **changes: object) -> None:
    content = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**content, **changes}))


SEGMENT_DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "graph cut": (lambda folder: cut(parts(folder, ".hnsw")[1]), "bytes, not"),
    "graph empty": (lambda folder: parts(folder, ".hnsw")[1].write_bytes(b""), "cannot be read"),
    "graph gone": (lambda folder: parts(folder, ".hnsw")[1].unlink(), "is missing"),
    "graph a folder": (lambda folder: to_folder(parts(folder, ".hnsw")[1]), "cannot be read"),
    "graph's header flipped": (lambda folder: flip(parts(folder, ".hnsw")[1], 33), "does not fit"),
    "graph's unused header flipped": (lambda folder: flip(parts(folder, ".hnsw")[1], 90), "outline"),
    "graph's tail flipped": (lambda folder: flip(parts(folder, ".hnsw")[1], -3), "outline"),
    "rows cut": (lambda folder: cut(parts(folder, ".rows")[1]), "another sha256"),
    "rows flipped": (lambda folder: flip(parts(folder, ".rows")[1], 500), "another sha256"),
    "rows empty": (lambda folder: parts(folder, ".rows")[1].write_bytes(b""), "cannot be read"),
    "rows gone": (lambda folder: parts(folder, ".rows")[1].unlink(), "is missing"),
    "rows a folder": (lambda folder: to_folder(parts(folder, ".rows")[1]), "cannot be read"),
    "rows of another": (lambda folder: shutil.copy(*parts(folder, ".rows")[:2]), "another sha256"),
    "graph of another": (lambda folder: shutil.copy(*parts(folder, ".hnsw")[:2]), ""),
}


@pytest.mark.parametrize("damage", SEGMENT_DAMAGE)
def test_a_damaged_segment_is_moved_aside_and_the_rest_is_used(
    folder: Path, log: VectorLog, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    do, reason = SEGMENT_DAMAGE[damage]
    name = parts(folder, ".rows")[1].stem
    do(folder)
    index = opened(folder, log, OPTIONS)
    state = index.state()
    assert (state.vectors, state.fresh, state.missing) == (165, 5, 100)
    assert [segment.vectors for segment in state.segments] == [100, 60]
    assert len(state.unfit) == 1
    assert reason in state.unfit[0]
    assert name in state.unfit[0]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert state.unfit[0] in caplog.text
    assert {path.stem for path in (folder / ASIDE).iterdir()} == {name}
    assert_answers(folder, log, index)
    drain(index)
    state = index.state()
    assert (state.vectors, state.missing, len(state.unfit)) == (265, 0, 1)
    assert_answers(folder, log, index)
    again = opened(folder, log, OPTIONS)
    assert again.state().unfit == ()
    assert list(again.verify())[-1].faults == ()


ALL_DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "manifest cut": (lambda folder: cut(folder / MANIFEST), "cannot be read"),
    "manifest empty": (lambda folder: (folder / MANIFEST).write_bytes(b""), "cannot be read"),
    "manifest gone": (lambda folder: (folder / MANIFEST).unlink(), "is missing"),
    "manifest a folder": (lambda folder: to_folder(folder / MANIFEST), "cannot be read"),
    "manifest of another kind": (lambda folder: (folder / MANIFEST).write_text("[1]"), "describe"),
    "another format": (lambda folder: change_manifest(folder, format=1), "format is 1"),
    "another M": (lambda folder: change_manifest(folder, links=8), "links is 8"),
    "another embedder": (lambda folder: change_manifest(folder, embedder="other/8"), "embedder is 'other/8'"),
    "another dimension": (lambda folder: change_manifest(folder, dimension=9), "dimension is 9"),
    "other segments": (lambda folder: change_manifest(folder, segments=[]), "another sha256"),
    "another mark": (lambda folder: change_manifest(folder, mark="x"), "another sha256"),
}


@pytest.mark.parametrize("damage", ALL_DAMAGE)
def test_without_its_manifest_all_is_built_anew(
    folder: Path, log: VectorLog, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    do, reason = ALL_DAMAGE[damage]
    do(folder)
    index = opened(folder, log, OPTIONS)
    state = index.state()
    assert (state.vectors, state.fresh, state.missing, state.segments) == (0, 0, 265, ())
    assert len(state.unfit) == 1
    assert reason in state.unfit[0]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert reason in caplog.text
    assert len(list((folder / ASIDE).glob("*.rows"))) == 3
    assert_answers(folder, log, index)
    drain(index)
    assert_answers(folder, log, index)
    again = opened(folder, log, OPTIONS)
    assert (again.state().missing, again.state().unfit) == (0, ())
    assert list(again.verify())[-1].faults == ()


def test_a_segment_that_is_lost_goes_on_being_missing_until_it_is_built(folder: Path, log: VectorLog) -> None:
    parts(folder, ".hnsw")[1].unlink()
    for _ in range(3):
        index = opened(folder, log, OPTIONS)
        assert index.state().missing == 100
        assert_answers(folder, log, index)
    drain(index)
    assert opened(folder, log, OPTIONS).state().missing == 0


def test_a_record_that_a_search_comes_upon_is_noticed_then(
    folder: Path, log: VectorLog, caplog: pytest.LogCaptureFixture
) -> None:
    flip(parts(folder, ".hnsw")[0], HEADER_BYTES + 30)
    index = opened(folder, log, OPTIONS)
    assert (index.state().missing, caplog.records) == (0, [])
    assert_answers(folder, log, index)
    assert index.state().missing == 100
    assert "record 0 of" in caplog.text
    drain(index)
    assert_answers(folder, log, index)


def test_a_search_that_comes_upon_damage_answers_on_a_disk_that_cannot_be_written(
    folder: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    flip(parts(folder, ".hnsw")[0], HEADER_BYTES + 30)
    index = opened(folder, log, OPTIONS)
    with monkeypatch.context() as patched:
        for name in ("mkdir", "rename"):
            patched.setattr(Path, name, lambda *_: (_ for _ in ()).throw(OSError(errno.EROFS, "read-only")))
        assert_answers(folder, log, index)
    assert "cannot be moved aside" in caplog.text
    assert index.state().missing == 100
    drain(index)
    assert_answers(folder, log, index)
    assert opened(folder, log, OPTIONS).state().unfit == ()


def test_the_newest_of_what_is_missing_are_compared(
    folder: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "SCANNED_MISSING", 70)
    for path in parts(folder, ".hnsw"):
        path.unlink()
    index = opened(folder, log, OPTIONS)
    found = {int(unit) for unit, _ in index.search(QUERIES[0], 1000, None)}
    assert found == set(range(196, 266))
    drain(index)
    assert_answers(folder, log, index)


def test_the_newest_of_several_intervals_are_compared(
    folder: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "SCANNED_MISSING", 50)
    for path in (parts(folder, ".hnsw")[0], parts(folder, ".hnsw")[2]):
        path.unlink()
    index = opened(folder, log, OPTIONS)
    found = {int(unit) for unit, _ in index.search(QUERIES[0], 1000, None)}
    assert found == set(range(101, 201)) | set(range(216, 266))


# --- another history of the store ---


def test_one_of_another_database_is_not_used_and_does_not_stay(folder: Path, log: VectorLog) -> None:
    other = filled(200, 8)
    other.vectors = clustered(200, 8, seed=9)
    index = opened(folder, other, OPTIONS)
    assert "another database" in index.state().unfit[0]
    assert_answers(folder, other, index)
    assert (folder / ASIDE).exists()
    drain(index)
    assert_answers(folder, other, index)
    assert not (folder / ASIDE).exists()


def test_an_older_folder_than_the_store_is_not_used(folder: Path, log: VectorLog) -> None:
    """It may hold what was forgotten since, and nobody tells any more what that was."""
    old = folder.parent / "old"
    shutil.copytree(folder, old)
    more(log, 40, first=400, seed=5)
    log.forget([5])
    sealed(folder, log, OPTIONS)
    index = opened(old, log, OPTIONS)
    assert "another state" in index.state().unfit[0]
    assert_answers(old, log, index)
    drain(index)
    assert filled(5).vectors[4].tobytes() not in bytes_of_folder(old)


def test_a_restored_store_knows_what_it_knew(folder: Path, log: VectorLog) -> None:
    """A copy of the database from before a unit was forgotten, and an index that was sealed and blanked since."""
    kept = filled(260)
    more(kept, 5, first=261, seed=3)
    kept.marks = list(log.marks)
    log.forget([5])
    index = opened(folder, log, OPTIONS)
    drain(index)
    again = opened(folder, kept, OPTIONS)
    assert "another state" in again.state().unfit[0]
    drain(again)
    assert_answers(folder, kept, again)


def test_a_restored_store_and_an_index_that_was_only_half_blanked(folder: Path, log: VectorLog) -> None:
    kept = filled(260)
    more(kept, 5, first=261, seed=3)
    kept.marks = list(log.marks)
    log.forget([5])
    index = opened(folder, log, OPTIONS)
    index.step()
    again = opened(folder, kept, OPTIONS)
    assert again.state().unfit == ()
    assert_answers(folder, kept, again)
    assert len(again.state().unfit) == 1
    drain(again)
    assert_answers(folder, kept, again)
    assert list(again.verify())[-1].faults == ()


# --- the folder ---


def test_leftovers_are_cleaned(folder: Path, log: VectorLog) -> None:
    live = {path.name for path in folder.iterdir()}
    for name in ("segment.tmp", "segment.rows.tmp", "manifest.json.tmp", "0123.hnsw", "0123.rows"):
        (folder / name).write_bytes(b"leftover")
    (folder / "notes.txt").write_text("not ours")
    assert opened(folder, log, OPTIONS).state().unfit == ()
    assert {path.name for path in folder.iterdir()} == live | {"notes.txt", UNCLEAN}


def test_what_was_moved_aside_goes_when_something_is_forgotten(folder: Path, log: VectorLog) -> None:
    cut(folder / MANIFEST)
    index = opened(folder, log, OPTIONS)
    drain(index)
    assert (folder / ASIDE).exists()
    log.forget([42])
    index.follow()
    drain(index)
    assert not (folder / ASIDE).exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreFailed, match="file"):
        opened(tmp_path / "file" / "index", VectorLog(8))


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EROFS, StoreReadOnly), (errno.EIO, StoreFailed)]
)
def test_what_the_disk_says_is_told(
    folder: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception]
) -> None:
    cut(folder / MANIFEST)

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, "move_aside", fail)
    with pytest.raises(kind, match=os.strerror(number)):
        opened(folder, log, OPTIONS)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("suffix", [".hnsw", ".rows", ".json"])
def test_a_file_that_may_not_be_read_is_moved_aside(folder: Path, log: VectorLog, suffix: str) -> None:
    for path in folder.glob(f"*{suffix}"):
        path.chmod(0)
    index = opened(folder, log, OPTIONS)
    assert index.state().missing > 0
    assert_answers(folder, log, index)
    drain(index)
    assert_answers(folder, log, opened(folder, log, OPTIONS))


def test_the_newest_segments_are_read_ahead(folder: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch) -> None:
    advised = []
    monkeypatch.setattr(Segment, "advise", lambda self, *, warm: advised.append((self.entry.through, warm)))
    sizes = [path.stat().st_size for path in parts(folder, ".hnsw")]
    monkeypatch.setattr("edge.index.opening.WARM_BYTES", sizes[2] + sizes[1] // 2 + 4096)
    opened(folder, log, OPTIONS)
    assert advised == [(260, True), (200, False), (100, False)]


def test_what_is_of_another_database_goes_also_after_a_restart(folder: Path, log: VectorLog) -> None:
    """It may hold what this database forgot."""
    other = filled(200, 8)
    other.vectors = clustered(200, 8, seed=9)
    opened(folder, other, OPTIONS).step()
    index = opened(folder, other, OPTIONS)
    assert (folder / ASIDE).exists()
    drain(index)
    assert not (folder / ASIDE).exists()
    assert log.vectors[0].tobytes() not in bytes_of_folder(folder)


def test_what_was_damaged_is_kept_to_be_looked_at(folder: Path, log: VectorLog) -> None:
    flip(parts(folder, ".rows")[0], 200)
    drain(opened(folder, log, OPTIONS))
    drain(opened(folder, log, OPTIONS))
    assert len(list((folder / ASIDE).iterdir())) == 2


@pytest.mark.parametrize("suffix", [".rows", ".hnsw"])
def test_a_card_that_cannot_read_a_file_is_damage(
    folder: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """As an error of reading, not a signal that ends the process, as reading through a map would give."""
    bad = parts(folder, suffix)[1].name
    real = Path.open

    def open_(path: Path, *arguments: Any, **named: Any) -> Any:
        file = real(path, *arguments, **named)
        return Unreadable(file) if path.name == bad else file

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", open_)
        index = opened(folder, log, OPTIONS)
    assert index.state().missing == 100
    assert "cannot be read" in index.state().unfit[0]
    drain(index)
    assert_answers(folder, log, index)


class Unreadable:
    """A file that the kernel maps but cannot read."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __enter__(self) -> "Unreadable":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("read"):
            raise OSError(errno.EIO, "input/output error")
        return getattr(self._file, name)
