"""Recall with the intent of a session weighed in, beside the same without: where there is one, and where there is none.

"Going on": a session says what stands in a talk right before a question's evidence, then the question comes. "Out of
nowhere": a session asks question after question that have nothing to do with one another; nothing may be lost there.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean

from edge.engine.intentions import Intentions, Lead
from edge.engine.model_ports import TextEmbedder
from edge.engine.ports import Scope
from edge.engine.topics import Topics
from edge.memory.units import SessionId, TurnId, TurnState
from scripts.benchmarks.conversations import Conversation, Question
from scripts.benchmarks.memory import ASKED_AT, OWNER, BenchMemory, bench_memory
from scripts.benchmarks.report import Report, Table

DEPTHS = (5, 8, 10)
KINDS = ("going on", "out of nowhere")
_BEFORE = 4
"""Turns of a talk that are said before a question for what comes next in it."""
_SEED = 1


@dataclass(slots=True)
class _Shares:
    """Shares of evidence found, without the intent and with it, and how sure that was."""

    without: list[list[float]] = field(default_factory=list)
    led: list[list[float]] = field(default_factory=list)
    sure: list[float] = field(default_factory=list)


def measure_leading(conversations: Sequence[Conversation], embedder: TextEmbedder) -> Report:
    """Each conversation told turn by turn, as sessions of its own are, in a memory of its own."""
    found: dict[tuple[str, str, str], _Shares] = defaultdict(_Shares)
    for conversation in conversations:
        with tempfile.TemporaryDirectory() as folder, bench_memory(Path(folder), embedder) as memory:
            told = Told(memory, conversation)
            for kind, ask in zip(KINDS, (told.ask_going_on, told.ask_out_of_nowhere), strict=True):
                ask(found[conversation.data, conversation.language, kind])
    return Report("recall by intent", [_table(found)])


def _table(found: dict[tuple[str, str, str], _Shares]) -> Table:
    rows = [
        (
            data,
            language,
            kind,
            len(shares.led),
            fmean(shares.sure),
            name,
            *(fmean(each) for each in zip(*of, strict=True)),
        )
        for (data, language, kind), shares in sorted(found.items())
        for name, of in (("without", shares.without), ("with", shares.led))
        if of
    ]
    columns = ("data", "language", "session", "questions", "mean confidence", "intent")
    return Table("Evidence found", (*columns, *(f"recall@{depth}" for depth in DEPTHS)), rows)


class Told:
    """A conversation in a memory, every turn with the intent that its talk had then."""

    def __init__(self, memory: BenchMemory, conversation: Conversation) -> None:
        self._memory = memory
        self._conversation = conversation
        self._topics = Topics(memory.store.topics, memory.vectors)
        self._intentions = Intentions(memory.store.intents, memory.rules)
        self._recall = memory.recall(max(DEPTHS), 0.0, 0.0)
        self._sessions = 0
        turns = conversation.memories
        self._ids = dict(zip(memory.tell(turns), (turn.id for turn in turns), strict=True))
        self._follow()

    def _follow(self) -> None:
        """Give units the intent of their talks."""
        words = {turn.id: turn for turn in self._conversation.memories}
        for unit, name in self._ids.items():
            turn = self._memory.store.unit(OWNER, unit).source_turn
            assert turn is not None
            self._lead(SessionId(words[name].session), words[name].text, turn)

    def ask_going_on(self, shares: _Shares) -> None:
        """Each question whose evidence lies in one talk, where something was said in that before."""
        turns = self._conversation.memories
        for question in self._asked():
            first = min(number for number, turn in enumerate(turns) if turn.id in question.evidence)
            before = [turn for turn in turns[max(0, first - _BEFORE) : first] if turn.session == turns[first].session]
            if len(before) > 1:
                session = self._new_session()
                for turn in before:
                    self._say(session, turn.text)
                self._ask(session, question, shares)

    def ask_out_of_nowhere(self, shares: _Shares) -> None:
        """All questions in one session, in no order."""
        session = self._new_session()
        for question in Random(_SEED).sample(self._asked(), len(self._asked())):
            self._ask(session, question, shares)

    # --- turns -----------------------------------------------------------------------------------------------------

    def _asked(self) -> list[Question]:
        """Questions whose evidence lies in one talk."""
        talks = {turn.id: turn.session for turn in self._conversation.memories}
        return [
            each
            for each in self._conversation.questions
            if each.answerable and len({talks[name] for name in each.evidence}) == 1
        ]

    def _new_session(self) -> SessionId:
        self._sessions += 1
        return SessionId(f"asking {self._sessions}")

    def _say(self, session: SessionId, words: str) -> Lead:
        """A turn that leaves nothing behind but what its session is about."""
        store = self._memory.store
        turn = store.begin_turn(OWNER, session, words, [], ASKED_AT).turn
        assert turn is not None
        store.finish_turn(OWNER, turn, "", TurnState.DONE, [], ASKED_AT)
        return self._lead(session, words, turn)

    def _lead(self, session: SessionId, words: str, turn: TurnId) -> Lead:
        """What leads a turn that is stored; its session goes on from it."""
        thread = self._topics.turn_to(Scope(OWNER, session, ASKED_AT), words)
        lead = self._intentions.lead(OWNER, thread, words)
        self._topics.written(OWNER, session, thread, words, turn)
        self._intentions.written(thread, lead, turn)
        self._topics.ended(OWNER, thread, turn)
        self._topics.moved(OWNER, thread, words)
        return lead

    def _ask(self, session: SessionId, question: Question, shares: _Shares) -> None:
        lead = self._say(session, question.text)
        shares.without.append(self._found(question, None))
        shares.led.append(self._found(question, lead))
        shares.sure.append(lead.confidence)

    def _found(self, question: Question, lead: Lead | None) -> list[float]:
        found = self._recall.find(self._memory.scope, question.text, lead=lead)
        order = [self._ids[each.unit.id] for each in found.recalled]
        return [len(question.evidence & set(order[:depth])) / len(question.evidence) for depth in DEPTHS]
