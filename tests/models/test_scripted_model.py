"""The scripted model keeps the contract of the real one, and waits where a test wants it to."""

from __future__ import annotations

import threading

import pytest

from edge.engine.model_ports import Generation, Piece, Sampling
from edge.errors import ModelFailed
from tests.fakes.language_model import Gate, ScriptedModel
from tests.models.lanes_contract import LanesContract
from tests.models.language_model_contract import LanguageModelContract, chat, run


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(["Well, 汉堡 is a city 😀 in the north.\nIt has a harbour."], context=512)


@pytest.fixture
def lanes_model() -> ScriptedModel:
    return ScriptedModel(["Well, 汉堡 is a city."], context=512, resident=256)


class TestScriptedModel(LanguageModelContract):
    """The contract, on the fake."""


class TestScriptedLanes(LanesContract):
    """That of its lanes."""


def test_replies_come_in_order_and_the_last_stays() -> None:
    model = ScriptedModel(["one", "two"])
    prompt = chat(model.tokenizer, ("user", "hello"))
    texts = ["".join(piece.text for piece in run(model, prompt)[0]) for _ in range(3)]
    assert texts == ["one", "two", "two"]


def test_a_function_sees_the_text_of_the_prompt() -> None:
    model = ScriptedModel(lambda prompt: prompt.upper())
    pieces, _ = run(model, model.tokenizer.encode("what 是 this"))
    assert "".join(piece.text for piece in pieces) == "WHAT 是 THIS"


def test_a_failure_in_the_script_is_raised_and_the_next_reply_follows() -> None:
    model = ScriptedModel([ModelFailed("broken"), "whole"])
    prompt = chat(model.tokenizer, ("user", "hello"))
    with pytest.raises(ModelFailed):
        run(model, prompt)
    assert run(model, prompt)[0] == [Piece("whole", tuple(model.tokenizer.encode("whole")))]


def test_a_stop_at_the_gate_ends_the_prefill_half_way() -> None:
    gate = Gate()
    model = ScriptedModel(gate=gate)
    prompt = chat(model.tokenizer, ("user", "a b c d e f"))
    stop = model.new_stop()
    seen: list[Piece | Generation] = []
    thread = threading.Thread(target=lambda: seen.extend(model.stream(prompt, Sampling(), stop)))
    thread.start()
    assert gate.reached.wait(10)
    stop.set()
    thread.join(10)
    (last,) = seen
    assert isinstance(last, Generation)
    assert last.evaluated == len(prompt) // 2
    gate.open()
    assert run(model, prompt)[1].reused == len(prompt) // 2
