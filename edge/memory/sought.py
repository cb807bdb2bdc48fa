"""What kind of thing a question seeks, and which texts hold one: "when" a time, "how many" an amount.

Measured on LoCoMo: of questions for a time, 0.017 more of the evidence is among the first five; for an amount, 0.018.
For "where" it did not help: nearly every sentence holds what looks like a place.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from edge.memory.text import search_terms

Terms = frozenset[str]

_SEEKS_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|time|week|weekend|month|year)\b|\bhow long ago\b"
    r"|什么时候|什么时间|哪天|哪一天|哪个?周|哪个?星期|哪一周|哪年|哪一年|几月|几号|几点|何时",
    re.IGNORECASE,
)
_SEEKS_AMOUNT = re.compile(
    r"\bhow (?:many|much|old|long|far|often|big|tall|heavy)\b|\bwhat (?:price|amount|number|size|age)\b"
    r"|多少|几[个次岁年天张本只条块]|多[大久长远高重]|价格|金额",
    re.IGNORECASE,
)
_TIME_WORDS = """
yesterday today tonight tomorrow ago weekend year month week day monday tuesday wednesday thursday friday saturday
sunday summer winter autumn january february march april june july august september october november december
昨天 今天 明天 前天 后天 昨晚 今晚 今年 明年 去年 前年 上周 上个月 星期 礼拜 周末 周一 周二 周三 周四 周五 周六 周日
早上 晚上 下午 最近 春节 国庆 一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 天前 月前 周前 年前 月底 月初
"""
_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten dozen hundred thousand million couple few several twice once half"
)
_TIMES = frozenset(term for term in search_terms(_TIME_WORDS) if len(term) > 1) | {"月", "日", "号", "点"}
"""A single character is a term where a run ends, as behind a number."""
_NUMBERS = frozenset(search_terms(_NUMBER_WORDS))
_DIGITS = frozenset("0123456789一二三四五六七八九十百千万两几半")


def what_is_sought(question: str) -> Callable[[Terms], bool] | None:
    """Tells of a text's terms whether it holds a thing of the kind that is asked for; None where any may answer."""
    if seeks_time(question):
        return _holds_time
    return _holds_amount if seeks_amount(question) else None


def seeks_time(question: str) -> bool:
    """Whether a question asks when something was."""
    return _SEEKS_TIME.search(question) is not None


def seeks_amount(question: str) -> bool:
    """Whether a question asks how many or how much."""
    return _SEEKS_AMOUNT.search(question) is not None


def _holds_time(terms: Terms) -> bool:
    return not terms.isdisjoint(_TIMES) or any(
        len(term) == 4 and term.startswith(("19", "20")) and term.isdigit() for term in terms
    )


def _holds_amount(terms: Terms) -> bool:
    return not terms.isdisjoint(_NUMBERS) or any(term[0] in _DIGITS or term[-1] in _DIGITS for term in terms)
