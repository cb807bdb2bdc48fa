"""The step that draws facts from what a person said where no rule found one.

Code puts each statement of the person's in the form of a fact and checks it against the words (see
`edge.memory.distilling`). The model only weighs which of them tells something, and only after it has weighed known
lines rightly: nothing that a model says gets into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from edge.clock import Clock
from edge.engine.distilling_ports import Distilled, DistillingStore
from edge.engine.offpeak import AsideModel, Worked
from edge.engine.ports import MemoryStore, Scope, Worker
from edge.engine.remember import Remember
from edge.memory.distilling import Line, lines_of
from edge.memory.language import Language
from edge.memory.nights import StepName
from edge.memory.sameness import say_the_same
from edge.memory.units import Change, Confirm, Draft, Kind, OwnerId, Source, Unit, UnitId
from edge.prompt.distilling import KNOWN, LEAST, Weighing, contrasts

_EPISODES = 16
"""Messages of one unit of work, of which most give nothing."""
_CHARACTERS = 3000
"""Of them together, if not of one alone: taking those apart takes 20 ms."""
_LINES = 8
"""Lines that one unit of work weighs, if one message alone has no more."""
_PASSED = 64
"""Units of work without a line that are passed over before a model is asked for."""
_SIMILAR = 8
_AGREE = 1.0
"""Two lines are compared by their words; their vectors, which do not exist yet, are taken to agree."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Messages with the lines they give, read up to a unit."""

    told: tuple[tuple[Unit, tuple[Line, ...]], ...]
    through: UnitId
    more: bool

    @property
    def lines(self) -> list[Line]:
        return [line for _, lines in self.told for line in lines]


class Distilling:
    """One step of a night (see `Step`). How far it has read is in the store."""

    name = StepName.DISTIL
    needs_model = True

    def __init__(
        self,
        memory: Worker,
        store: MemoryStore,
        distilling: DistillingStore,
        remember: Remember,
        clock: Clock,
        written: Callable[[], None] = lambda: None,
    ) -> None:
        """`memory` is the memory thread, to which the others belong; `written` is called when there are new units."""
        self._memory = memory
        self._store = store
        self._distilling = distilling
        self._remember = remember
        self._clock = clock
        self._written = written
        self._fit: dict[tuple[str, Language], bool] = {}

    async def is_due(self, owner: OwnerId) -> bool:
        """Whether a line waits to be weighed. What gives none is read on the way."""
        for _ in range(_PASSED):
            read = await self._memory.run(partial(self._read, owner))
            if read is None or read.lines:
                return read is not None
            await self._memory.run(partial(self._write, owner, read, set()))
        return True

    async def work(self, owner: OwnerId, model: AsideModel | None) -> Worked:
        """Read a few messages. With no model, or one that cannot tell known lines apart in any language, they stay
        unread; of a language that it cannot weigh alone nothing is kept."""
        read = None if model is None else await self._memory.run(partial(self._read, owner))
        if read is None or model is None:
            return Worked(more=False)
        fit = [language for language in KNOWN if read.lines and await self._can_weigh(model, language)]
        if read.lines and not fit:
            return Worked(more=False, counts={"unfit": 1})
        kept: set[Line] = set()
        for language in fit:
            lines = [line for line in read.lines if line.language == language]
            told = await _weighed(model, language, [line.text for line in lines])
            kept |= {line for line, tells in zip(lines, told, strict=True) if tells}
        added = await self._memory.run(partial(self._write, owner, read, kept))
        if added:
            self._written()
        return Worked(read.more, {"read": len(read.told), "distilled": added} if read.told else {})

    async def _can_weigh(self, model: AsideModel, language: Language) -> bool:
        """Whether the model tells those lines apart of which it is known what they tell. Tried once in a process."""
        place = (model.id, language)
        if place not in self._fit:
            known = KNOWN[language]
            told = await _weighed(model, language, [*known.telling, *known.empty])
            self._fit[place] = told == [True] * len(known.telling) + [False] * len(known.empty)
        return self._fit[place]

    # --- on the memory thread ---

    def _read(self, owner: OwnerId) -> _Read | None:
        unread = self._distilling.unread(owner, _EPISODES)
        if unread is None:
            return None
        told: list[tuple[Unit, tuple[Line, ...]]] = []
        lines, characters = 0, 0
        for episode in unread.episodes:
            found = lines_of(episode.content)
            lines += len(found)
            characters += len(episode.content)
            if told and (lines > _LINES or characters > _CHARACTERS):
                return _Read(tuple(told), told[-1][0].id, more=True)
            told.append((episode, found))
        return _Read(tuple(told), unread.through, unread.more)

    def _write(self, owner: OwnerId, read: _Read, kept: set[Line]) -> int:
        told = _without_doubles([(episode, line) for episode, lines in read.told for line in lines if line in kept])
        distilled = [self._distilled(episode, lines) for episode, lines in told.items()]
        return len(self._distilling.keep_distilled(owner, read.through, distilled, self._clock.now()))

    def _distilled(self, episode: Unit, lines: Sequence[Line]) -> Distilled:
        assert episode.source_turn is not None
        bound = episode.session is not None
        drafts = [
            replace(line.draft(session_only=bound), valid_from=episode.valid_from, valid_until=episode.valid_until)
            for line in lines
        ]
        changes = [change for draft in drafts for change in self._changes(episode, draft)]
        return Distilled(episode.id, episode.source_turn, tuple(changes))

    def _changes(self, episode: Unit, draft: Draft) -> Sequence[Change]:
        """A new unit, or that what is known already was said again."""
        known = self._told_already(episode, draft)
        if known is not None:
            return [Confirm(known)]
        return self._remember.planned(episode.owner, episode.session, [draft], self._clock.now())

    def _told_already(self, episode: Unit, draft: Draft) -> UnitId | None:
        """A unit that says the same in other words."""
        scope = Scope(episode.owner, episode.session, self._clock.now(), frozenset({Kind.FACT_REFERENCE}), present=True)
        near = [unit for unit, _ in self._store.search_text(scope, draft.content, _SIMILAR)]
        same = [
            unit.id
            for unit in self._store.units(scope, near).values()
            if unit.session == episode.session and unit.source is Source.USER and unit.slot is None
            if say_the_same(unit.content, draft.content, _AGREE)
        ]
        return min(same, default=None)


def _without_doubles(told: Sequence[tuple[Unit, Line]]) -> dict[Unit, list[Line]]:
    """The lines by their episode, without those that say what an earlier one of the same session's says."""
    kept: dict[Unit, list[Line]] = {}
    for episode, line in told:
        others = (other.text for place, lines in kept.items() if place.session == episode.session for other in lines)
        if not any(say_the_same(other, line.text, _AGREE) for other in others):
            kept.setdefault(episode, []).append(line)
    return kept


async def _weighed(model: AsideModel, language: Language, lines: Sequence[str]) -> list[bool]:
    """Which of the lines tell something, as the model weighs them."""
    if not lines:
        return []
    weighing = Weighing(model.tokenizer, language)
    candidates = weighing.candidates(lines)
    specific = await model.score(weighing.specific, candidates)
    empty = await model.score(weighing.empty, candidates)
    return [contrast > LEAST[language] for contrast in contrasts(candidates, specific, empty)]
