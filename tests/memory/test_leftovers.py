"""Where a forgotten value still stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.leftovers import Gone, context_mentions, mentions
from edge.memory.text import folded, may_hold, search_terms
from edge.memory.units import Kind

PHONE = Gone(Kind.USER_PROFILE, "The user's phone number is 138-0013-8000.", "13800138000")
NAME = Gone(Kind.USER_PROFILE, "用户叫王芳。", "王芳")
TEA = Gone(Kind.USER_PROFILE, "The user likes tea.", "tea")


@pytest.mark.parametrize(
    ("context", "gone"),
    [
        ('{"tool_args":{"phone":"138 0013 8000"}}', PHONE),
        ('{"tool_args":{"phone":13800138000}}', PHONE),
        ('{"session_variables":{"13800138000":1}}', PHONE),
        ('{"tool_args":{"customer":"王芳"}}', NAME),
        ('{"last_tool_result":[{"drinks":["green tea"]}]}', TEA),
        ('{"last_tool_result":{"retry_after":300}}', Gone(Kind.TOOL_RESULT, "retry after: 300", None)),
    ],
)
def test_a_context_that_holds_it_is_known(context: str, gone: Gone) -> None:
    assert context_mentions(context, [TEA, gone] if gone is not TEA else [gone])


@pytest.mark.parametrize("context", ["{}", '{"current_tool":"steamer","tool_args":{"n":138001,"who":"王小芳"}}'])
def test_one_that_does_not_stays(context: str) -> None:
    assert not context_mentions(context, [PHONE, NAME, TEA])


def test_a_reason_is_looked_through_by_words() -> None:
    assert mentions("Ann Lee has no tea", [TEA])
    assert not mentions("the steak is gone", [TEA])
    assert not mentions("anything", [])


WORDS = st.sampled_from(
    [
        "dying",
        "lies",
        "O'Brien's",
        "well-being",
        "138-0013",
        "１２３",
        "北京市",
        "一二三四五六",
        "Élan",
        "ﬁne",
        "¾",
        "🚲",
        "a.b@c.de",
    ]
)


@given(st.lists(WORDS | st.text(max_size=8), max_size=6).map(" ".join))
def test_a_text_may_hold_all_its_terms(text: str) -> None:
    assert may_hold(folded(text), search_terms(text))


def test_what_surely_lacks_a_term_is_passed_over() -> None:
    assert not may_hold(folded("no answer"), search_terms("Zhang Wei"))
    assert not may_hold(folded("没有回应"), search_terms("王芳"))
