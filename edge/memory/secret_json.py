"""Secrets in JSON: also by the names of fields, which say that a value is one whatever it looks like."""

from __future__ import annotations

import re
from collections.abc import Mapping

from edge.memory.language import language_of
from edge.memory.secret_shapes import Label
from edge.memory.secrets import MARK, Labels, Secret, find_secrets, mark, marked

_DEEPEST = 64
_SECRET_KEY = re.compile(
    r"(?i)(?:^|[ .-])(?:(?P<password>pass ?words?|passwd|pwd|pass ?phrase|pass ?code)|(?P<pin>pin|pin ?code)"
    r"|(?P<cvv>cv[vc]2?)|(?P<otp>otp|one ?time ?code|verification ?code)|(?P<card>card ?number|pan)"
    r"|(?P<key>api ?key|secret|secret ?key|access ?key|client ?secret|private ?key|credentials?)"
    r"|(?P<token>token|authorization|bearer|session ?cookie|cookie))$"
    r"|(?P<zh>密码|口令|密钥|令牌|私钥)$"
)
_UNDER_KEYS = {
    "password": (Label.PASSWORD, ".+"),
    "pin": (Label.PIN, r"\d{4,8}"),
    "cvv": (Label.SECURITY_CODE, r"\d{3,4}"),
    "otp": (Label.ONE_TIME_CODE, r"[\w-]{4,12}"),
    "card": (Label.CARD_NUMBER, r"[\d -]{12,25}"),
    "key": (Label.API_KEY, ".{4,}"),
    "token": (Label.TOKEN, r"(?=.*\d).{8,}"),
    "zh": (Label.PASSWORD, ".+"),
}
"""What a key says of its value, and the shape of the values for which that holds: a `pin` of 17 is a contact."""
_NOT_SECRET_TOKENS = re.compile(r"(?i)(?:page|cursor|continuation|next|sync|max|queue)[ .-]?(?:page ?)?token$")
_LONGEST_KEY = 80
_SHORTEST_CARD = 10**13
_NAME_KEYS, _VALUE_KEYS = ("name", "key", "field", "label", "名称"), ("value", "val", "值")
_FLAG = re.compile(r"--?([a-z][\w-]{2,30})", re.IGNORECASE)
_CAMEL = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def redacted_json(value: object) -> tuple[object, Labels]:
    """A JSON value with marks in place of the secrets in its texts, and what they were.

    Also what stands under a key that names a secret (`api_key`, `password`, 密码) is one, whatever it looks like.
    """
    labels: dict[str, None] = {}
    return _clean(value, labels, 0), tuple(labels)


def called_a_secret(name: str, value: str) -> Label | None:
    """What a value is, where its name (`wifi_password`, 密码) says that it is a secret."""
    return _named_by(_words(name), value)


def _clean(value: object, labels: dict[str, None], depth: int, name: str = "") -> object:
    if depth > _DEEPEST:
        return value  # deeper than any context may be: it is refused, not stored
    if isinstance(value, str):
        return _clean_text(name, value, labels)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _SHORTEST_CARD:
        text = _clean_text(name, str(value), labels)
        return value if text == str(value) else text
    if isinstance(value, Mapping):
        told = _told_name(value) or name
        return {
            _clean_key(key, labels): _under_key(told if key in _VALUE_KEYS and told else key, inner, labels, depth)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        flags = ["", *(_flag(inner) for inner in value)]
        return [
            _under_key(flag, inner, labels, depth) if flag else _clean(inner, labels, depth + 1, name)
            for flag, inner in zip(flags, value, strict=False)
        ]
    return value


def _told_name(value: Mapping[object, object]) -> str:
    """What {"name": "password", "value": "..."} calls its value."""
    return next((name for key in _NAME_KEYS if isinstance(name := value.get(key), str)), "")


def _flag(value: object) -> str:
    """The name in a part of a command line after which its value follows: "--password"."""
    found = _FLAG.fullmatch(value) if isinstance(value, str) else None
    return found[1].replace("-", " ") if found else ""


def _clean_text(name: str, text: str, labels: dict[str, None]) -> str:
    """A text without its secrets; the name of its field says what a number is, as it does in a sentence."""
    told = f"{name}: " if name else ""
    secrets = [
        Secret(secret.start - len(told), secret.end - len(told), secret.label)
        for secret in find_secrets(told + text)
        if secret.start >= len(told)
    ]
    text, found = marked(text, secrets)
    labels.update(dict.fromkeys(found))
    return text


def _clean_key(key: object, labels: dict[str, None]) -> object:
    return _clean_text("", key, labels) if isinstance(key, str) else key


def _under_key(key: object, value: object, labels: dict[str, None], depth: int) -> object:
    words = _words(key)
    label = _named_by(words, str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if label is None:
        return _clean(value, labels, depth + 1, words)
    labels[label.value] = None
    return mark(label, language_of(words))


def _words(key: object) -> str:
    """A key as words: `orderId` and `order_id` are "order id"; nothing for what is no name."""
    if not isinstance(key, str) or len(key) > _LONGEST_KEY:
        return ""
    return _CAMEL.sub(" ", key).replace("_", " ")


def _named_by(words: str, value: str) -> Label | None:
    """What the value is, where its key says that it is a secret."""
    if _NOT_SECRET_TOKENS.search(words) or MARK.fullmatch(value):
        return None
    found = _SECRET_KEY.search(words)
    if found is None:
        return None
    label, shape = _UNDER_KEYS[str(found.lastgroup)]
    return label if re.fullmatch(shape, value, re.DOTALL) else None
