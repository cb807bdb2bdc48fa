"""What one turn adds to a window: instructions and execution context where they changed, notes of memories, the
person's words, the opened reply."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from edge.memory.units import Kind, Unit, UnitId
from edge.prompt.budget import Cause, GaveWay, Section
from edge.prompt.composition import Composer, Tokens
from edge.prompt.manner import PLAINLY, Manner
from edge.prompt.structured import IDLE, Execution
from edge.prompt.texts import LANGUAGES, Shift, Texts, doubt_note, note
from edge.prompt.window import Window


@dataclass(frozen=True, slots=True)
class Entry:
    """What a turn would append: what changed of the execution context, ranked notes of units that the window does not
    hold, and the person's words. `gave_way` tells of units that had no room in the share of the memories; `shift` says
    that the subject changes; `doubt` is a line behind the notes, of the units `doubted`. Its first unit may be
    `certain`, or the best for what the person `asked`. `instructing` tells of the `instructions` that hold now."""

    words: Tokens
    units: Sequence[Unit]
    notes: Sequence[Tokens]
    gave_way: Sequence[GaveWay]
    nothing: bool
    texts: Texts
    execution: Execution = IDLE
    shift: Shift | None = None
    certain: bool = False
    asked: bool = False
    doubt: Tokens = ()
    doubted: Set[UnitId] = frozenset()
    instructions: str = ""
    instructing: Tokens = ()


@dataclass(frozen=True, slots=True)
class Entries:
    """Makes entries and their tokens. `zone` is the person's time zone, `memory_tokens` the share of the memories."""

    composer: Composer
    memory_tokens: int
    zone: tzinfo | None

    def make(
        self,
        window: Window,
        words: Tokens,
        units: Iterable[Unit],
        execution: Execution,
        at: datetime,
        *,
        nothing: bool,
        shift: Shift | None = None,
        again: Collection[UnitId] = (),
        manner: Manner = PLAINLY,
        instructions: str = "",
    ) -> Entry:
        """What a turn would add to the window; what stands there already is left out, but for `again`."""
        texts = LANGUAGES[window.language]
        fresh = [unit for unit in _distinct(units) if unit.id in again or not stands_in(window, unit)]
        notes = [self.composer.note_line(note(unit, texts, at, self.zone, manner)) for unit in fresh]
        taken = within(notes, self.memory_tokens)
        changed = execution.changed_since(window.execution)
        left = notes[taken:]
        gave_way = [GaveWay(Section.MEMORIES, len(left), sum(map(len, left)), Cause.TOKENS)] if left else []
        instructing = self.composer.instructions(instructions, window.instructions, texts)
        entry = Entry(
            words, fresh[:taken], notes[:taken], gave_way, nothing, texts, changed, shift,
            instructions=instructions, instructing=instructing,
        )  # fmt: skip
        if manner.doubt is None:
            return entry
        line = doubt_note(manner.doubt, texts, at.astimezone(self.zone).date())
        return replace(entry, doubt=self.composer.note_line(line), doubted=manner.doubt.units)

    def tokens(self, entry: Entry, taken: int) -> Tokens:
        """The turn with its best `taken` notes, and the opening of the reply. The best memory stands last, next to the
        question."""
        lines = list(reversed(entry.notes[:taken]))
        if entry.doubt:
            lines.append(entry.doubt)
        if entry.nothing:
            lines.append(self.composer.note_line(entry.texts.nothing))
        if lines:
            lines.insert(0, self.composer.notes_header(entry.texts))
        reset = () if entry.shift is None else self.composer.reset(entry.shift, entry.texts)
        executing = self.composer.execution(entry.execution)
        return reset + entry.instructing + executing + self.composer.user(lines, entry.words) + self.composer.open_reply

    def instructed(self, window: Window, instructions: str) -> Window:
        """A window that begins, with the instructions at its end."""
        told = self.composer.instructions(instructions, window.instructions, LANGUAGES[window.language])
        return replace(window.append(told), instructions=instructions)

    def bare(self, words: Tokens) -> Tokens:
        """The person's words alone in their turn, and the opening of the reply: what never gives way."""
        return self.composer.user((), words) + self.composer.open_reply

    def note_sizes(self, entry: Entry) -> list[int]:
        """Tokens that each note brings; the first also the line above the notes and the break behind them."""
        sizes = [len(line) for line in entry.notes]
        if sizes:
            sizes[0] = len(self.tokens(entry, 1)) - len(self.tokens(entry, 0))
        return sizes


def stands_in(window: Window, unit: Unit) -> bool:
    """Whether the model has the unit before its eyes already: sent before, or a turn's own words that stand there."""
    return unit.id in window.units or (unit.kind is Kind.EPISODE and unit.source_turn in window.turns)


def within(pieces: Sequence[Tokens], room: int) -> int:
    """How many of the pieces, in order, fit into a room of tokens."""
    for count, piece in enumerate(pieces):
        room -= len(piece)
        if room < 0:
            return count
    return len(pieces)


def _distinct(units: Iterable[Unit]) -> list[Unit]:
    return list({unit.id: unit for unit in units}.values())
