"""What secrets look like: by their own shape (`secret_tokens`, `secret_cards`), or by the words around them
(`secret_names`, `secret_passwords`).

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
