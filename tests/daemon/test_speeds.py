"""What was measured of a model is there after a restart; what cannot be read is measured again."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from edge.daemon.speeds import SpeedFile, SpeedKeeper
from edge.engine.model_ports import Finish, Generation
from edge.engine.speed import Figures, Measured, Speed
from tests.e2e.running import ScriptedModels
from tests.fakes.language_model import ScriptedModel

KNOWN = Figures(Measured(0.01, 0.001), Measured(0.04, 0.002), Measured(0.05, 0.01))


def keeper(path: Path, speed: Speed, *, token_seconds: float | None = None, model_id: str = "small") -> SpeedKeeper:
    """Of a daemon that has just loaded its model."""
    models = ScriptedModels(ScriptedModel(model_id=model_id), token_seconds=token_seconds)
    made = SpeedKeeper(speed, SpeedFile(path), models)
    made.load()
    return made


def evaluated(tokens: int, seconds: float) -> Generation:
    return Generation(Finish.STOP, (), tokens, 0, seconds, 0.0)


def test_what_is_kept_is_read_again_for_each_setup(tmp_path: Path) -> None:
    file = SpeedFile(tmp_path / "speeds.json")
    assert file.read("small, 2 threads") == Figures()
    file.write("small, 2 threads", KNOWN)
    file.write("small, 4 threads", Figures(overhead=Measured(0.2, 0.1)))
    assert file.read("small, 2 threads") == KNOWN
    assert file.read("small, 4 threads") == Figures(overhead=Measured(0.2, 0.1))
    assert [path.name for path in tmp_path.iterdir()] == ["speeds.json"]


def test_of_many_setups_the_newest_are_kept(tmp_path: Path) -> None:
    file = SpeedFile(tmp_path / "speeds.json")
    for number in range(20):
        file.write(f"model {number}", KNOWN)
    kept = json.loads(file.path.read_text())
    assert list(kept) == [f"model {number}" for number in range(4, 20)]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "7", '{"small": 7}', '{"small": {"prefill": 3}}',
        '{"small": {"prefill": {"mean": -1, "spread": 0}}}',
        '{"small": {"prefill": {"mean": 1e999, "spread": 0}}}', '{"small": {"prefill": {"mean": "x", "spread": 0}}}',
        '{"small": {"prefill": {"mean": 1}}}', '{"small": {"overhead": {"mean": NaN, "spread": 0}}}', '{"small": null}',
    ],
)  # fmt: skip
def test_what_is_not_valid_is_measured_again(tmp_path: Path, text: str) -> None:
    path = tmp_path / "speeds.json"
    path.write_text(text)
    speed = Speed()
    made = keeper(path, speed, token_seconds=0.5)
    assert (speed.figures, speed.token_seconds) == (Figures(), 0.5)
    speed.note(evaluated(100, 1.0))
    made.keep()
    assert SpeedFile(path).read("small").prefill == Measured.first(0.01)


def test_a_trial_is_made_only_where_nothing_is_known(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    SpeedFile(path).write("small", KNOWN)
    known, unknown = Speed(), Speed()
    keeper(path, known, token_seconds=0.5)
    keeper(path, unknown, token_seconds=0.5, model_id="large")
    assert known.figures == KNOWN
    assert known.token_seconds == pytest.approx(0.012)
    assert unknown.token_seconds == 0.5


def test_a_model_that_is_loaded_again_is_as_fast_as_it_was(tmp_path: Path) -> None:
    speed = Speed()
    made = keeper(tmp_path / "speeds.json", speed, token_seconds=0.5)
    speed.note(evaluated(100, 1.0))
    known = speed.figures
    made.load()
    assert speed.figures == known


def test_it_is_written_when_it_has_changed_clearly(tmp_path: Path) -> None:
    path = tmp_path / "speeds.json"
    SpeedFile(path).write("small", KNOWN)
    speed = Speed()
    made = keeper(path, speed)
    speed.note(evaluated(100, 1.2))
    made.keep()
    assert SpeedFile(path).read("small") == KNOWN
    for _ in range(5):
        speed.note(evaluated(100, 1.2))
    made.keep()
    assert SpeedFile(path).read("small") == speed.figures


def test_a_folder_that_takes_nothing_is_said_and_no_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    speed = Speed()
    made = keeper(tmp_path / "gone" / "speeds.json", speed)
    speed.note(evaluated(100, 1.0))
    with caplog.at_level(logging.WARNING):
        made.keep()
    assert "speed is not kept" in caplog.text
