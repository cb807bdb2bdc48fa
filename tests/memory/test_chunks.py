import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.chunks import Span, chunk

TEXTS = st.text(
    alphabet=st.sampled_from("ab3 .!?。！？；，\n'-_我住在柏林猫é한\U0001f600\ud800\0"), max_size=120
) | st.text(max_size=60)


def words(text: str) -> list[Span]:
    """Words, Chinese characters and marks, as a tokenizer would give them."""
    return [found.span() for found in re.finditer(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]", text)]


def characters(text: str) -> list[Span]:
    return [(place, place + 1) for place, character in enumerate(text) if not character.isspace()]


def cut(text: str, limit: int, tokens: list[Span] | None = None) -> list[str]:
    return [text[part.start : part.end] for part in chunk(text, words(text) if tokens is None else tokens, limit)]


@pytest.mark.parametrize("text", ["", "  \n", "One sentence. Another one!", "我住在柏林。我有一只猫。"])
def test_what_fits_is_one_chunk(text: str) -> None:
    assert cut(text, 100) == [text]


def test_cuts_between_english_sentences() -> None:
    text = "I moved to Hamburg. My cat is called Mia! Do you like 3.5 litre pots?"
    assert cut(text, 13) == ["I moved to Hamburg. My cat is called Mia! ", "Do you like 3.5 litre pots?"]
    assert cut(text, 9) == ["I moved to Hamburg. ", "My cat is called Mia! ", "Do you like 3.5 litre pots?"]


def test_cuts_between_chinese_sentences() -> None:
    text = "我住在柏林。你呢？我有一只猫；它叫小花！好。"
    assert cut(text, 9) == ["我住在柏林。你呢？", "我有一只猫；", "它叫小花！好。"]


def test_closing_quotes_stay_with_their_sentence() -> None:
    assert cut('He said "go." Then he left.', 6) == ['He said "go." ', "Then he left."]
    assert cut("他说：“走吧。”然后他走了。", 8) == ["他说：“走吧。”", "然后他走了。"]


def test_cuts_at_line_breaks() -> None:
    assert cut("milk and bread\neggs and butter\nsalt", 3) == ["milk and bread\n", "eggs and butter\n", "salt"]


def test_a_point_inside_a_number_or_name_ends_no_sentence() -> None:
    assert cut("see example.org for version 3.5 today", 6) == ["see example.org for version ", "3.5 today"]


def test_a_sentence_over_the_limit_is_cut_between_words() -> None:
    assert cut("one two three four five", 2) == ["one two ", "three four ", "five"]
    assert cut("我今天没有去上班", 3) == ["我今天", "没有去", "上班"]


def test_a_word_over_the_limit_is_cut_between_characters() -> None:
    text = "abcdefgh ij"
    assert cut(text, 3, characters(text)) == ["abc", "def", "gh ", "ij"]


def test_a_word_is_not_cut_where_a_space_is_near() -> None:
    text = "ab cdefg"
    assert cut(text, 5, characters(text)) == ["ab ", "cdefg"]


def test_a_character_of_several_tokens_is_not_cut() -> None:
    jamo = [(0, 1), (0, 1), (0, 1), (1, 2), (1, 2), (1, 2)]
    assert cut("한국", 4, jamo) == ["한", "국"]


def test_a_limit_under_one_is_refused() -> None:
    with pytest.raises(ValueError, match="not 0"):
        chunk("text", [(0, 4)], 0)


@given(TEXTS, st.integers(1, 12), st.sampled_from([words, characters]))
def test_chunks_cover_the_text_and_none_is_over_the_limit(text: str, limit: int, tokenize: object) -> None:
    tokens = words(text) if tokenize is words else characters(text)
    parts = chunk(text, tokens, limit)
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert [token for part in parts for token in range(part.first, part.last)] == list(range(len(tokens)))
    assert all(part.last - part.first <= limit for part in parts)
    for part in parts:
        assert all(part.start <= start < part.end for start, _ in tokens[part.first : part.last])


@given(st.lists(st.text(alphabet="abcxyz", min_size=1, max_size=6), min_size=1, max_size=40), st.integers(6, 20))
def test_no_word_is_cut_where_each_fits(parts: list[str], limit: int) -> None:
    text = " ".join(parts)
    assert " ".join(piece.strip() for piece in cut(text, limit, characters(text))) == text
