"""What people say when they change the subject, when they come back to one, and when they only add something.

A phrase stands at the beginning of a clause, behind no more than an "okay" or "那": in the middle of a sentence the
same words tell of something else ("a different topic came up at work").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_LEAD_EN = (
    r"(?:(?:ok(?:ay)?|alright|all right|well|so|now|anyway|right|great|good|fine|thanks(?: a lot)?|thank you|hm+|um|hey"
    r"|please|no|yes|yeah|sure|actually|and|but|then)[\s,.!;:]+)*"
)
_LET_EN = (
    r"(?:let'?s|let us|can we|could we|shall we|may we|we should|we could|i(?:'d| would) (?:like|love) to|i want to"
    r"|i wanna|i need to|time to|please)\s+(?:now |just |please |first |quickly )?"
)
_OTHER_EN = r"(?:completely |totally |entirely |quite |very )?(?:different|another|new|unrelated|separate)"
_END_EN = r"(?=\s*(?:[:,.;!?\u2013\u2014-]|$))"
_NEW_EN = (
    rf"{_LET_EN}(?:talk|speak|chat|ask(?: you)?|discuss)(?: about)? (?:something|anything) (?:else|different|new)",
    rf"{_LET_EN}(?:talk|speak|chat) about (?:something|anything) other than [^.,;:!?]{{1,60}}",
    rf"(?:{_LET_EN}|to )?(?:chang|switch|drop)(?:e|ing)? (?:the |to (?:a |an )?)?(?:(?:different|another|new) )?"
    r"(?:subjects?|topics?|gears)",
    r"(?:a )?change of (?:subject|topic)",
    rf"(?:on|to) (?:a |an )?{_OTHER_EN} (?:note|topic|subject|matter)",
    rf"(?:(?:a|an|now|for|here'?s|i have|i(?:'ve| have) got|this is)\s+)*(?:{_OTHER_EN}|next) (?:topic|subject|matter)"
    rf"{_END_EN}",
    rf"(?:(?:a|an|one|now|for)\s+)*(?:{_OTHER_EN}|next) (?:question|thing|request|issue|problem)\s*[:\u2013\u2014-]",
    rf"i(?: have|'ve)(?: got)? (?:a |an )?{_OTHER_EN} (?:question|problem|issue|request|matter|thing){_END_EN}",
    rf"(?:something|anything) (?:else|(?:completely |totally )?different){_END_EN}",
    rf"(?:let'?s (?:now )?|let us )mov(?:e|ing) on\b(?: to\b)?|moving on{_END_EN}|moving on to\b",
    r"(?:that'?s )?enough (?:about|of) [^.,;:!?]{1,60}",
    r"(?:that'?s|that is|that was) (?:all|it|everything) (?:about|on|for|with) (?!today|now|that)[^.,;:!?]{1,60}",
    r"(?:(?:let'?s|let us|we can|can we|i'?ll|please) )?(?:leave|park|pause|forget|drop|put|set)(?: about)?"
    r" [^.,;:!?]{1,50}? (?:for now|aside|for later|for the moment|for today)",
)
_BACK_EN = (
    rf"(?:{_LET_EN})?(?:(?:go|get|come|going|coming|getting|circle|circling|turn|turning|jump|jumping|switch|switching)"
    r" )?back (?:to|on)\b",
    rf"(?:{_LET_EN})?(?:return(?:ing)? to|revisit(?:ing)?)\b",
    rf"(?:{_LET_EN})?(?:continu(?:e|ing)|resum(?:e|ing)|pick(?:ing)? up|carry(?:ing)? on)\b(?: with| on)?",
    r"(?:as (?:for|to)|regarding|concerning|what about|how about|coming to|about)\b",
    r"(?:one|another) (?:more |last |other )?(?:thing|question) (?:about|on|regarding|concerning)\b",
    r"where were we (?:with|on|in)\b",
)
_BACK_ANYWHERE_EN = (
    r"\bwe (?:talked|spoke|were (?:talk|speak)ing|discussed|had)\b[^.?!]{0,25}\b(?:earlier|before|just now|first)\b",
    r"\bback to (?:the|my|our|that|this|what)\b",
)
_ASIDE_EN = (
    r"by the way|btw|incidentally|oh,? (?:and|by the way)|also|just a (?:quick )?aside|before i forget|side note"
    r"|on a side note|speaking of which"
)

_LEAD_ZH = (
    r"(?:(?:好的?|好吧|好了|嗯|哦|噢|行|那么?|对|哎|诶|现在|谢谢你?|多谢|知道了|明白了?|先|就|再|还是|来|请|完全|彻底|但是?|不过)"
    r"[\s，,。.！!、；;]*)*"
)
_WE_ZH = r"(?:(?:我们|咱们|咱俩?|我|你)?(?:能不能|可不可以|可以|可否|想要?|要|来|先|就|再|还是|不如|得)?){0,3}"
_NEW_ZH = (
    rf"{_WE_ZH}(?:换|转|改)(?:个|一个|一下|下|换|移|了)?(?:别的|新的|其他)?(?:话题|主题|题目|方向|问题)",
    rf"{_WE_ZH}(?:说说?|聊聊?|谈谈?|讲讲?|问问?|做|看看?|说一?下|聊一?下)"
    r"(?:点|些|个|一个|一点|一些|一下)?(?:儿)?(?:别的|其他的?|其它的?|另外的?|不同的|不一样的|另外?一(?:件|个)事)"
    r"(?:儿|事情|事|问题|话题|吧)?",
    r"(?:我)?(?:还有|另外?有?|再说|是)?(?:另外?)?(?:的)?(?:一|有)?(?:件|个|码)(?:别的|另外的|其他的?|新)?"
    r"(?:事情?|问题|话题)(?=[\s，,。：:；;想要]|$)",
    r"(?:另|另外)(?:一|的)(?:件|个|码)?(?:事情?|问题|话题)",
    r"(?:新|别的|下一个)(?:话题|问题)(?=[\s，,。：:；;]|$)",
    r"(?:我们|咱们)?(?:先|暂时)?(?:不|别)(?:说|谈|聊|管|提|讲)[^，。！？；,.!?;]{0,10}(?:了|吧|(?=[，。！？；,.!?;]|$))",
    r"[^，。！？；,.!?;今明]{1,10}(?:就|先)(?:到这儿?|到这里|这样吧)(?:了|吧)?(?=[，。！；,.!;]|$)",
    r"[^，。！？；,.!?;]{1,10}(?:以后|改天|回头|等会儿?|晚点|待会儿?)再(?:说|聊|谈|看)(?:了|吧)?(?=[，。！；,.!;]|$)",
    r"[^，。！？；,.!?;]{0,10}(?:先|暂时|暂且)(?:放一放|放一边|放放|放着|放下|不说|不管|不谈|不提|搁着|搁一边|这样)(?:了|吧)?",
)
_BACK_ZH = (
    rf"{_WE_ZH}(?:回到|返回|说回|讲回|聊回|谈回|转回|拉回|回头(?=[说看聊谈])|回过头来?|言归正传)(?:说说?|看看?|聊聊?|谈谈?|讲|来)*",
    rf"{_WE_ZH}(?:接着|继续)(?:说说?|聊聊?|谈谈?|讲|处理|办|看|弄|做|之前|刚才)*",
    rf"{_WE_ZH}(?:再|又)(?:说说|聊聊|谈谈|说回|看看|问问|说一下|问一下|问)",
    r"(?:刚才|刚刚|之前|前面|先前|上面)(?:我们|咱们|我)?(?:那|说|提|聊|讲|谈|问)",
    r"(?:至于|关于|说到|说起|提到|再来看)",
)
_ASIDE_ZH = r"对了|顺便|顺带|题外话|另外(?=[\s，,])|还有(?=[\s，,])|补充一?(?:点|句|下)|忘了说|插一?句"

_CLAUSE_EN = r"(?:^|(?<=[.!?;:\n,\u2013\u2014]))\s*"
_CLAUSE_ZH = r"(?:^|(?<=[。！？；，、：.!?;,:\n\s]))\s*"


def _at_clause(patterns: tuple[str, ...], clause: str, lead: str) -> re.Pattern[str]:
    return re.compile(f"{clause}{lead}(?P<phrase>{'|'.join(patterns)})", re.IGNORECASE)


_NEW = {"en": _at_clause(_NEW_EN, _CLAUSE_EN, _LEAD_EN), "zh": _at_clause(_NEW_ZH, _CLAUSE_ZH, _LEAD_ZH)}
_BACK = {"en": _at_clause(_BACK_EN, _CLAUSE_EN, _LEAD_EN), "zh": _at_clause(_BACK_ZH, _CLAUSE_ZH, _LEAD_ZH)}
_BACK_ANYWHERE = re.compile("|".join(_BACK_ANYWHERE_EN), re.IGNORECASE)
_ASIDE = {
    "en": re.compile(rf"^\s*{_LEAD_EN}(?:{_ASIDE_EN})\b", re.IGNORECASE),
    "zh": re.compile(rf"^\s*{_LEAD_ZH}(?:{_ASIDE_ZH})"),
}
_EARLIER = re.compile(
    r"\b(?:previous|earlier|before|former|first|last|other|original|talking about|discussing)\b"
    r"|刚才|刚刚|之前|前面|先前|上一?个|原来|最初|一开始",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"[^,.;:!?，。；：！？\u2013\u2014\n]*")
_LONGEST = 200


class Cue(Enum):
    """What a phrase is about: a new subject, one that was left, or a word beside the subject at hand."""

    NEW = "new"
    BACK = "back"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message without its phrase. `object` is what stands right behind the phrase ("the complaint"), `rest` all else
    of the message with it; `earlier`: the phrase points to what was spoken of before, without a name."""

    cue: Cue | None
    object: str
    rest: str
    earlier: bool = False


def listen(message: str, language: str) -> Heard:
    """The phrase in a message, looked for in its beginning: a subject is changed before it is spoken of."""
    head = message[:_LONGEST].replace("\u2019", "'")
    for cue, patterns in ((Cue.NEW, _NEW), (Cue.BACK, _BACK)):
        found = patterns[language].search(head)
        if found is not None:
            return _heard(cue, message, found)
    found = _BACK_ANYWHERE.search(head)
    if found is not None:
        return Heard(Cue.BACK, message, message, earlier=_EARLIER.search(head) is not None)
    return Heard(Cue.ASIDE if _ASIDE[language].search(head) else None, message, message)


def _heard(cue: Cue, message: str, found: re.Match[str]) -> Heard:
    behind = _OBJECT.match(message, found.end())
    spoken = behind[0] if behind is not None else ""
    rest = f"{message[: found.start()]} {message[found.end() :]}"
    return Heard(cue, spoken, rest, earlier=_EARLIER.search(found[0] + spoken) is not None)
