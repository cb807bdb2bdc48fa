"""The default model is asked what a message is for, and keeps the window of the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from edge.engine.intent_asking import likeliest, question
from edge.engine.kv_ports import Lane
from edge.engine.model_ports import Generation, Sampling
from edge.memory.intents import Intent, Label, Move
from edge.models.llama import LlamaModel
from tests.models.real_llama import real_llama

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    model = real_llama(768)
    yield model
    model.close()


@pytest.mark.parametrize("message", ["We sold the old car yesterday.", "昨天我们把旧车卖了。"])
def test_it_chooses_among_three_and_the_window_stays(model: LlamaModel, message: str) -> None:
    prompt, lane = model.tokenizer.encode("One, two, three, four, five, six,"), Lane("s")
    list(model.stream(prompt, Sampling(max_tokens=1), model.new_stop(), lane))
    asked = question(model, message, Intent(Label.GENERAL, 0.5, "as the test says", Move.OTHER))
    assert likeliest(model, asked, model.new_stop()) in asked.labels
    assert asked.tokens < 150
    *_, last = model.stream([*prompt, 1, 2], Sampling(max_tokens=1), model.new_stop(), lane)
    assert isinstance(last, Generation)
    assert (last.reused, last.evaluated) == (len(prompt), 2)
