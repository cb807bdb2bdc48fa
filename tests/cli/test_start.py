"""The command line starts fast: what is slow to import is not imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from edge.cli.main import COMMANDS
from tests.cli.scripted import ScriptedDaemon

NEVER = {"numpy", "onnxruntime", "llama_cpp", "aiohttp", "hnswlib", "tokenizers", "asyncio", "snowballstemmer"}
SCRIPT = """
import json, sys
from edge.cli.main import cli
try:
    cli.main(json.loads(sys.argv[1]))
except SystemExit as end:
    print(json.dumps([end.code, sorted(sys.modules)]), file=sys.stderr)
"""


def modules_after(*arguments: str) -> set[str]:
    """Names of all modules that are loaded once the command has run, and succeeded."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(arguments)], capture_output=True, text=True, timeout=60
    )
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("command", [*COMMANDS, "models list", "models fetch", "models verify", "models import"])
def test_help_imports_nothing_slow(command: str) -> None:
    modules = modules_after(*command.split(), "--help")
    assert not modules & NEVER
    assert not {
        name for name in modules if name.startswith(("edge.models", "edge.daemon", "edge.engine", "edge.store"))
    }
    assert not modules & {"http.client", "tomllib", "edge.config"}


def test_help_as_a_whole_imports_nothing_slow() -> None:
    assert not modules_after("--help") & NEVER


def test_status_imports_nothing_slow(daemon: ScriptedDaemon) -> None:
    modules = modules_after("status")
    assert not modules & (NEVER | {"tomllib", "edge.config", "edge.settings"})


def test_models_list_imports_nothing_slow() -> None:
    assert not modules_after("models", "list") & NEVER
