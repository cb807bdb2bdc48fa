"""The windows of the sessions: what a turn's prompt is made of, and what stays in the window after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime

from edge.engine.anchor import Anchor, PromptPlan
from edge.engine.compaction import Compaction
from edge.engine.entry import Entries, Entry
from edge.engine.fitting import Fitted, Fitting
from edge.engine.kept_windows import KeptWindows, lane_of
from edge.engine.kv_ports import WORTHWHILE, Held, Lane, shared
from edge.engine.ports import MemoryStore, Scope
from edge.engine.telling import replacements, told_again
from edge.errors import MemoryNotFound
from edge.memory.language import language_of
from edge.memory.questions import asks
from edge.memory.units import OwnerId, Recalled, SessionId, Stage, Turn, TurnId, Unit, UnitId
from edge.prompt.budget import GaveWay, low_mark
from edge.prompt.composition import Composer, Tokens
from edge.prompt.manner import PLAINLY, Manner
from edge.prompt.replies import quoted
from edge.prompt.structured import IDLE, Execution
from edge.prompt.texts import LANGUAGES, Shift
from edge.prompt.window import Window, must_compact

_TURNS_LOOKED_AT = 40
_TURNS_HEARD = 6


@dataclass(frozen=True, slots=True)
class Prompt:
    """A turn's prompt: the window up to where the reply begins, and what went into it.

    `sent` are units that were put into it now. `memory_tokens` counts the notes, `appended` what the model has not
    evaluated yet if it still holds the window of the turn before. `gave_way` tells what had no room, in tokens or
    `in_time`: as many as the model could evaluate until the first token is wanted, where that is known.
    `forgets` counts what the owner had forgotten before.
    """

    window: Window
    sent: frozenset[UnitId]
    memory_tokens: int
    appended: int
    gave_way: tuple[GaveWay, ...]
    in_time: int | None
    rebuilt: bool
    forgets: int


class Windows:
    """The windows of all sessions; one that is not kept is built anew from the stored turns."""

    def __init__(
        self,
        store: MemoryStore,
        composer: Composer,
        plan: PromptPlan,
        kept: KeptWindows | None = None,
        held: Held | None = None,
    ) -> None:
        """`held` tells what the model need not evaluate; without it, it is taken to hold what its windows do."""
        self._store = store
        self._composer = composer
        self._plan = plan
        self._anchor = Anchor(store, composer, plan)
        self._entries = Entries(composer, plan.memory_tokens, plan.zone)
        self._fitting = Fitting(composer, self._entries)
        self._compaction = Compaction(composer, self._entries, plan.marks)
        self._windows = KeptWindows(store) if kept is None else kept
        self._held = held or self._in_windows
        self._forgets: Counter[OwnerId] = Counter()

    def prepare(
        self,
        scope: Scope,
        message: str,
        recalled: Sequence[Recalled],
        *,
        nothing: bool,
        execution: Execution = IDLE,
        shift: Shift | None = None,
        back: Collection[UnitId] = (),
        in_time: int | None = None,
        manner: Manner = PLAINLY,
        instructions: str = "",
    ) -> Prompt:
        """Compose the prompt of a turn at `scope.as_of`; changes nothing. `nothing`: say that memory has no answer;
        `manner`: how what was recalled is told; `instructions`: what the client wants, told where it has changed.
        Where `in_time` is given, the model is to evaluate no more tokens than that: what may gives way.

        What stands in the window already is not sent again, but for what answers a question best: a small model takes
        what stands near for the answer, and attends badly to what stands far up. `shift` says that the subject changes;
        `back` are the units of the subject that comes back: the last of them are told once more.
        Raises PromptTooLong where the role text, the instructions and the person's words alone do not fit.
        """
        window = self._windows.get(_key(scope))
        said = self._said(scope, window, message, recalled, execution, nothing=nothing, shift=shift, back=back)
        said = replace(self._in_manner(said, message, manner), instructions=instructions)
        if window is not None:
            grown = self._grown(scope, window, said, in_time)
            if grown is not None:
                return grown
        return self._rebuilt(scope, message, said, window, in_time)

    def commit(
        self, owner: OwnerId, session: SessionId, prompt: Prompt, turn: TurnId, reply: Tokens, *, unevaluated: int
    ) -> None:
        """Keep a turn in the window: its prompt, the reply's tokens as they were made, and the closing mark.

        `unevaluated` tokens at the end of prompt and reply have not been seen by the model. Where the owner forgot
        something while the turn ran, it may stand in the prompt: the window is dropped.
        """
        if self.is_outdated(owner, prompt):
            self._windows.drop((owner, session))
            return
        window = prompt.window.close_turn(reply, self._composer.close_reply, turn, unevaluated)
        self._windows.put((owner, session), window)

    def may_repeat_forgotten(
        self, owner: OwnerId, session: SessionId, prompt: Prompt, said: Collection[UnitId]
    ) -> bool:
        """Whether something that stood before the model was forgotten meanwhile, so that the reply may repeat it.

        `said` are the units that the turn's own words made.
        """
        if not self.is_outdated(owner, prompt):
            return False
        turns = self._store.turns(owner, session, last=_TURNS_LOOKED_AT)
        told = prompt.window.turns | prompt.window.summarised
        if not told <= {turn.id for turn in turns if turn.message and turn.reply}:
            return True
        return any(self._is_gone(owner, unit) for unit in prompt.window.units.union(said))

    def reply_tokens(self, reply: str) -> Tokens:
        """The tokens of a reply that the model did not make."""
        return self._composer.text(reply)

    def given(self, scope: Scope, prompt: Prompt) -> list[str]:
        """What the runtime told the model in a window: the role text, instructions, core facts, memories as far as they
        stand, and the summary."""
        window = prompt.window
        units = self._store.units(scope, window.units)
        told = (unit.content for unit in units.values())
        return [self._anchor.role(window.language), window.instructions, *told, window.summary]

    def quote(self, unit: Unit, at: datetime, language: str) -> str:
        """A memory as a reply that the runtime gives."""
        return quoted(unit, language, at, self._plan.zone)

    def heard(self, scope: Scope) -> list[tuple[str, str]]:
        """What was said last in the session, and replied."""
        return [(turn.message, turn.reply) for turn in self._store.turns(*_key(scope), last=_TURNS_HEARD)]

    def forget(self, owner: OwnerId) -> None:
        """Drop the owner's windows, after something of theirs was forgotten; the next turn builds each anew. All of
        them: what was forgotten may stand in any, in a reply that repeated it, or in another turn's words."""
        self._forgets[owner] += 1
        self._windows.drop_all(owner)

    def is_outdated(self, owner: OwnerId, prompt: Prompt) -> bool:
        """Whether the owner forgot something since the prompt was composed."""
        return prompt.forgets != self._forgets[owner]

    def _is_gone(self, owner: OwnerId, unit: UnitId) -> bool:
        try:
            self._store.unit(owner, unit)
        except MemoryNotFound:
            return True
        return False

    def _said(
        self,
        scope: Scope,
        window: Window | None,
        message: str,
        recalled: Sequence[Recalled],
        execution: Execution,
        *,
        nothing: bool,
        shift: Shift | None,
        back: Collection[UnitId],
    ) -> _Said:
        """What a turn brings. What answers best stands next to the question, also before what only follows a unit that
        holds no more."""
        found = [each.told for each in recalled]
        instead = [] if window is None else replacements(self._store, scope, window)
        again = told_again(self._store, scope, back)
        units = [*found[:1], *instead, *found[1:], *again]
        best = found[:1] if asks(message) else []
        told = {unit.id for unit in (*again, *best)}
        certain = {each.unit.id for each in recalled[:1] if each.stage is Stage.RULE}
        asked = {unit.id for unit in best}
        return _Said(self._composer.text(message), units, execution, nothing, shift, told, certain, asked)

    def _in_manner(self, said: _Said, message: str, manner: Manner) -> _Said:
        """The same, told in a manner: standing rules answer no question."""
        rules = manner.standing
        said = replace(said, again=set(said.again) - rules, certain=said.certain - rules, asked=said.asked - rules)
        if manner.hint is None:
            return replace(said, manner=manner)
        asked = message + LANGUAGES[language_of(message)].hints[manner.hint]
        return replace(said, words=self._composer.text(asked), manner=manner)

    # --- a window that grows ---------------------------------------------------------------------------------------

    def _grown(self, scope: Scope, window: Window, said: _Said, in_time: int | None) -> Prompt | None:
        """The window with this turn at its end; None where it would pass its mark and must be compacted, or where the
        model holds it no more and has no time to evaluate it again."""
        held = self._held(lane_of(*_key(scope)), window.tokens)
        entry = self._entry(scope, window, said)
        lost = len(window.tokens) - window.pending - held
        late = in_time is not None and lost + window.pending + self._fitting.bare(entry) > in_time
        if lost >= WORTHWHILE and late:
            return None
        fitted = self._fitting.grown(window, entry, held, in_time)
        if must_compact(window, len(self._entries.tokens(fitted.entry, fitted.memories)), self._plan.marks):
            return None
        return self._prompt(scope, window, fitted, in_time, rebuilt=False)

    # --- a window built anew ---------------------------------------------------------------------------------------

    def _rebuilt(self, scope: Scope, message: str, said: _Said, old: Window | None, in_time: int | None) -> Prompt:
        """Role, core facts, instructions, a summary, the last turns up to the low mark, and this turn; what has no room
        gives way."""
        earlier = self._earlier(scope)
        base = self._beginning(scope, self._anchor.language(message, earlier), said)
        held = self._held(lane_of(*_key(scope)), base.tokens)
        alone = self._entry(scope, base, said)
        fixed = len(base.tokens) - held + self._fitting.bare(alone)
        low = low_mark(self._plan.marks.low, len(base.tokens), fixed, self._fitting.adds(alone), in_time)
        kept = self._compaction.divide(base, earlier, said.words, low, () if old is None else old.turns)
        window = kept.behind(base, summed_up=False)
        entry = self._entry(scope, window, said)
        room = self._plan.marks.room
        if len(window.tokens) + self._fitting.bare(entry) > room:
            entry = replace(entry, nothing=False, shift=None)
        fitted = self._fitting.fitted(window, entry, room, held, in_time, summary=len(kept.summary_tokens))
        fitted = replace(fitted, gave_way=(*kept.gave_way, *fitted.gave_way))
        window = kept.behind(base, summed_up=fitted.summary)
        return self._prompt(scope, window, fitted, in_time, rebuilt=old is not None or bool(earlier))

    def _beginning(self, scope: Scope, language: str, said: _Said) -> Window:
        beside = len(self._entries.bare(said.words)) + len(
            self._composer.instructions(said.instructions, "", LANGUAGES[language])
        )
        return self._entries.instructed(self._anchor.window(scope, language, beside), said.instructions)

    def _in_windows(self, _: Lane, tokens: Sequence[int]) -> int:
        """A `Held` of a model that holds all windows, but for their pending ends."""
        windows = self._windows.values()
        return max((shared(each.tokens[: len(each.tokens) - each.pending], tokens) for each in windows), default=0)

    def _earlier(self, scope: Scope) -> list[Turn]:
        """The last turns that have two sides; one that was cancelled at once or forgotten says nothing."""
        owner, session = _key(scope)
        turns = self._store.turns(owner, session, last=_TURNS_LOOKED_AT)
        return [turn for turn in turns if turn.message and turn.reply]

    def _entry(self, scope: Scope, window: Window, said: _Said) -> Entry:
        entry = self._entries.make(
            window,
            said.words,
            said.units,
            said.execution,
            scope.as_of,
            nothing=said.nothing,
            shift=said.shift,
            again=said.again,
            manner=said.manner,
            instructions=said.instructions,
        )
        first = {unit.id for unit in entry.units[:1]}
        return replace(entry, certain=bool(first & said.certain), asked=bool(first & said.asked))

    def _prompt(self, scope: Scope, window: Window, fitted: Fitted, in_time: int | None, *, rebuilt: bool) -> Prompt:
        entry, taken = fitted.entry, fitted.memories
        sent = frozenset(unit.id for unit in entry.units[:taken])
        whole = window.append(self._entries.tokens(entry, taken), sent | entry.doubted)
        executing = entry.execution.over(window.execution)
        whole = replace(whole, execution=executing, instructions=entry.instructions)
        return Prompt(
            window=whole,
            sent=sent,
            memory_tokens=sum(map(len, entry.notes[:taken])),
            appended=whole.pending,
            gave_way=fitted.gave_way,
            in_time=in_time,
            rebuilt=rebuilt,
            forgets=self._forgets[scope.owner],
        )


@dataclass(frozen=True, slots=True)
class _Said:
    """What a turn brings: the person's words, units, the execution context, whether memory has nothing, whether the
    subject changes, which units are told again with it, of these which are certain or the best for a question, how
    all of it is told, and the client's instructions."""

    words: Tokens
    units: Sequence[Unit]
    execution: Execution
    nothing: bool
    shift: Shift | None = None
    again: Collection[UnitId] = ()
    certain: Set[UnitId] = frozenset()
    asked: Set[UnitId] = frozenset()
    manner: Manner = PLAINLY
    instructions: str = ""


def _key(scope: Scope) -> tuple[OwnerId, SessionId]:
    if scope.session is None:
        raise ValueError("a turn needs a session")
    return scope.owner, scope.session
