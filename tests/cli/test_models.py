from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from edge.cli import models
from edge.cli.progress import ProgressLine
from edge.models.files import ModelFiles
from edge.models.manifest import Manifest, Model, ModelFile, ModelId, Role
from edge.models.progress import Phase, Progress
from tests.cli.conftest import Edge

SMALL = b"weights of a small model"
MODEL = Model(
    id=ModelId("small"),
    role=Role.LANGUAGE,
    architecture="qwen2",
    parameters=1000,
    licence="Apache-2.0",
    trained_context=512,
    min_memory_mb=1,
    kv_bytes_per_token=1,
    default=True,
    files=(ModelFile("small.gguf", len(SMALL), hashlib.sha256(SMALL).hexdigest(), ()),),
)


@pytest.fixture
def folder_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A manifest with one small model, and an empty folder for it."""
    target = tmp_path / "models"
    monkeypatch.setattr(models, "_files", lambda: ModelFiles(Manifest((MODEL,)), [target]))
    return target


def test_list_with_the_manifest_of_the_package(edge: Edge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_MODELS_DIR", str(tmp_path))
    found = json.loads(edge("models", "list", "--json").stdout)["models"]
    assert {model["id"] for model in found} >= {"qwen2.5-coder-0.5b-instruct-q4_k_m", "all-minilm-l6-v2-int8"}
    assert {model["state"] for model in found} == {"missing"}
    lines = edge("models", "list").stdout.splitlines()
    assert lines[0].split() == ["id", "role", "size", "memory", "state"]
    assert len(lines) == len(found) + 1


def test_import_verify_and_list(edge: Edge, folder_of_models: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick.bin"
    stick.write_bytes(SMALL)
    assert edge("models", "import", str(stick)).stdout == f"small: {folder_of_models}/small/small.gguf\n"
    again = json.loads(edge("models", "import", str(stick), "--json").stdout)["imported"]
    assert (again[0]["id"], again[0]["copied"]) == ("small", False)
    assert edge("models", "verify").stdout == "small: present\n"
    assert "present (default)" in edge("models", "list").stdout
    fetched = edge("models", "fetch", "small")
    assert fetched.stdout == f"small: present, in {folder_of_models}/small\n"


def test_verify_names_what_is_wrong(edge: Edge, folder_of_models: Path) -> None:
    path = folder_of_models / "small/small.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * len(SMALL))
    result = edge("models", "verify")
    assert result.exit_code == 6
    assert "small: damaged" in result.stdout
    assert "sha256" in result.stdout
    assert json.loads(edge("models", "verify", "--json").stdout)["models"][0]["state"] == "damaged"


def test_verify_of_what_is_not_there(edge: Edge, folder_of_models: Path) -> None:
    nothing = edge("models", "verify")
    assert nothing.exit_code == 0
    assert "edge models fetch" in nothing.stdout
    assert edge("models", "verify", "small").exit_code == 6
    assert edge("models", "verify", "large").exit_code == 3


def test_fetch_of_an_unknown_model(edge: Edge, folder_of_models: Path) -> None:
    result = edge("models", "fetch", "large", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stderr)["error"]["code"] == "unknown_model"


def test_fetch_of_an_id_and_the_default(edge: Edge, folder_of_models: Path) -> None:
    assert edge("models", "fetch", "small", "--default").exit_code == 2


def test_import_of_a_file_that_is_not_there(edge: Edge, folder_of_models: Path, tmp_path: Path) -> None:
    result = edge("models", "import", str(tmp_path / "none"))
    assert result.exit_code != 0
    assert str(tmp_path / "none") in result.stderr


def test_progress_in_a_pipe_is_a_line_each_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine() as line:
        for done in range(1001):
            line.report(Progress(Phase.FETCHING, "m", "m.gguf", done, 1000))
        line.report(Progress(Phase.DISCARDED, "m", "m.gguf", 0, 0, "the fetched m.gguf has 3 bytes"))
        line.report(Progress(Phase.WAITING, "m", "", 0, 0, "another fetch"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "fetching m.gguf    0% of 1 kB"
    assert lines[10:] == [
        "fetching m.gguf  100% of 1 kB",
        "Discarded: the fetched m.gguf has 3 bytes.",
        "Waiting for another fetch ...",
    ]
