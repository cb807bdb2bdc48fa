"""Numbers of payment cards: as issuers give them, or called a card's."""

from __future__ import annotations

import re

from edge.memory.secret_shapes import Label, Shape

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


CARD = Shape(Label.CARD_NUMBER, (), _NUMBER, _is_card)
