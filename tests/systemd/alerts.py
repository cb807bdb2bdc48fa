"""The alert rules: read from their file, and evaluated over samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.daemon.watching import Labels, Samples

FILE = Path(__file__).resolve().parents[2] / "systemd" / "edge-alerts.yml"
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "==": lambda left, right: left == right,
    ">=": lambda left, right: left >= right,
}
_COMPARED = re.compile(r"(.+?) (<|>=|>|==) (\S+)")
_SELECTOR = re.compile(r"([a-z_]+)(?:\{(.*)\})?")
_LABEL = re.compile(r'([a-z]+)="([^"]*)"')


@dataclass(frozen=True)
class Alert:
    """One rule."""

    name: str
    expr: str
    wait: str
    severity: str
    summary: str
    description: str


def read_alerts() -> list[Alert]:
    """All rules, in the plain form that the file has: one entry a line."""
    alerts: list[dict[str, str]] = []
    for line in FILE.read_text().splitlines():
        entry = re.fullmatch(r"\s+(?:- )?(alert|expr|for|severity|summary|description): (.+)", line)
        if entry is None:
            continue
        if entry[1] == "alert":
            alerts.append({"for": "0s"})
        alerts[-1][entry[1]] = entry[2].strip('"')
    return [
        Alert(each["alert"], each["expr"], each["for"], each["severity"], each["summary"], each["description"])
        for each in alerts
    ]


def fires(expr: str, now: Samples, before: Samples) -> bool:
    """Whether a rule's expression holds; `before` are the samples at the begin of its range. Knows as much of PromQL as
    the rules need."""
    if expr.startswith("absent("):
        return _value(expr[len("absent(") : -1], now, before) is None
    return all(_holds(part, now, before) for part in expr.split(" and "))


def _holds(compared: str, now: Samples, before: Samples) -> bool:
    found = _COMPARED.fullmatch(compared)
    assert found is not None, compared
    left, right = _value(found[1], now, before), _value(found[3], now, before)
    return left is not None and right is not None and _OPERATORS[found[2]](left, right)


def _value(text: str, now: Samples, before: Samples) -> float | None:
    if re.fullmatch(r"[\d.]+", text):
        return float(text)
    if " / " in text:
        over, under = (_value(part, now, before) for part in text.split(" / "))
        return None if over is None or not under else over / under
    if grown := re.fullmatch(r"increase\((.+)\[1h\]\)", text):
        last, first = _value(grown[1], now, before), _value(grown[1], before, before)
        return None if last is None or first is None else last - first
    if quantile := re.fullmatch(r"histogram_quantile\(([\d.]+), rate\((.+)\[1h\]\)\)", text):
        return _quantile(float(quantile[1]), quantile[2], now, before)
    found = _SELECTOR.fullmatch(text)
    assert found is not None, text
    wanted: Labels = tuple(sorted(_LABEL.findall(found[2] or "")))
    return now.get((found[1], wanted))


def _quantile(share: float, name: str, now: Samples, before: Samples) -> float | None:
    """As Prometheus defines `histogram_quantile`."""
    counts = {
        float(dict(labels)["le"]): value - before.get((each, labels), 0.0)
        for (each, labels), value in now.items()
        if each == name
    }
    bounds = sorted(counts)
    if not bounds or not counts[bounds[-1]]:
        return None
    wanted, low, seen = share * counts[bounds[-1]], 0.0, 0.0
    for bound in bounds[:-1]:
        if counts[bound] >= wanted:
            return low + (bound - low) * (wanted - seen) / (counts[bound] - seen)
        low, seen = bound, counts[bound]
    return low
