"""What kind of question a message is, where no slot is asked for. Coarse on purpose: it only steers a hint."""

from __future__ import annotations

import re

_QUESTION_END = ("?", "？", "吗", "呢")
_QUESTION_WORDS = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|do|does|did|have|has|am|was|were|is|are)\b"
    r"|什么|谁|哪|几|多少|何时|吗|有没有|是不是|记不记得",
    re.IGNORECASE,
)
_ABOUT_THE_PERSON = re.compile(
    r"\b(?:my|mine|(?:did|do|have|had|was|am|were) (?:i|we|you (?:say|tell|recommend|suggest))|told you|remember)\b"
    r"|我的|我之前|我上次|我以前|我说过|我告诉过|还?记得|你(?:上次|之前)?(?:推荐|建议|说)过?",
    re.IGNORECASE,
)
_ASKS_FOR_ALL = re.compile(
    r"\b(?:all|every|each|list|orders|numbers|ids|codes|which ones|how many)\b|所有|全部|哪些|哪几|几个|多少个|都有",
    re.IGNORECASE,
)
_ASKS_FOR_HELP = re.compile(
    r"^(?:how|why|can|could|should|would|will|please|help|write|explain|translate)\b|怎么|如何|为什么|为何|能不能|帮我|请",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a text ends as a question, by punctuation or by a Chinese question particle."""
    return text.rstrip("。. \n\t").endswith(_QUESTION_END)


def asks_for_all(text: str) -> bool:
    """Whether a question wants every value of a slot that holds several: "all my order numbers", "哪些订单"."""
    return _ASKS_FOR_ALL.search(text) is not None


def asks_what_was_said(text: str) -> bool:
    """Whether a message asks for something of the person or of earlier talk, which only memory can answer."""
    text = text.strip()[:500]
    asks = is_question(text) or _QUESTION_WORDS.search(text) is not None
    return asks and _ABOUT_THE_PERSON.search(text) is not None and _ASKS_FOR_HELP.search(text) is None
