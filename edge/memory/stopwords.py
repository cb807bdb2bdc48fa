"""Words that carry no content in a question, in English and Chinese. Names and months ("Will", "May") stay out."""

from __future__ import annotations

_ENGLISH = """
a about am an and any are arent as at be been being but by couldnt could d did didnt do does doesnt doing dont for
from had hadnt has hasnt have havent having he her hers herself him himself his how i if im in into is isnt it its
itself ive just ll m me mine my myself of on or our ours ourselves out re s shall she should so t tell than that
thats the their theirs them themselves then there these they this those through to too us ve was wasnt we were
werent what whats when where which while who whom whose why with would you your yours yourself yourselves
"""
_CHINESE = """
什么 怎么 怎样 哪个 哪些 哪里 哪儿 为何 为什 是什 么是 多少 几个 我的 你的 他的 她的 它的 我们 你们 他们 她们
们的 的是 是的 这个 那个 这些 那些 一下 一个 是不 不是 是否 有没 没有 请问 告诉 诉我 还有 以及 或者 如果 但是
因为 所以 就是 可以 能不 知道 道我 你知 吗我 我是 你是 是我 是你 在哪 是谁 谁是 是哪
"""

ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
CHINESE_STOP_WORDS = frozenset(_CHINESE.split())
"""Pairs of characters, also such as stand across two of these words."""
CHINESE_FUNCTION_CHARACTERS = frozenset(
    "的了吗呢吧啊呀么我您你他她它们这那哪谁是在有和与或就都也还又把被给跟对让请个嘛"
)
"""A pair of two of these says nothing, nor does one alone."""
