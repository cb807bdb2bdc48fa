"""A graph is written by this process or by one of its own; that one may fail, be killed, or outlive this one."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import hnswlib
import pytest

from edge.index import saving
from edge.index.saving import save
from tests.index.made_up import clustered

GATE = "gate"


@pytest.fixture(autouse=True)
def nothing_is_left_over() -> Iterator[None]:
    """No file stays open, no signal blocked, no process behind."""
    before, blocked = open_files(), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    assert open_files() == before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == blocked
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs are written apart too."""
    monkeypatch.setattr(saving, "APART_BYTES", 0)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were started."""
    started: list[int] = []
    fork = os.fork

    def noted() -> int:
        process = fork()
        started.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    return started


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def graph_of(kind: Callable[..., hnswlib.Index] = hnswlib.Index, count: int = 200) -> hnswlib.Index:
    graph = kind("ip", 8)
    graph.init_index(count, M=16, ef_construction=50, random_seed=1)
    graph.add_items(clustered(count, 8, seed=1), num_threads=1)
    return graph


class Gated(hnswlib.Index):  # type: ignore[misc]
    """Writes when the gate is opened: a FIFO in the working directory."""

    def save_index(self, path: str) -> None:
        Path(GATE).read_bytes()
        super().save_index(path)


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: None) -> Callable[[], int]:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(GATE)
    return lambda: Path(GATE).write_bytes(b"go")


@pytest.mark.parametrize("least", [0, saving.APART_BYTES])
@pytest.mark.parametrize("before", [None, b"of a build that was cut off" * 10_000])
def test_the_file_is_what_hnswlib_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forked: list[int], least: int, before: bytes | None
) -> None:
    monkeypatch.setattr(saving, "APART_BYTES", least)
    path, graph = tmp_path / "graph", graph_of()
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o644)
    list(save(path, graph))
    graph.save_index(str(tmp_path / "direct"))
    assert path.read_bytes() == (tmp_path / "direct").read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(forked) == (least == 0)


def test_a_graph_from_a_megabyte_on_is_written_apart(tmp_path: Path, forked: list[int]) -> None:
    graph = graph_of(count=6000)
    assert graph.index_file_size() > saving.APART_BYTES
    list(save(tmp_path / "graph", graph))
    assert len(forked) == 1
    assert (tmp_path / "graph").stat().st_size == graph.index_file_size()


def test_steps_go_on_while_the_other_process_writes(tmp_path: Path, gate: Callable[[], int]) -> None:
    steps = save(tmp_path / "graph", graph_of(Gated))
    for _ in range(20):
        assert next(steps, "ended") is None
    assert (tmp_path / "graph").stat().st_size == 0
    gate()
    assert set(steps) <= {None}
    assert (tmp_path / "graph").stat().st_size > 0


def test_the_other_process_keeps_nothing_else_open(tmp_path: Path, apart: None) -> None:
    class Looking(hnswlib.Index):  # type: ignore[misc]
        def save_index(self, path: str) -> None:
            held = [file.readlink() for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
            Path(path).write_text("\n".join(map(str, held)))

    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="written short"):
            list(save(tmp_path / "graph", graph_of(Looking)))
    held = (tmp_path / "graph").read_text().splitlines()
    assert sorted(name.split(":")[0] for name in held) == [str(tmp_path / "graph"), "pipe"]


def test_closing_ends_the_other_process(tmp_path: Path, gate: Callable[[], int], forked: list[int]) -> None:
    steps = save(tmp_path / "graph", graph_of(Gated))
    next(steps)
    steps.close()
    with pytest.raises(ProcessLookupError):
        os.kill(forked[0], 0)


def test_a_process_that_is_killed_is_an_error(tmp_path: Path, gate: Callable[[], int], forked: list[int]) -> None:
    steps = save(tmp_path / "graph", graph_of(Gated))
    next(steps)
    os.kill(forked[0], signal.SIGKILL)
    with pytest.raises(OSError, match="ended by signal 9") as error:
        list(steps)
    assert error.value.errno == errno.EIO


def test_other_signals_are_not_for_it(tmp_path: Path, gate: Callable[[], int], forked: list[int]) -> None:
    steps = save(tmp_path / "graph", graph_of(Gated))
    next(steps)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(forked[0], number)
    gate()
    list(steps)


def test_a_file_of_the_same_name_is_left_alone(tmp_path: Path, gate: Callable[[], int]) -> None:
    """As when this process was killed, and the next one has begun anew while the other still writes."""
    path = tmp_path / "graph"
    steps = save(path, graph_of(Gated))
    next(steps)
    path.unlink()
    path.write_bytes(b"of the next")
    gate()
    list(steps)
    assert path.read_bytes() == b"of the next"


@pytest.mark.parametrize(
    ("failure", "number"),
    [
        (OSError(errno.ENOSPC, "full"), errno.ENOSPC),
        (OSError(errno.EROFS, "read-only"), errno.EROFS),
        (OSError("without a number"), errno.EIO),
        (RuntimeError("of hnswlib"), errno.EIO),
        (MemoryError(), errno.EIO),
    ],
)
def test_its_failure_is_told_and_nothing_else_of_this_process_runs_in_it(
    tmp_path: Path, apart: None, capfd: pytest.CaptureFixture[str], failure: Exception, number: int
) -> None:
    class Failing(hnswlib.Index):  # type: ignore[misc]
        def save_index(self, path: str) -> None:
            raise failure

    with pytest.raises(OSError, match=os.strerror(number)) as error:
        list(save(tmp_path / "graph", graph_of(Failing)))
    assert error.value.errno == number
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("least", [0, saving.APART_BYTES])
def test_what_is_cut_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    class Short(hnswlib.Index):  # type: ignore[misc]
        def save_index(self, path: str) -> None:
            Path(path).write_bytes(b"cut")

    monkeypatch.setattr(saving, "APART_BYTES", least)
    with pytest.raises(OSError, match="written short"):
        list(save(tmp_path / "graph", graph_of(Short)))


def test_a_process_that_cannot_be_started_is_an_error(
    tmp_path: Path, apart: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fork() -> int:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(os, "fork", fork)
    with pytest.raises(OSError, match="memory"):
        list(save(tmp_path / "graph", graph_of()))


def test_without_room_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match="no room") as error:
        list(save(tmp_path / "graph", graph_of()))
    assert error.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []
