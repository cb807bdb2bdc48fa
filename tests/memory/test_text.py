from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.text import (
    TERM_LIMIT,
    content_key,
    draft_terms,
    holds,
    is_identifying,
    is_prefix,
    normal_form,
    query_terms,
    search_terms,
    squeezed,
)
from edge.memory.units import Draft, Kind, Source

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Ann's naïve cafés", ["ann", "naiv", "cafe"]),
        ("don't", ["dont"]),
        ("O’Brien", ["obrien", "brien"]),
        ("D'Angelo l'hôtel", ["dangelo", "angelo", "lhotel", "hotel"]),
        ("e-mail", ["email", "e", "mail"]),
        ("A-2041", ["a2041", "a", "2041"]),
        ("A2041", ["a2041", "a", "2041"]),
        ("２０４１", ["2041"]),
        ("3.5 EUR", ["3.5", "3", "5", "eur"]),
        ("1,000,000", ["1000000", "1", "000", "000"]),
        ("2,3", ["2", "3"]),
        ("138-0013-8000", ["13800138000", "138", "0013", "8000"]),
        ("0151 2345678", ["0151", "2345678", "01512345678"]),
        ("ann.lee@ex-ample.com", ["ann.lee@example.com", "ann", "lee", "ex", "ampl", "com"]),
        ("小猫", ["小猫", "猫"]),
        ("猫", ["猫"]),
        ("我的 order 是 ABC123", ["我的", "的", "order", "是", "abc123", "abc", "123"]),
        ("ねこです", ["ねこ", "こで", "です", "す"]),
        ("한국어", ["한국", "국어", "어"]),
        ("一三八零零", ["一三", "三八", "八零", "零零", "零", "13800"]),
        ("🍕 pizza", ["pizza", "🍕"]),
        ("Straße", ["strass"]),
        ("हिन्दी", ["हिन्दी"]),
        ("... -- ''", []),
        ("\0a\ud800b", ["a", "b"]),
    ],
)
def test_search_terms(text: str, terms: list[str]) -> None:
    assert search_terms(text) == terms


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What is the order number?", ["order", "number"]),
        ("what is it", ["what", "is", "it"]),
        ("我的订单是什么", ["的订", "订单", "单是"]),
        ("什么", ["什么"]),
        ("小猫", ["小猫"]),
        ("的", ["的"]),
        ("猫 cat cat", ["猫", "cat"]),
        ("Will May call?", ["will", "may", "call"]),
        ("", []),
    ],
)
def test_query_terms_leave_out_what_says_nothing(question: str, terms: list[str]) -> None:
    assert query_terms(question) == terms


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("running late", "ran run runs"),
        ("订单号是 A-2041", "a2041"),
        ("订单号是 A-2041", "订单"),
        ("the number is +49 30 123456", "+49-30-123456"),
        ("138-0013-8000", "13800138000"),
        ("13800138000", "一三八零零一三八零零零"),
        ("CAFÉ", "cafe"),
        ("ＡＢＣ１２３", "abc123"),
        ("I didn't like it", "didnt"),
    ],
)
def test_one_way_of_writing_is_found_by_another(stored: str, asked: str) -> None:
    assert set(query_terms(asked)) & set(search_terms(stored))


def test_a_question_of_one_character_begins_a_term_wherever_it_stands() -> None:
    for text in ("猫", "小猫", "猫咪", "有只猫在家"):
        assert any(term.startswith("猫") for term in search_terms(text))
    assert is_prefix("猫")
    assert not is_prefix("小猫")
    assert not is_prefix("a")
    assert not is_prefix("")


def test_stop_words_stay_in_what_is_stored() -> None:
    assert search_terms("to be or not") == ["to", "be", "or", "not"]


def test_a_blob_is_found_by_its_beginning() -> None:
    assert search_terms("x" * 100_000) == ["x" * TERM_LIMIT]


@given(ANY_TEXT)
def test_terms_hold_letters_digits_dots_and_at_signs_only(text: str) -> None:
    for term in search_terms(text):
        assert term
        assert all(not char.isascii() or char.isalnum() or char in ".@" for char in term)
        assert not any(char.isspace() or unicodedata.category(char) in {"Cs", "Cc"} for char in term)


@given(ANY_TEXT)
def test_a_question_with_terms_finds_itself(text: str) -> None:
    stored = search_terms(text)
    asked = query_terms(text)
    assert bool(stored) == bool(asked)
    assert set(asked) <= set(stored)
    assert len(asked) == len(set(asked))


@given(ANY_TEXT)
def test_case_and_width_change_nothing(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text)
    assert search_terms(folded) == search_terms(folded.casefold())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea.", "i like  TEA"),
        ("我喜欢茶。", "我喜欢茶"),
        ("我喜欢茶！", "我喜欢茶"),
        ("room ２０４", "Room 204"),
        ("tea...", "tea…"),
        (" \n tea\t", "tea"),
    ],
)
def test_normal_form_folds(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("my name is Bob", "my name is Bob?"),
        ("C++", "C"),
        ("I like tea", "I liked tea"),
        ("I like tea", "I don't like tea"),
        ("A-2041", "A2041"),
        ("café", "cafe"),
        (".", "!"),
    ],
)
def test_normal_form_keeps(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@given(ANY_TEXT)
def test_normal_form_is_its_own_normal_form_after_one_round(text: str) -> None:
    once = normal_form(text)
    assert normal_form(normal_form(once)) == normal_form(once)


def test_content_key_tells_kind_subject_side_and_text_apart() -> None:
    key = content_key(Kind.USER_PROFILE, "self", Source.USER, "I like tea.")
    assert key == content_key(Kind.USER_PROFILE, "Self", Source.USER, "i like tea")
    assert key == content_key(Kind.USER_PROFILE, "self", Source.IMPORT, "I like tea")
    others = {
        content_key(Kind.EPISODE, "self", Source.USER, "I like tea."),
        content_key(Kind.USER_PROFILE, "ann", Source.USER, "I like tea."),
        content_key(Kind.USER_PROFILE, "self", Source.ASSISTANT, "I like tea."),
        content_key(Kind.USER_PROFILE, "self", Source.TOOL, "I like tea."),
        content_key(Kind.USER_PROFILE, "self", Source.USER, "我喜欢茶"),
        key,
    }
    assert len(others) == 6


@given(ANY_TEXT)
def test_any_text_has_a_key(text: str) -> None:
    assert len(content_key(Kind.EPISODE, "self", Source.USER, text)) == 32


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("call 138-0013-8000 now", "13800138000", True),
        ("电话是１３８ ００１３ ８０００", "13800138000", True),
        ("我叫小王。", "小王", True),
        ("Mangoes are sweet", "mango", True),
        ("call 138-0013-8001", "13800138000", False),
        ("anything", "", False),
        ("anything", "...", False),
    ],
)
def test_holds_a_value_however_it_is_spaced(text: str, value: str, expected: bool) -> None:
    assert holds(text, value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("13800138000", True),
        ("A-2041", True),
        ("ann@example.com", True),
        ("204", False),
        ("coffee", False),
        ("北京", False),
    ],
)
def test_what_means_one_thing_wherever_it_stands(value: str, expected: bool) -> None:
    assert is_identifying(value) is expected


def test_squeezed() -> None:
    assert squeezed("A-20 41，好！") == "a2041好"


def test_draft_terms_add_what_value_subject_and_entities_bring() -> None:
    draft = Draft(Kind.FACT_REFERENCE, "phone of Ann", subject="Ann", value="0151-23", entities=("Ann", "Nokia"))
    assert draft_terms(draft) == ["phone", "of", "ann", "015123", "0151", "23", "nokia"]
    assert draft_terms(Draft(Kind.EPISODE, "hello")) == ["hello"]


@pytest.mark.parametrize("before", ["", "电话"])
def test_a_long_run_of_digits_is_read_in_linear_time(before: str) -> None:
    """A pattern that begins anew at each digit would not end within the test run."""
    terms = search_terms(f"{before}{'1' * 300_000}")
    assert terms[-1] == "1" * TERM_LIMIT
