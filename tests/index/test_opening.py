import errno
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
import pytest

from edge.engine.ports import Ids, Vector
from edge.errors import DiskFull, StoreFailed, StoreReadOnly
from edge.index.files import MANIFEST, storage_error
from edge.index.hnsw import HnswIndex
from edge.index.opening import Opened, open_index, rebuild
from edge.memory.units import UnitId
from tests.index.vectors import clustered

DIMENSION = 16
QUESTION = clustered(1, DIMENSION, seed=2)[0]


def fill(index: HnswIndex, count: int = 300) -> None:
    index.add(np.arange(1, count + 1, dtype=np.int64), clustered(count, DIMENSION, seed=1))


def opened(folder: Path, generation: int = 1, embedder: str = "made-up", dimension: int = DIMENSION) -> Opened:
    return open_index(folder, embedder, dimension, generation)


def saved(folder: Path) -> HnswIndex:
    """An index of 300 units that was saved at generation 1."""
    index = opened(folder, 0).index
    fill(index)
    index.save(1)
    return index


def data_file(folder: Path, suffix: str) -> Path:
    (path,) = folder.glob(f"*{suffix}")
    return path


def change_manifest(folder: Path, **changes: Any) -> None:
    content = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**content, **changes}))


def test_without_a_saved_one_it_is_empty_and_says_so(tmp_path: Path) -> None:
    answer = opened(tmp_path / "new" / "index")
    assert (answer.unfit, answer.aside, len(answer.index)) == ("none was saved yet", None, 0)


def test_what_was_saved_is_found_after_opening(tmp_path: Path) -> None:
    before = saved(tmp_path).search(QUESTION, 20, None)
    answer = opened(tmp_path)
    assert (answer.unfit, answer.aside) == (None, None)
    assert answer.index.search(QUESTION, 20, None) == before


def test_it_grows_and_shrinks_after_opening(tmp_path: Path) -> None:
    saved(tmp_path)
    index = opened(tmp_path).index
    index.add(np.arange(301, 2301, dtype=np.int64), clustered(2000, DIMENSION, seed=3))
    index.remove([UnitId(1), UnitId(301)])
    index.save(2)
    index = opened(tmp_path, 2).index
    assert len(index) == 2298
    found = {int(unit) for unit, _ in index.search(QUESTION, 5000, None)}
    assert found == set(range(2, 2301)) - {301}


def test_an_empty_one_can_be_saved_and_opened(tmp_path: Path) -> None:
    opened(tmp_path, 0).index.save(4)
    answer = opened(tmp_path, 4)
    assert answer.unfit is None
    fill(answer.index)
    assert len(answer.index.search(QUESTION, 10, None)) == 10


def test_a_forgotten_vector_is_not_on_the_disk(tmp_path: Path) -> None:
    index = saved(tmp_path)
    vector = clustered(300, DIMENSION, seed=1)[41].tobytes()
    assert vector in data_file(tmp_path, ".hnsw").read_bytes()
    index.remove([UnitId(42)])
    index.save(2)
    assert not any(vector in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert 42 not in {unit for unit, _ in opened(tmp_path, 2).index.search(QUESTION, 300, None)}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def replace_by_folder(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    (folder / MANIFEST).mkdir()


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "graph cut": (lambda folder: cut(data_file(folder, ".hnsw")), "bytes, not"),
    "graph flipped": (lambda folder: flip(data_file(folder, ".hnsw")), "another sha256"),
    "graph gone": (lambda folder: data_file(folder, ".hnsw").unlink(), "graph is missing"),
    "units cut": (lambda folder: cut(data_file(folder, ".i64")), "bytes, not"),
    "units flipped": (lambda folder: flip(data_file(folder, ".i64")), "another sha256"),
    "units gone": (lambda folder: data_file(folder, ".i64").unlink(), "units is missing"),
    "manifest cut": (lambda folder: cut(folder / MANIFEST), "cannot be read"),
    "manifest of another kind": (lambda folder: (folder / MANIFEST).write_text("[1]"), "describe"),
    "manifest is a folder": (replace_by_folder, "be read"),
    "another format": (lambda folder: change_manifest(folder, format=2), "format is 2"),
    "another M": (lambda folder: change_manifest(folder, links=8), "links is 8"),
    "another count": (lambda folder: change_manifest(folder, count=299), "not 299"),
    "names no file": (lambda folder: change_manifest(folder, graph={"name": "x"}), "graph is missing"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_one_is_moved_aside_and_rebuilt(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    expected = saved(tmp_path).search(QUESTION, 10, None)
    do, reason = DAMAGE[damage]
    do(tmp_path)
    answer = opened(tmp_path)
    assert answer.unfit is not None
    assert reason in answer.unfit
    assert answer.aside is not None
    assert (answer.aside / MANIFEST).exists()
    assert len(answer.index) == 0
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    fill(answer.index)
    answer.index.save(1)
    again = opened(tmp_path)
    assert again.unfit is None
    assert dict(again.index.search(QUESTION, 10, None)) == pytest.approx(dict(expected), abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"embedder": "other"}, "embedder is 'made-up', not 'other'"),
        ({"dimension": 8}, "dimension is 16, not 8"),
    ],
)
def test_one_that_is_not_asked_for_is_not_loaded(tmp_path: Path, arguments: dict[str, Any], reason: str) -> None:
    saved(tmp_path)
    answer = opened(tmp_path, **arguments)
    assert answer.unfit is not None
    assert reason in answer.unfit
    assert len(answer.index) == 0


def test_one_of_another_generation_is_deleted_for_what_was_forgotten_since(tmp_path: Path) -> None:
    saved(tmp_path)
    answer = opened(tmp_path, 2)
    assert (answer.unfit, answer.aside, len(answer.index)) == ("its generation is 1, not 2", None, 0)
    assert list(tmp_path.iterdir()) == []


def test_what_was_moved_aside_goes_when_something_is_forgotten(tmp_path: Path) -> None:
    saved(tmp_path)
    answer = opened(tmp_path, embedder="other")
    fill(answer.index)
    answer.index.save(1)
    assert answer.aside is not None
    assert answer.aside.exists()
    answer.index.remove([UnitId(42)])
    answer.index.save(2)
    assert not answer.aside.exists()


def test_only_the_last_unfit_files_are_kept(tmp_path: Path) -> None:
    for generation in range(3):
        index = opened(tmp_path, embedder=f"embedder {generation}").index
        fill(index, 100 + generation)
        index.save(generation)
    answer = opened(tmp_path)
    assert answer.aside is not None
    assert json.loads((answer.aside / MANIFEST).read_text())["generation"] == 2
    assert len(list(answer.aside.iterdir())) == 3
    assert [path.name for path in tmp_path.iterdir()] == [answer.aside.name]


def test_leftovers_are_cleaned(tmp_path: Path) -> None:
    saved(tmp_path)
    for name in ("vectors.tmp", "index.json.tmp", "vectors-0123.hnsw", "units-0123.i64"):
        (tmp_path / name).write_bytes(b"leftover")
    (tmp_path / "notes.txt").write_text("not ours")
    assert opened(tmp_path).unfit is None
    assert len(list(tmp_path.iterdir())) == 4


def test_rebuilding_adds_every_batch_and_says_how_far_it_is(tmp_path: Path) -> None:
    index = opened(tmp_path).index
    units, vectors = np.arange(1, 301, dtype=np.int64), clustered(300, DIMENSION, seed=1)
    batches: list[tuple[Ids, Vector]] = [
        (units[first : first + 128], vectors[first : first + 128]) for first in (0, 128, 256)
    ]
    steps: list[int] = []
    assert rebuild(index, iter(batches), steps.append) == 300
    assert steps == [128, 256, 300]
    with pytest.raises(ValueError, match="already holds 300"):
        rebuild(index, iter(batches))


def test_a_failed_save_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = saved(tmp_path)
    index.remove([UnitId(1)])
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "no space")))
    with pytest.raises(DiskFull):
        index.save(2)
    monkeypatch.undo()
    assert len(opened(tmp_path).index) == 300


def test_a_save_without_room_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = saved(tmp_path)
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(DiskFull):
        index.save(2)
    assert len(opened(tmp_path).index) == 300


def test_a_graph_that_was_written_short_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = saved(tmp_path)
    monkeypatch.setattr("edge.index.files._blank_removed", lambda *_: None)

    class Short(hnswlib.Index):  # type: ignore[misc]
        def save_index(self, path: str) -> None:
            Path(path).write_bytes(b"cut")

    short = Short("ip", DIMENSION)
    short.init_index(10)
    index._graph = short
    with pytest.raises(StoreFailed, match="written short"):
        index.save(2)
    assert len(opened(tmp_path).index) == 300


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EROFS, StoreReadOnly), (errno.EIO, StoreFailed)]
)
def test_what_the_disk_says_is_told(number: int, kind: type[Exception]) -> None:
    assert isinstance(storage_error(Path("/var/lib/edge"), OSError(number, os.strerror(number))), kind)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreFailed):
        opened(tmp_path / "file" / "index")


class PowerCut(BaseException):
    """The machine stops here."""


def cut_power(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """Let so many steps on the disk be done, and none after them."""
    left = iter(range(steps))

    def stopping(step: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **named: Any) -> Any:
            if next(left, None) is None:
                raise PowerCut
            return step(*arguments, **named)

        return do

    monkeypatch.setattr(os, "fsync", stopping(os.fsync))
    for name in ("rename", "replace", "unlink", "write_bytes", "write_text"):
        monkeypatch.setattr(Path, name, stopping(getattr(Path, name)))


def test_power_cut_at_any_step_of_a_save_leaves_a_whole_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = saved(tmp_path)
    index.remove([UnitId(42)])
    ended = []
    for steps in range(30):
        with monkeypatch.context() as patched:
            cut_power(patched, steps)
            try:
                index.save(2 + steps)
                break
            except PowerCut:
                ended.append(json.loads((tmp_path / MANIFEST).read_text())["generation"])
        answer = opened(tmp_path, ended[-1])
        assert answer.unfit is None
        assert len(answer.index) == (300 if ended[-1] == 1 else 299)
    assert len(ended) >= 10
    assert ended[0] == 1
    assert len(set(ended)) > 1


SAVES_FOREVER = """
import sys
from pathlib import Path
import numpy as np
from edge.index.opening import open_index
from tests.index.vectors import clustered

index = open_index(Path(sys.argv[1]), "made-up", 16, 0).index
vectors = clustered(100_000, 16, seed=1)
for generation in range(1, 10_000):
    index.add(np.arange(10 * generation - 9, 10 * generation + 1), vectors[10 * generation - 10 : 10 * generation])
    index.save(generation)
    print(generation, flush=True)
"""


def kill_while_saving(folder: Path, luck: random.Random) -> int:
    """Kill a process that saves and saves; gives the last generation whose save had returned."""
    command = [sys.executable, "-c", SAVES_FOREVER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        confirmed = 0
        for _ in range(luck.randint(1, 30)):
            confirmed = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        return max([confirmed, *(int(line) for line in process.stdout.read().split())])


def check_after_kill(folder: Path, confirmed: int) -> None:
    generation = json.loads((folder / MANIFEST).read_text())["generation"]
    assert generation in (confirmed, confirmed + 1)
    answer = opened(folder, generation)
    assert answer.unfit is None
    vectors = clustered(100_000, DIMENSION, seed=1)[: 10 * generation]
    nearest = np.sort(vectors @ QUESTION)[::-1][:10]
    assert len(answer.index) == len(vectors)
    assert [cosine for _, cosine in answer.index.search(QUESTION, 10, None)] == pytest.approx(
        nearest.tolist(), abs=1e-5
    )


def test_a_kill_while_saving_leaves_a_whole_index(tmp_path: Path) -> None:
    luck = random.Random(11)
    for number in range(8):
        folder = tmp_path / str(number)
        check_after_kill(folder, kill_while_saving(folder, luck))


@pytest.mark.long
def test_a_hundred_kills_while_saving(tmp_path: Path) -> None:
    luck = random.Random(12)
    for number in range(100):
        folder = tmp_path / str(number)
        check_after_kill(folder, kill_while_saving(folder, luck))
