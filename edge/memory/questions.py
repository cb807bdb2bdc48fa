"""Whether a text asks, and what for, where no slot is asked for.

Coarse on purpose: it steers what is searched, how what is found is weighed, and a hint. Only `only_memory_can_answer`
decides a reply, and is strict.
`is_question` goes by how a text ends, which is all that a stored text needs; `asks` also by how it begins, for what
people type without a question mark.
"""

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
    r"|我的|我(?:之前|上次|以前|昨天|前天|上周|上个月|去年|刚才)|我说过|我告诉过|还?记得|你(?:上次|之前)?(?:推荐|建议|说)过?",
    re.IGNORECASE,
)
_OF_EARLIER = re.compile(
    r"\b(?:did|have) you (?:\w+ )?(?:say|said|tell|told|recommend|suggest|mention|advise)|你(?:上次|之前|刚才|以前)",
    re.IGNORECASE,
)
"""How to get somewhere may be what the assistant said before."""
_ASKS_FOR_ALL = re.compile(
    r"\b(?:all|every|each|list|orders|numbers|ids|codes|which ones|how many)\b|所有|全部|哪些|哪几|几个|多少个|都有",
    re.IGNORECASE,
)
_LONGEST_PLAIN = 120
"""Characters of a message that is one plain question; in a longer one there may be more to answer."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*|[!?！？]+")
_OPENERS = r"^(?:(?:and|but|so|ok|okay|well|hey|please|sorry|oh)\b[\s,]*)*"
_VERBS = "do|does|did|is|are|was|were|can|could|would|will|should|have|has|had|am"
_ASKS = re.compile(
    rf"{_OPENERS}(?:what|who|whose|whom|which|where|how|why)(?:'s)?\b(?! a\b)"
    rf"|{_OPENERS}when(?:'s| (?:{_VERBS}))\b"
    rf"|{_OPENERS}(?:{_VERBS}) (?:i|you|we|he|she|it|they|my|your|our|his|her|their|the|that|this|there|any)\b"
    r"|^(?:那|然后|还有|请问|后来)*(?:什么|谁|哪|几[个点号]|多少|多久|何时|为什么|为何|怎么|是不是|有没有|能不能|记不记得)"
    r"|(?:什么(?:名字|时候|地方)?|谁|哪[里儿]|多少|多久|几[点号个])$",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(
    r"\b(?:did|have|had) (?:i|we) (?:\w+ ){0,2}ask(?:ed)?\b(?! for| you to| that)"
    r"|\b(?:i|we)(?:'ve|'d)? (?:\w+ ){0,2}asked\b(?! for| you to| that)"
    r"|\b(?:my|our) (?:\w+ )?questions?\b|\bquestions? (?:did|have) i\b"
    r"|我们?(?:之前|刚才|刚刚|上次|上回|以前|曾经?|昨天|今天|第一次|最近|都|还|是|有没有)*(?:向你|跟你|对你)?问(?:过|了|你(?!要)|的|到)"
    r"|我们?的(?:上一个|第一个|最后一个|那个)?问题",
    re.IGNORECASE,
)
_ASKS_FOR_HELP = re.compile(
    r"^(?:how|why|can|could|should|would|will|please|help|write|explain|translate)\b|怎么|如何|为什么|为何|能不能|帮我|请",
    re.IGNORECASE,
)


_ONLY_REMEMBERED = re.compile(
    r"\b(?:did|was|were|had|have|has) (?:i|we|my|our)\b"
    r"|^(?:(?:and|so|but|ok|okay|hey)[\s,]+)*(?:what|where|when|who|which)(?:'s| is| are| was| were) (?:my|our)\b"
    r"(?!.*\b(?:best|mean|sign|caused?|like to|going to|supposed)\b)"
    r"|\bdo you (?:still )?(?:remember|recall|know) "
    r"(?:my|our|(?:what|where|when|who|which|if|whether|how) (?:i|we|my|our))\b"
    r"|\b(?:i|we) (?:told|said|mentioned)\b"
    r"|我们?(?:之前|上次|以前|昨天|前天|上周|上个月|刚才|去年|那次).*(?:什么|哪|谁|几|多少|吗)"
    r"|^(?:请问|那|那么)?我的[^，。,！？?]{1,10}(?:是什么|是谁|在哪|叫什么|是哪|是几|是多少)"
    r"|我(?:说|告诉|提)过|还?记得我|我[^，。,！？?]{0,8}[了过](?:什么|谁|哪|几|多少)",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether a text ends as a question, by punctuation or by a Chinese question particle."""
    return text.rstrip("。. \n\t").endswith(_QUESTION_END)


def asks(text: str) -> bool:
    """Whether a text asks, also without a question mark: "what's my dentist's name", 我的牙医叫什么."""
    text = text.strip(" .。\n\t")
    return is_question(text) or (not text.endswith(("!", "！")) and _ASKS.search(text) is not None)


def only_asks(text: str) -> bool:
    """Whether every sentence of a text asks, so that it tells nothing."""
    sentences = [sentence for sentence in map(str.strip, _SENTENCE.findall(text[:1000])) if sentence]
    return bool(sentences) and all(asks(sentence) for sentence in sentences)


def asks_what_was_asked(text: str) -> bool:
    """Whether somebody wants to know what they asked: "What did I ask you yesterday?", 我问过你什么."""
    return _ASKED_BEFORE.search(text) is not None


def asks_for_all(text: str) -> bool:
    """Whether a question wants every value of a slot that holds several: "all my order numbers", "哪些订单"."""
    return _ASKS_FOR_ALL.search(text) is not None


def asks_what_was_said(text: str) -> bool:
    """Whether a message asks for something of the person or of earlier talk, which only memory can answer."""
    text = text.strip()[:500]
    asks = is_question(text) or _QUESTION_WORDS.search(text) is not None
    if not asks or _ABOUT_THE_PERSON.search(text) is None:
        return False
    return _ASKS_FOR_HELP.search(text) is None or _OF_EARLIER.search(text) is not None


def only_memory_can_answer(text: str) -> bool:
    """Whether a short message asks for nothing but what its person told or did, or what the assistant said: no model
    can know it, and a small one makes something up."""
    text = text.strip()
    if len(text) > _LONGEST_PLAIN or not asks_what_was_said(text) or _ASKS_FOR_HELP.search(text):
        return False
    return _ONLY_REMEMBERED.search(text) is not None or _OF_EARLIER.search(text) is not None
