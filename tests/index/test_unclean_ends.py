import errno
from pathlib import Path

import pytest

from edge.index import files
from tests.fakes.vector_log import VectorLog
from tests.index.making import drain, filled, opened, sealed


@pytest.fixture
def log(tmp_path: Path) -> VectorLog:
    """A log with an index of it that has segments and was not closed once."""
    log = filled(200)
    sealed(tmp_path, log)
    return log


def read_files(monkeypatch: pytest.MonkeyPatch, bad: str | None = None) -> list[str]:
    """Names of the files that are read whole, from now on; reading the bad one fails as on a worn card."""
    names: list[str] = []

    def read(path: Path) -> None:
        names.append(path.name)
        if path.name == bad:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(files, "read_whole", read)
    return names


def test_files_are_not_read_whole_after_one_end_that_was_not_clean(
    tmp_path: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = read_files(monkeypatch)
    opened(tmp_path, log)
    assert names == []


def test_after_two_in_a_row_they_are_read_and_one_that_cannot_be_is_built_anew(
    tmp_path: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path, log)
    graphs = sorted(path.name for path in tmp_path.glob("*.hnsw"))
    names = read_files(monkeypatch, bad=graphs[0])
    index = opened(tmp_path, log)
    assert sorted(names) == graphs
    assert any(f"{graphs[0]} cannot be read" in reason for reason in index.state().unfit)
    drain(index)
    assert index.state().missing == 0
    assert index.state().vectors == 200
    assert list(index.verify())[-1].faults == ()


def test_a_clean_end_starts_the_count_anew(tmp_path: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(tmp_path, log).close()
    names = read_files(monkeypatch)
    opened(tmp_path, log)
    opened(tmp_path, log)
    assert names == []
    opened(tmp_path, log)
    assert names != []


def test_a_power_cut_starts_the_count_anew(tmp_path: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unplugging is how many boards are turned off."""
    names = read_files(monkeypatch)
    for boot in range(5):
        monkeypatch.setattr(files, "_boot", lambda boot=boot: f"boot-{boot}")
        opened(tmp_path, log)
        opened(tmp_path, log)
    assert names == []
    opened(tmp_path, log)
    assert names != []


def test_the_kernel_names_its_start_and_where_it_does_not_they_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert files._boot() == files._boot() != "unknown"

    def refuse(path: Path) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    assert files._boot() == "unknown"


def test_reading_whole_reads_to_the_end_and_tells_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(3_000_000))
    files.read_whole(tmp_path / "file")
    with pytest.raises(IsADirectoryError):
        files.read_whole(tmp_path)


def test_an_unclean_file_that_holds_no_number_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / files.UNCLEAN).write_bytes(b"\xff?")
    assert files.count_opening(tmp_path) == 0
    assert files.count_opening(tmp_path) == 1
