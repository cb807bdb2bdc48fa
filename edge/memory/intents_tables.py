"""The rules by which a message gets its label, as tables have them; `tables/intents.toml` says what they mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from edge.errors import SettingsInvalid
from edge.memory.intents import Label, Move
from edge.memory.language import Language

_LANGUAGES = get_args(Language)
_LISTS = ("when", "unless", "slots", *_LANGUAGES, *(f"except_{language}" for language in _LANGUAGES))
_ENTRIES = ("label", "move", "confidence", "whole", "manner", *_LISTS)

RETRACTED = "retracted"
"""What a rule names beside slots for a sentence that takes a value back."""


@dataclass(frozen=True, slots=True)
class IntentRule:
    """One way to know a label. All signs of `when` and none of `unless` must hold, and one pattern of the sentence's
    language must be found and none of its exceptions; where a rule has neither patterns nor slots, the signs decide.

    `slots`: the sentence asks for or tells one of them. `whole`: the sentence decides for all that stands behind it.
    `manner`: behind a request that memory does not help with it says nothing but how that is to be done.
    """

    name: str
    label: Label
    confidence: float
    move: Move | None = None
    whole: bool = False
    manner: bool = False
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    slots: frozenset[str] = frozenset()
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exceptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IntentTable:
    """The rules in the order in which they are tried, and by language the words that patterns refer to by name."""

    rules: tuple[IntentRule, ...] = ()
    words: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


class IntentReader:
    """Merges tables: lists of the same rule are joined, a later single value replaces an earlier one, and a rule that
    only a later table has is tried before those of earlier ones."""

    def __init__(self, signs: Collection[str]) -> None:
        self._signs = signs
        self._rules: dict[str, dict[str, Any]] = {}
        self._words: dict[str, dict[str, tuple[str, ...]]] = {language: {} for language in _LANGUAGES}

    def add(self, table: Mapping[str, Any], where: str) -> None:
        """Take in the sections `intents` and `intent_words` of a table. Raises SettingsInvalid, naming the entry."""
        known: dict[str, dict[str, Any]] = {}
        for name, entry in table.get("intents", {}).items():
            place = f"{where}, intents.{name}"
            rule = self._rules.get(name) or known.setdefault(name, {})
            for key, value in entry.items():
                rule[key] = self._read(key, value, rule.get(key), f"{place}.{key}")
            for needed in ("label", "confidence"):
                if needed not in rule:
                    raise SettingsInvalid(f"{place}: `{needed}` is missing")
        self._rules = known | self._rules
        for language, lists in table.get("intent_words", {}).items():
            place = f"{where}, intent_words.{language}"
            if language not in _LANGUAGES:
                raise SettingsInvalid(f"{place}: there are {', '.join(_LANGUAGES)}")
            for name, value in lists.items():
                known_words = self._words[language].get(name, ())
                self._words[language][name] = known_words + _texts(value, f"{place}.{name}")

    def table(self, slots: Collection[str]) -> IntentTable:
        """What was taken in; `slots` are those that there are. Raises SettingsInvalid."""
        for name, entry in self._rules.items():
            _check_known(entry.get("slots", ()), {*slots, RETRACTED}, f"intents.{name}.slots")
        return IntentTable(tuple(_rule(name, entry) for name, entry in self._rules.items()), self._words)

    def _read(self, key: str, value: Any, known: Any, where: str) -> Any:
        if key not in _ENTRIES:
            raise SettingsInvalid(f"{where}: no such entry; there are {', '.join(_ENTRIES)}")
        if key in _LISTS:
            texts = _texts(value, where)
            _check_known(texts if key in ("when", "unless") else (), self._signs, where)
            return (known or ()) + texts
        if key == "confidence":
            return _confidence(value, where)
        if key in ("whole", "manner"):
            return bool(value)
        names = [each.value for each in (Label if key == "label" else Move)]
        if value not in names:
            raise SettingsInvalid(f"{where}: no {key} {value!r}; there are {', '.join(names)}")
        return Label(value) if key == "label" else Move(value)


def _check_known(values: Collection[str], known: Collection[str], where: str) -> None:
    for value in values:
        if value not in known:
            raise SettingsInvalid(f"{where}: no {value!r}; there are {', '.join(sorted(known))}")


def _texts(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise SettingsInvalid(f"{where}: must be a list of texts")
    return tuple(value)


def _confidence(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise SettingsInvalid(f"{where}: must be a number over 0 and up to 1")
    return float(value)


def _rule(name: str, entry: Mapping[str, Any]) -> IntentRule:
    return IntentRule(
        name,
        entry["label"],
        entry["confidence"],
        entry.get("move"),
        entry.get("whole", False),
        entry.get("manner", False),
        entry.get("when", ()),
        entry.get("unless", ()),
        frozenset(entry.get("slots", ())),
        {language: entry[language] for language in _LANGUAGES if language in entry},
        {language: entry[f"except_{language}"] for language in _LANGUAGES if f"except_{language}" in entry},
    )
