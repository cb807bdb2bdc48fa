"""What every `TextEmbedder` does: the fake and the real one."""

from collections.abc import Callable

import numpy as np
import pytest

from edge.engine.model_ports import TextEmbedder
from tests.fakes.embedder import HashEmbedder
from tests.models.real_embedder import real_embedder

LONG_EN = " ".join(f"On day {day} we walked along the river and talked about the weather." for day in range(60))
LONG_ZH = "".join(f"第{day}天我们沿着河边散步，聊了聊天气。" for day in range(60))
ODD = ["", " \n\t", "\U0001f600\U0001f431", "a\0b", "\ud800", "x\ud83d", "a" * 5000, "[SEP] [CLS]", "é ﬁ İ 한국어"]


@pytest.fixture(scope="module", params=["fake", pytest.param("real", marks=pytest.mark.models)])
def embedder(request: pytest.FixtureRequest) -> TextEmbedder:
    makers: dict[str, Callable[[], TextEmbedder]] = {"fake": HashEmbedder, "real": real_embedder}
    return makers[request.param]()


def cosine(embedder: TextEmbedder, one: str, other: str) -> float:
    return float(embedder.embed_query(one) @ embedder.embed_query(other))


def test_a_short_text_is_one_vector_of_length_one(embedder: TextEmbedder) -> None:
    (embedded,) = embedder.embed(["My cat is called Mia."])
    assert embedded.vectors.shape == (1, embedder.dimension)
    assert embedded.vectors.dtype == np.float32
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(1.0, abs=1e-4)


def test_a_code_has_one_bit_a_dimension_and_token(embedder: TextEmbedder) -> None:
    (embedded,) = embedder.embed(["My cat is called Mia."])
    question = embedder.read_query("My cat is called Mia.")
    assert embedded.codes == (np.packbits(question.tokens > 0, axis=1).tobytes(),)
    assert len(embedded.codes[0]) == len(question.spans) * embedder.dimension // 8


def test_no_texts_give_nothing(embedder: TextEmbedder) -> None:
    assert embedder.embed([]) == []


@pytest.mark.parametrize("text", ["What is my order number?", "我的订单号是多少？", LONG_EN, *ODD])
def test_a_question_is_one_vector_and_that_of_its_tokens(embedder: TextEmbedder, text: str) -> None:
    question = embedder.read_query(text)
    assert np.linalg.norm(question.vector) == pytest.approx(1.0, abs=1e-4)
    assert question.tokens.shape == (len(question.spans), embedder.dimension)
    assert np.linalg.norm(question.tokens, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert all(0 <= start < end <= len(text) for start, end in question.spans)
    assert np.array_equal(embedder.embed_query(text), question.vector)


def test_the_spans_of_a_question_name_its_words(embedder: TextEmbedder) -> None:
    text = "Does Mia like fish? 猫"
    named = [text[start:end] for start, end in embedder.read_query(text).spans]
    assert "".join(named) == "DoesMialikefish?猫"


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_are_embedded_like_any(embedder: TextEmbedder, text: str) -> None:
    (embedded,) = embedder.embed([text])
    assert len(embedded.vectors) == len(embedded.codes) >= 1
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(1.0, abs=1e-4)


def test_a_text_without_words_has_no_codes(embedder: TextEmbedder) -> None:
    assert [embedded.codes for embedded in embedder.embed(["", " \n"])] == [(b"",), (b"",)]


def test_texts_keep_their_order_whatever_their_length(embedder: TextEmbedder) -> None:
    texts = [
        "Mia likes fish.",
        LONG_EN,
        "猫",
        "",
        "The order number is A17 and it was placed last week in Hamburg.",
    ] * 9
    together = embedder.embed(texts)
    for text, embedded in zip(texts[:5], together[:5], strict=True):
        (alone,) = embedder.embed([text])
        assert embedded.vectors.shape == alone.vectors.shape
        assert (embedded.vectors * alone.vectors).sum(axis=1) == pytest.approx(1.0, abs=1e-3)
    for later in range(5, len(texts)):
        first = together[later % 5].vectors
        assert (together[later].vectors * first).sum(axis=1) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("text", [LONG_EN, LONG_ZH, "我们走" * 400])
def test_a_long_text_has_a_vector_for_each_part(embedder: TextEmbedder, text: str) -> None:
    (embedded,) = embedder.embed([text])
    assert len(embedded.vectors) == len(embedded.codes) > 1
    assert all(0 < len(code) <= 254 * embedder.dimension // 8 for code in embedded.codes)


def test_the_end_of_a_long_text_is_found(embedder: TextEmbedder) -> None:
    secret = "The key of the garden shed hangs behind the blue door."
    (embedded,) = embedder.embed([f"{LONG_EN} {secret}"])
    best = int((embedded.vectors @ embedder.embed_query("key of the garden shed, blue door")).argmax())
    assert best == len(embedded.vectors) - 1


def test_a_question_is_cut_at_the_limit(embedder: TextEmbedder) -> None:
    question = embedder.read_query(LONG_EN)
    assert 200 <= len(question.spans) <= 254
    assert question.vector == pytest.approx(embedder.embed_query(LONG_EN + " And more."), abs=1e-5)


def test_what_says_the_same_is_nearer(embedder: TextEmbedder) -> None:
    asked = "Which fish does my cat like?"
    assert cosine(embedder, asked, "my cat does like fish") > cosine(embedder, asked, "The train leaves at noon.") + 0.2
    assert cosine(embedder, "我喜欢喝咖啡", "我喜欢咖啡") > cosine(embedder, "我喜欢喝咖啡", "火车中午出发")
