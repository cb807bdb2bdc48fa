"""Passwords have no shape of their own: what a person calls one, unless it reads like a word about it.

"My password is swordfish" tells one, "my password is wrong" and "the password is too long" tell none; 密码是hunter2
does, 密码是什么 does not. What looks made up (letters with digits or signs) is taken wherever a password is spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from edge.memory.secret_names import IS, OF
from edge.memory.secret_shapes import Label, Shape

_VALUE = r"[^\s;\"\u3000-\u303f\u3400-\u9fff\uff00-\uffef“”]"
_NAME = r"(?<![A-Za-z0-9])(?:pass[ _-]?words?|passwd|pwd|pass[ _-]?phrase|pass[ _-]?code|psk)"
_FOR = OF.replace("|to|", "|")
_KEYS = ("pass", "pwd", "psk")
_NAME_ZH, _KEYS_ZH = "(?:密码|口令|通行码)", ("密码", "口令", "通行码")
_LINK_ZH = (
    r"[ \t]{0,3}(?:(?:就|应该|现在|还)?是|为|[:：=]|(?:改|换|设|设置|修改|重置|更新)(?:成|为)了?)[ \t]{0,3}"
    r"""["'“‘「『]?"""
)
_OVER_LINES = (
    r"""[*_`\\"'”]{0,4}[ \t]{0,4}(?:\r?\n)?[ \t]{0,4}(?::=|[:=：]|->|=>|\bis\b:?|\bwas\b|是|为)"""
    r"""[*_]{0,3}(?:[ \t]{0,8}\r?\n){0,2}[ \t]{0,8}[*_`\\"'“]{0,4}"""
)
"""The same as IS, also where lines end in it, and in Markdown and JSON: "**Password:**", and below it the password."""
_TRAILING = ".,;:!?)]}'\"`>…\\*"
_CLAUSE_ENDS = re.compile(
    r"""["'”]?(?:\s*(?:$|[.,;!?)\]}\n，。；！？、)]|-\s|[（(])"""
    r"|\s+(?:and|but|for|on|so|please|thanks|btw|ok|if|in case|now)\b|\s+[\w-]{1,20}[:=])",
    re.IGNORECASE,
)
_WORDS = (
    "about above accepted active always another anything appreciated available back bad basic below best better blank "
    "broken case changed clear common complex compromised confidential correct crap cryptic currently cursed "
    "dangerous default different difficult done easy else empty encrypted enough essential exactly expired false fine "
    "forgotten fresh gone good great hard hashed hello here hidden identical important impossible incorrect invalid "
    "it's just known lame less long lost mandatory mine missing more much necessary needed never none nonsense "
    "nothing null obvious okay old only optional ours outdated over passed perfect personal plain please poor pretty "
    "private protected public quite random ready really required reset right rubbish safe same saved secret secure "
    "sensitive sent set short simple something sometimes somewhere stale still stored strange strong stupid super "
    "temporary terrible that theirs them there these they this those tricky true type undefined unique unknown unsafe "
    "unset useless valid very weak weird well what what's when where which who why with wrong yours"
)
_ABOUT_IT = frozenset(_WORDS.split())
"""What is said of a password. Not complete: words that end as adjectives and verbs often do are taken from it too."""
_LIKE_ABOUT_IT = re.compile(r"[a-z]+-[a-z]+|\w{2,}(?:ed|ing|able|ible|ly|ous|ful|less)")
_PLACEHOLDER = re.compile(
    r"[*•.xX_-]+|<.*|[$%{(\[].*|[A-Za-z_][\w.]*[(\[].*|(?:none|null|true|false|redacted)\b.*", re.IGNORECASE
)
_MAIL_OR_LINK = re.compile(r".*://.*|www\..*|[^@\s]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.IGNORECASE)
_TECHNICAL = re.compile(
    r"(?:wpa|sha|md|aes|rsa|oauth|base|utf|ipv|iphone|windows|win|android|ios|http|https|ps|2fa|mfa)-?\d*|\d{1,2}-[a-z]+|\d{1,3}",
    re.IGNORECASE,
)
_CHANGING = re.compile(r"(?i)\b(?:chang|set|reset|updat|switch|modif)\w*\b[^.!?\n]*$")
_HAN_ABOUT_IT = frozenset(
    "什么多少哪谁几错对正确误吗呢吧了的不没无忘新旧样空默认必填数字母生日名电话号码很太安全简单复杂重要保密秘强弱已需要请为我你他她它在由从用来个位怎随机"
)
_CHANGE_REACH = 40
_BEFORE, _BEHIND = 160, 20
"""A password and the words between it and the name that follows it; that name."""


def _bare(found: re.Match[str]) -> str:
    return found["secret"].rstrip(_TRAILING)


def looks_made_up(text: str) -> bool:
    """Whether letters stand with digits or signs in it, or small letters before large ones, or four digits or more."""
    if _TECHNICAL.fullmatch(text) or _MAIL_OR_LINK.fullmatch(text) or _PLACEHOLDER.fullmatch(text):
        return False
    if text.isdigit():
        return len(text) >= 4
    has_digit = any(char.isdigit() for char in text)
    has_sign = any(not (char.isalnum() or char in "'’-./,:") for char in text)
    return len(text) >= 4 and (has_digit or has_sign or re.search("[a-z][A-Z]", text) is not None)


def _is_word(text: str) -> bool:
    """A word that is none about a password."""
    if _PLACEHOLDER.fullmatch(text) or _MAIL_OR_LINK.fullmatch(text) or len(text) < 4:
        return False
    return text.lower() not in _ABOUT_IT and not _LIKE_ABOUT_IT.fullmatch(text.lower())


def _told(found: re.Match[str]) -> bool:
    """A value behind "password is": one that looks made up, or a word with which the clause ends."""
    bare = _bare(found)
    if looks_made_up(bare):
        return True
    end = found.start("secret") + len(bare)
    return _is_word(bare) and _CLAUSE_ENDS.match(found.string, end) is not None


def _changed_to(found: re.Match[str]) -> bool:
    """A value behind "password to", where it is said that it was changed: "sent the password to Bob" tells none."""
    before = found.string[max(0, found.start() - _CHANGE_REACH) : found.start()]
    return _CHANGING.search(before) is not None and _told(found)


def _made_up(found: re.Match[str]) -> bool:
    return looks_made_up(_bare(found))


def _quoted(found: re.Match[str]) -> bool:
    """What stands in quotes, also of several words."""
    quoted = found["secret"].strip()
    return " " in quoted or looks_made_up(quoted) or not quoted.isascii() or _is_word(quoted)


def _made_up_and_long(found: re.Match[str]) -> bool:
    bare = _bare(found)
    return len(bare) >= 6 and looks_made_up(bare) and not bare.isdigit()


def _told_in_chinese(found: re.Match[str]) -> bool:
    """Latin letters alone tell one only where no Chinese character follows: 密码是Bob设的 tells none."""
    bare = _bare(found)
    end = found.start("secret") + len(bare)
    if bare.isdigit():
        return len(bare) >= 4 and not re.match("[位个次年月日分条元]", found.string[end : end + 1])
    if looks_made_up(bare):
        return True
    follows = found.string[end : end + 1]
    return _is_word(bare) and bare.lower() not in ("wifi", "wi-fi") and not "\u3400" <= follows <= "\u9fff"


def _told_in_chinese_at_once(found: re.Match[str]) -> bool:
    """A value that follows with nothing in between: 密码hunter2, 密码123456."""
    return looks_made_up(_bare(found)) and _told_in_chinese(found)


def _han_word(found: re.Match[str]) -> bool:
    return _HAN_ABOUT_IT.isdisjoint(found["secret"])


def _shape(keys: tuple[str, ...], pattern: str, fits: Callable[[re.Match[str]], bool], before: int = 0) -> Shape:
    return Shape(Label.PASSWORD, keys, re.compile(f"(?i){pattern}"), fits, _TRAILING, before=before, behind=_BEHIND)


PASSWORDS = (
    _shape(_KEYS, rf"{_NAME}{OF}{IS}(?P<secret>{_VALUE}{{3,256}})", _told),
    _shape(_KEYS, rf"{_NAME}{_FOR}[ \t]to[ \t][\"'“]?(?P<secret>{_VALUE}{{4,256}})", _changed_to),
    _shape(_KEYS, rf"""{_NAME}{OF}(?:{IS}|[ \t])(?<=["“])(?P<secret>[^"“”\n]{{3,128}})["”]""", _quoted),
    _shape(_KEYS, rf"{_NAME}{_OVER_LINES}(?P<secret>{_VALUE}{{6,256}})", _made_up_and_long),
    _shape(("pw",), rf"(?<![A-Za-z0-9])pw{_OVER_LINES}(?P<secret>{_VALUE}{{6,128}})", _made_up_and_long),
    _shape(_KEYS_ZH, rf"{_NAME_ZH}{_OVER_LINES}(?P<secret>{_VALUE}{{4,128}})", _told_in_chinese_at_once),
    _shape(_KEYS, rf"{_NAME}[ \t]{{1,3}}(?P<secret>{_VALUE}{{6,128}})", _made_up_and_long),
    _shape(
        _KEYS,
        rf"(?<!{_VALUE})(?P<secret>{_VALUE}{{4,64}})[ ](?:is|as)[ ](?:my|our|the|your|his|her)"
        rf"[ ](?:[\w-]{{1,20}}[ ]){{0,3}}?{_NAME}",
        _made_up,
        _BEFORE,
    ),
    _shape(
        ("pass", "pw"),
        rf"(?<![A-Za-z0-9])(?:pass|pw)[ \t]{{0,2}}[:=：][ \t]{{0,2}}(?P<secret>{_VALUE}{{4,128}})",
        _told,
    ),
    _shape(_KEYS_ZH, rf"{_NAME_ZH}{_LINK_ZH}(?P<secret>{_VALUE}{{3,128}})", _told_in_chinese),
    _shape(_KEYS_ZH, rf"{_NAME_ZH}[ \t]{{0,3}}(?P<secret>{_VALUE}{{4,128}})", _told_in_chinese_at_once),
    _shape(_KEYS_ZH, rf"{_NAME_ZH}{_LINK_ZH}(?<=[“‘「『])(?P<secret>[^”’」』\n]{{2,64}})[”’」』]", _quoted),
    _shape(
        _KEYS_ZH,
        rf"{_NAME_ZH}(?:就?是|为|[:：=])[ \t]?(?P<secret>[\u3400-\u9fff]{{3,8}})"
        r"(?=$|[。，！；,.!;\n])",
        _han_word,
    ),
    _shape(
        _KEYS_ZH,
        rf"(?<![!-~])(?P<secret>[!-~]{{4,64}})[ ]?(?:就?是|当|做|作为|当作|设成|设为|设置为)"
        r"(?:我|咱|你|他|她|家|公司)?[们里]?的?"
        rf"[^，。！？,.\s号]{{0,8}}?{_NAME_ZH}",
        _made_up,
        _BEFORE,
    ),
)
