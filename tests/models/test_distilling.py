"""The default model tells what says something of a person from what does not: it can be trusted to weigh lines."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import pytest

from edge.engine.model_ports import LanguageModel
from edge.memory.language import Language
from edge.prompt.distilling import KNOWN, LEAST, Weighing, contrasts
from tests.models.real_llama import real_llama

pytestmark = pytest.mark.models

OTHERS: dict[Language, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        ("The user keeps bees on the roof of a library.", "The user's aunt plays the tuba in a brass band."),
        ("The user will do better next time.", "The user is very grateful for that."),
    ),
    "zh": (
        ("用户在图书馆的屋顶上养蜜蜂。", "用户的姑姑在乐队里吹大号。"),
        ("用户下次会做得更好。", "用户对此非常感激。"),
    ),
}
"""Lines that were not in mind when the known ones were chosen."""


@pytest.fixture(scope="module")
def model() -> Iterator[LanguageModel]:
    model = real_llama(768)
    yield model
    model.close()


@pytest.mark.parametrize("language", list(KNOWN))
def test_it_weighs_known_lines_rightly_and_others_by_and_large(model: LanguageModel, language: Language) -> None:
    weighing = Weighing(model.tokenizer, language)

    def weighed(lines: tuple[str, ...]) -> list[float]:
        candidates = weighing.candidates(lines)
        specific, empty = (
            model.score(prefix, candidates, model.new_stop()) for prefix in (weighing.specific, weighing.empty)
        )
        return contrasts(candidates, specific, empty)

    assert min(weighed(KNOWN[language].telling)) > LEAST[language] > max(weighed(KNOWN[language].empty))
    telling, empty = OTHERS[language]
    assert fmean(weighed(telling)) > fmean(weighed(empty))
