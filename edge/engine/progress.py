"""How far a turn has come, so that an end at any point can be stored and told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from edge.engine.events import Usage
from edge.engine.intentions import Lead
from edge.engine.model_ports import Finish, Generation
from edge.engine.recall import Found
from edge.engine.serving import Given
from edge.engine.topics import Thread
from edge.engine.truth import AskBack
from edge.engine.windows import Prompt
from edge.memory.echoes import Echo
from edge.memory.intents import Intent
from edge.memory.questions import ends_asking
from edge.memory.units import Stage
from edge.prompt.composition import Tokens


@dataclass(slots=True)
class Progress:
    """What a turn was taken for, what was found and composed for it, and what has come of it. `first_token` is in
    seconds; `told` is a reply that what was found does not decide."""

    found: Found
    prompt: Prompt
    opened_at: datetime
    thread: Thread
    lead: Lead
    told: str | None = None
    in_doubt: str | None = None
    """What is told in place of an answer that is in doubt."""
    lists: bool = False
    """Whether a list is wanted, in which nothing stands twice."""
    reply: str = ""
    tokens: tuple[int, ...] = ()
    first_token: float | None = None
    composed: float = 0.0
    """When the prompt stood, in seconds since the turn was asked for."""
    generation: Generation | None = None
    told_by_runtime: bool = False
    session_only: bool = False
    """Whether the message concerns the talk at hand only."""
    echo: Echo | None = None
    """What would be an echo of the message, where none is wanted."""
    states_facts: bool = False
    """Whether facts were found in the message, once its words are written."""
    is_cut: bool = False
    """Whether the reply ends where a stop sequence came."""
    question: AskBack | None = None
    """What is to be asked behind the reply."""
    asked_tokens: int = 0
    """Tokens of the question that was asked."""

    def forget_thread(self) -> None:
        """Nothing of what was talked of before may be written again: something of the owner's was forgotten."""
        self.thread.forget()
        self.lead = replace(self.lead, before=None)

    @property
    def intent(self) -> Intent:
        """What the turn is for."""
        return self.lead.intent

    @property
    def words_to_ask(self) -> str | None:
        """The question as it follows on a whole reply; None where there is none, or the runtime asked already."""
        whole = self.generation is not None and self.generation.finish is Finish.STOP and not self.is_cut
        asks = self.told_by_runtime and ends_asking(self.reply)
        return self.question.after(self.reply) if self.question is not None and whole and not asks else None

    @property
    def asked(self) -> AskBack | None:
        """The question that stands at the reply's end."""
        return self.question if self.asked_tokens else None

    @property
    def given(self) -> Given:
        """What the reply could be made with."""
        recalled = self.found.recalled
        is_told = self.told_by_runtime and self.told is None and self.found.asked is not None
        told = [each.unit.id for each in recalled if is_told and each.stage is Stage.RULE]
        return Given(self.prompt.window.units, [each.unit for each in recalled], told)

    @property
    def overhead(self) -> float | None:
        """Seconds from the prompt to the first token that the model did not evaluate in; None where the model did not
        make that token."""
        if self.told_by_runtime or self.generation is None or self.first_token is None:
            return None
        return self.first_token - self.composed - self.generation.prefill_seconds

    @property
    def unevaluated(self) -> int:
        """Tokens of prompt and reply that the model has not seen, or has seen behind others; and what the runtime
        asked."""
        assert self.generation is not None
        return self.asked_tokens + self.generation.unseen

    def kept(self, reply: str, encode: Callable[[str], Tokens]) -> tuple[Tokens, int]:
        """The reply's tokens as the window keeps them, and how many of them the model has not seen: those it made, or
        where something was taken out of `reply`, those of what is left."""
        if reply in ("", self.reply) and not self.is_cut:
            return self.tokens, self.unevaluated
        tokens = encode(reply)
        return tokens, len(tokens)

    @property
    def usage(self) -> Usage:
        """The tokens of a turn whose generation has ended."""
        prompt, generation = self.prompt, self.generation
        assert generation is not None
        return Usage(
            prompt=len(prompt.window.tokens),
            reused=generation.reused,
            evaluated=generation.evaluated,
            completion=len(self.tokens),
            memories=prompt.memory_tokens,
            appended=prompt.appended,
            in_time=prompt.in_time,
            gave_way=prompt.gave_way,
            rebuilt=prompt.rebuilt,
        )
