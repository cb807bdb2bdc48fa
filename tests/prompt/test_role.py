"""What the default model makes of the role text: a fact alone, and more where more is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from edge.engine.model_ports import LanguageModel, Piece, Sampling
from edge.prompt.composition import Composer
from edge.prompt.texts import CHINESE, ENGLISH, Texts
from tests.models.real_llama import real_llama

pytestmark = pytest.mark.models

_GREEDY = Sampling(max_tokens=64, temperature=0.0)


@pytest.fixture(scope="module")
def model() -> Iterator[LanguageModel]:
    """Of this module's own, with a small context."""
    loaded = real_llama(context=1024)
    yield loaded
    loaded.close()


def replied(model: LanguageModel, texts: Texts, words: str, *notes: str) -> str:
    """The reply to a session's first message, with these notes before it."""
    composer = Composer(model.tokenizer)
    lines = [composer.notes_header(texts), *map(composer.note_line, notes)] if notes else []
    prompt = composer.head(texts.role, ()) + composer.user(lines, composer.text(words)) + composer.open_reply
    items = model.stream(prompt, _GREEDY, model.new_stop())
    return "".join(item.text for item in items if isinstance(item, Piece)).strip()


MOVED = "[user's words, 2 April] I moved to Hamburg last month (March 2026), finally near the water."
CAT = "[you said, 3 May] Your cat's name is Momo."
MOVED_ZH = "[用户原话，4月2日] 我上个月（2026年3月）搬到上海了，终于离海近了。"


@pytest.mark.parametrize(
    ("texts", "note", "question", "answer"),
    [
        (ENGLISH, MOVED, "When did I move to Hamburg?", "March 2026"),
        (ENGLISH, CAT, "What is my cat's name?", "Momo"),
        (CHINESE, MOVED_ZH, "我什么时候搬到上海的？", "2026年3月"),
    ],
)
def test_a_fact_of_the_notes_is_answered_alone(
    model: LanguageModel, texts: Texts, note: str, question: str, answer: str
) -> None:
    reply = replied(model, texts, question, note)
    assert answer in reply
    assert len(reply) <= 24


@pytest.mark.parametrize(
    ("texts", "wish", "characters"),
    [
        (ENGLISH, "Explain why the sky is blue.", 60),
        (ENGLISH, "Write a short poem about autumn.", 60),
        (ENGLISH, "Give me three tips for better sleep.", 60),
        (CHINESE, "解释一下天为什么是蓝的。", 15),
        (CHINESE, "写一首关于秋天的短诗。", 15),
    ],
)
def test_who_asks_for_more_gets_more(model: LanguageModel, texts: Texts, wish: str, characters: int) -> None:
    assert len(replied(model, texts, wish)) >= characters
