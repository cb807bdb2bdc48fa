"""Run as a program: a daemon whose model echoes what stands in the person's turn. `EDGE_TEST_HOLD=1` never replies;
`EDGE_TEST_EMBEDDERS=a/64,b/32` names the embedders that are on the machine, that of the settings first."""

from __future__ import annotations

import os
import re

from edge.clock import SystemClock
from edge.daemon.main import run_daemon
from tests.e2e.running import ScriptedModels, settings_of
from tests.fakes.embedder import HashEmbedder
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


def embedders_named(keys: str) -> list[HashEmbedder]:
    """Embedders by their keys, with commas between."""
    parts = [key.rpartition("/") for key in keys.split(",") if key]
    return [HashEmbedder(int(dimension), model_id=model_id) for model_id, _, dimension in parts]


def main() -> int:
    gate = Gate() if os.environ.get("EDGE_TEST_HOLD") else None
    models = ScriptedModels(ScriptedModel(echo, gate=gate), *embedders_named(os.environ.get("EDGE_TEST_EMBEDDERS", "")))
    return run_daemon(settings_of(os.environ), models, SystemClock())


if __name__ == "__main__":
    raise SystemExit(main())
