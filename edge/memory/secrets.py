"""Secrets in what a person, a tool or the model says: found, and taken out with a mark that shows what was there.

They go before anything is stored, logged or shown to the model, unless the person asks in the same message to remember
it ("remember that my wifi password is ...", 记住我的WiFi密码是……).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edge.memory.language import Language, language_of
from edge.memory.secret_cards import CARD
from edge.memory.secret_folding import folded
from edge.memory.secret_names import CALLED
from edge.memory.secret_passwords import PASSWORDS
from edge.memory.secret_shapes import Label, Shape
from edge.memory.secret_tokens import TOKENS
from edge.memory.secret_wishes import is_wished


def _sign_of(key: str) -> str:
    return next((char for char in key if char in _SIGNS), "")


Labels = tuple[str, ...]
"""What was taken out: "API key", "password"; each once, in order."""

_ALL = (*TOKENS, *CALLED, CARD, *PASSWORDS)
_KEYED, _KEYLESS = [shape for shape in _ALL if shape.keys], [shape for shape in _ALL if not shape.keys]
_SIGNS = "_-密码口令证动态"
_KEYS = {
    sign: tuple(dict.fromkeys(key for shape in _KEYED for key in shape.keys if _sign_of(key) == sign))
    for sign in ("", *_SIGNS)
}
"""The keys of all shapes by a character that most texts do not have, or none."""
_DIGIT = re.compile(r"\d")
_SMALL = {ord(char): ord(char.lower()) for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_MARKS: dict[Language, str] = {"en": "[redacted {label}]", "zh": "［已隐去 {label}］"}
MARK = re.compile(r"\[redacted [\w -]{1,20}\]|［已隐去 [^］]{1,20}］")
"""A mark that stands in place of a secret."""
_SHORTEST_MARK = 6


@dataclass(frozen=True, slots=True)
class Secret:
    """Characters [start, end) of a text, and what they are."""

    start: int
    end: int
    label: Label

    def of(self, text: str) -> str:
        """The secret itself."""
        return text[self.start : self.end]


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets in a text, in order, none inside another. Takes text of any size, in time that grows with it."""
    looked_at = folded(text)
    plain, lowered = looked_at.plain, looked_at.plain.lower()
    if len(lowered) != len(plain):  # some letters have a lower case of two characters
        lowered = plain.translate(_SMALL)
    keys = {key for sign, keys in _KEYS.items() if sign in lowered for key in keys if key in lowered}
    shapes = [shape for shape in _KEYED if not keys.isdisjoint(shape.keys)] if keys else []
    if _DIGIT.search(lowered):
        shapes += _KEYLESS
    if not shapes:
        return ()
    marks = [found.span() for found in MARK.finditer(plain)] if len(plain) > _SHORTEST_MARK else []
    found = sorted((secret for shape in shapes for secret in _of_shape(shape, plain, lowered, marks)), key=_position)
    return tuple(Secret(*looked_at.span(secret.start, secret.end), secret.label) for secret in _apart(found))


def redacted(text: str) -> tuple[str, Labels]:
    """The text with a mark in place of each secret, in the text's language, and what they were."""
    return marked(text, find_secrets(text))


def redacted_said(text: str) -> tuple[str, Labels]:
    """The same for what a person says: a secret that they ask to remember stays."""
    secrets = find_secrets(text)
    return marked(text, [secret for secret in secrets if not is_wished(text, secret.start, secret.end)])


def secrets_to_keep(text: str) -> tuple[Secret, ...]:
    """The secrets in a message that its person asks to remember."""
    return tuple(secret for secret in find_secrets(text) if is_wished(text, secret.start, secret.end))


# --- finding ------------------------------------------------------------------------------------------------------


def _of_shape(shape: Shape, text: str, lowered: str, marks: Sequence[tuple[int, int]]) -> Iterator[Secret]:
    for found in _matches(shape, text, lowered):
        start, stop = found.span("secret")
        if shape.trailing:
            stop = start + len(found["secret"].rstrip(shape.trailing))
        if stop > start and not _touches(marks, start, stop) and shape.fits(found):
            yield Secret(start, stop, shape.label)


def _matches(shape: Shape, text: str, lowered: str) -> Iterator[re.Match[str]]:
    if not shape.keys:
        yield from shape.pattern.finditer(text)
    elif shape.before:
        for begin, end in _around(shape, _occurrences(shape, lowered)):
            yield from shape.pattern.finditer(text, begin, end)
    else:
        for at in _occurrences(shape, lowered):
            if found := shape.pattern.match(text, at):
                yield found


def _around(shape: Shape, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where a match can be: near places together, so that nothing is looked at twice."""
    begin, end = max(0, places[0] - shape.before), places[0] + shape.behind
    for at in places[1:]:
        if at - shape.before > end:
            yield begin, end
            begin = at - shape.before
        end = at + shape.behind
    yield begin, end


def _occurrences(shape: Shape, lowered: str) -> list[int]:
    places = []
    for key in shape.keys:
        at = lowered.find(key)
        while at >= 0:
            places.append(at)
            at = lowered.find(key, at + len(key))
    return sorted(places)


def _touches(marks: Sequence[tuple[int, int]], start: int, stop: int) -> bool:
    """Whether it overlaps a mark: what is redacted is not redacted again."""
    at = bisect_left(marks, (stop, stop))
    return at > 0 and marks[at - 1][1] > start


def _position(secret: Secret) -> tuple[int, int]:
    return secret.start, -secret.end


def _apart(found: list[Secret]) -> Iterator[Secret]:
    """Without those that overlap one before them; that one then reaches as far as they do."""
    last: Secret | None = None
    for secret in found:
        if last is None or secret.start >= last.end:
            if last is not None:
                yield last
            last = secret
        elif secret.end > last.end:
            last = Secret(last.start, secret.end, last.label)
    if last is not None:
        yield last


# --- marking ------------------------------------------------------------------------------------------------------


def marked(text: str, secrets: Sequence[Secret]) -> tuple[str, Labels]:
    """The text with marks in place of some of its secrets, which come in order, and what they were."""
    if not secrets:
        return text, ()
    ends = [0, *(place for secret in secrets for place in (secret.start, secret.end)), len(text)]
    kept = [text[begin:end] for begin, end in zip(ends[::2], ends[1::2], strict=True)]
    language = language_of(" ".join(kept))
    marks = [mark(secret.label, language) for secret in secrets]
    clean = "".join(piece for pair in zip(kept, marks, strict=False) for piece in pair) + kept[-1]
    return clean, tuple(dict.fromkeys(secret.label.value for secret in secrets))


def mark(label: Label, language: Language) -> str:
    """What stands in place of a secret."""
    return _MARKS[language].format(label=label.chinese if language == "zh" else label.value)
