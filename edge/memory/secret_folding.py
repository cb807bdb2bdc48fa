"""Text as secrets are looked for in it: letters and digits in whatever dress, with nothing unseen between them.

ｐａｓｓｗｏｒｄ, 𝐩𝐢𝐧 and ٤٨٢١ read as ASCII; a zero-width space in a word hides nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Folded:
    """`plain` is the text to look through; without `places` its characters stand where those of the text do."""

    plain: str
    places: Sequence[int] | None = None
    """Where each character of `plain` stands in the text."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters [start, end) of `plain`, of which there is one at least, stand in the text."""
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def folded(text: str) -> Folded:
    """Fold a text. Characters that only look like letters of another script stay what they are."""
    if text.isascii():
        return Folded(text)
    seen = {char: _fold(char) for char in set(text) if not char.isascii()}
    table = {ord(char): plain for char, plain in seen.items() if plain != char}
    plain = text.translate(table) if table else text
    if len(plain) == len(text):
        return Folded(plain)
    return Folded(plain, [at for at, char in enumerate(text) if seen.get(char) != ""])


def _fold(char: str) -> str:
    """One character, or none for what is not seen."""
    if unicodedata.category(char) == "Cf":
        return ""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() and plain.isalnum() else char
