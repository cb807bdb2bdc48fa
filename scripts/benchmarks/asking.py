"""Asking the model with memories in its prompt that one of four methods chose; all else is the same for each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from edge.daemon.parts import prompt_plan
from edge.engine.answers import Answers
from edge.engine.kv_ports import NO_SESSION, Lane, shared
from edge.engine.listing import each_once
from edge.engine.model_ports import LanguageModel, Piece, Sampling
from edge.engine.planning import Planning
from edge.engine.ports import Scope
from edge.engine.recall import Found, Recall
from edge.engine.windows import Prompt, Windows
from edge.memory.plans import Hint
from edge.memory.units import Recalled, SessionId, Stage, UnitId
from edge.prompt.composition import Composer
from edge.settings import RecallSettings, Settings
from scripts.benchmarks.conversations import Conversation
from scripts.benchmarks.memory import ASKED_AT, OWNER, BenchMemory

NEWEST, NEAREST = 20, 10
METHODS = ("edge", "edge without plans", f"last {NEWEST} turns", f"dense top-{NEAREST}")
REPLY_TOKENS = 32
_IN_TIME = "edge in {} tokens"
_GREEDY = Sampling(max_tokens=REPLY_TOKENS, temperature=0.0)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply as the person gets it. `shown` are the ids of the turns that stood in the prompt; `seconds` from the
    question to the reply's end; `by_runtime` where the model had no part in it."""

    reply: str
    prompt_tokens: int
    seconds: float
    shown: frozenset[str]
    by_runtime: bool


def in_time(tokens: int) -> str:
    """The method of edge with the time to evaluate so many tokens for each question."""
    return _IN_TIME.format(tokens)


class Asker:
    """One conversation in its memory, each turn a unit, and the ways to ask it. Every question is a session's first."""

    def __init__(
        self, memory: BenchMemory, conversation: Conversation, model: LanguageModel, settings: Settings
    ) -> None:
        self._memory = memory
        self._model = model
        told = conversation.memories
        self._ids = dict(zip(memory.tell(told), (turn.id for turn in told), strict=True))
        self._sessions = count(1)
        self._recall = _recall(memory, settings.recall)
        store, limit = memory.store, settings.recall.limit
        self._planning = Planning(self._recall, store, store.truth, memory.rules, limit)
        self._answers = Answers(memory.rules, fast=settings.recall.fast_answers)
        plan, composer = prompt_plan(settings, memory.rules), Composer(model.tokenizer)
        self._windows = Windows(memory.store, composer, plan, held=self._held)
        # What the other methods choose is given whole: only what the context cannot hold gives way.
        self._roomy = Windows(memory.store, composer, replace(plan, memory_tokens=plan.marks.context))
        ways = (self._by_edge, self._without_plans, self._by_recency, self._by_vectors)
        self._ways = dict(zip(METHODS, ways, strict=True))

    def ask(self, method: str, question: str) -> Answer:
        """The answer with one of the `METHODS`, or of `in_time`."""
        if method in self._ways:
            return self._ways[method](question)
        return self._by_edge(question, int(method.split()[2]))

    def _by_edge(self, question: str, in_time: int | None = None) -> Answer:
        """As a turn of the daemon: recall as it is planned, then the runtime's own reply or the model's, which has the
        time to evaluate so many tokens."""
        started, scope = time.perf_counter(), self._scope()
        planned = self._planning.find(scope, question)
        nothing = planned.found.nothing_to_go_on
        prompt = self._windows.prepare(
            scope, question, planned.told, nothing=nothing, manner=planned.manner, in_time=in_time
        )
        told = self._told(question, planned.found)
        return self._answer(prompt, started, told, lists=planned.manner.hint is Hint.ALL)

    def _without_plans(self, question: str) -> Answer:
        """The same, with all that was found told as it is whatever is asked."""
        started, scope = time.perf_counter(), self._scope()
        found = self._recall.find(scope, question)
        prompt = self._windows.prepare(scope, question, found.recalled, nothing=found.nothing_to_go_on)
        return self._answer(prompt, started, self._told(question, found))

    def _by_recency(self, question: str) -> Answer:
        started = time.perf_counter()
        return self._with(question, sorted(self._ids, reverse=True)[:NEWEST], started)

    def _by_vectors(self, question: str) -> Answer:
        started = time.perf_counter()
        return self._with(question, self._memory.nearest(question, NEAREST), started)

    def _told(self, question: str, found: Found) -> str | None:
        """The runtime's own reply, where it is shorter than the limit: as in `edge.engine.turn`."""
        told = self._answers.reply(question, found)
        fits = told is not None and len(self._windows.reply_tokens(told)) < REPLY_TOKENS
        return told if fits else None

    def _with(self, question: str, ranked: Sequence[UnitId], started: float) -> Answer:
        """The model's answer with these units as its notes, best first."""
        scope = self._scope()
        units = self._memory.store.units(scope, ranked)
        recalled = [Recalled(units[unit], 1.0, Stage.SEARCH) for unit in ranked]
        return self._answer(self._roomy.prepare(scope, question, recalled, nothing=False), started, None)

    def _answer(self, prompt: Prompt, started: float, told: str | None, *, lists: bool = False) -> Answer:
        reply = self._generated(prompt, lists=lists) if told is None else told
        shown = frozenset(self._ids[unit] for unit in prompt.sent)
        seconds = time.perf_counter() - started
        return Answer(reply.strip(), len(prompt.window.tokens), seconds, shown, told is not None)

    def _generated(self, prompt: Prompt, *, lists: bool = False) -> str:
        stop = self._model.new_stop()
        items = self._model.stream(prompt.window.tokens, _GREEDY, stop)
        items = each_once(items, stop) if lists else items
        return "".join(item.text for item in items if isinstance(item, Piece))

    def _held(self, _: Lane, tokens: Sequence[int]) -> int:
        """The role text, which the prompt before began with."""
        return shared(self._model.lanes.held(NO_SESSION), tokens)

    def _scope(self) -> Scope:
        return Scope(OWNER, SessionId(f"question-{next(self._sessions)}"), ASKED_AT, present=True)


def _recall(memory: BenchMemory, settings: RecallSettings) -> Recall:
    return memory.recall(settings.limit, settings.threshold, settings.companions)
