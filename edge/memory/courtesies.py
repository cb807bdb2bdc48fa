"""What a message says around what it asks: greetings, an address, thanks. "Hey edge, what's the gate code? Thanks!"

What is left is searched for, so that a question finds the same however politely it is put.
"""

from __future__ import annotations

import re

from edge.memory.text import telling_terms

_TELLING = 3
_READ, _TAIL = 300, 80
"""Characters at the beginning in which courtesies are looked for one after another, and at the end for each."""

_GREETING = (
    r"good (?:morning|afternoon|evening|day|night)|(?:hi|hey|hello)(?: there| again| everyone| all)?|hiya|howdy|yo"
    r"|greetings|morning|evening|welcome back|i'm back"
)
_THANKS = (
    r"(?:many )?thanks?(?: you)?(?: (?:so|very) much| a (?:lot|bunch|million))?(?: again| in advance)?"
    r"(?: for (?:that|this|it|everything|(?:all )?(?:the|your) (?:\w+ )?(?:help|answer|info(?:rmation)?|advice)))?"
    r"|thx|ty|tysm|cheers|much appreciated|(?:i(?:'d| would)? )?appreciate (?:it|that)|nice one"
    r"|(?:that|this|it) (?:helps|helped)(?: a lot| me)?|you're the best"
)
_APOLOGY = (
    r"(?:i'm )?sorry(?: (?:to|for) (?:bother|disturb|interrupt|troubl)(?:e|ing)? you(?: again)?)?"
    r"|excuse me|pardon(?: me)?|(?:just )?(?:a |one |another )?(?:quick|small|little|short) question"
    r"|(?:i (?:just )?)?have (?:a|one|another) (?:(?:quick|small|little) )?question"
)
_WISH = (
    r"how are you(?: (?:doing|today|feeling))*|how's it going"
    r"|(?:i )?hope (?:you|all)(?:'re|'s| are| is) (?:well|fine|ok)"
    r"|(?:it's )?(?:nice|good|great) to (?:see|meet|hear from) you(?: again)?"
    r"|(?:have a )?(?:nice|good|great|lovely) (?:day|evening|weekend|one)"
)
_CALLED = r"(?:edge|dear|friend|my friend|my dear|mate|man|buddy|pal|assistant|robot)"
_CHINESE_GREETING = (
    "(?:早上|上午|中午|下午|晚上|大家|你们?|您)好[啊呀哦吗]?|早[安啊呀]?|晚安|午安|嗨+|嘿+|哈[喽啰罗]|哈罗|喂|在吗|在不在"
    "|(?:hi|hello|hey)(?=[，。！])|好久不见|我(?:又)?回来[了啦]|最近(?:怎么样|好吗)|吃了吗"
)
_CHINESE_THANKS = (
    "(?:真的?|太|非常|十分|多|先)?(?:谢谢|感谢|多谢)[你您]?(?:的(?:帮助|帮忙|回答|建议))?[啦了哈啊呀]?|谢[啦了]|辛苦(?:你|您)?[了啦]?"
    "|(?:麻烦|拜托|劳驾)(?:你|您)?[了啦]?|帮大忙了|太好了|太棒了"
)
_CHINESE_APOLOGY = (
    "不好意思|抱歉|对不起|(?:又)?(?:打扰|打搅)(?:你|您)?(?:一下|了)?|(?:我)?(?:想)?(?:问|请教)(?:你|您)?(?:一下|个问题|一个问题)"
    "|有个问题"
)
_CHINESE_CALLED = "(?:小助手|助手|助理|亲爱的|亲|朋友|老师)"

_ASKS_NEXT = (
    r"(?=(?:what|which|who|whose|when|where|why|how|do|does|did|can|could|would|will|may|tell|remind|please)\b)"
)
_STOP = r"\s*[,.!;:?~…—–-]+\s*"
_NEXT = rf"(?:{_STOP}|\s+{_ASKS_NEXT})"
_CHINESE_STOP = r"\s*[，。！；：、,.!;:？?~～…—\s]+\s*"
_BEFORE = re.compile(
    rf"\s*(?:(?:(?:ok|okay|oh|ah|well|so|and|great|perfect|cool|nice|alright|right)\b[\s,.!]*)?"
    rf"(?:(?:{_GREETING})(?:,? {_CALLED}|,? (?!what|who|how|where|when|which|why)[\w-]+(?=\s*[,!.]))?"
    rf"|(?:{_THANKS}|{_APOLOGY}|{_WISH})(?:,? {_CALLED})?|(?:dear )?{_CALLED}(?=\s*[,!:])){_NEXT})",
    re.IGNORECASE,
)
_CHINESE_BEFORE = re.compile(
    rf"\s*(?:(?:{_CHINESE_GREETING}|{_CHINESE_THANKS}|{_CHINESE_APOLOGY})(?:[，, ]?(?:edge|{_CHINESE_CALLED}))?"
    rf"{_CHINESE_STOP}"
    rf"|(?:edge|{_CHINESE_CALLED})[，,！!：:]\s*|您好(?=请问|我)|你好(?=请问|我|edge)|[嗨嘿](?=请问|我|edge))",
    re.IGNORECASE,
)
_UP_TO_LAST_STOP = re.compile(r"(?s).*[?!.,;~…—–？！。，、；-](?=\s*\w)")
_BEHIND = re.compile(
    rf"\s*(?:please(?: and thank you)?|pls|plz|{_THANKS}|{_WISH}|bye|see you(?: later)?)(?:,? {_CALLED})?[\s,.!~:)-]*",
    re.IGNORECASE,
)
_CHINESE_BEHIND = re.compile(
    rf"(?:(?<=[？！。，、；?!.,;~～…吗呢])|(?<=多少)|(?<=什么)|\s)\s*"
    rf"(?:{_CHINESE_THANKS}|再见|拜拜|晚安)(?:[，, ]?(?:edge|{_CHINESE_CALLED}))?[\s，。！!,.~～]*$",
    re.IGNORECASE,
)
_LEFT_OVER = " \t\n,;，、；—–-"


def without_courtesies(message: str) -> str:
    """A message without greetings, address and thanks around it; as it is where there is nothing else in it."""
    end = _end(message)
    begin = _begin(message[:end])
    rest = message[begin:end].strip(_LEFT_OVER)
    return rest if (begin or end < len(message)) and any(sign.isalnum() for sign in rest) else message


def says_little(rest: str) -> bool:
    """Whether what is left says next to nothing by itself: "Cheers, that's brill"."""
    return len(telling_terms(rest[:_READ])) < _TELLING


def _begin(text: str) -> int:
    """Where the first word stands that is no courtesy."""
    at = 0
    while at < _READ:
        rest = text[at : at + _READ].replace("’", "'")
        found = _BEFORE.match(rest) or (None if rest.isascii() else _CHINESE_BEFORE.match(rest))
        if found is None:
            break
        at += found.end()
    return at


def _end(text: str) -> int:
    """Where the courtesies begin that end a text."""
    end = len(text)
    while end:
        first = max(0, end - _TAIL)
        begin = _behind(text[first:end].replace("’", "'"))
        if begin is None:
            break
        end = first + begin
    return end


def _behind(text: str) -> int | None:
    """Where the courtesy begins that ends a text."""
    stop = _UP_TO_LAST_STOP.match(text)
    before = None if stop is None else _UP_TO_LAST_STOP.match(text, 0, stop.end() - 1)  # "thanks, edge"
    for each in (stop, before):
        if each is not None and _BEHIND.fullmatch(text, each.end()):
            return each.end()
    found = None if text.isascii() else _CHINESE_BEHIND.search(text)
    return None if found is None else found.start()
