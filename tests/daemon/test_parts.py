"""Models as the settings name them."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path

import pytest

from edge.clock import SystemClock
from edge.daemon.parts import FileModels
from edge.errors import EdgeError, ModelDamaged, ModelMissing, ModelUnfit, ModelUnknown
from edge.models.manifest import Role, load_manifest
from edge.settings import EmbedderSettings, ModelSettings, Settings
from tests.e2e.running import environment, settings_of


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_of(environment(tmp_path, EDGE_MODELS_DIR=str(tmp_path / "models")))


def test_a_model_of_the_other_role_is_named_and_not_opened(settings: Settings) -> None:
    language, embedder = (load_manifest().default(role).id for role in (Role.LANGUAGE, Role.EMBEDDER))
    swapped = replace(settings, model=ModelSettings(id=embedder), embedder=EmbedderSettings(id=language))
    models = FileModels(swapped, SystemClock())
    with pytest.raises(ModelUnfit, match=embedder) as unfit:
        models.load_language()
    assert "model.id" in unfit.value.hint
    with pytest.raises(ModelUnfit, match=language) as unfit:
        models.load_embedder()
    assert "embedder.id" in unfit.value.hint


def test_a_model_that_the_manifest_does_not_know_is_named(settings: Settings) -> None:
    with pytest.raises(ModelUnknown, match="qwen9"):
        FileModels(replace(settings, model=ModelSettings(id="qwen9")), SystemClock()).load_language()


def test_without_any_file_the_default_is_what_is_missing(settings: Settings) -> None:
    models = FileModels(settings, SystemClock())
    assert models.language_id() == load_manifest().default(Role.LANGUAGE).id
    with pytest.raises(ModelMissing, match=models.language_id()):
        models.load_language()


def test_a_former_embedder_is_one_of_the_manifest_and_here(settings: Settings) -> None:
    language, embedder = (load_manifest().default(role).id for role in (Role.LANGUAGE, Role.EMBEDDER))
    models = FileModels(settings, SystemClock())
    for wrong, error in ((embedder, ModelMissing), (language, ModelUnfit), ("from-elsewhere", ModelUnknown)):
        with pytest.raises(error, match=wrong):
            models.load_former(wrong, 384)


@pytest.mark.models
def test_a_former_embedder_must_be_of_its_dimension_and_counts_while_it_is_held(
    settings: Settings, model_folders: tuple[Path, ...]
) -> None:
    embedder_id = load_manifest().default(Role.EMBEDDER).id
    here = replace(settings, places=replace(settings.places, models=model_folders))
    models = FileModels(here, SystemClock())
    with pytest.raises(ModelUnfit):
        models.load_former(embedder_id, 512)
    former = models.load_former(embedder_id, 384)
    assert (former.id, former.dimension) == (embedder_id, 384)
    assert models.embedder_bytes() > 0
    del former
    gc.collect()
    assert models.embedder_bytes() == 0


@pytest.mark.parametrize(
    ("content", "error"),
    [(None, ModelMissing), (b"root:x:0:0:root\n", ModelDamaged), (b"\x89PNG\r\n" * 99, ModelDamaged)],
)
def test_what_is_wrong_with_a_file_of_ones_own_is_mended_in_the_settings(
    settings: Settings, tmp_path: Path, content: bytes | None, error: type[EdgeError]
) -> None:
    path = tmp_path / "mine.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=r"mine\.gguf") as caught:
        FileModels(replace(settings, model=ModelSettings(file=str(path))), SystemClock()).load_language()
    assert "model.file" in caught.value.hint
