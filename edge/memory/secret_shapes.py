"""What secrets look like: by their own shape (`ghp_...`, a card number), or by the words around them ("my PIN is ...").

What is no secret has no shape here: numbers of orders, phones, parcels and devices, e-mail addresses, ISBNs, hashes of
commits, and IBANs, which are given away to be paid. Every pattern begins with a literal or is bounded in length, so
that its time grows with the length of the text and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Label(StrEnum):
    """What a secret is. The value is what is told of it; `chinese` is the same in Chinese."""

    API_KEY = "API key"
    TOKEN = "token"
    PASSWORD = "password"
    PIN = "PIN"
    CARD_NUMBER = "card number"
    SECURITY_CODE = "security code"
    ONE_TIME_CODE = "one-time code"
    PRIVATE_KEY = "private key"
    RECOVERY_PHRASE = "recovery phrase"

    @property
    def chinese(self) -> str:
        """The label in a Chinese text."""
        return _CHINESE[self]


_CHINESE = {
    Label.API_KEY: "API 密钥",
    Label.TOKEN: "令牌",
    Label.PASSWORD: "密码",
    Label.PIN: "PIN 码",
    Label.CARD_NUMBER: "银行卡号",
    Label.SECURITY_CODE: "安全码",
    Label.ONE_TIME_CODE: "验证码",
    Label.PRIVATE_KEY: "私钥",
    Label.RECOVERY_PHRASE: "助记词",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern whose group `secret` is the secret.

    It is tried only where one of `keys` begins in the lower-case text; with `before`, from that many characters before
    it to `behind` characters after. Without keys it is tried everywhere. `fits` looks at a match once more.
    """

    label: Label
    keys: tuple[str, ...]
    pattern: re.Pattern[str]
    fits: Callable[[re.Match[str]], bool] = bool
    trailing: str = ""
    """Characters that are not taken for a part of it where it ends with them."""
    before: int = 0
    behind: int = 0


# --- keys and tokens with a shape of their own -------------------------------------------------------------------

_START, _END = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_WHOLE_FILE = 1 << 31


def _own(label: Label, keys: str, pattern: str) -> Shape:
    pattern = f"{_START}(?P<secret>{pattern}){_END}"
    return Shape(label, tuple(keys.split()), re.compile(pattern, re.ASCII))


_OWN_SHAPE = (
    _own(
        Label.API_KEY,
        "sk- sk_ rk_",
        r"(?:sk-(?:ant-|proj-|svcacct-|or-)?|[sr]k_(?:live|test)_)(?=[\w-]{0,400}\d)[\w-]{16,400}",
    ),
    _own(Label.API_KEY, "whsec_ shpat_ dop_v1_ glsa_", r"(?:whsec|shpat|dop_v1|glsa)_[\w+/=]{24,128}"),
    _own(Label.API_KEY, "akia asia akid ltai", r"(?:AKIA|ASIA)[A-Z2-7]{16}|AKID[A-Za-z0-9]{32}|LTAI[A-Za-z0-9]{12,20}"),
    _own(Label.API_KEY, "aiza gocspx-", r"AIza[\w-]{35}|GOCSPX-[\w-]{20,40}"),
    _own(Label.API_KEY, "sg.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _own(Label.TOKEN, "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _own(
        Label.TOKEN,
        "github_pat_ glpat- npm_ pypi- hf_",
        r"(?:github_pat_|glpat-|npm_|pypi-|hf_)(?=[\w-]{0,255}\d)[\w-]{20,255}",
    ),
    _own(Label.TOKEN, "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    _own(Label.TOKEN, "ya29.", r"ya29\.[\w-]{20,512}"),
    _own(Label.TOKEN, "eyj", r"eyJ[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{4,4096}={0,2})?"),
    Shape(
        Label.TOKEN,
        (":aa",),
        re.compile(rf"{_START}(?P<secret>\d{{8,10}}:AA[\w-]{{33}}){_END}", re.ASCII),
        before=12,
        behind=60,
    ),
    _own(Label.PRIVATE_KEY, "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
    Shape(
        Label.TOKEN,
        ("bearer",),
        re.compile(r"(?i)\bbearer[ \t]{1,4}(?P<secret>(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{12,4096}={0,2})", re.ASCII),
    ),
    Shape(Label.TOKEN, ("hooks.slack.com",), re.compile(r"hooks\.slack\.com/services/(?P<secret>[\w/]{20,100})")),
    Shape(
        Label.PASSWORD,
        ("basic",),
        re.compile(
            r"(?i)\bauthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?basic[ \t]{1,4}"
            r"(?P<secret>[A-Za-z0-9+/]{8,512}={0,2})"
        ),
        before=40,
        behind=540,
    ),
    Shape(Label.PASSWORD, ("://",), re.compile(r"://[^\s/?#:@'\"]{0,64}:(?P<secret>[^\s/?#@'\"]{1,128})@(?=[\w\[])")),
    Shape(
        Label.PRIVATE_KEY,
        ("private key-----",),
        re.compile(
            r"(?s)(?P<secret>-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z))"
        ),
        before=60,
        behind=_WHOLE_FILE,
    ),
)

# --- card numbers ------------------------------------------------------------------------------------------------

_NUMBER = re.compile(
    r"(?P<secret>\d(?<![A-Za-z0-9_.#-].)\d{3}([ -])\d{4}(?:\2|\2?\r?\n)\d{4}(?:\2|\2?\r?\n)\d{4}(?:\2\d{1,3})?"
    r"|\d(?<![A-Za-z0-9_.#-].)\d{3}([ -])\d{6}\3\d{5}"
    r"|\d(?<![A-Za-z0-9_.#-].)\d{13,18})"
    r"(?![A-Za-z0-9_-]|\.\d)"
)
_ISSUED = re.compile(
    r"4\d{15}|(?:5[1-5]\d\d|22[2-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|(?:6011|64[4-9]\d|65\d\d|35\d\d)\d{12}|62\d{14,17}"
)
"""Prefixes and lengths that issuers of payment cards use."""
_BESIDE = 32
_OF_A_CARD = re.compile(
    r"(?i)\b(?:credit|debit|bank|visa|master ?card|amex|american express|payment|maestro)\b[^.!?\n]*$"
    r"|(?:信用|银行|借记|储蓄|贷记|支付)卡[^。！？\n]*$|(?<!员)(?<!诊)卡号[^。！？\n]*$"
)
_OF_SOMETHING_ELSE = re.compile(
    r"(?i)\b(?:order|tracking|ticket|serial|invoice|booking|reference|ref|parcel|package|shipment|device|imei|iccid|sim"
    r"|phone|isbn|account|member(?:ship)?|loyalty|library|gift|case|item|product|part|model|customer|policy|flight)\b"
    r"[^.!?\n]*$"
    r"|(?:订单|单号|运单|快递|物流|编号|序列号|设备|机身|流水|发票|会员|手机|电话|账号|学号|工号|工单|保单|票号|书号)"
    r"[^。！？\n]*$"
)


def _is_card(found: re.Match[str]) -> bool:
    """A number that an issuer could have given and that passes Luhn's check, unless it is called something else; one
    that is called a card's counts also with a digit that was mistyped."""
    number = re.sub(r"\D", "", found["secret"])
    before = found.string[max(0, found.start() - _BESIDE) : found.start()]
    if _OF_A_CARD.search(before):
        return len(number) >= 14
    return _ISSUED.fullmatch(number) is not None and _luhn(number) and not _OF_SOMETHING_ELSE.search(before)


def _luhn(number: str) -> bool:
    digits = [int(digit) for digit in reversed(number)]
    return sum(digits[::2]) % 10 == sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2]) * 9 % 10


_CARD = Shape(Label.CARD_NUMBER, (), _NUMBER, _is_card)

# --- what is called a secret -------------------------------------------------------------------------------------

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
_CALLED = (
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

SHAPES = (*_OWN_SHAPE, *_CALLED, _CARD)
