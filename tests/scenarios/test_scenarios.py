"""Every script in the folders beside this file holds."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.play import Player
from tests.scenarios.script import Script, ScriptInvalid, Step, read_script
from tests.secret_cases import SECRETS

SCRIPTS = sorted(Path(__file__).parent.glob("*/*.txt"))
_REAL = ("models: real", "embedder: real")


def _marks(path: Path) -> list[pytest.MarkDecorator]:
    """Scripts that name the real models need their files."""
    text = path.read_text(encoding="utf-8")
    return [pytest.mark.models] if any(f"\n{line}" in text for line in _REAL) else []


@pytest.fixture
def zone_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The process's time zone is what it was, after a scenario took its person's."""
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=_marks(path)) for path in SCRIPTS],
)
def test_a_scenario_holds(path: Path, zone_kept: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="edge") as folder:
        faults = asyncio.run(Player(read_script(path), Path(folder), zone_kept).play())
    assert not faults, "\n".join([read_script(path).title, *faults])


def test_sixty_shapes_of_secrets_leave_nothing_in_any_turn(zone_kept: pytest.MonkeyPatch) -> None:
    """`watching` audits prompt, units and log after each turn."""
    assert len(SECRETS) >= 60
    steps = [Step(number, ">", case.message) for number, case in enumerate(SECRETS)]
    with tempfile.TemporaryDirectory(prefix="edge") as folder:
        faults = asyncio.run(Player(Script("Secrets.", steps=steps), Path(folder), zone_kept).play())
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("line", ["> hello\nrepply: x", "what is this", "reply: too early", "zone UTC", "! dance"])
def test_a_line_that_means_nothing_is_named(tmp_path: Path, line: str) -> None:
    script = tmp_path / "wrong.txt"
    script.write_text(f"# Wrong.\n{line}\n")
    with pytest.raises(ScriptInvalid, match=r"wrong.txt:[23]"):
        read_script(script)


def test_what_is_not_as_it_must_be_is_told(tmp_path: Path, zone_kept: pytest.MonkeyPatch) -> None:
    script = tmp_path / "false.txt"
    script.write_text("# False.\n> Hello.\n< Hi!\nreply: bye\nreply: not hi\nby: model\n")
    with tempfile.TemporaryDirectory(prefix="edge") as folder:
        faults = asyncio.run(Player(read_script(script), Path(folder), zone_kept).play())
    assert [fault.partition(":")[0] for fault in faults] == ["line 4", "line 5"]
