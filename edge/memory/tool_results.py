"""What a tool returned, as a memory: readable pairs, the weightiest first, at most 150 characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from edge.memory.compression import LIMIT, compress

_WEIGHTS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        5.0,
        re.compile(
            r"\b(?:error|errors|exception|reason|code|status|state|retry|fail\w*|missing)\b|错误|原因|状态|代码|失败"
        ),
    ),
    (
        5.0,
        re.compile(
            r"\b(?:id|ids|number|no|order|ticket|tracking|name|email|phone|address)\b|编号|单号|订单|姓名|名称|电话|地址"
        ),
    ),
    (4.0, re.compile(r"\b(?:total|amount|price|cost|count|balance|quantity|sum)\b|金额|总价|价格|数量|余额|总数")),
    (4.0, re.compile(r"\b(?:date|time|at|due|until|eta|deadline|after|before|from)\b|日期|时间|到期|截止")),
    (
        3.0,
        re.compile(
            r"\b(?:message|result|answer|title|summary|city|place|product|item)\b|消息|结果|标题|摘要|城市|商品"
        ),
    ),
)
"""How telling a key is: errors and states, who and which, how much, when, then what was said. The first that fits."""
_OTHER = 1.0
_DEEPER = 0.25
"""What each further word of a key takes off: it stands deeper, or says less."""
_OPAQUE = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{20,}|[A-Za-z0-9+/=_-]{33,}|https?://\S{60,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def told_by_result(context: Mapping[str, object], limit: int = LIMIT) -> str | None:
    """The content of the memory that a context's `last_tool_result` becomes; None where it says nothing.

    An object is told as "key: value" pairs with keys in plain words, so that no field name of a tool stands among a
    person's memories; a single value is told with its tool. What has no room is left out whole; the first pair is cut
    if it alone is too long.
    """
    pairs = list(_pairs(context.get("last_tool_result"), ""))
    tool = context.get("current_tool")
    named = readable(tool) if isinstance(tool, str) else ""
    ranked = sorted(pairs, key=lambda pair: -_weight(*pair))
    told = [f"{key or named}: {value}" if key or named else value for key, value in ranked]
    if not told:
        return None
    return _fitting(told, limit)


def readable(name: str) -> str:
    """A field's name in plain words: `retry_after` is "retry after", `orderId` "order id"."""
    return " ".join(re.sub(r"[_\-./\s]+", " ", _CAMEL.sub(" ", name)).lower().split())


def _fitting(told: Sequence[str], limit: int) -> str:
    """As many of the pairs, in their order, as have room; of a first that is too long, its weightiest clauses."""
    kept: list[str] = []
    for pair in told:
        if len("; ".join([*kept, pair])) <= limit:
            kept.append(pair)
    return "; ".join(kept) if kept else compress(told[0], limit)


def _pairs(value: object, key: str) -> Iterator[tuple[str, str]]:
    """Leaves that say something, with the words of their place; lists of plain values stay together."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _pairs(inner, f"{key} {readable(str(name))}".strip())
    elif isinstance(value, list | tuple):
        plain = [text for text in map(_text, value) if text]
        if plain:
            yield key, ", ".join(plain)
        for number, inner in enumerate(value, 1):
            if isinstance(inner, Mapping | list | tuple):
                yield from _pairs(inner, f"{key} {number}".strip())
    elif text := _text(value):
        yield key, text


def _text(value: object) -> str:
    """A plain value in one line; nothing for none, and for what is no plain value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _weight(key: str, value: str) -> float:
    weight = next((weight for weight, pattern in _WEIGHTS if pattern.search(key)), _OTHER)
    weight -= _DEEPER * key.count(" ")
    if value in {"yes", "no"}:
        weight -= 0.5
    if _OPAQUE.fullmatch(value):
        return 0.0
    if len(value) > LIMIT // 2:
        weight -= 1.5
    return weight
