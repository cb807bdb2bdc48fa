"""Tells what a message is for, by the rules of a table.

Each sentence gets the label of the first rule that fits. Of several sentences the one decides that recall has most to
do for: what is asked before what is told, and chat last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edge.memory.intents import Intent, Label, Move
from edge.memory.intents_signs import Said, Signs
from edge.memory.intents_tables import IntentRule, IntentTable
from edge.memory.language import Language, language_of
from edge.memory.rules_regex import LazyPattern, alternatives, contracted, expanded
from edge.memory.rules_tables import LANGUAGES
from edge.memory.rules_text import fold, mask_quoted, sentences, simplify, spelled_out

_HEAD, _TAIL = 600, 400
"""Characters that are read of a longer message: what it is for stands at its beginning or its end."""
_WORD = re.compile(r"\w")
_HEAD_OF_PATTERN = re.compile(r"\{(?:order|begin)\}|\^\(\?:\{lead\}\[[^\]]*\]\+?\)[*+](?![?*+{])")
"""What patterns begin with that are for the beginning of a sentence."""
_ESCAPED_OR_SET = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_INNERMOST = re.compile(r"\([^()]*\)")
_MOST = 8
"""Sentences that are read of these."""
_ENDS = ' .。!！?？~～…"“”'
"""What stands around the words of a sentence; whether it asks is known."""
_NOTHING = Intent(Label.GENERAL, 0.5, "no rule fits", Move.OTHER)
_DISAGREE = 0.85
"""Of the confidence is left where another sentence asks or tells something that is looked for otherwise."""
_ORDER = (
    Label.AGGREGATE, Label.TEMPORAL, Label.CURRENT_STATE, Label.PROGRESS, Label.STANDING_RULE, Label.STATE_CHANGE,
    Label.PROFILE, Label.FACT, Label.GENERAL, Label.SMALL_TALK,
)  # fmt: skip
"""Which of two sentences decides where both ask, or both tell."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule of the table, its patterns by language."""

    rule: IntentRule
    patterns: dict[str, LazyPattern]
    exceptions: dict[str, LazyPattern]

    @property
    def by_signs(self) -> bool:
        """Whether its signs decide alone."""
        return not self.patterns and not self.rule.slots

    def lazy(self) -> Iterator[LazyPattern]:
        """What is compiled when it is needed."""
        yield from self.patterns.values()
        yield from self.exceptions.values()

    def fits(self, said: Said) -> bool:
        """Whether a sentence is as the rule has it."""
        rule = self.rule
        if not self.by_signs and not self._found(self.patterns, said) and not (rule.slots and rule.slots & said.slots):
            return False
        if not all(said.has(sign) for sign in rule.when) or any(said.has(sign) for sign in rule.unless):
            return False
        return not self._found(self.exceptions, said)

    def _found(self, patterns: dict[str, LazyPattern], said: Said) -> bool:
        return any(
            language in patterns and patterns[language].get().search(said.text) is not None
            for language in said.languages
        )


class Intents:
    """The rules of a table, ready for use. Patterns are compiled when they are first used, or before, with `lazy`."""

    def __init__(self, table: IntentTable, signs: Signs) -> None:
        self._signs = signs
        parts = {language: _parts(table, language) for language in LANGUAGES}
        self._rules = [_made(rule, parts) for rule in table.rules]

    def lazy(self) -> Iterator[LazyPattern]:
        """What is compiled when it is needed."""
        for rule in self._rules:
            yield from rule.lazy()

    def of(self, message: str, language: Language | None = None) -> Intent:
        """What a message of any size and content is for; never raises. `language` is told from it where not given."""
        read = _read_of(message)
        language = language or language_of(read)
        found: list[Intent] = []
        for said in self._sentences(read, language):
            rule = next((each.rule for each in self._rules if each.fits(said)), None)
            if rule is not None and rule.manner and any(map(_is_request, found)):
                continue
            found.append(_NOTHING if rule is None else _intent(rule, said))
            if rule is not None and rule.whole and not found[:-1]:
                break
        return _together(found) if found else _NOTHING

    def _sentences(self, text: str, language: Language) -> Iterator[Said]:
        plain = spelled_out(simplify(fold(text)))
        masked = mask_quoted(plain)
        plain = masked if _WORD.search(masked) else plain  # all of it may be quoted
        spans = list(sentences(plain, 0, len(plain)))
        spans = spans if len(spans) <= _MOST else [*spans[: _MOST // 2], *spans[-_MOST // 2 :]]
        for span in spans:
            words = " ".join(plain[span.start : span.end].split()).strip(_ENDS)
            if words:
                yield self._signs.said(words, language, asks=span.asks, alone=len(spans) == 1)


def _read_of(message: str) -> str:
    return message if len(message) <= _HEAD + _TAIL else f"{message[:_HEAD]}\n{message[-_TAIL:]}"


def _parts(table: IntentTable, language: str) -> dict[str, str]:
    """What the placeholders of a language's patterns stand for; one may be used in those behind it."""
    parts: dict[str, str] = {}
    for name, words in table.words.get(language, {}).items():
        where = f"intent_words.{language}.{name}"
        parts[name] = alternatives([expanded(contracted(word), parts, where) for word in words])
    return parts


def _made(rule: IntentRule, parts: dict[str, dict[str, str]]) -> _Rule:
    def joined(patterns: tuple[str, ...], language: str) -> LazyPattern:
        where = f"intents.{rule.name}.{language}"
        return LazyPattern(_any_of(list(map(contracted, patterns))), parts[language], where)

    return _Rule(
        rule,
        {language: joined(patterns, language) for language, patterns in rule.patterns.items()},
        {language: joined(patterns, language) for language, patterns in rule.exceptions.items()},
    )


def _any_of(patterns: list[str]) -> str:
    """One pattern that is found where any of these is. What several begin with is compiled once for them: the words
    that a sentence may begin with are the longest list there is."""
    behind: dict[str, list[str]] = {}
    for pattern in patterns:
        head = _HEAD_OF_PATTERN.match(pattern)
        beginning = head[0] if head is not None and not _has_choice(pattern) else ""
        behind.setdefault(beginning, []).append(pattern[len(beginning) :])
    return "|".join(
        f"(?:{beginning}(?:{'|'.join(f'(?:{rest})' for rest in rests)}))" for beginning, rests in behind.items()
    )


def _has_choice(pattern: str) -> bool:
    """Whether a pattern is several ones: holds a bar outside of its groups and sets."""
    bare = _ESCAPED_OR_SET.sub("", pattern)
    while (flat := _INNERMOST.sub("", bare)) != bare:
        bare = flat
    return "|" in bare


def _intent(rule: IntentRule, said: Said) -> Intent:
    return Intent(rule.label, rule.confidence, rule.name.replace("-", " "), rule.move or _move(rule.label, said))


def _is_request(intent: Intent) -> bool:
    """Whether a sentence wants something done that memory does not help with."""
    return intent.label is Label.GENERAL and intent.move is Move.REQUEST


def _move(label: Label, said: Said) -> Move:
    """What a sentence does, where its rule does not say it."""
    if said.has("courtesy"):
        return Move.CONFIRM if said.has("agrees") else Move.GREET
    if said.has("asks"):
        return Move.ASK
    if said.has("corrects"):
        return Move.CORRECT
    if said.has("agrees"):
        return Move.CONFIRM
    if label is Label.STANDING_RULE or said.has("requests"):
        return Move.REQUEST
    return Move.TELL if said.has("tells") else Move.OTHER


def _together(found: list[Intent]) -> Intent:
    """The intent of a message out of its sentences'."""
    best = min(found, key=_rank)
    tier = _rank(best)[0]
    rivals = {each.label for each in found if _rank(each)[0] == tier}
    if len(rivals) == 1:
        return best
    return Intent(best.label, round(best.confidence * _DISAGREE, 3), best.why, best.move)


def _rank(intent: Intent) -> tuple[int, int, float]:
    wants = intent.move in (Move.ASK, Move.REQUEST)
    if intent.label is Label.SMALL_TALK:
        tier = 5
    elif intent.label is Label.GENERAL:
        tier = 2 if wants else 4
    elif wants:
        tier = 0
    else:
        tier = 1 if intent.label in (Label.STATE_CHANGE, Label.PROGRESS, Label.STANDING_RULE) else 3
    return tier, _ORDER.index(intent.label), -intent.confidence
