"""What goes when a unit is forgotten for good: the unit, the words that said it, and what repeats it.

- A fact takes with it the words of each turn in which it was said, what else was drawn from those words and states the
  same, and the reply of the turn where it repeats it. Another fact from the same words stays, without a quote that
  gives the forgotten one away.
- A fact whose value means one thing wherever it stands (a number, a code, an address with `@`) takes with it
  everything of the owner that holds the value, or recall would find it in another turn's words.
- A turn's own words take with them every unit drawn from them and, where they are the person's, the reply if it
  repeats any telling word of theirs.
- Earlier versions that it superseded stay what they were: ended.

When a session is forgotten, its turns go whole, with their words and all that is bound to the session. The facts that
were drawn from them for every session are apart: they stay, without their quotes, or are forgotten as facts are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from edge.memory.text import holds, is_identifying, query_terms, search_terms, side
from edge.memory.units import Kind, Source, TurnId, UnitId


@dataclass(frozen=True, slots=True)
class Statement:
    """A unit as forgetting sees it. `said_in` are the turns whose words state it: its source and confirmations."""

    unit: UnitId
    kind: Kind
    source: Source
    content: str
    value: str | None
    quote: str | None
    source_turn: TurnId | None
    said_in: frozenset[TurnId]
    asked_in: frozenset[TurnId] = frozenset()
    """Turns in whose reply the runtime asked whether it holds."""

    @property
    def told(self) -> str:
        """What a repetition of it would hold."""
        return self.value or self.content


@dataclass(frozen=True, slots=True)
class Words:
    """Both sides' words in a turn."""

    turn: TurnId
    message: str
    reply: str


@dataclass(slots=True)
class Erasure:
    """What is removed: whole units, quotes of units that stay, the words of turns, side by side, and whole turns."""

    units: set[UnitId] = field(default_factory=set)
    quotes: set[UnitId] = field(default_factory=set)
    messages: set[TurnId] = field(default_factory=set)
    replies: set[TurnId] = field(default_factory=set)
    turns: set[TurnId] = field(default_factory=set)

    def join(self, other: Erasure) -> None:
        """Remove what the other removes too."""
        self.units |= other.units
        self.quotes = (self.quotes | other.quotes) - self.units
        self.messages |= other.messages
        self.replies |= other.replies
        self.turns |= other.turns

    def silence(self, turn: TurnId, speaker: Source) -> None:
        """Take away what one side said in a turn. What a tool returned is kept in units only."""
        if speaker is Source.USER:
            self.messages.add(turn)
        elif speaker is Source.ASSISTANT:
            self.replies.add(turn)

    def silences(self, statement: Statement) -> bool:
        """Whether the statement is the words of a side that is taken away."""
        turns = self.messages if side(statement.source) is Source.USER else self.replies
        return statement.kind is Kind.EPISODE and statement.source_turn in turns


def identifying_values(named: Collection[Statement]) -> frozenset[str]:
    """Values of the named facts that are looked for in everything the owner has."""
    return frozenset(s.value for s in named if s.kind is not Kind.EPISODE and s.value and is_identifying(s.value))


def erasure(named: Sequence[Statement], others: Sequence[Statement], words: Sequence[Words]) -> Erasure:
    """Decide what goes. `others` and `words` are at least the owner's units and turns that share a turn with a named
    unit or hold one of its identifying values; more of them change nothing."""
    gone = Erasure(units={statement.unit for statement in named})
    for statement in named:
        near = [turn for turn in words if turn.turn in statement.said_in]
        if statement.kind is Kind.EPISODE:
            _erase_words(gone, statement, others, near)
        else:
            _erase_fact(gone, statement, others, near)
            asking = [turn for turn in words if turn.turn in statement.asked_in and _states(turn.reply, statement)]
            gone.replies |= {turn.turn for turn in asking}
    for value in identifying_values(named):
        _erase_value(gone, value, others, words)
    gone.units |= {other.unit for other in others if gone.silences(other)}
    gone.quotes = {other.unit for other in _giving_away(named, others) if other.unit not in gone.units}
    return gone


def session_erasure(
    turns: Collection[TurnId], bound: Collection[UnitId], drawn: Sequence[Statement]
) -> tuple[Erasure, list[Statement]]:
    """What goes with a session, and the facts from it that every session knows, past ones too.

    `bound` are the units that belong to the session, `drawn` those that were said in one of its turns.
    """
    own = [statement for statement in drawn if statement.source_turn in turns]
    gone = Erasure(units=set(bound), turns=set(turns))
    gone.units |= {statement.unit for statement in own if statement.kind is Kind.EPISODE}
    facts = [statement for statement in own if statement.unit not in gone.units]
    gone.quotes = {fact.unit for fact in facts if fact.quote is not None}
    return gone, facts


def _erase_words(gone: Erasure, episode: Statement, others: Sequence[Statement], words: Sequence[Words]) -> None:
    speaker = side(episode.source)
    for turn in words:
        gone.silence(turn.turn, speaker)
        if speaker is Source.USER and _repeats(turn.reply, episode.content):
            gone.silence(turn.turn, Source.ASSISTANT)
    gone.units |= {
        other.unit
        for other in others
        if other.source_turn is not None and other.source_turn in episode.said_in and side(other.source) is speaker
    }


def _erase_fact(gone: Erasure, fact: Statement, others: Sequence[Statement], words: Sequence[Words]) -> None:
    for turn in words:
        gone.silence(turn.turn, side(fact.source))
        for speaker, text in ((Source.USER, turn.message), (Source.ASSISTANT, turn.reply)):
            if _states(text, fact):
                gone.silence(turn.turn, speaker)
    gone.units |= {
        other.unit
        for other in others
        if other.kind is not Kind.EPISODE
        and other.said_in & fact.said_in
        and (holds(other.content, fact.told) or holds(other.value or "", fact.told))
    }


def _erase_value(gone: Erasure, value: str, others: Sequence[Statement], words: Sequence[Words]) -> None:
    for other in others:
        if holds(other.content, value) or holds(other.value or "", value):
            gone.units.add(other.unit)
    for turn in words:
        for speaker, text in ((Source.USER, turn.message), (Source.ASSISTANT, turn.reply)):
            if holds(text, value):
                gone.silence(turn.turn, speaker)


def _giving_away(named: Sequence[Statement], others: Sequence[Statement]) -> Iterator[Statement]:
    for other in others:
        if other.quote and any(holds(other.quote, statement.told) for statement in named):
            yield other


def _states(text: str, fact: Statement) -> bool:
    return holds(text, fact.value) if fact.value else _repeats(text, fact.content)


def _repeats(text: str, content: str) -> bool:
    return not set(query_terms(content)).isdisjoint(search_terms(text))
