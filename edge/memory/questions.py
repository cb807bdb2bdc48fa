"""Whether a text asks, and what for, where no slot is asked for. In English and Chinese; all who wonder ask here.

From the strictest to the loosest: `ends_asking` goes by the mark at the end, `is_question` also by 呢, which is all
that a stored text needs; `asks` also by how it begins, for what people type without a mark; `may_ask` by any word that
asks. Which slot is asked for, by the tables' patterns, is told by `rules_questions`.

Coarse on purpose: it steers what is searched, how what is found is weighed, and a hint. Only `only_memory_can_answer`
decides a reply, and is strict.
"""

from __future__ import annotations

import re

from edge.memory.courtesies import without_courtesies
from edge.memory.text import telling_terms

ASKED = "what|which|who|when|where"
ASKED_ZH = "多少|什么|[啥哪谁]"
"""Words for what is asked for. Patterns, to be used in others."""
_SURE_ENDS = ("?", "？", "吗")
_ENDS = (*_SURE_ENDS, "呢")
_FULL_STOPS = "。. \n\t"
_MAY_ASK = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|how|why|do|does|did|is|are|am|can)\b"
    r"|^(?:have|has)\b(?! \w+ed\b)|^(?:was|were)\b(?! \S+$)"
    r"|什么|谁|哪|几|多少|何时|怎么|如何|吗|有没有|是不是|记不记得",
    re.IGNORECASE,
)
"""Not the answers that leave out who they are about: "have moved to Rome", "was Rome"."""
_WANTS_AGREEMENT = re.compile(r"(?:对不对|是不是|对吧|吗|, right)[?？。.!！\s]*$", re.IGNORECASE)
_ABOUT_THE_PERSON = re.compile(
    r"\b(?:my|mine|(?:did|do|have|had|was|am|were) (?:i|we|you (?:say|tell|recommend|suggest))|told you|remember)\b"
    r"|我的|我(?:之前|上次|以前|昨天|前天|上周|上个月|去年|刚才)|我说过|我告诉过|还?记得|你(?:上次|之前)?(?:推荐|建议|说)过?",
    re.IGNORECASE,
)
_SAID = (
    "say|said|tell|told|recommend|recommended|suggest|suggested|mention|mentioned|give|gave|advise|advised"
    "|introduce|introduced|teach|taught|propose|proposed|promise|promised|answer|answered|call|name"
)
_OF_YOU = re.compile(
    rf"\byou (?:\w+ )?(?:{_SAID})\b|"
    r"\byour (?:advice|recommendations?|suggestions?|answers?|tips?|proposals?)\b|"
    r"你(?:\w{0,6})(?:推荐|建议|说过|提到|告诉|介绍|教|提议|答应|回答)[了过的]?",
    re.IGNORECASE,
)
_OF_EARLIER = re.compile(
    rf"\b(?:did|have) you (?:\w+ )?(?:{_SAID})\b|你(?:上次|之前|刚才|以前)",
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
_MAY_WANT_HELP = re.compile(
    r"^(?:how|why|can|could|should|would|will|please|help|write|explain|translate)\b|怎么|如何|为什么|为何|能不能|帮我|请",
    re.IGNORECASE,
)
"""By how it begins, and rather too often: "why does my back hurt?" is no question about what the person told."""
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
_WANTS_A_GUESS = re.compile(
    r"\b(?:might|likely|probably|perhaps)\b|(?<!\bi )\bwould\b(?! you\b)|\bcould (?!you\b|i\b|we\b)"
    r"|会不会|可能(?!性)|也许|或许|说不定|应该会|估计会|会[^，。,！？?]{0,6}(?:喜欢|愿意|同意|感兴趣|介意)",
    re.IGNORECASE,
)
_WANTS_HELP = re.compile(
    r"\b(?:should|shall|can|could|must|do|would|to) (?:i|we|you)\b(?! (?:still )?(?:know|remember|recall))"
    r"|\bhow to\b|\b(?:explain|translate|write|help|recommend|suggest|advise|advice|ideas?|tips?|mean)\b"
    r"|该|怎么(?:办|做|跟|对|给|和|帮|教)|建议|推荐|帮[我忙]|写|翻译|解释|意思|主意",
    re.IGNORECASE,
)
"""By any word for it, and rather too seldom: why somebody cried, only those who know them can tell."""

_SUMS_UP = re.compile(
    r"\b(?:summar(?:y|i[sz]e|i[sz]ing)|sum up|overview|recap|profile of me|introduce me|describe me"
    r"|(?:all|everything|what) (?:that )?you (?:know|remember|have) (?:about|of|on) me)\b"
    r"|总结|概括|归纳|概述|汇总|介绍一下我|描述一下我|你(?:都)?(?:知道|记得)我(?:的)?(?:哪些|什么|所有)|关于我的(?:一切|所有|全部)",
    re.IGNORECASE,
)


def ends_asking(text: str) -> bool:
    """Whether a text ends as only questions do: by a question mark, or by 吗."""
    return text.rstrip(_FULL_STOPS).endswith(_SURE_ENDS)


def is_question(text: str) -> bool:
    """Whether a text ends as a question, by punctuation or by a Chinese question particle. 呢 may also end a statement:
    我在吃饭呢."""
    return text.rstrip(_FULL_STOPS).endswith(_ENDS)


def asks(text: str) -> bool:
    """Whether a text asks, also without a question mark: "what's my dentist's name", 我的牙医叫什么."""
    text = text.strip(" .。\n\t")
    return is_question(text) or (not text.endswith(("!", "！")) and _ASKS.search(text) is not None)


def may_ask(text: str) -> bool:
    """Whether a text is a question or holds a word that asks, which a statement can as well: "when I was young"."""
    return is_question(text) or _MAY_ASK.search(text) is not None


def wants_agreement(text: str) -> bool:
    """Whether a text asks to be told that it is right: "that's wrong, right?", 对不对."""
    return ends_asking(text) or _WANTS_AGREEMENT.search(text) is not None


def only_asks(text: str) -> bool:
    """Whether every sentence of a text asks, but for greetings and thanks, so that it tells nothing."""
    read = without_courtesies(text[:1000])
    sentences = [sentence for sentence in map(str.strip, _SENTENCE.findall(read)) if sentence]
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
    if not may_ask(text) or _ABOUT_THE_PERSON.search(text) is None:
        return False
    return _MAY_WANT_HELP.search(text) is None or _OF_EARLIER.search(text) is not None


def only_memory_can_answer(text: str) -> bool:
    """Whether a short message asks for nothing but what its person told or did, or what the assistant said: no model
    can know it, and a small one makes something up."""
    text = text.strip()
    if len(text) > _LONGEST_PLAIN or not asks_what_was_said(text) or _MAY_WANT_HELP.search(text):
        return False
    return _ONLY_REMEMBERED.search(text) is not None or _OF_EARLIER.search(text) is not None


def only_who_knows_them_can_answer(text: str) -> bool:
    """Whether a short question, that is known to name somebody of the owner's world, asks what only those who know
    them can tell: not for advice, for words, or for a guess."""
    text = text.strip()
    if len(text) > _LONGEST_PLAIN or not asks(text):
        return False
    return _WANTS_HELP.search(text) is None and not wants_a_guess(text)


def wants_a_guess(text: str) -> bool:
    """Whether a question asks for what may be, not for what was told: "would she like it?", 他会不会喜欢?"""
    return _WANTS_A_GUESS.search(text) is not None and asks(text)


def sums_up(text: str) -> bool:
    """Whether a message wants what is known to be put together: "Summarize what you know about me", 总结一下."""
    return _SUMS_UP.search(text[:500]) is not None


def asks_of_assistant(text: str) -> bool:
    """Whether a question asks for what the assistant said: "what did you recommend?", 你推荐过什么."""
    return _OF_YOU.search(text) is not None


def asks_only_of_assistant(text: str) -> bool:
    """Whether a question says nothing but that: then what the assistant said is all that it can mean."""
    return asks_of_assistant(text) and not telling_terms(_OF_YOU.sub(" ", text))
