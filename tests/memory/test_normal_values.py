"""Values of slots in one form: amounts, dates, hours, however they are said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.normal_values import normal_value, same_value


@pytest.mark.parametrize(
    "ways",
    [
        ["20 euros", "€20", "EUR 20", "二十欧", "20欧元", "２０欧元", "20euros"],
        ["900 euros a month", "900 eur per month", "每月九百欧", "900欧/月", "900eurosamonth"],
        ["2,000 dollars", "$2000", "两千美元", "2000 USD"],
        ["15000元", "1.5万元", "一万五千块", "15,000 yuan"],
        ["70 kg", "七十公斤", "70 kilos"],
        ["3 pm", "15:00", "下午三点", "３ｐｍ", "3 p.m.", "下午3点", "3 in the afternoon"],
        ["half past three pm", "下午三点半", "15:30"],
        ["4 March", "March 4th", "3月4日", "三月四号", "the 4th of March"],
        ["4 March 2026", "2026-03-04", "2026年3月4日", "二〇二六年三月四日"],
        ["march 4th 15:00", "4 march 3 pm", "3月4日下午三点"],
        ["every monday", "每周一", "every Mondays"],
        ["3 pm every day", "每天下午三点", "daily 3 pm"],
        ["noon", "12:00", "中午十二点"],
        ["八岁", "八岁"],
    ],
    ids=lambda ways: ways[0],
)
def test_one_value_in_many_ways(ways: list[str]) -> None:
    assert len({normal_value(way) for way in ways}) == 1
    assert all(same_value(ways[0], way) for way in ways)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("20 euros", "20 dollars"),
        ("20 euros", "200 euros"),
        ("20 euros a month", "20 euros a week"),
        ("二十欧", "十二欧"),
        ("3 pm", "3 am"),
        ("下午三点", "上午三点"),
        ("三点", "三点半"),
        ("4 March", "4 May"),
        ("3月4日", "4月3日"),
        ("4 March 2026", "4 March 2027"),
        ("每周一", "每周二"),
        ("007", "7"),
        ("20230088", "20230080"),
        ("Berlin", "Bern"),
        ("三星", "五星"),
        ("70 kg", "70 cm"),
    ],
)
def test_other_values_stay_apart(one: str, other: str) -> None:
    assert normal_value(one) != normal_value(other)
    assert not same_value(one, other)


def test_what_is_missing_is_like_itself_only() -> None:
    assert same_value(None, None)
    assert not same_value(None, "Berlin")


@given(st.text(max_size=30))
def test_any_text_has_a_form(text: str) -> None:
    assert same_value(text, text)
    assert normal_value(text) == normal_value(text.upper().lower()) or not text.isascii()
