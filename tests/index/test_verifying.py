from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edge.engine.vector_ports import Verified
from edge.index import building, verifying
from edge.index.files import graph_path
from edge.index.index import SegmentedIndex
from edge.index.layout import HEADER_BYTES
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import check_exact, drain, exact, filled, more, opened, sealed, small

QUERY = clustered(1, 8, seed=2)[0]


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "_ROWS", 50)


def faults(index: SegmentedIndex) -> tuple[str, ...]:
    return list(index.verify())[-1].faults


def assert_rebuilt(index: SegmentedIndex, log: VectorLog) -> None:
    drain(index)
    assert index.state().missing == 0
    check_exact(index.search(QUERY, 1000, None), exact(log, QUERY), 1000)
    assert faults(index) == ()


def test_it_says_how_far_it_is(tmp_path: Path) -> None:
    index = sealed(tmp_path, filled(300), small(capacity=200))
    steps = list(index.verify())
    assert {step.total for step in steps} == {300}
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (25, 300)
    assert len(done) > 10
    assert {step.faults for step in steps} == {()}


def test_of_an_empty_one_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert list(opened(tmp_path, VectorLog(8)).verify()) == [Verified(0, 0, ())]


def damage_record(folder: Path, index: SegmentedIndex, number: int, row: int) -> str:
    segment = index._holdings.segments[number]
    with graph_path(folder, segment.entry.name).open("r+b") as file:
        file.seek(HEADER_BYTES + 4 * segment.records.layout.words * row + 10)
        file.write(b"\xfe")
    return segment.entry.name


def test_a_damaged_record_is_found_wherever_it_is(tmp_path: Path) -> None:
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=100))
    names = [damage_record(tmp_path, index, 0, 99), damage_record(tmp_path, index, 2, 0)]
    found = faults(index)
    assert len(found) == 2
    assert all(name in fault for name, fault in zip(names, found, strict=True))
    state = index.state()
    assert (state.missing, state.unfit) == (200, found)
    check_exact(index.search(QUERY, 1000, None), exact(log, QUERY), 1000)
    assert_rebuilt(index, log)


def damage_links_of_upper_levels(folder: Path) -> None:
    with next(folder.glob("*.hnsw")).open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\xfe")


def damage_rows_file(folder: Path) -> None:
    with next(folder.glob("*.rows")).open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\xfe")


@pytest.mark.parametrize("damage", [damage_links_of_upper_levels, damage_rows_file])
def test_what_opening_compared_is_compared_again(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=5000))
    damage(tmp_path)
    found = faults(index)
    assert len(found) == 1
    assert "another sha256" in found[0]
    assert_rebuilt(index, log)


def another_vector(log: VectorLog) -> None:
    log.vectors[49] = log.vectors[50]


def another_unit(log: VectorLog) -> None:
    log.units[49] = 9999


def one_more(log: VectorLog) -> None:
    log.numbers = np.insert(log.numbers, 9, 10)
    log.units = np.insert(log.units, 9, 9999)
    log.vectors = np.insert(log.vectors, 9, log.vectors[49], axis=0)


def one_less(log: VectorLog) -> None:
    log.numbers = np.delete(log.numbers, 49)
    log.units = np.delete(log.units, 49)
    log.vectors = np.delete(log.vectors, 49, axis=0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (another_vector, "lacks 1 of the store's vectors"),
        (another_unit, "lacks 1 of the store's vectors"),
        (one_more, "lacks 1 of the store's vectors"),
        (one_less, "holds 1 vectors that the store does not"),
    ],
)
def test_a_store_that_holds_something_else_is_right(
    tmp_path: Path, change: Callable[[VectorLog], None], reason: str
) -> None:
    log = filled(100)
    log.forget([10])
    index = sealed(tmp_path, log)
    change(log)
    found = faults(index)
    assert len(found) == 1
    assert reason in found[0]
    assert_rebuilt(index, log)


def test_a_segment_without_a_graph_is_compared_too(tmp_path: Path) -> None:
    log = filled(64)
    log.supersede(range(1, 65))
    index = sealed(tmp_path, log)
    assert faults(index) == ()
    another_unit(log)
    assert "lacks 1" in faults(index)[0]
    assert_rebuilt(index, log)


def test_superseded_and_forgotten_units_are_no_faults(tmp_path: Path) -> None:
    log = filled(200)
    log.supersede(range(1, 21))
    index = sealed(tmp_path, log)
    log.supersede([50, 51])
    log.forget([3, 60, 61])
    index.follow()
    assert faults(index) == ()
    drain(index)
    assert faults(index) == ()


def test_the_same_vector_twice_in_a_unit_is_no_fault(tmp_path: Path) -> None:
    log = VectorLog(8)
    log.keep([1, 1, 2] * 20, np.repeat(clustered(20, 8, seed=1), 3, axis=0))
    assert faults(sealed(tmp_path, log)) == ()


def test_a_unit_superseded_in_the_middle_of_a_build_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_READ", 32)
    log = VectorLog(8)
    log.keep([1 + place // 2 for place in range(1, 65)], clustered(64, 8, seed=1))
    index = opened(tmp_path, log)
    index.step()
    log.supersede([17])
    drain(index)
    assert faults(index) == ()


def let_happen(what: str, log: VectorLog, index: SegmentedIndex) -> None:
    if what == "forget":
        log.forget([log.units[0], log.units[-1], log.units[50]])
        index.follow()
    elif what == "keep":
        more(log, 40, first=int(log.units.max()) + 1)
        index.follow()
    elif what == "supersede":
        log.supersede(log.units[::30].tolist())
    elif what == "step":
        index.step()
    elif what == "rebuild":
        index.rebuild()
        drain(index)
    else:
        index.search(QUERY, 10, None)


@pytest.mark.parametrize("what", ["forget", "keep", "supersede", "step", "rebuild", "search"])
@pytest.mark.parametrize("at", range(1, 16, 2))
def test_what_happens_meanwhile_is_no_fault(tmp_path: Path, what: str, at: int) -> None:
    log = filled(300)
    log.supersede(range(1, 300, 40))
    index = sealed(tmp_path, log, small(capacity=200))
    more(log, 32, first=400, seed=3)
    index.follow()
    verifying_ = index.verify()
    for _ in range(at):
        next(verifying_, None)
    let_happen(what, log, index)
    for verified in verifying_:
        assert verified.faults == ()
    assert index.state().unfit == ()
    assert_rebuilt(index, log)


def test_two_verifications_at_once_find_the_same_fault_once(tmp_path: Path) -> None:
    log = filled(100)
    index = sealed(tmp_path, log)
    damage_record(tmp_path, index, 0, 99)
    one, other = index.verify(), index.verify()
    found = [*[step.faults for pair in zip(one, other, strict=False) for step in pair]]
    assert sorted({len(fault) for fault in found}) == [0, 1]
    assert len(index.state().unfit) == 1
    assert_rebuilt(index, log)
