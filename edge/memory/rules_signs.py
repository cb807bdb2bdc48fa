"""Whom a question is about, as one sign in place of the words for it: "my sister's number" is SIGN number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edge.memory.rules_regex import alternatives, compiled, numbered
from edge.memory.rules_tables import LANGUAGES, Tables
from edge.memory.units import SELF

WHOSE, WHO, NOUN = "\ue001", "\ue002", "\ue003"
TAG = "[\ue100-\ue17f]"
"""Behind a sign: it stands for another than the person; which one is its place among the others named."""
FIRST_TAG, LAST_TAG = 0xE100, 0xE17F
_SPACES = re.compile(r" {2,}")


class Signs:
    """Puts signs for the mentions of persons."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        # Relations first: "my" alone would take the place of "my sister".
        listed = sorted(_lists(tables), key=lambda entry: "{rel}" not in entry[2])
        parts = {"rel": alternatives(map(re.escape, tables.relations))}
        self._about = [(sign, compiled(_bounded(pattern), parts, where)) for sign, where, pattern in listed]

    def put(self, text: str) -> tuple[str, list[str]]:
        """The text in lower case with each mention of the person or of another as a sign, and the others named."""
        others: list[str] = []
        for sign, regex in self._about:

            def replace_by_sign(found: re.Match[str], sign: str = sign) -> str:
                subject = self._named(found)
                if subject == SELF:
                    return sign
                if subject not in others:
                    others.append(subject)
                return sign + chr(min(FIRST_TAG + others.index(subject), LAST_TAG))

            text = regex.sub(replace_by_sign, text)
        return _SPACES.sub(" ", text.lower()), others

    def _named(self, found: re.Match[str]) -> str:
        groups = found.groupdict()
        name = groups.get("name") or groups.get("name2") or groups.get("relname")
        relation = groups.get("rel")
        key = self._tables.relations.get((relation or "").lower(), SELF)
        return name.lower() if name and (relation is None or key in self._tables.shared_relations) else key


def _lists(tables: Tables) -> Iterator[tuple[str, str, str]]:
    for name, sign in (("ask_whose", WHOSE), ("ask_who", WHO)):
        for language in LANGUAGES:
            for where, pattern in numbered(name, tables.words[language][name]):
                yield sign, f"language.{language}.{where}", pattern


def _bounded(pattern: str) -> str:
    return rf"(?<![\w']){pattern}(?![a-z])" if pattern.isascii() or "(?-i" in pattern else pattern
