"""Run as a program with the argument `daemon`: edge on a machine whose manifest has the default embedder twice, under
its own id and as the twin. A coming embedder stops half way as long as the file `hold` is in the state folder."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import edge.daemon.parts
from edge.cli.main import main
from edge.engine.ports import MemoryStore
from edge.engine.vectors import Vectors
from edge.models.manifest import Manifest, ModelId, Role, load_manifest

TWIN = "twin-of-minilm"


def both() -> Manifest:
    manifest = load_manifest()
    twin = replace(manifest.default(Role.EMBEDDER), id=ModelId(TWIN), default=False)
    return Manifest((*manifest.models, twin))


def run() -> int:
    patch = pytest.MonkeyPatch()
    patch.setattr(edge.daemon.parts, "load_manifest", both)
    embed = Vectors.embed_coming
    hold = Path(os.environ["EDGE_STATE_DIR"], "hold")

    def embed_half(vectors: Vectors, store: MemoryStore, limit: int) -> bool:
        key = vectors.coming.key if vectors.coming else ""
        if hold.exists() and key and 2 * store.count_missing(key) <= store.counts(None)["units"]:
            return False
        return embed(vectors, store, limit)

    patch.setattr(Vectors, "embed_coming", embed_half)
    return main()


if __name__ == "__main__":
    raise SystemExit(run())
