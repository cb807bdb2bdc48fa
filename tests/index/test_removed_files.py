"""Files that are removed under an index that has them open: it builds them anew, and forgets all the same."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from edge.errors import StoreFailed, StoreReadOnly
from edge.index.segment import Segment
from tests.index.making import assert_whole, bytes_of_folder, drain, filled, more, opened, sealed


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def remove_a_graph(folder: Path) -> None:
    min(folder.glob("*.hnsw")).unlink()


def remove_rows(folder: Path) -> None:
    for path in folder.glob("*.rows"):
        path.unlink()


removals = pytest.mark.parametrize("remove", [remove_folder, remove_a_graph, remove_rows])


@removals
def test_they_are_built_anew_while_it_goes_on(tmp_path: Path, remove: Callable[[Path], None]) -> None:
    folder = tmp_path / "index"
    log = filled(100)
    index = sealed(folder, log)
    remove(folder)
    assert_whole(index, log)
    drain(index)
    assert_whole(index, log)
    assert "removed" in index.state().unfit[0]
    index.close()
    assert opened(folder, log).state().missing == 0


@removals
def test_what_is_forgotten_meanwhile_is_in_no_file(tmp_path: Path, remove: Callable[[Path], None]) -> None:
    folder = tmp_path / "index"
    log = filled(100)
    index = sealed(folder, log)
    gone = log.vectors[:10].tobytes()
    remove(folder)
    log.forget(range(1, 11))
    index.follow()
    drain(index)
    more(log, 100, first=200, seed=3)
    index.follow()
    drain(index)
    assert_whole(index, log)
    assert gone[:32] not in bytes_of_folder(folder)


@removals
def test_a_verification_tells_of_them(tmp_path: Path, remove: Callable[[Path], None]) -> None:
    folder = tmp_path / "index"
    log = filled(100)
    index = sealed(folder, log)
    remove(folder)
    *_, last = index.verify()
    assert "removed" in last.faults[0]
    drain(index)
    *_, last = index.verify()
    assert last.faults == ()
    assert_whole(index, log)


def test_a_file_in_place_of_the_folder_holds_it_up_until_it_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    log = filled(100)
    index = sealed(folder, log)
    shutil.rmtree(folder)
    folder.write_text("not a folder")
    with pytest.raises(StoreFailed):
        index.step()
    assert_whole(index, log)
    folder.unlink()
    drain(index)
    assert_whole(index, log)


def test_a_verification_that_may_not_look_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = sealed(tmp_path, filled(100))

    def refuse(segment: Segment) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Segment, "is_there", refuse)
    with pytest.raises(StoreReadOnly, match="Permission denied"):
        list(index.verify())
    assert index.state().unfit == ()
