"""Whom a clause is about: the person, a relation, somebody named; also where only a pronoun says so, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from edge.memory.rules_drafts import Named, Subject, skip_spaces
from edge.memory.rules_names import is_given_name
from edge.memory.rules_regex import alternatives, compiled, numbered
from edge.memory.rules_tables import LANGUAGES, Tables
from edge.memory.rules_text import fold, simplify
from edge.memory.units import SELF

_MENTIONED = r"(?:\b(?:my|our) (?:[a-z]+ )?|我(?:的|家的?|们)?)(?P<rel>{rel})(?![a-z])"
_ANOTHER = re.compile(r"(?<! )(?<!\w) ?[A-Z][a-z]+ (?=[a-z])|[小老阿][\u3400-\u9fff](?=[说的在])")


class Subjects:
    """Reads whom a clause is about: "my", "my sister's", "Anna's"; "I", "my sister"."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._regexes = {mode: list(_subject_regexes(tables, mode)) for mode in ("whose", "who")}
        parts = {"rel": alternatives(map(re.escape, tables.relations))}
        self._pronoun = {
            mode: compiled(alternatives(_words(tables, f"pronoun_{mode}")), {}, f"pronoun_{mode}")
            for mode in ("whose", "who")
        }
        self._relation = compiled(_MENTIONED, parts, "relations")

    def read(self, mode: str, text: str, begin: int, end: int) -> Subject | None:
        """The subject that stands at a clause's begin; None where none does."""
        for regex in self._regexes[mode]:
            if match := regex.match(text, begin, end):
                after = skip_spaces(text, match.end()) if mode == "whose" else match.end()
                return self._subject(match, after)
        return None

    def meant(self, mode: str, text: str, start: int, begin: int, end: int) -> Subject | None:
        """Whom "her", "他" and their like at a clause's begin stand for: the relation named last in the sentence. None
        where there is no such word, or another was named since."""
        pronoun = self._pronoun[mode].match(text, begin, end)
        named = list(self._relation.finditer(text, start, begin)) if pronoun else []
        if pronoun is None or not named or _ANOTHER.search(text, named[-1].end(), begin):
            return None
        relation = named[-1]["rel"].lower()
        key = self._tables.relations.get(relation, relation)
        after = skip_spaces(text, pronoun.end()) if mode == "whose" else pronoun.end()
        return Subject(key, relation, after)

    def mentioned(self, text: str) -> dict[str, str]:
        """The relations of the person that a text mentions, each with the word for it: {"sister": "妹妹"}."""
        words = [found["rel"].lower() for found in self._relation.finditer(simplify(fold(text)))]
        return {self._tables.relations.get(word, word): word for word in words}

    def named(self, subject: str, language: str) -> Subject:
        """A subject by its name, called by the first word that the language has for it."""
        words = (word for word, relation in self._tables.relations.items() if relation == subject)
        called = next((word for word in words if word.isascii() is (language == "en")), None)
        if subject == SELF or called is not None:
            return Subject(subject, called or "", 0)
        return Subject(subject, subject.title(), 0)

    def _subject(self, match: re.Match[str], end: int) -> Subject:
        groups = match.groupdict()
        name = groups.get("name") or groups.get("relname")
        relation = groups.get("rel")
        if relation is None:
            return Subject(name.lower(), name, end) if name else Subject(SELF, "", end)
        key = self._tables.relations.get(relation.lower(), relation.lower())
        named = Named(key, relation.lower(), name) if name and is_given_name(name) else None
        if named is not None and key in self._tables.shared_relations:
            return Subject(named.name.lower(), named.name, end, named)
        return Subject(key, relation.lower(), end, named)


def _subject_regexes(tables: Tables, mode: str) -> Iterator[re.Pattern[str]]:
    parts = {"rel": alternatives(map(re.escape, tables.relations))}
    for language in LANGUAGES:
        for where, pattern in numbered(mode, tables.words[language][mode]):
            yield compiled(pattern, parts, f"language.{language}.{where}")


class Relations:
    """What somebody can be to the person."""

    def __init__(self, relations: Mapping[str, str], shared: frozenset[str]) -> None:
        """`relations` are words, each with its relation; `shared` are those of which one can have several."""
        self.shared = shared
        self.words: dict[str, tuple[str, ...]] = {}
        for word, relation in relations.items():
            self.words[relation] = (*self.words.get(relation, ()), word)

    def in_language(self, language: str) -> dict[str, tuple[str, ...]]:
        """The words for each relation in a language."""
        return {
            relation: tuple(word for word in words if word.isascii() is (language == "en"))
            for relation, words in self.words.items()
        }


class Dropped:
    """Puts back the subject that a message leaves out: "can't stand cilantro", 每天早上六点跑步."""

    def __init__(self, tables: Tables) -> None:
        self._subjects = {
            subject: compiled(rf" *{alternatives(patterns)}", {}, name)
            for language, name, subject in (
                ("en", "dropped_am", "I'm "),
                ("en", "dropped", "I "),
                ("zh", "dropped", "我"),
            )
            if (patterns := tables.words[language][name])
        }

    def of(self, text: str) -> str:
        """The subject to put before the text; empty where none is left out."""
        plain = simplify(fold(text))
        return next((subject for subject, regex in self._subjects.items() if regex.match(plain)), "")


def _words(tables: Tables, name: str) -> list[str]:
    return [pattern for language in LANGUAGES for pattern in tables.words[language][name]]
