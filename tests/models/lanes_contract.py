"""What the `Lanes` of every `LanguageModel` must do. A fixture `lanes_model` gives a model with a context of 512
tokens, 256 more, and nothing in its cache.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.engine.kv_ports import Lane
from edge.engine.model_ports import Finish, LanguageModel
from edge.errors import StoreFailed
from tests.models.language_model_contract import chat, run

ANN, BOB, EVE, ZOE = Lane("ann"), Lane("bob"), Lane("eve"), Lane("zoe")
ROLE = ("system", "You are a friendly assistant who remembers what was said before. 你记得之前说过的话。")


def window(model: LanguageModel, words: str) -> list[int]:
    return chat(model.tokenizer, ROLE, ("user", words))


def grown(model: LanguageModel, before: list[int], reply: tuple[int, ...], words: str) -> list[int]:
    """The window of the next turn."""
    tokenizer = model.tokenizer
    closed = [*before, *reply, tokenizer.special("<|im_end|>"), *tokenizer.encode("\n")]
    return [*closed, *chat(tokenizer, ("user", words))]


def filled(model: LanguageModel, tokens: int, mark: str) -> list[int]:
    """A window of so many tokens that shares its beginning with no other."""
    return (model.tokenizer.encode(mark) + model.tokenizer.encode(" one two three") * tokens)[:tokens]


class LanesContract:
    """The tests."""

    def test_sessions_that_take_turns_evaluate_only_what_is_new(self, lanes_model: LanguageModel) -> None:
        model = lanes_model
        windows = {lane: window(model, f"I am {lane}.") for lane in (ANN, BOB, EVE)}
        held = dict.fromkeys(windows, 0)
        for turn in range(3):
            for lane, prompt in windows.items():
                _, last = run(model, prompt, lane, max_tokens=3)
                if turn > 0:
                    assert (last.reused, last.evaluated) == (held[lane], len(prompt) - held[lane])
                held[lane] = len(prompt) + len(last.tokens) - (last.finish is Finish.LENGTH)
                windows[lane] = grown(model, prompt, last.tokens, f"轮次 {turn}?")

    def test_a_new_session_begins_with_what_another_has_in_common(self, lanes_model: LanguageModel) -> None:
        first, second = window(lanes_model, "apples"), window(lanes_model, "pears")
        run(lanes_model, first, ANN, max_tokens=2)
        _, last = run(lanes_model, second, BOB, max_tokens=2)
        shared = next(at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other)
        assert (last.reused, last.evaluated) == (shared, len(second) - shared)
        _, again = run(lanes_model, first, ANN, max_tokens=2)
        assert again.evaluated == 1

    def test_what_was_shared_stays_when_the_first_leaves(self, lanes_model: LanguageModel) -> None:
        first, second = window(lanes_model, "apples"), window(lanes_model, "pears")
        run(lanes_model, first, ANN, max_tokens=2)
        run(lanes_model, second, BOB, max_tokens=2)
        lanes_model.lanes.drop(ANN)
        _, last = run(lanes_model, second, BOB, max_tokens=2)
        assert last.evaluated == 1
        assert lanes_model.lanes.held(ANN) == ()

    def test_the_least_recently_used_leaves_when_room_is_short(self, lanes_model: LanguageModel) -> None:
        for lane in (ANN, BOB, EVE):
            run(lanes_model, filled(lanes_model, 240, lane), lane, max_tokens=2)
        run(lanes_model, filled(lanes_model, 240, ANN), ANN, max_tokens=2)
        assert lanes_model.lanes.names == (BOB, EVE, ANN)
        assert lanes_model.lanes.leaving(ZOE, 200) == [BOB]
        run(lanes_model, filled(lanes_model, 198, ZOE), ZOE, max_tokens=2)
        assert lanes_model.lanes.names == (EVE, ANN, ZOE)
        _, last = run(lanes_model, filled(lanes_model, 240, EVE), EVE, max_tokens=2)
        assert last.evaluated == 1

    def test_a_full_window_has_room_whatever_is_there(self, lanes_model: LanguageModel) -> None:
        for lane in (ANN, BOB, EVE):
            run(lanes_model, filled(lanes_model, 250, lane), lane, max_tokens=2)
        _, last = run(lanes_model, filled(lanes_model, 500, ZOE), ZOE, max_tokens=12)
        assert last.finish in (Finish.LENGTH, Finish.STOP)
        assert lanes_model.lanes.names == (EVE, ZOE)

    def test_questions_beside_cost_no_session_anything(self, lanes_model: LanguageModel) -> None:
        model, encode = lanes_model, lanes_model.tokenizer.encode
        windows = {lane: filled(model, 250, lane) for lane in (ANN, BOB, EVE)}
        for lane, prompt in windows.items():
            run(model, prompt, lane, max_tokens=2)
        aside = encode("one two three ") * model.aside_tokens
        model.score(aside[: model.aside_tokens - 20], [encode(" tea"), aside[:20]], model.new_stop())
        model.free_line(aside[: model.aside_tokens - 4], 4, model.new_stop())
        for lane, prompt in windows.items():
            assert run(model, prompt, lane, max_tokens=2)[1].evaluated == 1

    def test_a_window_comes_back_from_its_file(self, lanes_model: LanguageModel, tmp_path: Path) -> None:
        model, path = lanes_model, tmp_path / "lane"
        prompt = window(model, "汉堡 is a city.")
        _, first = run(model, prompt, ANN, max_tokens=2)
        tokens = list(model.lanes.held(ANN))
        model.lanes.save(ANN, len(tokens), str(path))
        longer = grown(model, prompt, first.tokens, "What is it? 还有呢？")
        _, kept = run(model, longer, ANN, max_tokens=6)
        model.lanes.drop(ANN)
        with path.open("ab") as file:
            file.write(b" what stands behind it is not its own")
        assert model.lanes.restore(ANN, tokens, str(path))
        _, restored = run(model, longer, ANN, max_tokens=6)
        assert (restored.reused, restored.evaluated) == (kept.reused, kept.evaluated)
        assert restored.tokens == kept.tokens

    def test_only_so_many_tokens_are_saved_and_stay(self, lanes_model: LanguageModel, tmp_path: Path) -> None:
        model, path = lanes_model, str(tmp_path / "lane")
        prompt = window(model, "汉堡 is a city.")
        run(model, prompt, ANN, max_tokens=2)
        model.lanes.save(ANN, 9, path)
        assert list(model.lanes.held(ANN)) == prompt[:9]
        assert model.lanes.restore(BOB, prompt[:9], path)
        _, last = run(model, prompt, BOB, max_tokens=2)
        assert last.reused == 9

    def test_a_file_of_other_tokens_is_no_use(self, lanes_model: LanguageModel, tmp_path: Path) -> None:
        model, path = lanes_model, str(tmp_path / "lane")
        prompt = window(model, "汉堡 is a city.")
        run(model, prompt, ANN, max_tokens=2)
        model.lanes.save(ANN, 9, path)
        other = [*prompt[:8], prompt[9]]
        for tokens in (other, prompt[:10], prompt[:8]):
            assert not model.lanes.restore(BOB, tokens, path)
            assert BOB not in model.lanes.names
        assert run(model, prompt, ANN, max_tokens=2)[1].reused == 9

    def test_restoring_makes_room(self, lanes_model: LanguageModel, tmp_path: Path) -> None:
        model, path = lanes_model, str(tmp_path / "lane")
        prompt = filled(model, 300, ANN)
        run(model, prompt, ANN, max_tokens=2)
        model.lanes.save(ANN, 300, path)
        model.lanes.drop(ANN)
        for lane in (BOB, EVE):
            run(model, filled(model, 300, lane), lane, max_tokens=2)
        assert model.lanes.restore(ANN, prompt, path)
        assert model.lanes.names == (EVE, ANN)

    def test_what_cannot_be_written_is_said(self, lanes_model: LanguageModel, tmp_path: Path) -> None:
        run(lanes_model, window(lanes_model, "tea"), ANN, max_tokens=2)
        with pytest.raises(StoreFailed):
            lanes_model.lanes.save(ANN, 9, str(tmp_path / "no folder" / "lane"))

    def test_a_fingerprint_stays(self, lanes_model: LanguageModel) -> None:
        assert lanes_model.fingerprint
        assert lanes_model.fingerprint == lanes_model.fingerprint
