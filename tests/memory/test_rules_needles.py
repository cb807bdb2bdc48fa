"""What a pattern cannot do without: never more than it truly needs, and found in one pass."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.rules_needles import NeedleIndex, needles_of


@pytest.mark.parametrize(
    ("pattern", "needles"),
    [
        ("(?:please )?call me {value}", {"call"}),
        ("i(?:'m| am) (?:called|named) {value}", {"called", "named"}),
        ("(?:called )?{value}", set()),
        ("phones?", {"phone"}),
        ("(?:one|.*)", set()),
        ("(?:生日|出生)(?:是)?", {"生日", "出生"}),
        (r"(?<=before )a?(?!after)\bx(?P<value_name>[a-z]+)yz", {"yz"}),
        ("(?:ab){0,3}c", set()),
        ("(?:ab){1,3}c", {"ab"}),
        (r"[(|)]\(ab\)", {"ab"}),
    ],
)
def test_the_words_a_pattern_cannot_do_without(pattern: str, needles: set[str]) -> None:
    assert needles_of(pattern) == needles


PIECES = st.recursive(
    st.sampled_from(["ab", "cd", "x", "订单", "号", "[ab]", r"\d", "."]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        inner.map(lambda part: f"(?:{part})?"),
        inner.map(lambda part: f"(?:{part}){{0,2}}"),
    ),
    max_leaves=6,
)


@given(PIECES, st.text("abcdx订单号1", max_size=12))
def test_what_matches_holds_a_needle(pattern: str, text: str) -> None:
    needles = needles_of(pattern)
    if re.fullmatch(pattern, text) and needles:
        assert any(needle in text for needle in needles)


@given(
    st.lists(st.frozensets(st.text("ab单", min_size=1, max_size=3), max_size=3), max_size=6),
    st.text("ab单", max_size=9),
)
def test_the_index_finds_what_trying_each_would(needles: list[frozenset[str]], text: str) -> None:
    wanted = [number for number, words in enumerate(needles) if not words or any(word in text for word in words)]
    assert NeedleIndex(needles).possible(text) == wanted
