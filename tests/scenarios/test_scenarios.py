"""Every script in the folders beside this file holds."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.models import Mode
from tests.scenarios.play import Player
from tests.scenarios.script import Script, ScriptInvalid, Step, read_script
from tests.secret_cases import SECRETS

SCRIPTS = sorted(Path(__file__).parent.glob("*/*.txt"))


def _runs() -> Iterator[object]:
    """Each script with each of its models; the real ones need their files."""
    for path in SCRIPTS:
        script = read_script(path)
        name = f"{path.parent.name}-{path.stem}"
        for mode in script.modes:
            is_real = mode is not Mode.SCRIPTED or script.settings.get("embedder") == "real"
            marks = [pytest.mark.models] if is_real else []
            yield pytest.param(path, mode, id=name if mode is Mode.SCRIPTED else f"{name}-{mode}", marks=marks)


@pytest.fixture
def zone_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The process's time zone is what it was, after a scenario took its person's."""
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("path", "mode"), list(_runs()))
def test_a_scenario_holds(
    path: Path, mode: Mode, zone_kept: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    real = request.getfixturevalue("real_models") if request.node.get_closest_marker("models") else None
    script = read_script(path)
    with tempfile.TemporaryDirectory(prefix="edge") as folder:
        faults = asyncio.run(Player(script, Path(folder), zone_kept, mode, real).play())
    assert not faults, "\n".join([script.title, *faults])


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
