"""The real language model: the contract, and what only it can show."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import llama_cpp.llama_cpp as lib
import numpy as np
import numpy.typing as npt
import pytest

from edge.engine.kv_ports import Lane
from edge.engine.model_ports import Finish, Generation, LanguageModel, Piece, Sampling
from edge.errors import Cancelled, ModelFailed
from edge.models.llama import LlamaModel
from edge.models.llama_context import SCRATCH
from edge.models.llama_stop import LlamaStop
from tests.models.lanes_contract import LanesContract
from tests.models.language_model_contract import LanguageModelContract, chat, run
from tests.models.real_llama import real_llama

pytestmark = pytest.mark.models

WORDS = "The lighthouse keeper counted seven ships and wrote their names into a blue book. 灯塔的守望者数了七艘船。"


@pytest.fixture(scope="module")
def model() -> Iterator[LanguageModel]:
    """One model for all tests here; what they leave in its cache is part of the test."""
    model = real_llama(768)
    yield model
    model.close()


@pytest.fixture
def llama(model: LlamaModel) -> LlamaModel:
    return model


@pytest.fixture(scope="module")
def small() -> Iterator[LlamaModel]:
    model = real_llama(512, resident=256)
    yield model
    model.close()


@pytest.fixture
def lanes_model(small: LlamaModel) -> LlamaModel:
    for lane in small.lanes.names:
        small.lanes.drop(lane)
    return small


def long_prompt(llama: LlamaModel, tokens: int, mark: str) -> list[int]:
    """A prompt of that many tokens which no other test shares."""
    return (llama.tokenizer.encode(mark) + llama.tokenizer.encode(WORDS) * tokens)[:tokens]


def logits_after(llama: LlamaModel, prompt: list[int]) -> npt.NDArray[np.float32]:
    run(llama, prompt, max_tokens=1)
    return llama._context.row(-1).copy()


def fresh(llama: LlamaModel) -> LlamaModel:
    llama._context.clear()
    return llama


class TestLlama(LanguageModelContract):
    """The contract, on llama.cpp."""


class TestLlamaLanes(LanesContract):
    """That of its lanes."""


def test_twenty_turns_evaluate_exactly_their_new_tokens(llama: LlamaModel) -> None:
    tokenizer = llama.tokenizer
    window = chat(tokenizer, ("system", "You are a friendly assistant."), ("user", "Hello, I am Zhang Wei."))
    held = 0
    for turn in range(20):
        _, last = run(fresh(llama) if turn == 0 else llama, window, max_tokens=6, temperature=0.7, seed=turn)
        assert (last.reused, last.evaluated) == (held, len(window) - held)
        held = len(window) + len(last.tokens) - (last.finish is Finish.LENGTH)
        window = [*window, *last.tokens, tokenizer.special("<|im_end|>"), *tokenizer.encode("\n")]
        window += chat(tokenizer, ("user", f"Turn {turn}: what else? 还有呢？"))


@pytest.mark.parametrize("words", ["Count from 1 to 20.", "法国的首都是哪里？"])
def test_a_reused_window_continues_as_a_fresh_one(llama: LlamaModel, words: str) -> None:
    tokenizer = llama.tokenizer
    window = chat(tokenizer, ("system", "You are a helpful assistant."), ("user", "What is two plus two?"))
    _, first = run(llama, window, max_tokens=30)
    window = [*window, *first.tokens, tokenizer.special("<|im_end|>"), *tokenizer.encode("\n")]
    window += chat(tokenizer, ("user", words))
    _, reused = run(llama, window, max_tokens=20)
    _, alone = run(fresh(llama), window, max_tokens=20)
    assert reused.reused > 0 == alone.reused
    assert reused.tokens == alone.tokens


def stop_within_prefill(llama: LlamaModel, prompt: list[int], steps: int, patch: pytest.MonkeyPatch) -> Generation:
    """A stream that is stopped inside a step, after `steps` whole ones."""
    with stopped_inside(llama, steps, patch) as stop:
        (last,) = llama.stream(prompt, Sampling(), stop)
    assert isinstance(last, Generation)
    return last


@contextmanager
def stopped_inside(llama: LlamaModel, steps: int, patch: pytest.MonkeyPatch) -> Iterator[LlamaStop]:
    """A signal that another thread sets while llama.cpp is inside a step, after `steps` whole ones."""
    stop, begun = llama.new_stop(), threading.Event()
    decode, codes = lib.llama_decode, list[int]()

    def watched(context: object, batch: lib.llama_batch) -> int:
        if len(codes) == steps:
            begun.set()  # the other thread runs when the call below lets go of the interpreter's lock
        codes.append(decode(context, batch))
        return codes[-1]

    def set_when_begun() -> None:
        begun.wait(60)
        stop.set()

    setter = threading.Thread(target=set_when_begun)
    setter.start()
    with patch.context() as patched:
        patched.setattr(lib, "llama_decode", watched)
        yield stop
    setter.join()
    assert codes == [0] * steps + [2]


def test_a_stop_inside_a_step_keeps_the_steps_before_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    llama = real_llama(4096)
    prompt = long_prompt(llama, 3000, "Stopped in the middle:")
    last = stop_within_prefill(llama, prompt, 3, monkeypatch)
    assert (last.finish, last.reused, last.evaluated) == (Finish.CANCELLED, 0, 3 * llama._context.step)
    assert not [record for record in caplog.records if record.levelno > logging.INFO]
    memory = llama.memory()
    assert memory["kv"] == (4096 + 2048 + llama.aside_tokens) * 12 * 1024
    assert 1 << 20 < memory["compute"] < 64 << 20
    llama.close()


def test_what_a_stop_leaves_in_the_cache_is_sound(llama: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = long_prompt(llama, 500, "Stopped and continued:")
    last = stop_within_prefill(fresh(llama), prompt, 1, monkeypatch)
    assert 0 < last.evaluated < len(prompt)
    other = [*prompt[: last.evaluated], *llama.tokenizer.encode(" A different end: the capital of France is")]
    continued = logits_after(llama, other)
    alone = logits_after(fresh(llama), other)
    assert continued.argmax() == alone.argmax()
    np.testing.assert_allclose(continued, alone, atol=0.05)


def test_a_stopped_generation_continues_where_it_was(llama: LlamaModel) -> None:
    prompt = chat(llama.tokenizer, ("user", "Count from 1 to 30, separated by commas."))
    _, whole = run(llama, prompt, max_tokens=12)
    stop = llama.new_stop()
    stream = llama.stream(prompt, Sampling(max_tokens=12), stop)
    pieces = [next(stream) for _ in range(4)]
    stop.set()
    assert len(list(stream)) == 1
    begun = [token for piece in pieces if isinstance(piece, Piece) for token in piece.tokens]
    _, rest = run(llama, [*prompt, *begun], max_tokens=8)
    assert (*begun, *rest.tokens) == whole.tokens
    assert rest.evaluated <= 2


@pytest.mark.parametrize(
    "text", ["<|im_start|>system", "a<|im_end|>b", "<|endoftext|>", "<tool_call>", "</tool_call>x"]
)
def test_control_words_in_text_have_no_special_ids(llama: LlamaModel, text: str) -> None:
    tokens = llama.tokenizer.encode(text)
    assert not set(tokens) & set(range(151643, 151665))
    assert llama.tokenizer.decode(tokens).decode() == text


def test_the_ids_are_qwens(llama: LlamaModel) -> None:
    names = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    assert [llama.tokenizer.special(name) for name in names] == [151643, 151644, 151645]
    assert llama.tokenizer.encode("Hello world") == [9707, 1879]
    assert llama.tokenizer.ends(151645)
    assert not llama.tokenizer.ends(151644)


def test_characters_split_over_tokens_stream_whole(llama: LlamaModel) -> None:
    said = "𠮷野家🫠🧑‍🚀龘"
    assert len(llama.tokenizer.encode(said)) > len(said)
    prompt = chat(llama.tokenizer, ("user", f"Repeat exactly: {said}")) + llama.tokenizer.encode(said + "\n" + said[:2])
    pieces, last = run(llama, prompt, max_tokens=20)
    assert any(len(piece.tokens) > 1 for piece in pieces)
    assert "�" not in "".join(piece.text for piece in pieces)
    assert tuple(token for piece in pieces for token in piece.tokens) == last.tokens


@pytest.mark.parametrize(
    ("note", "topic"),
    [
        ("I drink two espressos every morning.", "Coffee"),
        ("The nginx server needs its certificate renewed.", "Web Servers"),
        ("My dog Rex has to see the vet.", "Pets"),
        ("我每天早上喝两杯咖啡。", "Coffee"),
    ],
)
def test_the_right_topic_scores_best(llama: LlamaModel, note: str, topic: str) -> None:
    tokenizer = llama.tokenizer
    topics = ("Coffee", "Web Servers", "Pets", "Gardening")
    prefix = chat(tokenizer, ("user", f"Note: {note}\nIn which topic does it belong?")) + tokenizer.encode("Topic:")
    scores = llama.score(prefix, [tokenizer.encode(f" {name}") for name in topics], llama.new_stop())
    assert topics[int(np.argmax(scores))] == topic


def test_side_by_side_scores_are_those_of_one_by_one(llama: LlamaModel) -> None:
    tokenizer = llama.tokenizer
    prefix = tokenizer.encode("The capital of France is")
    texts = (
        " Paris",
        " the city of Paris on the Seine",
        " 巴黎",
        " a large red sofa in the kitchen of my aunt Margarete",
    )
    candidates = [tokenizer.encode(text) for text in texts] * 4
    together = llama.score(prefix, candidates, llama.new_stop())
    alone = [llama.score(prefix, [candidate], llama.new_stop())[0] for candidate in candidates[:4]]
    assert together == pytest.approx(alone * 4, abs=0.05)
    assert max(together) == together[0]


def test_a_score_is_the_models_own_probability(llama: LlamaModel) -> None:
    prefix = llama.tokenizer.encode("One, two, three,")
    (four,) = llama.tokenizer.encode(" four")
    row = logits_after(fresh(llama), prefix).astype(np.float64)
    expected = row[four] - np.log(np.exp(row - row.max()).sum()) - row.max()
    assert llama.score(prefix, [[four]], llama.new_stop()) == pytest.approx([expected], abs=0.05)


def test_a_question_beside_it_that_is_stopped_half_way_costs_a_window_nothing(
    llama: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = long_prompt(llama, 300, "A window:")
    run(fresh(llama), window, max_tokens=1)
    aside = long_prompt(llama, 900, "Something else:")
    with stopped_inside(llama, 1, monkeypatch) as stop, pytest.raises(Cancelled):
        llama.score(aside, [aside[:3]], stop)
    assert llama._context.held(SCRATCH) == llama._context.step
    _, last = run(llama, [*window, 1, 2], max_tokens=1)
    assert (last.reused, last.evaluated) == (len(window), 2)


def test_a_stopped_score_leaves_the_next_one_right(llama: LlamaModel) -> None:
    tokenizer = llama.tokenizer
    prefix, candidates = tokenizer.encode("The sky is"), [tokenizer.encode(" blue and wide"), tokenizer.encode(" zinc")]
    before = llama.score(prefix, candidates, llama.new_stop())
    stop = llama.new_stop()
    stop.set()
    with pytest.raises(Cancelled):
        llama.score(prefix, candidates, stop)
    assert llama.score(prefix, candidates, llama.new_stop()) == pytest.approx(before, abs=0.05)


def test_a_seed_decides_and_another_seed_differs(llama: LlamaModel) -> None:
    prompt = chat(llama.tokenizer, ("user", "Invent the name of a planet and describe it."))
    replies = [
        run(llama, prompt, max_tokens=16, temperature=1.5, top_p=1.0, seed=seed)[1].tokens for seed in (1, 1, 2, 3)
    ]
    assert replies[0] == replies[1]
    assert len(set(replies)) > 1


def test_a_repeat_penalty_ends_a_loop(llama: LlamaModel) -> None:
    prompt = chat(
        llama.tokenizer, ("user", "Say only: tick tick tick tick tick tick tick tick tick tick tick tick tick")
    )
    _, free = run(llama, prompt, max_tokens=12, temperature=0.01, repeat_penalty=1.0)
    _, held = run(llama, prompt, max_tokens=12, temperature=0.01, repeat_penalty=2.0)
    assert len(set(held.tokens)) > len(set(free.tokens))


def test_after_a_failure_the_model_serves_on(llama: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = chat(llama.tokenizer, ("user", "hello"))
    run(llama, prompt, max_tokens=1)
    monkeypatch.setattr("edge.models.llama_context.lib.llama_decode", lambda *_: -3)
    with pytest.raises(ModelFailed, match="code -3"):
        run(llama, [*prompt, 1, 2], max_tokens=1)
    monkeypatch.undo()
    _, last = run(llama, prompt, max_tokens=2)
    assert (last.reused, last.evaluated) == (0, len(prompt))


def test_a_second_call_beside_a_running_stream_is_refused(llama: LlamaModel) -> None:
    prompt = chat(llama.tokenizer, ("user", "hello"))
    stream = llama.stream(prompt, Sampling(max_tokens=9), llama.new_stop())
    next(stream)
    with pytest.raises(RuntimeError, match="has not ended"):
        llama.free_line(prompt, 3, llama.new_stop())
    assert isinstance(list(stream)[-1], Generation)


def test_foreign_token_ids_are_refused(llama: LlamaModel) -> None:
    for token in (-1, llama.tokenizer.size):
        with pytest.raises(ValueError, match="token id"):
            llama.stream([token], Sampling(), llama.new_stop())


def test_threads_share_the_tokenizer(llama: LlamaModel) -> None:
    expected = llama.tokenizer.encode(WORDS * 20)
    seen: list[list[int]] = []
    threads = [threading.Thread(target=lambda: seen.append(llama.tokenizer.encode(WORDS * 20))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 8


def test_a_closed_model_refuses_and_its_tokenizer_still_works() -> None:
    llama = real_llama(512)
    tokenizer = llama.tokenizer
    llama.close()
    llama.close()
    with pytest.raises(RuntimeError, match="closed"):
        next(llama.stream([1], Sampling(), llama.new_stop()))
    del llama
    assert tokenizer.decode(tokenizer.encode("猫 and dog")).decode() == "猫 and dog"


def test_a_window_goes_on_in_another_process_of_the_model_as_it_would_have_gone_on(tmp_path: Path) -> None:
    first, lane, path = real_llama(512, resident=0), Lane("ann"), str(tmp_path / "lane")
    window = chat(
        first.tokenizer, ("system", "You are a friendly assistant. 你很友好。"), ("user", "Name two animals.")
    )
    _, said = run(first, window, lane, max_tokens=8)
    longer = [*window, *said.tokens, first.tokenizer.special("<|im_end|>"), *first.tokenizer.encode("\n")]
    longer += chat(first.tokenizer, ("user", "And two more? 还有呢？"))
    held = list(first.lanes.held(lane))
    first.lanes.save(lane, len(held), path)
    _, expected = run(first, longer, lane, max_tokens=12)
    first.close()
    second = real_llama(512, resident=0)
    assert second.fingerprint == first.fingerprint
    assert second.lanes.restore(lane, held, path)
    _, last = run(second, longer, lane, max_tokens=12)
    assert (last.reused, last.evaluated) == (len(held), len(longer) - len(held))
    assert last.tokens == expected.tokens
    assert not second.lanes.restore(lane, held[:-1], path)
    second.close()
