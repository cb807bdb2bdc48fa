"""Where the same words are a fitting reply: greetings and the like, and requests to repeat, quote, spell or translate.

Coarse, and generous: who asks for their words back must get them, so a doubtful message counts as a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from edge.memory.compression import sentences

_READ_CHARACTERS = 2000
_LONGEST_COURTESY = 80
_BEGINS = (
    r"(?:^|[:;\n]\s*)(?:(?:please|now|ok|okay|and|then|so|but|just|hey|edge|again|also|first|next|let's|let us"
    r"|help me(?: to)?|try to|i want you to|i(?:'d| would) like you to|you (?:should|must|may|can)"
    r"|(?:can|could|would|will) you)\b[\s,:]*)*"
)
"""Up to a verb that stands as a request does."""
_REPEATS = (
    r"repeat|echo|say|recite|quote|cite|copy|type|print|output|read (?:aloud|out|back|after|this|it|the following)"
    r"|(?:answer|reply|respond) (?:with|only|just)"
)
_WORKS_ON_WORDS = (
    r"spell|pronounce|translate|write|correct|fix|check|proofread|rewrite|rephrase|paraphrase|shorten|summari[sz]e"
    r"|simplify|improve|edit|polish|format|convert|extract|choose|pick|select|complete|continue|finish|sing|read"
)
_WANTS_SOMETHING = (
    r"tell|give|show|explain|describe|list|name|find|make|suggest|recommend|advise|compare|count|calculate|compute|help"
    r"|think|imagine|draft|compose|create|define|teach|talk|ask|plan|sort|guess"
)
_FOR_WORDS = re.compile(
    rf"{_BEGINS}(?:{_REPEATS})\b|\bplease (?:\w+ )?(?:{_REPEATS})\b|\bafter me\b|\bverbatim\b|\bword for word\b"
    r"|\b(?<!\bi )(?<!\bwe )(?<!\bthey )repeat (?:it|this|that|these|the following|what i|everything|my)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    rf"{_BEGINS}(?:{_WORKS_ON_WORDS}|{_WANTS_SOMETHING})\b|\bplease (?:\w+ )?(?:{_WORKS_ON_WORDS}|{_WANTS_SOMETHING})\b"
    r"|\b(?<!\bi )(?<!\bwe )(?<!\bthey )(?:translate|spell|correct|rephrase|proofread) (?:it|this|that|them|the|my)\b",
    re.IGNORECASE,
)
_OPENERS_ZH = (
    "(?:请|麻烦|现在|那|再|先|然后|你|您|帮我|给我|替我|能不能|可不可以|能|可以|一起|就|接下来|从现在起|以后){0,9}"
)
_BEGINS_ZH = (
    r"(?:^|[：；\n\s]|(?<=[，,])(?=请|麻烦|帮|把))"
    rf"{_OPENERS_ZH}(?:把[^，。！？]{{1,40}}?)?{_OPENERS_ZH}"
)
_FOR_WORDS_ZH = re.compile(
    rf"{_BEGINS_ZH}(?:重复|复述|跟读|朗读|背诵|抄|念|跟(?:着我?|我)(?:一起)?[说学]|说(?=[:：“\"「]|一[遍句声]))|请你?说|学我说|原话|一字不[差漏]"
    r"|你(?:就|来|要|都|只)?(?:重复|复述)|跟(?:着我?|我)(?:一起)?[念读唱]|照(?:着|样)?[念读说抄]"
    r"|(?:念|读|说|抄|重复|复述)(?:一遍|两遍|三遍|几遍|出来|给我听)"
)
_REQUEST_ZH = re.compile(
    rf"{_BEGINS_ZH}(?:翻译|译|拼|写|改[正成写]|修改|纠正|校对|润色|检查|缩写|精简|总结|概括|提取|选|补全|续写|引用|告诉|讲|介绍"
    r"|解释|列|推荐|描述|说说|算|比较|想[想个一]|出个|找出|教我|帮)"
    r"|(?:翻译|译)成|(?:翻译|拼写|修改|纠正)一下"
)
_FROM_NOW_ON = re.compile(
    r"\b(?:everything|anything|each|every|whatever|following|next|from now|always|what (?:i|you hear)"
    r"|my (?:sentences?|messages?|words|texts?)|i(?: will|'ll| am going to|'m going to) (?:say|write|send|give|type))\b"
    r"|我[说写发讲念]|每[一]?[句条次]|以下|下面|接下来|后面|从现在|以后|之后|一直|都",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|night|day|luck)|morning|evening|night night|bye"
    r"|goodbye|good-bye|bye-bye|ciao|cheers|see you(?: (?:later|soon|tomorrow|then|again))?|take care|farewell|welcome"
    r"|thanks?(?: you)?(?: (?:so|very) much| a lot)?|sorry|ok|okay|yes|yeah|yep|no|nope|sure|right|great|good|nice|cool"
    r"|perfect|amen|congratulations|well done|(?:very )?nice to (?:meet|see) you(?: too)?|sleep well|sweet dreams"
    r"|(?:have a )?(?:nice|good|great|lovely) (?:day|evening|night|weekend|time|trip|one)|i love you|i miss you"
    r"|(?:happy|merry) (?:birthday|new year|christmas|easter|holidays?)|there|edge|again|to you|my friend)\b"
    r"[\s,.!~-]*)+"
    r"|(?:(?:你好|您好|嗨|哈[喽啰]|早上好|早安|早|上午好|中午好|下午好|晚上好|晚安|再见|拜拜|回头见|明天见|谢谢|多谢|感谢"
    r"|不客气|对不起|抱歉|好的?|行|是的?|对的?|不是|没错|嗯+|哦+|恭喜|加油|辛苦了|保重|很高兴(?:认识|见到)你|我爱你|我想你"
    r"|(?:新年|生日|圣诞节?|春节|中秋节?|节日|周末)(?:快乐|愉快)|欢迎|你|您|呀|啊|吧|了|哦|啦)[\s，。！、~～]*)+",
    re.IGNORECASE,
)


def is_courtesy(text: str) -> bool:
    """Whether a text is nothing but a greeting, thanks, a yes or the like: "Good morning!", 你好。"""
    if len(text) > _LONGEST_COURTESY:
        return False
    words = "".join(letter for letter in text if letter.isalnum() or letter in " ,.'-，。！!").strip()
    return _COURTESY.fullmatch(words) is not None


def wants_repetition(message: str, earlier: Iterable[str] = ()) -> bool:
    """Whether a message asks for words of its own: "repeat after me: ...", 跟我念. A message before it may have
    asked so for what follows: "I will send you sentences, correct them", 我说什么你就重复什么."""
    return _holds(message, _FOR_WORDS, _FOR_WORDS_ZH) or any(
        _FROM_NOW_ON.search(before) is not None and (_holds(before, _FOR_WORDS, _FOR_WORDS_ZH) or requests(before))
        for before in earlier
    )


def requests(message: str) -> bool:
    """Whether a message wants something done, such as "Translate this.": a sentence of it may be what that comes to,
    all of it is not."""
    return _holds(message, _REQUEST, _REQUEST_ZH)


def _holds(message: str, *patterns: re.Pattern[str]) -> bool:
    """Whether a sentence matches; of a long message those at its beginning and its end, where it says what to do."""
    parts = (message[:_READ_CHARACTERS], message[_READ_CHARACTERS:][-_READ_CHARACTERS:])
    read = [sentence for part in parts for sentence in sentences(part)]
    return any(pattern.search(sentence) is not None for pattern in patterns for sentence in read)
