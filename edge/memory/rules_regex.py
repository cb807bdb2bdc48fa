"""Patterns of the tables as regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from edge.errors import SettingsInvalid
from edge.memory.rules_values import READERS

_HAN = r"[\u3400-\u9fff]"


def _caseless(pattern: str) -> str:
    """The pattern with Han ranges taken out of IGNORECASE, for which `re` would try each of their 27,000 characters in
    both cases when it compiles."""
    return pattern.replace(_HAN, f"(?-i:{_HAN})")


_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}")


def expanded(pattern: str, parts: Mapping[str, str], where: str) -> str:
    """A table's pattern as the text of a regular expression: {name} filled from `parts`, {value:reader} from the
    readers. A space stands for any run of spaces. Raises SettingsInvalid naming the entry and what is wrong with it.
    """

    def fill(found: re.Match[str]) -> str:
        if found[1] == "value" and found[2]:
            if found[2] not in READERS:
                raise SettingsInvalid(f"{where}: {pattern!r}: no reader {found[2]!r}")
            return f"(?P<value_{found[2]}>{READERS[found[2]].pattern})"
        if found[1] not in parts:
            raise SettingsInvalid(f"{where}: {pattern!r}: no placeholder {found[0]}")
        return parts[found[1]]

    spaced = re.sub(r"(?<!\[) (?![?*+\]]|\{\d)", " +", pattern).replace(" ?", " *")
    return _caseless(_PLACEHOLDER.sub(fill, spaced))


def compiled(pattern: str, parts: Mapping[str, str], where: str) -> re.Pattern[str]:
    """A table's pattern as a regular expression (see `expanded`). Raises SettingsInvalid."""
    try:
        return re.compile(expanded(pattern, parts, where), re.IGNORECASE)
    except re.error as error:
        raise SettingsInvalid(f"{where}: {pattern!r} is not a regular expression: {error}") from error


class LazyPattern:
    """A table's pattern that is compiled when it is first used. `get` raises SettingsInvalid as `compiled` does."""

    __slots__ = ("_parts", "_pattern", "_regex", "_where")

    def __init__(self, pattern: str, parts: Mapping[str, str], where: str) -> None:
        self._pattern = pattern
        self._parts = parts
        self._where = where
        self._regex: re.Pattern[str] | None = None

    def get(self) -> re.Pattern[str]:
        """The regular expression."""
        if self._regex is None:
            self._regex = compiled(self._pattern, self._parts, self._where)
        return self._regex


def alternatives(patterns: Iterable[str]) -> str:
    """Patterns as one group, longest first, so that "home phone" wins over "home"; none match nothing."""
    return "(?:" + ("|".join(sorted(patterns, key=len, reverse=True)) or "(?!)") + ")"


def bounded(pattern: str) -> str:
    """A pattern of Latin words that ends where a word does; any other as it is."""
    return pattern + (r"(?![\w'])" if pattern.isascii() else "")


def numbered(name: str, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each pattern with what names it in an error."""
    for number, pattern in enumerate(patterns, 1):
        yield f"{name}[{number}]", pattern


_CONTRACTION = re.compile(r"(?<=[a-z}])'(?=(?:s|m|t|ve)(?![a-z?]))")


def contracted(pattern: str) -> str:
    """A table's pattern that also matches contractions typed without their apostrophe: "its", "im", "dont"."""
    return _CONTRACTION.sub("'?", pattern)


def without_placeholders(pattern: str) -> str:
    """A pattern with a letter in place of each placeholder, to see whether the rest is a regular expression."""
    return _PLACEHOLDER.sub("x", pattern)
