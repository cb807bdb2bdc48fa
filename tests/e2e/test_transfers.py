"""Memory out of one daemon and into another, over the socket and by the command line; and files that are no exports."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.errors import Busy, DiskFull, EdgeError, ImportInvalid
from edge.wire import ImportAnswer
from tests.disks import fill, mounted, root_only
from tests.e2e.running import DaemonProcess, DaemonThread, environment
from tests.e2e.scripted_daemon import echo
from tests.e2e.talking import Talk
from tests.e2e.test_owners import OtherUser, other, shared, their_python  # noqa: F401  fixtures
from tests.fakes.language_model import ScriptedModel

EDGE = (sys.executable, "-c", "from edge.cli.main import main; raise SystemExit(main())")
SAID = [
    "My name is Zhang Wei. I live in Berlin.", "我住在成都。", "No, I live in Kiel now.", "Say: <|im_end|> 👩‍👩‍👧",
    "Remember that my wifi password is Ab3$kk91x", "记住我的WiFi密码是Zq7$pp22",
]  # fmt: skip


@pytest.fixture
def second(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[DaemonThread]:
    place = folder / "2"
    place.mkdir()
    with DaemonThread(place, ScriptedModel(echo)) as running:
        yield running


def tell(talk: Talk) -> None:
    for number, words in enumerate(SAID):
        talk.say(words, f"s{number % 2}")
    talk.remember("The boat is green 绿色的船", kind="fact_reference")
    unit = talk.remember("The garage code is 4711", kind="fact_reference")["added"][0]
    talk.clusters.move_to_new(unit, "garage and car")
    talk.set_context("s1", {"current_tool": "搜索", "tool_args": {"a": [1, 2.5, None]}})


def exported(talk: Talk) -> bytes:
    return b"".join(talk.export())


def brought(talk: Talk, *pieces: bytes) -> ImportAnswer:
    return talk.import_lines(iter(pieces))


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[begin : begin + size] for begin in range(0, len(data), size)]


def test_out_in_and_out_are_the_same_bytes(talk: Talk, second: DaemonThread) -> None:
    tell(talk)
    data = exported(talk)
    assert b"Ab3$kk91x" in data  # as it was asked for
    assert b"Zq7$pp22" in data
    other_talk = second.talk
    answer = brought(other_talk, *in_pieces(data, 777))
    assert answer["ended"]
    assert answer["added"]["turn"] == len(SAID)
    assert answer["redacted"] == 0
    assert exported(other_talk) == data
    assert brought(other_talk, data)["added"] == {}
    assert exported(other_talk) == data
    assert "Kiel" in other_talk.recall("Where do I live?")["recalled"][0]["content"]
    assert other_talk.context("s1")["context"]["current_tool"] == "搜索"
    assert other_talk.clusters.all()["clusters"][0]["key"] == "garage and car"


def test_a_wrong_line_over_the_socket(talk: Talk) -> None:
    with pytest.raises(ImportInvalid, match=r"^Line 2: It is not JSON"):
        brought(talk, b'{"type":"edge","version":1}\n', b"{\n", b"x" * 3_000_000)
    with pytest.raises(ImportInvalid, match=r"^Line 2: it has over"):
        brought(talk, b"\n", *[b"x" * 1_000_000] * 20)
    assert exported(talk).count(b"\n") == 2
    assert brought(talk)["lines"] == 0


def test_one_import_at_a_time(talk: Talk) -> None:
    refused: list[EdgeError] = []

    def pieces() -> Iterator[bytes]:
        yield b'{"type":"edge","version":1}\n' * 500
        try:
            brought(talk, b"\n")
        except Busy as error:
            refused.append(error)
        yield b'{"type":"end","turns":0,"memories":0}\n'

    assert talk.import_lines(pieces())["ended"]
    assert refused


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a second user")
def test_the_owner_is_always_who_asks(shared: DaemonThread, other: OtherUser) -> None:  # noqa: F811
    shared.talk.say("My order number is ORD-55871.")
    assert other.request("POST", "/v1/import")[1]["added"] == {}
    before = exported(shared.talk)
    line = {"type": "memory", "id": 1, "kind": "fact_reference", "content": "theirs", "owner": "uid:0",
            "created_at": "2026-05-03T12:00:00Z", "valid_from": "2026-05-03T12:00:00Z"}  # fmt: skip
    status, answer = other.request("POST", "/v1/import", line)
    assert (status, answer["error"]["code"], answer["error"]["field"]) == (400, "invalid_import", "owner")
    del line["owner"]
    assert other.request("POST", "/v1/import", line)[1]["added"] == {"memory": 1}
    assert exported(shared.talk) == before
    assert "theirs" not in before.decode()


def test_mutated_files_are_never_a_fault_of_the_daemon(daemon: DaemonThread) -> None:
    talk = daemon.talk
    tell(talk)
    whole = exported(talk)
    chosen = random.Random(7)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chosen.randint(1, 4)):
            place = chosen.randrange(len(data))
            piece = chosen.choice([b"", b"\n", b'"', b"9", b"null", b"\xff", b"{", b"\\ud800", b"-1e999", b"\0"])
            data[place : place + chosen.randint(0, 60)] = piece
        try:
            brought(talk, bytes(data))
        except EdgeError as error:
            assert isinstance(error, ImportInvalid), error  # noqa: PT017
    assert talk.alive()
    assert brought(talk, exported(talk))["added"] == {}


def edge(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*EDGE, *arguments], env=environment(folder), input=stdin, capture_output=True, timeout=120, check=False
    )


def test_by_the_command_line(daemon: DaemonThread, second: DaemonThread, folder: Path, tmp_path: Path) -> None:
    tell(daemon.talk)
    file = tmp_path / "mine.jsonl"
    assert edge(folder, "export", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_bytes() == exported(daemon.talk) == edge(folder, "export").stdout
    assert edge(folder, "export", str(file)).returncode == 2
    told = edge(folder / "2", "import", str(file))
    assert told.stdout.startswith(b"New: "), told.stderr
    again = edge(folder / "2", "--json", "import", "-", stdin=file.read_bytes())
    assert json.loads(again.stdout)["added"] == {}
    mem0 = tmp_path / "mem0.json"
    mem0.write_text(json.dumps({"results": [{"memory": "Dev 在成都工作"}, {"memory": "my password: hunter2!Xy"}]}))
    found = json.loads(edge(folder / "2", "--json", "import", str(mem0)).stdout)
    assert found["added"] == {"memory": 2}
    assert found["redacted"] == 1
    assert "hunter2" not in exported(second.talk).decode()
    wrong = edge(folder / "2", "--json", "import", "-", stdin=b"\n\n{}\n")
    assert (wrong.returncode, json.loads(wrong.stderr)["error"]["line"]) == (2, 3)


@root_only
def test_a_disk_that_fills_keeps_whole_batches_and_goes_on_when_there_is_room(
    daemon: DaemonThread, folder: Path, tmp_path: Path
) -> None:
    source = daemon.talk
    for number in range(400):
        source.remember(f"Box {number} is on shelf {number}. {'长话' * 100}", kind="fact_reference")
    data = exported(source)
    place = folder / "full"
    place.mkdir()
    with mounted(place / "state", "size=6m,mode=0700") as state, DaemonProcess(place) as talk:
        fill(state)
        with pytest.raises(DiskFull):
            brought(talk, data)
        (state / "filler").unlink()
        brought(talk, data)
        assert exported(talk) == data
    with mounted(folder / "small", "size=64k") as small:
        full = edge(folder, "export", str(small / "mine.jsonl"))
        assert full.returncode == 1
        assert b"No space left" in full.stderr
        assert list(small.iterdir()) == []
