"""Run as a program: a daemon whose model echoes what stands in the person's turn. `EDGE_TEST_HOLD=1` never replies."""

from __future__ import annotations

import os
import re

from edge.clock import SystemClock
from edge.daemon.main import run_daemon
from tests.e2e.running import ScriptedModels, settings_of
from tests.fakes.language_model import Gate, ScriptedModel

_LAST_TURN = re.compile(r".*\nuser\n(.*?)\n?assistant\n$", re.DOTALL)
_SAY = re.compile(r".*Say: (.*)", re.DOTALL)


def echo(prompt: str) -> str:
    """The notes and words of the last turn; of `Say: hello` only `hello`. Nothing where it only reads along."""
    found = _LAST_TURN.match(prompt)
    if found is None:
        return ""
    words = found[1].strip()
    told = _SAY.match(words)
    return told[1] if told else words


def main() -> int:
    gate = Gate() if os.environ.get("EDGE_TEST_HOLD") else None
    return run_daemon(settings_of(os.environ), ScriptedModels(ScriptedModel(echo, gate=gate)), SystemClock())


if __name__ == "__main__":
    raise SystemExit(main())
