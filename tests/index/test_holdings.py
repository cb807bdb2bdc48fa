from pathlib import Path

import numpy as np
import pytest

from edge.engine.vector_ports import VectorRows
from edge.errors import StoreFailed
from edge.index.layout import HEADER_BYTES
from tests.index.made_up import clustered
from tests.index.making import check_exact, drain, exact, filled, mask_of, opened, sealed, small

QUERY = clustered(1, 8, seed=2)[0]


def flip_first_record(folder: Path, name: str) -> None:
    with (folder / f"{name}.hnsw").open("r+b") as file:
        file.seek(HEADER_BYTES + 30)
        file.write(b"\xfe")


@pytest.mark.parametrize("lost", range(3))
def test_a_loss_that_the_store_cannot_be_asked_about_is_a_loss_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """The search that comes upon it fails; the next ones leave nothing out."""
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=100))
    flip_first_record(tmp_path, index.state().segments[lost].name)

    def fail(*_: object) -> VectorRows:
        raise StoreFailed("the store fails")

    with monkeypatch.context() as patched:
        patched.setattr(log, "vectors_between", fail)
        with pytest.raises(StoreFailed):
            index.search(QUERY, 1000, None)
    assert index.state().missing >= 100
    check_exact(index.search(QUERY, 1000, None), exact(log, QUERY), 1000)
    drain(index)
    assert index.state().missing == 0
    check_exact(index.search(QUERY, 1000, None), exact(log, QUERY), 1000)


def test_an_interval_in_which_there_is_nothing_is_not_missing(tmp_path: Path) -> None:
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=100))
    second = log.units[100:200].tolist()
    (tmp_path / f"{index.state().segments[1].name}.hnsw").unlink()
    log.forget(second)
    again = opened(tmp_path, log, small(capacity=100))
    assert again.state().missing == 0
    drain(again)
    assert again.state().missing == 0
    check_exact(again.search(QUERY, 1000, None), exact(log, QUERY), 1000)
    third = opened(tmp_path, log, small(capacity=100))
    assert (third.state().missing, third.state().unfit) == (0, ())


def test_of_the_superseded_units_only_those_that_may_be_found_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = filled(300)
    log.supersede(range(50, 260))
    index = sealed(tmp_path, log, small(capacity=100))
    read, vectors_of = [], log.vectors_of

    def note(embedder: str, units: np.ndarray) -> VectorRows:
        read.append(units.tolist())
        return vectors_of(embedder, units)

    monkeypatch.setattr(log, "vectors_of", note)
    for allowed, wanted in ((mask_of(range(255, 270)), [*range(255, 260)]), (mask_of(range(1, 50)), None)):
        check_exact(index.search(QUERY, 1000, allowed), exact(log, QUERY, allowed), 1000)
        assert read == ([] if wanted is None else [wanted])
        read.clear()
    index.search(QUERY, 1000, None)
    assert read == [[*range(50, 260)]]


def test_closing_lets_go_of_the_files(tmp_path: Path) -> None:
    index = sealed(tmp_path, filled(300), small(capacity=100))
    index.search(QUERY, 10, None)
    assert str(tmp_path) in Path("/proc/self/maps").read_text()
    index.close()
    assert str(tmp_path) not in Path("/proc/self/maps").read_text()
