from __future__ import annotations

import inspect
from pathlib import Path

import click
import pytest

from edge.cli import docs
from edge.cli.main import COMMANDS, cli


@pytest.mark.parametrize("path", list(docs.documents()), ids=lambda path: path.name)
def test_the_generated_documents_are_true(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == docs.documents()[path], "run `python -m edge.cli.docs`"


def test_every_command_and_option_is_documented() -> None:
    text = docs.commands_document()
    with click.Context(cli) as context:
        for name in COMMANDS:
            command = cli.get_command(context, name)
            assert command is not None
            assert f"\n## edge {name}\n" in text
            assert all(option.help for option in command.params if isinstance(option, click.Option))
            if name not in ("models", "daemon"):
                assert f"\nedge {name}" in inspect.cleandoc(command.help or ""), "a help text shows an example"


def test_a_stale_document_is_named_and_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "edge/ERRORS.md"
    stale.parent.mkdir()
    stale.write_text("old")
    monkeypatch.setattr(docs, "PACKAGE", tmp_path / "edge")
    monkeypatch.setattr(docs, "documents", lambda: {stale: "new"})
    assert docs.main(["--check"]) == 1
    assert "edge/ERRORS.md is out of date" in capsys.readouterr().err
    assert stale.read_text() == "old"
    assert docs.main([]) == 0
    assert stale.read_text() == "new"
    assert docs.main(["--check"]) == 0
