"""What all scenarios share: the real models, where one needs them, and the rules, which never change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import edge.daemon.main
from edge.daemon.parts import read_rules
from tests.e2e.running import environment, settings_of
from tests.folders import MODEL_FOLDERS
from tests.scenarios.models import RealModels


@pytest.fixture(scope="package", autouse=True)
def rules_read_once() -> Iterator[None]:
    """Reading the rules takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge.daemon.main, "read_rules", cache(read_rules))
        yield


@pytest.fixture(scope="package")
def real_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealModels]:
    """The default models; none is loaded before it is needed."""
    places = [str(place) for place in MODEL_FOLDERS if place.is_dir()]
    models = RealModels(settings_of(environment(Path(tmp_path_factory.mktemp("models")), EDGE_MODELS_DIR=places[0])))
    yield models
    models.close()
