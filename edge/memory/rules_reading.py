"""Reading rule tables from TOML, and what is wrong with one that cannot be read. See `tables/README.md`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from edge.errors import SettingsInvalid
from edge.memory.intents_signs import SIGNS
from edge.memory.intents_tables import IntentReader
from edge.memory.rules_regex import contracted, numbered, without_placeholders
from edge.memory.rules_tables import LANGUAGES, WORD_LISTS, Slot, Tables
from edge.memory.rules_values import READERS
from edge.memory.units import Kind

_SECTIONS = ("slots", "language", "relations", "intents", "intent_words")
_STATING = ("states", "guesses", "retracts", "corrections")
_FIELDS = {f.name: str(f.type) for f in fields(Slot) if f.name != "name"}


def read_tables(named: Iterable[tuple[str, str]]) -> Tables:
    """Merge tables, each a name and a text, in order: lists of the same slot are joined, a later single value replaces
    an earlier one.

    Raises SettingsInvalid, naming the table, the entry, and what is wrong.
    """
    slots: dict[str, dict[str, Any]] = {}
    words: dict[str, dict[str, list[str]]] = {language: {} for language in LANGUAGES}
    relations: dict[str, str] = {}
    shared: set[str] = set()
    intents = IntentReader(SIGNS)
    for name, text in named:
        table = load_table(name, text)
        _merge_slots(slots, table.get("slots", {}), name)
        _merge_words(words, table.get("language", {}), name)
        _merge_relations(relations, shared, table.get("relations", {}), name)
        intents.add(table, name)
    return Tables(
        {name: _slot(name, entry) for name, entry in slots.items()},
        {
            language: {name: tuple(map(contracted, lists.get(name, ()))) for name in WORD_LISTS}
            for language, lists in words.items()
        },
        relations,
        frozenset(shared),
        intents.table(slots),
    )


def load_table(where: str, text: str) -> dict[str, Any]:
    """A table as TOML reads it. Raises SettingsInvalid, with the line where it is no TOML."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsInvalid(f"{where} is not TOML: {error}") from error
    for key, value in table.items():
        if key not in _SECTIONS or not isinstance(value, dict):
            raise SettingsInvalid(f"{where}: `{key}` is none of the tables {', '.join(_SECTIONS)}")
        for name, entry in value.items():
            if not isinstance(entry, dict):
                raise SettingsInvalid(f"{where}, {key}.{name}: must be a table")
    return table


def _merge_slots(slots: dict[str, dict[str, Any]], table: dict[str, Any], where: str) -> None:
    for name, entry in table.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
            raise SettingsInvalid(f"{where}, slots.{name}: a slot's name is lower case letters, digits and _")
        known = slots.setdefault(name, {})
        for key, value in entry.items():
            known[key] = _checked(key, value, known.get(key), f"{where}, slots.{name}.{key}")
        for needed in ("reader", "labels", "content"):
            if needed not in known:
                raise SettingsInvalid(f"{where}, slots.{name}: `{needed}` is missing")


def _checked(key: str, value: Any, known: Any, where: str) -> Any:
    kind = _FIELDS.get(key)
    if kind is None:
        raise SettingsInvalid(f"{where}: no such entry; there are {', '.join(_FIELDS)}")
    if kind.startswith("tuple"):
        return (known or ()) + _strings(value, where)
    if key == "topics":
        topics = _mapping(value, where)
        return {**(known or {}), **{topic: _strings(names, f"{where}.{topic}") for topic, names in topics.items()}}
    if key == "unknown":
        return {**(known or {}), **_calls(_mapping(value, where), where)}
    if kind.startswith("Mapping"):
        return {**(known or {}), **_phrasings(_mapping(value, where), where)}
    if key == "reader" and value not in READERS:
        raise SettingsInvalid(f"{where}: no reader {value!r}; there are {', '.join(READERS)}")
    if key == "kind":
        if value not in [k.value for k in Kind]:
            raise SettingsInvalid(f"{where}: no kind {value!r}")
        return Kind(value)
    wanted: tuple[type, ...] = {"bool": (bool,), "float": (int, float)}.get(kind, (str,))
    if not isinstance(value, wanted):
        raise SettingsInvalid(f"{where}: must be a {kind}")
    return value


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SettingsInvalid(f"{where}: must be a table")
    return value


def _phrasings(value: dict[str, Any], where: str) -> dict[str, str]:
    for language, text in value.items():
        if language not in LANGUAGES or not isinstance(text, str):
            raise SettingsInvalid(f"{where}.{language}: must be a text for en or zh")
        try:
            text.format(Whose="", whose="", Who="", who="", value="", topic="", label="", what="")
        except (KeyError, ValueError, IndexError) as error:
            raise SettingsInvalid(f"{where}.{language}: bad placeholder: {error}") from error
    return value


def _calls(value: dict[str, Any], where: str) -> dict[str, str]:
    for pattern, called in value.items():
        _check_pattern(pattern, where)
        try:
            called.format(topic="", **dict.fromkeys(re.compile(pattern).groupindex, ""))
        except (AttributeError, KeyError, ValueError, IndexError) as error:
            raise SettingsInvalid(f"{where}: {pattern!r}: must be a text with its groups or topic: {error}") from error
    return value


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise SettingsInvalid(f"{where}: must be a list of texts")
    return tuple(value)


def _slot(name: str, entry: dict[str, Any]) -> Slot:
    for language in LANGUAGES:
        if language not in entry["labels"] or language not in entry["content"]:
            raise SettingsInvalid(f"slots.{name}: labels and content are needed for {language}")
    said = {key: tuple(map(contracted, entry[key])) for key in _STATING if key in entry}
    said |= {key: tuple(_abbreviated(entry[key])) for key in ("nouns",) if key in entry}
    return Slot(name=name, **{**entry, **said})


def _abbreviated(nouns: Iterable[str]) -> Iterator[str]:
    """The nouns, and "order no", "order #" beside "order number"."""
    for noun in nouns:
        yield noun
        if noun.endswith(" number"):
            yield from (noun.removesuffix("number") + short for short in ("no", "no.", "nr", "#", "num"))


def _merge_words(words: dict[str, dict[str, list[str]]], table: dict[str, Any], where: str) -> None:
    for language, lists in table.items():
        if language not in LANGUAGES:
            raise SettingsInvalid(f"{where}, language.{language}: there are {', '.join(LANGUAGES)}")
        for name, value in lists.items():
            if name not in WORD_LISTS:
                raise SettingsInvalid(f"{where}, language.{language}.{name}: no such list")
            words[language].setdefault(name, []).extend(_strings(value, f"{where}, language.{language}.{name}"))


def _merge_relations(relations: dict[str, str], shared: set[str], table: dict[str, Any], where: str) -> None:
    for relation, entry in table.items():
        for key, value in entry.items():
            if key == "shared":
                shared.update([relation] if value else [])
            elif key in LANGUAGES:
                relations.update(dict.fromkeys(_strings(value, f"{where}, relations.{relation}.{key}"), relation))
            else:
                raise SettingsInvalid(f"{where}, relations.{relation}.{key}: there are en, zh, shared")


def check_patterns(where: str, table: Mapping[str, Any]) -> None:
    """Refuse the first entry of a table's lists that is no regular expression. Raises SettingsInvalid."""
    sections = [(f"slots.{name}", entry) for name, entry in table.get("slots", {}).items()]
    sections += [(f"language.{name}", entry) for name, entry in table.get("language", {}).items()]
    for section, entry in sections:
        for key, patterns in entry.items():
            if isinstance(patterns, list) and key not in ("nouns", "ask_nouns", "also"):
                for place, pattern in numbered(key, _strings(patterns, f"{where}, {section}.{key}")):
                    _check_pattern(pattern, f"{where}, {section}.{place}")


def _check_pattern(pattern: str, where: str) -> None:
    try:
        re.compile(without_placeholders(pattern))
    except re.error as error:
        raise SettingsInvalid(f"{where}: {pattern!r} is not a regular expression: {error}") from error
