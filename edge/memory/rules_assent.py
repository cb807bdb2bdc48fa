"""Yes and no, right and wrong: what a person's answer or remark says of what stands before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from edge.memory.rules_regex import LazyPattern, alternatives, bounded, expanded, numbered
from edge.memory.rules_tables import LANGUAGES, Tables

_WORD_GOES_ON = r"(?![\w']|[\u3400-\u9fff])"


class Assent:
    """How a person agrees and disagrees, made once from tables. Patterns are compiled when they are first used, or
    before, with `lazy`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._parts = {language: self._parts_of(language) for language in LANGUAGES}
        self._agreeing = self._each(
            f"(?:{{yes}}|{{changed}}){_WORD_GOES_ON}", r"(?:{yes}(?:(?<![是对])|(?![\w\u3400-\u9fff]))|{changed})"
        )
        self._denying = self._each(r"(?:{no}|{unchanged})(?![\w'])(?! {no_denial})", "(?:{no}|{unchanged})")
        agreed = alternatives(map(bounded, (*tables.patterns("yes"), *tables.patterns("confirmations"))))
        self._only_agreeing = LazyPattern(rf"(?:{agreed}[ ,.!，。！~]*)+", {}, "confirmations")
        self._judging_right = self._list("judged_right")
        self._judging_wrong = self._list("judged_wrong")
        self._forbidding = self._list("not_to_use")

    def lazy(self) -> Iterator[LazyPattern]:
        """What is compiled when it is needed."""
        yield from (*self._agreeing, *self._denying, self._only_agreeing)
        yield from (*self._judging_right, *self._judging_wrong, *self._forbidding)

    def agrees(self, text: str) -> bool:
        """Whether an answer begins with a yes, or says that what was asked about has changed."""
        return any(pattern.get().match(text) for pattern in self._agreeing)

    def denies(self, text: str) -> bool:
        """Whether an answer begins with a no, or says that nothing has changed."""
        return any(pattern.get().match(text) for pattern in self._denying)

    def only_agrees(self, text: str) -> bool:
        """Whether a text says nothing but yes, thanks and the like."""
        return self._only_agreeing.get().fullmatch(text) is not None

    def says_right(self, text: str) -> bool:
        """Whether a message says of the reply before it that it is right."""
        return any(pattern.get().search(text) for pattern in self._judging_right)

    def says_wrong(self, text: str) -> bool:
        """Whether a message says of the reply before it that it is wrong."""
        return any(pattern.get().search(text) for pattern in self._judging_wrong)

    def forbids(self, text: str) -> bool:
        """Whether a message says that what the reply before it used is not to be used."""
        return any(pattern.get().search(text) for pattern in self._forbidding)

    def _each(self, english: str, chinese: str) -> list[LazyPattern]:
        return [
            LazyPattern(pattern, self._parts[language], f"language.{language}: yes and no")
            for language, pattern in zip(LANGUAGES, (english, chinese), strict=True)
        ]

    def _list(self, name: str) -> list[LazyPattern]:
        return [
            LazyPattern(pattern, self._parts[language], f"language.{language}.{where}")
            for language in LANGUAGES
            for where, pattern in numbered(name, self._tables.words[language][name])
        ]

    def _parts_of(self, language: str) -> dict[str, str]:
        """What the placeholders stand for in a language."""
        parts: dict[str, str] = {}
        for names in (("yes", "no", "right", "wrong", "no_denial"), ("changed", "unchanged")):
            parts |= {name: self._alternatives(language, name, parts) for name in names}
        return parts

    def _alternatives(self, language: str, name: str, parts: Mapping[str, str]) -> str:
        listed = numbered(name, self._tables.words[language][name])
        return alternatives([expanded(pattern, parts, f"language.{language}.{where}") for where, pattern in listed])
