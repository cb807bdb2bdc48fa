"""What is called a secret: "my PIN is ...", 验证码是..."""

from __future__ import annotations

import re
from collections.abc import Callable

from edge.memory.secret_shapes import Label, Shape

IS = r"""["'”]?[ \t]{0,4}(?::=|[:=：]|->|=>|\bis\b:?|\bwas\b|是|为)[ \t]{0,4}["'“]?"""
"""What stands between the name of a secret and the secret."""
OF = r"(?:[ \t](?:for|of|to|on|at)(?:[ \t](?!(?:is|was)\b)[\w'.@-]{1,30}){1,4}?)?"
"""Whose or what for: "password for the router"."""
_IS_CODE = r"""[ \t]{0,4}(?:(?:[:=：#]|\bis\b:?|\bwas\b|是|为)[ \t]{0,4})?["'“]?"""
_DIGITS = r"(?P<secret>\d{%s})(?![\w-]|[.,]\d|[ -]?\d)"
_SPACED = r"(?P<secret>\d{4,8}|\d(?:[ -]\d){3,7})(?![\w-]|[.,]\d|[ -]?\d)"


def _has_both(found: re.Match[str]) -> bool:
    """Whether it has letters and digits, as what was made by a machine has."""
    secret = found["secret"]
    return any(char.isdigit() for char in secret) and any(char.isalpha() for char in secret)


def _called(
    label: Label,
    keys: tuple[str, ...],
    names: str,
    value: str,
    *,
    han: str = "(?!)",
    link: str = IS,
    fits: Callable[[re.Match[str]], bool] = bool,
    before: int = 0,
    behind: int = 0,
) -> Shape:
    """One that is known by its name: names, Latin or Chinese, then whose it is, the link, and the value."""
    name = rf"(?:(?<![a-z0-9])(?:{names})|(?:{han}))"
    return Shape(
        label,
        keys,
        re.compile(f"(?i){name}{OF}{link}{value}", re.ASCII),
        fits,
        trailing=".,",
        before=before,
        behind=behind,
    )


_ADDRESS = re.compile(r"(?i)address|city|postal|street|road|district|state|live")


def _postal(found: re.Match[str]) -> bool:
    """Whether a PIN is India's word for a postal code."""
    before = found.string[max(0, found.start() - 80) : found.start()]
    return len(found["secret"]) == 6 and _ADDRESS.search(before) is not None


_CODE_NAMES = (
    r"(?:verification|one[- ]time|log-?in|sign-in|2fa|two-factor|authenticat(?:ion|or)|sms|auth)[ -]"
    r"(?:code|pin|pass ?code|password)|otp(?:[ \t]code)?"
)
_CODE_BEHIND = (
    r"is[ \t](?:your|my|the)[ \t](?:\w{1,20}[ \t]){0,2}?(?:verification|login|one-time|security|authentication)"
    r"[ \t](?:pass)?code\b"
    r"|(?:[（(]|是|为)(?:您|你|我)?的?[ \t]?(?:\w{1,12}[ \t]?)?验证码"
)
CALLED = (
    _called(
        Label.API_KEY,
        ("key", "secret"),
        r"(?:api|access|secret|account|client|encryption|signing|app)[ _-]?(?:access[ _-]?)?(?:key|secret)(?:[ _-]?id)?"
        "|secret",
        r"(?P<secret>[\w+/=.~-]{8,512})",
        fits=_has_both,
        before=30,
        behind=700,
    ),
    _called(
        Label.API_KEY,
        ("密钥",),
        "(?!)",
        r"(?P<secret>[A-Za-z0-9_+/=.~-]{8,512})",
        han="密钥",
        link=r"[ \t]{0,4}(?:就?是|为|[:：=])?[ \t]{0,4}",
        fits=_has_both,
    ),
    _called(
        Label.TOKEN,
        ("token", "令牌"),
        "(?!)",
        r"(?P<secret>[\w+/=.~-]{16,600})",
        han="token|令牌",
        fits=_has_both,
    ),
    _called(
        Label.SECURITY_CODE,
        ("cvv", "cvc", "security code", "安全码"),
        r"cv[vc]2?(?:[ \t]?(?:code|码))?|(?:card[ \t])?security code",
        _DIGITS % "3,4",
        han="安全码",
        link=_IS_CODE,
    ),
    _called(
        Label.PIN,
        ("pin",),
        r"pin(?:[ \t]?(?:code|number)|[ \t]?码)?",
        _SPACED,
        fits=lambda found: not _postal(found),
    ),
    _called(Label.PIN, ("pin",), "pin(?:[ \t]?码)?", _DIGITS % "4,5", link=r"[ \t]{0,2}"),
    _called(
        Label.ONE_TIME_CODE,
        ("code", "password", "otp", "pin", "验证码", "动态", "一次性"),
        _CODE_NAMES,
        _DIGITS % "4,8",
        han="验证码|动态码|动态密码|一次性密码",
        link=_IS_CODE,
        before=20,
        behind=120,
    ),
    Shape(
        Label.ONE_TIME_CODE,
        ("code", "验证码"),
        re.compile(rf"(?i)(?<![\w.-])(?P<secret>(?:[A-Z]-)?\d{{4,8}})[ \t]{{0,2}}(?:{_CODE_BEHIND})", re.ASCII),
        before=100,
        behind=10,
    ),
    _called(
        Label.ONE_TIME_CODE,
        ("recovery code", "backup code", "恢复码"),
        r"(?:recovery|backup)[ \t]codes?",
        r"(?P<secret>[\w-]{6,40}(?:[ \t,;、]{1,3}(?=[\w-]{0,39}\d)[\w-]{6,40}){0,20})",
        han="恢复码",
        fits=_has_both,
    ),
    _called(
        Label.RECOVERY_PHRASE,
        ("phrase", "mnemonic", "助记词"),
        r"(?:seed|recovery|secret|mnemonic|backup)[ \t](?:pass)?phrase|mnemonic",
        r"(?P<secret>[a-z]{2,12}(?:[ \t,]{1,3}(?:\d{1,2}[.)][ \t]?)?[a-z]{2,12}){5,30})",
        han="助记词",
        before=20,
        behind=600,
    ),
)  # fmt: skip
