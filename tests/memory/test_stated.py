"""Whether a line says only what the words say: what small models make of a message is told apart here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.stated import is_stated, known_language

GOOD = [
    ("The user bought a red kayak in Bergen.", "Yesterday I bought a red kayak in Bergen!"),
    ("The user's sister repairs 14 violins.", "My sister repairs 14 violins"),
    ("The user doesn't like raw onions.", "I don't like raw onions"),
    ("The user might move to Lisbon.", "I might move to Lisbon"),
    ("Long walks calm the user.", "Long walks calm me."),
    ("用户昨天在莱比锡看了足球赛。", "我昨天在莱比锡看了足球赛"),
    ("用户不吃生洋葱。", "我不吃生洋葱"),
]
BAD = {
    "an invented name": ("The user bought a red kayak in Oslo.", "I bought a red kayak in Bergen"),
    "an invented number": ("The user bought 3 red kayaks.", "I bought 2 red kayaks"),
    "an invented number in words": ("The user bought three red kayaks.", "I bought two red kayaks"),
    "an invented day": ("The user bought a red kayak on Monday.", "I bought a red kayak"),
    "invented words": ("The user enjoys adventure, kayaks and nature.", "I bought a red kayak"),
    "a dropped negation": ("The user likes raw onions.", "I don't like raw onions"),
    "an added negation": ("The user does not like raw onions.", "I like raw onions"),
    "a dropped might": ("The user moves to Lisbon.", "I might move to Lisbon"),
    "a dropped condition": ("The user moves to Lisbon.", "If rents fall, I move to Lisbon"),
    "a wish made a fact": ("The user visits the Faroe islands.", "I want to visit the Faroe islands"),
    "a question": ("Does the user like red kayaks?", "I like red kayaks"),
    "not about the user": ("Red kayaks are the best boats.", "I like red kayaks, the best boats"),
    "a prompt": ("Write one short note about the user.", "I like red kayaks"),
    "another language": ("用户喜欢红色的皮划艇。", "I like red kayaks"),
    "two lines": ("The user likes\nred kayaks.", "I like red kayaks"),
    "nothing": ("", "I like red kayaks"),
    "too long": (f"The user likes {'red ' * 40}kayaks.", "I like red kayaks"),
    "一个编造的名字": ("用户昨天在汉堡看了足球赛。", "我昨天在莱比锡看了足球赛"),
    "一个编造的数": ("用户买了五本书。", "我买了三本书"),
    "丢掉的否定": ("用户吃生洋葱。", "我不吃生洋葱"),
    "丢掉的可能": ("用户搬到里斯本。", "我可能搬到里斯本"),
    "丢掉的条件": ("用户搬到里斯本。", "如果房租降了，我搬到里斯本"),
    "没有用户": ("莱比锡有足球赛。", "我在莱比锡看了足球赛"),
    "一个问题": ("用户喜欢足球吗？", "我喜欢足球"),
}


@pytest.mark.parametrize(("line", "words"), GOOD)
def test_what_the_words_say_is_stated(line: str, words: str) -> None:
    assert is_stated(line, words)


@pytest.mark.parametrize(("line", "words"), BAD.values(), ids=BAD.keys())
def test_what_they_do_not_say_is_not(line: str, words: str) -> None:
    assert not is_stated(line, words)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I bought a red kayak", "en"),
        ("I keep bees in Malmö and Århus with my aunt", "en"),
        ("我买了一条 kayak", "zh"),
        ("Er hat gestern sein Fahrrad verkauft", None),
        ("Elle travaille au marché depuis longtemps", None),
        ("Вчера я был на рынке", None),
        ("昨日は市場に行きました", None),
        ("어제 시장에 갔어요", None),
        ("", None),
        ("12345 !!", None),
    ],
)
def test_a_language_is_named_where_it_is_clear(text: str, language: str | None) -> None:
    assert known_language(text) == language


@given(st.text(max_size=120), st.text(max_size=120))
def test_no_text_at_all_makes_it_fail(line: str, words: str) -> None:
    assert is_stated(line, words) in (True, False)
