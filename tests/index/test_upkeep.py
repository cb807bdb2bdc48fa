import errno
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hnswlib
import numpy as np
import pytest

from edge.disk import sync_folder
from edge.engine.vector_ports import IndexWork
from edge.errors import DiskFull, EdgeError, StoreFailed
from edge.index import building, files, saving, upkeep
from edge.index.files import ASIDE, MANIFEST, UNCLEAN
from edge.index.index import SegmentedIndex
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import (
    EVERYTHING,
    assert_whole,
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
    walk_always,
)

QUERIES = clustered(5, 8, seed=2)


def assert_tidy(folder: Path, index: SegmentedIndex) -> None:
    """No files but those of live segments."""
    names = {segment.name for segment in index.state().segments}
    present = {path.name for path in folder.iterdir()}
    empty = {f"{segment.name}.hnsw" for segment in index.state().segments if not segment.vectors}
    assert (
        present - {ASIDE, UNCLEAN}
        == {MANIFEST, *(f"{name}{end}" for name in names for end in (".hnsw", ".rows"))} - empty
    )


def test_a_full_head_is_sealed(tmp_path: Path) -> None:
    log = filled(31)
    index = opened(tmp_path, log)
    assert drain(index) == 0
    assert [path.name for path in tmp_path.iterdir()] == [UNCLEAN]
    more(log, 1, first=32)
    index.follow()
    drain(index)
    assert (index.state().fresh, [segment.vectors for segment in index.state().segments]) == (0, [32])
    assert_whole(index, log)
    assert_tidy(tmp_path, index)
    assert_whole(opened(tmp_path, log), log)


def test_the_work_says_how_far_it_is(tmp_path: Path) -> None:
    log = filled(200)
    index = opened(tmp_path, log, small(head=128))
    assert index.state().work is None
    index.step()
    assert index.state().work == IndexWork("seal", 16, 200)
    assert index.memory_bytes() > 200 * 8 * 4 + 32 * 8 * 4
    drain(index)
    assert index.state().work is None


def test_a_head_that_is_more_than_a_build_may_hold_is_sealed_in_pieces(tmp_path: Path) -> None:
    log = filled(550)
    index = opened(tmp_path, log, small(head=300, capacity=100))
    assert index.state().fresh == 550
    while index.step():
        assert_whole(index, log)
        assert index.state().vectors == 550
    assert [segment.vectors for segment in index.state().segments] == [100, 100, 100]
    assert index.state().fresh == 250


def test_small_segments_are_merged(tmp_path: Path) -> None:
    log = VectorLog(8)
    index = opened(tmp_path, log, small(capacity=600))
    for batch in range(40):
        more(log, 32, first=1 + 32 * batch, seed=batch)
        index.follow()
        drain(index)
        assert_tidy(tmp_path, index)
    assert len(log.marks) == 1
    sizes = [segment.vectors for segment in index.state().segments]
    assert sum(sizes) == 1280
    assert len(sizes) <= 10
    assert max(sizes) > 500
    assert_whole(index, log)
    assert_whole(opened(tmp_path, log), log)


@pytest.mark.parametrize("walks", [False, True])
def test_it_answers_between_any_two_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walks: bool) -> None:
    """While it seals, merges, rebuilds and blanks: nothing forgotten, nothing short, nothing new left out."""
    if walks:
        walk_always(monkeypatch)
    log = filled(300)
    index = opened(tmp_path, log, small(head=16, capacity=400))
    luck, unit, steps, tasks, recall = np.random.default_rng(1), 300, 0, set(), []
    while steps < 500:
        steps += 1
        due = index.step()
        if steps == 150:
            index.rebuild()
        if steps < 300:
            unit += 1
            log.keep([unit, unit], clustered(2, 8, seed=unit))
        if steps < 300 and steps % 7 == 0:
            log.forget(luck.choice(log.units, 2).tolist())
        if steps % 11 == 0:
            log.supersede(luck.choice(log.units, 2).tolist())
        index.follow()
        work = index.state().work
        tasks.add(work and work.task)
        query, truth = QUERIES[steps % 5], None
        truth = exact(log, query)
        answer = index.search(query, 10, None)
        least = list(truth.values())[9] - 1e-5
        recall.append(sum(cosine >= least for _, cosine in answer) / 10)
        assert {int(one) for one, _ in answer} <= set(truth)
        assert len(answer) == 10
        if steps >= 300 and not due:
            break
    assert tasks == {None, "seal", "merge", "rebuild"}
    assert np.mean(recall) >= (0.95 if walks else 1.0)
    drain(index)
    assert_tidy(tmp_path, index)
    faults = [verified.faults for verified in index.verify()]
    assert faults[-1] == ()


def test_superseded_units_are_left_out_and_yet_found_when_allowed(tmp_path: Path) -> None:
    log = filled(100)
    log.supersede(range(1, 11))
    index = sealed(tmp_path, log)
    assert [segment.vectors for segment in index.state().segments] == [90]
    for query in QUERIES:
        for allowed in (None, mask_of(range(1, 30)), mask_of([5]), mask_of(range(50, 90))):
            check_exact(index.search(query, 20, allowed), exact(log, query, allowed), 20)


def test_more_than_a_quarter_dead_is_built_anew(tmp_path: Path) -> None:
    log = filled(100)
    index = sealed(tmp_path, log)
    log.forget(range(1, 26))
    index.follow()
    drain(index)
    assert [(one.vectors, one.dead) for one in index.state().segments] == [(100, 25)]
    log.forget([26])
    index.follow()
    drain(index)
    assert [(one.vectors, one.dead) for one in index.state().segments] == [(74, 0)]
    assert_whole(index, log)
    log.forget(range(1, 101))
    index.follow()
    drain(index)
    assert index.state().segments == ()
    assert index.state().vectors == 0


def test_superseded_units_count_as_dead(tmp_path: Path) -> None:
    log = filled(100)
    sealed(tmp_path, log)
    log.supersede(range(1, 27))
    index = sealed(tmp_path, log)
    assert [(one.vectors, one.dead) for one in index.state().segments] == [(74, 0)]
    assert_whole(index, log)


@pytest.mark.parametrize("at_step", range(12))
def test_forgotten_during_a_build_stays_forgotten(tmp_path: Path, at_step: int) -> None:
    """At every step of it, also while its file is written; and no failure comes of it."""
    log = filled(300)
    index = opened(tmp_path, log, small(capacity=5000))
    vectors = log.vectors[[4, 150, 299]].copy()
    for _ in range(at_step):
        assert index.step()
    log.forget([5, 151, 300])
    index.follow()
    drain(index)
    assert sum(segment.vectors for segment in index.state().segments) in (297, 300)
    assert index.state().vectors == 297
    assert_whole(index, log)
    assert not any(vector.tobytes() in bytes_of_folder(tmp_path) for vector in vectors)
    assert_whole(opened(tmp_path, log), log)
    assert_tidy(tmp_path, index)


def test_forgetting_while_a_large_file_is_summed_does_not_disturb_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_SUM", 50)
    log = filled(300)
    index = opened(tmp_path, log, small(capacity=5000))
    while not (tmp_path / "segment.tmp").exists():
        index.step()
    index.step()
    log.forget([5])
    index.follow()
    assert drain(index) < 15, "it does not begin again"
    assert [segment.dead for segment in index.state().segments] == [1]
    assert_whole(index, log)


def test_blanking_goes_on_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "_BLANKED_A_STEP", 3)
    log = filled(100)
    index = sealed(tmp_path, log)
    vectors = log.vectors[:20].copy()
    log.forget(range(1, 21))
    index.follow()
    index.step()
    again = opened(tmp_path, log)
    assert any(vector.tobytes() in bytes_of_folder(tmp_path) for vector in vectors)
    drain(again)
    assert not any(vector.tobytes() in bytes_of_folder(tmp_path) for vector in vectors)
    assert [(one.vectors, one.dead) for one in again.state().segments] == [(100, 20)]
    assert [verified.faults for verified in again.verify()][-1] == ()
    third = opened(tmp_path, log)
    assert third.state().unfit == ()
    assert drain(third) == 0


def test_a_rebuild_replaces_all_segments(tmp_path: Path) -> None:
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=100))
    before = [path.open("rb") for path in tmp_path.glob("*.rows")]  # open, so that no other file gets their numbers
    assert len(before) == 3
    index.rebuild()
    index.step()
    work = index.state().work
    assert work is not None
    assert work.task == "rebuild"
    drain(index)
    old = {os.fstat(file.fileno()).st_ino for file in before}
    assert not old & {path.stat().st_ino for path in tmp_path.glob("*.rows")}
    for file in before:
        file.close()
    assert_whole(index, log)
    assert_tidy(tmp_path, index)


def test_a_rebuild_under_a_smaller_bound_ends(tmp_path: Path) -> None:
    """What was built with more memory is built anew in pieces."""
    log = filled(600)
    sealed(tmp_path, log, small(capacity=1000)).close()
    index = opened(tmp_path, log, small(capacity=100))
    index.rebuild()
    found = []
    for _ in range(1000):
        if not index.step():
            break
        found.append(len(index.search(QUERIES[0], EVERYTHING, None)))
    else:
        raise AssertionError("the rebuilding does not end")
    assert set(found) == {600}
    assert [segment.vectors for segment in index.state().segments] == [100] * 6
    assert_whole(index, log)
    assert_tidy(tmp_path, index)
    assert [verified.faults for verified in index.verify()][-1] == ()
    again = opened(tmp_path, log, small(capacity=100))
    assert again.state().unfit == ()
    assert_whole(again, log)


@pytest.mark.parametrize("cut", range(1, 9))
def test_a_rebuild_in_pieces_may_be_cut_off_after_any(tmp_path: Path, cut: int) -> None:
    log = filled(600)
    sealed(tmp_path, log, small(capacity=1000)).close()
    index = opened(tmp_path, log, small(capacity=100))
    index.rebuild()
    marks: list[str] = []
    while index.step() and len(marks) < cut:
        marks = marks if log.marks[-1] in marks else [*marks, log.marks[-1]]
    log.forget([7, 333])
    again = opened(tmp_path, log, small(capacity=100))
    assert again.state().unfit == ()
    assert_whole(again, log)
    assert [verified.faults for verified in again.verify()][-1] == ()
    drain(again)
    assert_whole(again, log)
    assert again.state().vectors == 598, "what two files held is held by one again"


def test_everything_is_on_the_disk_before_something_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a power cut leaves depends on the order alone."""
    log, order = filled(40), list[str]()
    index = opened(tmp_path, log)
    fsync, rename, replace, keep_mark = os.fsync, Path.rename, Path.replace, log.keep_mark

    def note_fsync(descriptor: int) -> None:
        order.append("sync " + Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    def note_rename(path: Path, target: Path) -> Path:
        order.append(f"name {target.suffix}")
        return rename(path, target)

    def note_replace(path: Path, target: Path) -> Path:
        order.append(f"name {target.name}")
        return replace(path, target)

    def note_mark(embedder: str, mark: str) -> None:
        order.append("mark")
        keep_mark(embedder, mark)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "rename", note_rename)
    monkeypatch.setattr(Path, "replace", note_replace)
    monkeypatch.setattr(log, "keep_mark", note_mark)
    drain(index)
    folder = f"sync {tmp_path.name}"
    manifest = ("mark", f"sync {MANIFEST}.tmp", folder, f"name {MANIFEST}", folder)
    assert order == [
        *manifest,
        *("sync segment.tmp", "sync segment.rows.tmp", "name .hnsw", "name .rows"),
        *manifest,
    ]


# --- failures ---


def failing(number: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


class Breaking:
    """Lets so many calls of everything that writes be done, and fails the next."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
        self.left = calls
        self.failed = False
        for owner, name in (
            (os, "fsync"),
            (os, "pwrite"),
            (Path, "rename"),
            (Path, "replace"),
            (Path, "unlink"),
            (Path, "touch"),
            (Path, "write_bytes"),
            (Path, "write_text"),
            (VectorLog, "keep_mark"),
            (VectorLog, "prune"),
        ):
            monkeypatch.setattr(owner, name, self._counted(getattr(owner, name), name))

    def _counted(self, function: Callable[..., object], name: str) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            self.left -= 1
            if self.left == -1:
                self.failed = True
                if name in ("keep_mark", "prune"):
                    raise StoreFailed("the store fails")
                raise OSError(errno.ENOSPC, "no space")
            return function(*arguments, **named)

        return call


def sealed_with_work_due(folder: Path) -> tuple[VectorLog, SegmentedIndex]:
    """An index of one segment, with enough new for another and something forgotten to blank."""
    log = filled(64)
    index = sealed(folder, log)
    more(log, 50, first=65, seed=3)
    log.forget([3, 4])
    index.follow()
    return log, index


@pytest.mark.parametrize("calls", range(40))
def test_any_write_may_fail_and_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Once: the step raises it, what was found before is found, also after opening anew, and the next steps do it."""
    log, index = sealed_with_work_due(tmp_path)
    with monkeypatch.context() as patched:
        breaking = Breaking(patched, calls)
        raised = []
        for _ in range(50):
            try:
                if not index.step():
                    break
            except EdgeError as error:
                raised.append(error)
                assert_whole(index, log)
    if not breaking.failed:
        assert raised == []
    assert all(isinstance(error, DiskFull | StoreFailed) for error in raised)
    assert len(raised) <= 1
    drain(index)
    assert_whole(index, log)
    assert_tidy(tmp_path, index)
    again = opened(tmp_path, log)
    assert again.state().unfit == ()
    assert_whole(again, log)


@pytest.mark.parametrize("calls", range(40))
def test_after_a_failed_write_it_may_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """As a process does that gave up, or was stopped there."""
    log, index = sealed_with_work_due(tmp_path)
    with monkeypatch.context() as patched:
        Breaking(patched, calls)
        with suppress(EdgeError):
            drain(index, 50)
    again = opened(tmp_path, log)
    assert again.state().unfit == ()
    assert_whole(again, log)
    drain(again)
    assert_whole(again, log)
    assert_tidy(tmp_path, again)
    assert [verified.faults for verified in again.verify()][-1] == ()


@pytest.mark.parametrize("name", ["os.fsync", "pathlib.Path.rename", "pathlib.Path.replace"])
@pytest.mark.parametrize("threads", [1, 2])
def test_failing_again_and_again_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, threads: int
) -> None:
    log = filled(64)
    index = sealed(tmp_path, log, small(head=32, capacity=5000))
    with monkeypatch.context() as patched:
        patched.setattr(name, failing(errno.ENOSPC))
        for batch in range(12):
            more(log, 40, first=65 + 40 * batch, seed=batch)
            index.follow()
            with pytest.raises(DiskFull):
                drain(index)
            assert_whole(index, log)
            assert len(list(tmp_path.iterdir())) <= 8
    drain(index)
    assert_whole(index, log)
    assert_tidy(tmp_path, index)


def test_a_manifest_that_failed_late_may_be_the_one_that_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It replaced the old one, and only the last wait for the disk failed: either may be there after a power cut, and
    the files of both are kept, however often that happens."""
    log = filled(64)
    index = sealed(tmp_path, log)
    real, waited = sync_folder, []

    def second_fails(folder: Path) -> None:
        waited.append(folder)
        if len(waited) % 2 == 0:
            raise OSError(errno.EIO, "input/output error")
        real(folder)

    for batch in range(3):
        old = (tmp_path / MANIFEST).read_bytes()
        more(log, 32, first=65 + 32 * batch, seed=batch)
        index.follow()
        with monkeypatch.context() as patched:
            patched.setattr(files, "sync_folder", second_fails)
            with pytest.raises(StoreFailed):
                drain(index)
        for manifest in ((tmp_path / MANIFEST).read_bytes(), old):
            copy = tmp_path.parent / f"{tmp_path.name}-{batch}"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(tmp_path, copy)
            (copy / MANIFEST).write_bytes(manifest)
            again = opened(copy, log)
            assert again.state().unfit == ()
            assert_whole(again, log)
    drain(index)
    assert_whole(index, log)
    assert_tidy(tmp_path, index)


def test_a_file_that_vanishes_before_it_is_opened_is_a_failure_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = filled(64)
    index = opened(tmp_path, log)
    real = building._name

    def name_and_lose(folder: Path, *rest: object) -> object:
        entry = real(folder, *rest)  # type: ignore[arg-type]
        for path in folder.glob("*.rows"):
            path.unlink()
        return entry

    with monkeypatch.context() as patched:
        patched.setattr(building, "_name", name_and_lose)
        with pytest.raises(StoreFailed):
            drain(index)
    assert_whole(index, log)
    drain(index)
    assert_tidy(tmp_path, index)


def test_closing_gives_up_what_is_being_built(tmp_path: Path) -> None:
    log = filled(100)
    index = opened(tmp_path, log)
    index.step()
    index.close()
    again = sealed(tmp_path, log)
    assert_whole(again, log)
    assert_tidy(tmp_path, again)


@pytest.mark.parametrize("lost", [False, True])
def test_the_progress_of_a_rebuilding_is_that_of_all_files(tmp_path: Path, lost: bool) -> None:
    log = filled(300)
    index = sealed(tmp_path, log, small(capacity=100))
    if lost:
        (tmp_path / MANIFEST).unlink()
        index = opened(tmp_path, log, small(capacity=100))
    else:
        index.rebuild()
    works = []
    while index.step():
        works.append(index.state().work)
    rebuilding = [work for work in works if work is not None]
    assert {work.task for work in rebuilding} == {"rebuild"}
    done = [work.done for work in rebuilding]
    assert done == sorted(done)
    assert max(done) == 300
    assert {work.total for work in rebuilding} == {300}


def test_a_head_is_sealed_early_where_it_is_worth_a_file(tmp_path: Path) -> None:
    log = filled(31)
    index = opened(tmp_path, log, small(head=256))
    index.seal()
    assert drain(index) == 0
    more(log, 1, first=32)
    index.follow()
    assert drain(index) == 0, "what was too little then is not sealed when it has grown"
    index.seal()
    drain(index)
    state = index.state()
    assert (state.fresh, [segment.vectors for segment in state.segments]) == (0, [32])
    more(log, 40, first=33)
    index.follow()
    assert drain(index) == 0, "once is once"
    assert_whole(index, log)


def test_sealing_early_stays_due_after_a_failure(tmp_path: Path) -> None:
    log = filled(40)
    index = opened(tmp_path, log, small(head=256))
    index.seal()
    log.failure = DiskFull("The disk is full.")
    with pytest.raises(DiskFull):
        drain(index)
    log.failure = None
    drain(index)
    assert index.state().fresh == 0
    assert_whole(index, log)


def test_a_killed_writer_of_a_graph_is_an_error_and_the_build_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dying(hnswlib.Index):  # type: ignore[misc]
        def save_index(self, path: str) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(saving, "APART_BYTES", 0)
    log = filled(40)
    index = opened(tmp_path, log)
    with monkeypatch.context() as patch:
        patch.setattr(hnswlib, "Index", Dying)
        for _ in range(2):
            with pytest.raises(StoreFailed, match="ended by signal 9"):
                drain(index)
    assert_whole(index, log)
    drain(index)
    assert index.state().fresh == 0
    assert_whole(opened(tmp_path, log), log)


def test_what_was_built_and_not_named_yet_is_a_leftover_and_no_fault(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = filled(40)
    index = opened(tmp_path, log)
    index.step()
    log.failure = StoreFailed("The card is gone.")
    with pytest.raises(StoreFailed):
        drain(index)
    assert list(tmp_path.glob("*.rows"))
    log.failure = None
    again = opened(tmp_path, log)
    assert (again.state().unfit, caplog.records) == ((), [])
    assert not list(tmp_path.glob("*.rows"))
    assert_whole(again, log)
