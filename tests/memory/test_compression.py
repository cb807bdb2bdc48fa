"""Distilled content: within its limit, with its skeleton, nothing cut in two."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge.memory.compression import GAP, LIMIT, compress, sentences, skeleton_weight, without_fillers

SHORT = [
    "Because of a server fault (error 503) creating the order failed, please retry later",
    "由于服务器故障（错误503），创建订单失败，请稍后重试",
    "The user does not drink coffee any more.",
    "如果下雨，就不去爬山。",
]
LONG = [
    (
        "Well, basically I just wanted to let you know that, as you can see, because of a server fault (error 503) "
        "creating the order A-20391-XK failed, and it was really annoying for everyone who had been waiting in the "
        "office since the early morning, so please retry later.",
        ["server fault (error 503)", "order A-20391-XK failed", "retry later"],
        ["Well", "basically", "annoying"],
    ),
    (
        "嗯，其实呢，由于服务器故障（错误503），创建订单DD20240115失败了，说实话，大家在办公室从早上一直等到了下午，"
        "大家都觉得非常着急，窗外的天气也很糟糕，一直在下雨，"
        "路上的车也堵得厉害，很多同事都迟到了，后来我们就一起去楼下吃了一顿火锅，"
        "然后又回来继续等待系统恢复，看了一会儿电影，聊了聊各自家里的小猫小狗，所以请不要重复提交，请稍后重试。",
        ["服务器故障（错误503）", "创建订单DD20240115失败", "不要重复提交", "稍后重试"],
        ["嗯", "其实"],
    ),
    (
        "If the parcel has not arrived by Friday 5 May, you must not pay the remaining 240.50 EUR, and in that case "
        "please call the office, which is open all day long and has friendly people who like to talk of the weather.",
        ["If the parcel has not arrived by Friday 5 May, you must not pay the remaining 240.50 EUR"],
        ["weather"],
    ),
    (
        "The garden looked wonderful in the morning light and all of us sat there for a long time talking of old times "
        "and drinking tea. Dr. Meyer does not accept the refund of 89 EUR. The birds were singing in the apple trees.",
        ["Dr. Meyer does not accept the refund of 89 EUR"],
        ["garden"],
    ),
]


@pytest.mark.parametrize("text", SHORT)
def test_what_fits_stays_whole(text: str) -> None:
    assert compress(text) == text


@pytest.mark.parametrize(("text", "kept", "dropped"), LONG, ids=[text[:12] for text, _, _ in LONG])
def test_of_a_long_text_the_skeleton_stays(text: str, kept: list[str], dropped: list[str]) -> None:
    told = compress(text)
    assert len(told) <= LIMIT
    assert [words for words in kept if words not in told] == []
    assert [words for words in dropped if words in told] == []


def test_it_is_one_line() -> None:
    assert compress("The order\n\n  A-1\twas paid.") == "The order A-1 was paid."


def test_what_cannot_be_told_in_part_is_left_out() -> None:
    assert compress("x" * 151) == GAP
    assert compress(f"{'x' * 200} was the code, it is 4711.") == "was the code, it is 4711."


def test_a_limit_must_leave_something() -> None:
    with pytest.raises(ValueError, match="0 characters"):
        compress("Hello.", 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Well, I really like tea.", "I like tea."),
        ("I am not really sure.", "I am not really sure."),
        ("That was just very late, to be honest, and wrong.", "That was late, and wrong."),
        ("嗯，其实我不吃辣。", "我不吃辣。"),
        ("So do I.", "So do I."),
    ],
)
def test_fillers_are_dropped_where_they_say_nothing(text: str, told: str) -> None:
    assert without_fillers(text) == told


def test_sentences_end_where_they_end() -> None:
    assert sentences("Dr. Meyer paid 3.50 EUR. Did he? 是的。他付了3.5元！好\nAnd then") == [
        "Dr. Meyer paid 3.50 EUR.", "Did he?", "是的。", "他付了3.5元！", "好", "And then",
    ]  # fmt: skip


def test_names_numbers_and_negations_weigh_more_than_other_words() -> None:
    plain = skeleton_weight("and then we talked about this and that")
    for text in ("and then we talked about 4711 and that", "and then we talked about Ferguson and that",
                 "and then we never talked of this and that"):  # fmt: skip
        assert skeleton_weight(text) > plain


# --- any text ---

WORDS = (
    "the", "order", "A-20391-XK", "does", "not", "arrive", "if", "because", "3.50", "EUR", "Ferguson", "never", "paid",
    "retry", "really", "well,", "Mr.", "(error", "503)", "x" * 60, "http://example.org/a?b=1", "O'Brien", "don't",
)  # fmt: skip
HAN = ("我的订单", "没有到", "如果", "不要", "因为故障", "请稍后重试", "的", "2024年5月3日", "ABC123", "嗯，", "其实")
ENDS = (" ", " ", ", ", ". ", "; ", "? ", "\n")
HAN_ENDS = ("", "，", "。", "；", "？")
TEXTS = st.one_of(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDS)).map("".join), max_size=90).map("".join),
    st.lists(st.tuples(st.sampled_from(HAN), st.sampled_from(HAN_ENDS)).map("".join), max_size=90).map("".join),
    st.lists(st.sampled_from([*WORDS, *HAN, *ENDS, *HAN_ENDS]), max_size=90).map("".join),
    st.text(max_size=400),
)
LIMITS = st.sampled_from([1, 20, 60, LIMIT])
_WORD = re.compile(r"[^\s，。；：、！？…\u3400-\u9fff\uf900-\ufaff]+|[\u3400-\u9fff\uf900-\ufaff]")
_EDGES = " ,;，；、:："
_NEGATION = re.compile(r"\bnot\b|\bnever\b|n't\b|[不没]")


def words(text: str) -> list[str]:
    return [word.strip(_EDGES) for word in _WORD.findall(text) if word.strip(_EDGES)]


@given(TEXTS, LIMITS)
def test_a_text_is_within_its_limit_and_compressed_once(text: str, limit: int) -> None:
    told = compress(text, limit)
    assert len(told) <= limit
    assert compress(told, limit) == told


@given(TEXTS, LIMITS)
@example("0" * 59 + "嗯0", 60)
@example("7嗯，8", 60)
def test_no_word_number_or_code_is_cut_or_made_up(text: str, limit: int) -> None:
    told = compress(text, limit)
    if told != GAP:
        assert not set(words(told)) - set(words(text))


@given(st.lists(st.sampled_from([
    "I do not like coffee at all,", "she never pays in cash,", "they don't live in Rome,", "he likes 12 sorts of tea,",
    "we talked for a very long time about this and that,", "the order A-1 was paid,",
]), min_size=3, max_size=20).map(" ".join))  # fmt: skip
def test_what_is_kept_of_a_clause_keeps_its_negation(text: str) -> None:
    source = {clause.strip() for clause in text.split(",")}
    kept = [clause.strip() for clause in compress(text).split(",") if clause.strip()]
    assert kept
    for clause in kept:
        whole = [other for other in source if clause == other or without_fillers(other) == clause]
        assert len(whole) == 1
        assert len(_NEGATION.findall(clause)) == len(_NEGATION.findall(whole[0]))
