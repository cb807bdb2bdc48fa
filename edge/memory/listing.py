"""A list as it is made, piece by piece, so that nothing stands in it twice.

A tiny model that is told to list what there is goes round: "hiking, camping, hiking, hiking". What it has said is left
out, and a list that only goes round is over.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

P = TypeVar("P")
_SEPARATOR = re.compile(r"[,;，、；\n]")
_TOLD_OFF = re.compile(r"^(?:\n\s*(?:[-*•]\s|\d{1,3}[.)])|[,;，、；\s]*(?:(?:and|or)\b|[和与及]))", re.IGNORECASE)
_NOT_WORDS = re.compile(r"[\W_]+")
_ROUND = 2
"""So many repeated items in a row: it goes round."""


@dataclass(slots=True)
class Listing(Generic[P]):
    """Lets pieces of a text through, each with its text, that can no longer become an item which was said before.

    An item ends where a comma, a semicolon or a line does. The mark before an item is left out with it.
    """

    _said: set[str] = field(default_factory=set)
    _item: str = "\n"
    """With the mark before it; a line begins with the first."""
    _held: list[tuple[P, str]] = field(default_factory=list)
    _before: str = ""
    """Of the first piece that is held, what belongs to the item before."""
    _repeated: int = 0

    @property
    def goes_round(self) -> bool:
        """Whether nothing new is to be expected."""
        return self._repeated >= _ROUND

    def add(self, piece: P, text: str) -> Iterator[tuple[P, str]]:
        """What is shown, now that this piece with this text was made."""
        mark = _SEPARATOR.search(text)
        if mark is not None:
            before = text[: mark.start()]
            is_new = yield from self._ended(before)
            self._before = before if is_new else ""
            self._held = [(piece, self._before + text[mark.start() :])]
            self._item = text[mark.start() :]
            return
        self._item += text
        self._held.append((piece, text))
        if not self._may_be_said():
            yield from self._released()

    def rest(self, *, cut: bool) -> Iterator[tuple[P, str]]:
        """What is shown of the end. Where the text was `cut` off, an item that may have become one that was said is
        taken for it."""
        item = _plain(self._item)
        if not item or item in self._said or (cut and self._may_be_said()):
            self._leave_out()
        yield from self._released()

    def _ended(self, text: str) -> Generator[tuple[P, str], None, bool]:
        """An item is whole with this text: it is shown, or left out where it was said. Whether it is new."""
        item = _plain(self._item + text)
        is_new = item not in self._said
        if not is_new:
            self._repeated += 1
            self._leave_out()
        elif item:
            self._repeated = 0
            self._said.add(item)
        yield from self._released()
        return is_new

    def _leave_out(self) -> None:
        """Of what is held only stays what belongs to the item before."""
        self._held = [(self._held[0][0], self._before)] if self._before else []

    def _released(self) -> Iterator[tuple[P, str]]:
        yield from self._held
        self._held, self._before = [], ""

    def _may_be_said(self) -> bool:
        """Whether what has come of an item is how one begins that was said, or only tells it off: "2" of "2. tea"."""
        if not self._said:
            return False
        item = _plain(self._item)
        return self._item.strip().isdecimal() or any(said.startswith(item) for said in self._said)


def _plain(item: str) -> str:
    """An item's words alone, however they are written and told off."""
    return _NOT_WORDS.sub(" ", _TOLD_OFF.sub("", item).casefold()).strip()
