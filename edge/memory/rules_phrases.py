"""Phrases, places and lists in a person's words: where they end, and which cannot stand alone."""

from __future__ import annotations

import re
from itertools import pairwise

from edge.memory.rules_numbers import Read

REST = r"[^,，。;；:：!！?？\n()（）\ue000\x00-\x1f\ud800-\udfff]"
"""A character inside a clause."""

_EN_TAIL = re.compile(
    r"[ ,]+(?:now|nowadays|currently|at the moment|these days|right now|actually|btw|by the way|please|too"
    r"|as well|though"
    r"|anymore|any more|a lot|very much|so much|the most|most|best|again|already|lol|haha|instead|you know"
    r"|thanks|thank you"
    r"|at all|any longer|also|last (?:year|month|week|spring|summer|autumn|winter)"
    r"|this (?:year|month|week)|recently|lately|yesterday|(?:an?|one|two|three|\d+) (?:year|month|week)s? ago|in 20\d\d"
    r"|(?:every )?now and then|from time to time|every day|sometimes|in general"
    r"|in particular|especially|obviously|of course|for sure|since \d{4}|for \w+ years?|in (?:it|there))$",
    re.I,
)
_ZH_PHRASE_TAIL = re.compile(r"(?:了|啊|呀|哦|呢|吧|的哦|哈|嘛|啦|而已|之类的|什么的|等等|等|的)+$")
_CUT = re.compile(
    r" (?:and|but|so|because|since|while|though|although|which|who|where|that's|then|or|with|for|if|when"
    r"|as)(?= |$).*| (?:- |—).*|(?:但是|不过|因为|所以|而且).*",
    re.I,
)
_CUT_BEFORE_CLAUSE = re.compile(
    r",? (?:and|but|so|because|since|while|though|although|or)(?: also| then| now)? (?:I|I'm|I've|I'd|my|our|we"
    r"|you|he|she|it|it's|they|can|could|please|that|this|there|the|"
    r"what|would|need|want|have|am|is|are|was|his|her|your|their|call|don't|do|get|hate|dislike|prefer)\b.*"
    r"|, (?:they|they're|it's|it|i|i'm|he|he's|she|she's|we|you|'cause|cause|cuz|the|this|that|my|especially"
    r"|particularly|like|such as|especially|not)\b.*|,? (?:but|so|because|since|although|though|which|who"
    r"|so)\b.*| (?:- |—).*"
    r"|(?:但是|但|不过|因为|所以|而且).*",
    re.I,
)
_NOT_STARTS = re.compile(
    r"(?:it|its|it's|that|that's|this|these|those|you|your|you're|him|her|his|them|their|he|she|they|me|us|we"
    r"|what|how|when|where|why|who|whatever|"
    r"which|not|so|too|just|being able|one|ones|some|any|every|all (?:of|the|these|those|your|that|this)"
    r"|the way|the idea|the fact|the sound|the look|both|another|more|such|"
    r"and|but|or|if|because|there|there's|an? (?:lot|bit|little|few|good|great|nice)|our|in|on|at|for|from|with"
    r"|as|by|up|off|about|around|"
    r"seeing|hearing|having|getting|knowing|taking|my|thinking|nothing|something|everything|anything|someone|of"
    r"|the)(?![\w-])"
    r"|[的这那它他她你您啥谁哪怎咋了过得着不没是我自就]|什么|一个|一下|一点|一种|听你|看你|跟你|和你|有人|大家|别人|能|可以|有点|被",
    re.I,
)
_GENERAL_THE = re.compile(
    r"the (?:(?-i:[A-Z])|(?:sea|beach|ocean|mountains?|outdoors|rain|snow|sun|city|countryside|theat(?:re|er)"
    r"|forest|cold|heat"
    r"|winter|summer|spring|autumn|dark|violin|piano|guitar|quiet)$|colou?r \w+|smell of|taste of)",
    re.I,
)


_POINTS_ELSEWHERE = re.compile(
    r"\b(?:them|it|there|here|him|her|you|me|us|this|these|those)\b|\b(?:to|in|of|at|for|about|with|by|on"
    r"|from) that\b|^(?:to|then|both|all|that)$",
    re.I,
)


def tidy(raw: str) -> str:
    """A phrase without what hangs on behind it (now, too, please, 了, 啊) and without spaces around."""
    shown = raw.strip(' .~～-"“”「」`')
    for _ in range(3):
        trimmed = _EN_TAIL.sub("", shown) if shown.isascii() else _ZH_PHRASE_TAIL.sub("", shown)
        if trimmed == shown:
            break
        shown = trimmed
    return shown.strip(' .,~"“”')


_DOING = re.compile(
    r"^(?:(?:the|a|an|eating|drinking|playing|watching|reading|doing|going|listening to"
    r"|to(?: (?:eat|drink|play|watch|read|do|listen to))?) |[吃喝看听玩打读])"
)
_MUSIC = re.compile(
    r"(?P<kind>jazz|rock|pop|classical|folk|country|electronic|techno|metal|punk|soul|blues|reggae|hip[- ]hop|indie|rap"
    r"|house|disco|funk|gospel|latin|k-pop|ambient|爵士|摇滚|流行|古典|民谣|电子|嘻哈|说唱|轻|蓝调|乡村|民族|金属|朋克)"
    r"(?: music|音乐|乐)"
)


def bare_thing(phrase: str) -> str:
    """What is compared of a phrase: "to drink coffee" is "coffee", "jazz music" is "jazz", 听爵士乐 is 爵士."""
    thing = _DOING.sub("", phrase.lower()) or phrase.lower()
    music = _MUSIC.fullmatch(thing)
    return music["kind"] if music else thing


def read_phrase(raw: str) -> Read | None:
    """A few words that name a thing or an activity: no pronoun in front, at most 60 characters."""
    shown = tidy(_CUT_BEFORE_CLAUSE.sub("", raw))
    if not shown or len(shown) > 60 or len(shown.split()) > 9 or not re.search(r"\w", shown):
        return None
    if _NOT_STARTS.match(shown) and not _GENERAL_THE.match(shown):
        return None
    if _POINTS_ELSEWHERE.search(shown):
        return None
    if (shown.isascii() and len(shown) < 2) or re.search(r"[吗呢么]$|什么|怎么|哪里|哪个|多少", shown):
        return None
    return shown, bare_thing(shown)


def read_line(raw: str) -> Read | None:
    """What stands to the end of the clause, whole, at most 90 characters."""
    shown = tidy(raw)
    if not shown or len(shown) > 90 or not re.search(r"\w", shown) or re.search(r"[吗呢]$|什么|怎么|哪里|多少", shown):
        return None
    return shown, re.sub(r"\s+", " ", shown.lower())


def read_place(raw: str) -> Read | None:
    """A place: a name with a capital letter, or Chinese characters, or up to three plain words."""
    shown = tidy(_CUT.sub("", raw))
    if not shown or len(shown) > 60 or re.search(r"\d{5,}|[吗呢么]$|什么|哪|怎", shown):
        return None
    if _NOT_STARTS.match(shown) and not re.match(
        r"the (?-i:[A-Z])|the (?:city|countryside|suburbs|mountains|north|south|east|west)", shown, re.I
    ):
        return None
    if re.search(
        r"[她他它你您我]|学校|宿舍|酒店|旅馆|隔壁|附近|一起|^(?:装修|搬|吃|开|办|做|等|看|睡|打|玩|聊|忙|休息)", shown
    ) or _VAGUE_PLACE.match(shown):
        return None
    if not re.search(r"(?-i:[A-ZÀ-Þ])", shown) and re.search(r"[a-z]", shown) and len(shown.split()) > 5:
        return None
    return shown, shown.lower().removeprefix("the ")


_SPOT = re.compile(
    r"[路街区县镇市村园城厦场站寺港桥塔座楼层湾岛山湖]$|[路街巷]\d+号?$|^(?:上海|北京|广州|深圳|杭州|成都|武汉|南京|西安|重庆|天津|苏州)"
)


def read_spot(raw: str) -> Read | None:
    """A place in Chinese that its last character, or the city in front, tells from what is being done (公司在裁员)."""
    shown = re.sub(r"(?:那边|那里|那儿|那块|附近|旁边|那)$", "", tidy(raw))
    return read_place(shown) if _SPOT.search(shown) or shown != tidy(raw) else None


_VAGUE_PLACE = re.compile(
    r"(?:an?|the)? ?(?:fear|peace|hope|harmony|denial|the past|past|future|moment|constant|world|different|same"
    r"|interesting|exciting|"
    r"hotel|hostel|dorm|place|nearby|here|there|town|area|middle|luxury|poverty|hell|heaven|terms?)\b",
    re.I,
)
_ADDRESS = re.compile(
    r"\d|[路街道巷弄号区市省县镇村楼室]|(?:street|road|avenue|lane|square|strasse|straße|st\.|rd\.|ave)", re.I
)


def read_address(raw: str) -> Read | None:
    """A postal address: to the end of the sentence, commas included; it has a number or a word for a street."""
    shown = tidy(_CUT_BEFORE_CLAUSE.sub("", raw))
    shown = re.split(
        r"[,，] ?(?:我|你|他|她|请|麻烦|谢谢|电话|手机|邮编是|my|please|thanks|I|call|and my)(?![a-zA-Z0-9])", shown
    )[0].strip(" ,，")
    if not 4 <= len(shown) <= 110 or not _ADDRESS.search(shown) or re.search(r"[吗呢么]$|什么|多少|\S+@\S+", shown):
        return None
    return shown, re.sub(r"[\s,，]+", " ", shown.lower())


_CONDITION = re.compile(r",? (?:if|when|whenever|unless|as long as|except|only (?:if|when|in|on|with))\b", re.I)
_COMPOUNDS = re.compile(
    r"(?:rock|mac|fish|salt|black|drum|bed|peanut butter|rhythm|arts|dungeons|gin|ham|bread|trial|track|song"
    r"|wine|hide|cheese|read(?:ing)? and) "
    r"(?:and|&|n) (?:roll|cheese|chips|pepper|white|bass|breakfast|jelly|blues|crafts|dragons|tonic|eggs|butter"
    r"|field|dance|seek|wine)",
    re.I,
)
_LIST_MARK = re.compile(
    r",? (?:and|&|as well as)(?: also)? |, ?| or |、|(?<=[\u3400-\u9fffA-Za-z])(?:以及|还有|和(?![平服谐牛声])|跟"
    r"|与)(?=[\u3400-\u9fffA-Za-z])",
    re.I,
)


def split_condition(raw: str) -> tuple[str, str]:
    """The words without the condition that hangs on them, and that ("coffee", " if it is hot")."""
    found = _CONDITION.search(raw)
    return (raw[: found.start()], raw[found.start() :].rstrip(" .")) if found else (raw, "")


_HEADS = re.compile(
    r"(?: (?:movies|films|music|games|books|weather|food|foods|novels|shows|songs|stories|cuisine|dishes|drinks"
    r"|restaurants|"
    r"clothes|cultures|teams|sports|seats|colou?rs|flavou?rs|styles?|art|literature|fiction|languages|wines?"
    r"|beers?)|的[\u3400-\u9fff]+)$",
    re.I,
)


def split_list(raw: str) -> list[str]:
    """The items of an enumeration. It stays one where its words hang together ("action and comedy movies"); a comma
    that begins something else ends it; empty where the first words cannot stand alone."""
    text = tidy(_CUT_BEFORE_CLAUSE.sub("", raw))
    if _CONDITION.search(text):
        return [text]
    if "," in text and not _is_enumeration(text):
        first = text[: text.index(",")]
        return [] if re.search(r"\b(?:an?|the|such|so|very) [\w-]+$", first, re.I) else [first]
    items = [item.strip() for item in _LIST_MARK.split(text)]
    if _COMPOUNDS.search(text) or not all(items) or (len(items) > 1 and _hangs_together(text, items)):
        return [text]
    return items if read_phrase(items[0]) else []


def _is_enumeration(text: str) -> bool:
    if not re.search(r" (?:and|&|or) [^,]*$", text):
        return False
    return all(len(item.split()) <= 4 for item in _LIST_MARK.split(text))


def _hangs_together(text: str, items: list[str]) -> bool:
    """Whether the last item's noun also belongs to the others, or the items are too long to be an enumeration."""
    lone = [
        item for item in items[:-1] if not _HEADS.search(item) and not item.endswith(("s", "ing")) and " " not in item
    ]
    gerunds = [re.match(r"\w+ing \w", item) is not None for item in items]
    followers = enumerate(pairwise(gerunds), 1)
    if any(
        first and not then and " " in items[at] and not items[at].endswith("ing") for at, (first, then) in followers
    ):
        return True
    if items[0].startswith("在") or (_HEADS.search(items[-1]) and lone):
        return True
    return max(len(item.split()) for item in items) > 5 or ("," not in text and len(items[0].split()) > 2)
