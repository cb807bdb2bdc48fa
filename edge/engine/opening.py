"""How a turn opens: its topic, recall, and the prompt. None of its words are stored before that has come out well."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from edge.engine.batches import Batches
from edge.engine.contexts import Contexts
from edge.engine.health import Health
from edge.engine.intentions import Intentions
from edge.engine.model_ports import LanguageModel
from edge.engine.planning import Planning
from edge.engine.ports import Scope, Worker
from edge.engine.progress import Progress
from edge.engine.remember import Remember
from edge.engine.running import RunningTurn
from edge.engine.serving import Serving
from edge.engine.speed import Pace
from edge.engine.topics import Thread, Topics
from edge.engine.whether import Whether
from edge.engine.windows import Windows
from edge.errors import EdgeError
from edge.memory.echoes import echo_of
from edge.memory.intents import Intent
from edge.memory.plans import Hint
from edge.prompt.replies import ACKNOWLEDGEMENTS


@dataclass(frozen=True, slots=True)
class Speaker:
    """A loaded model and the windows in its tokens."""

    model: LanguageModel
    windows: Windows


@dataclass(frozen=True, slots=True)
class MemoryDesk:
    """What the memory thread does for a turn."""

    worker: Worker
    planning: Planning
    remember: Remember
    contexts: Contexts
    batches: Batches
    serving: Serving
    topics: Topics
    intentions: Intentions
    whether: Whether
    pace: Pace
    health: Health

    def open(
        self, turn: RunningTurn, windows: Windows, at: datetime, since: float, intent: Intent | None = None
    ) -> Progress:
        """Recall for a turn, and compose its prompt. A refusal (PromptTooLong) takes back what became of the topic, so
        that it changes nothing. The time to the first token is counted from `since`, on the monotonic clock. The turn
        is for `intent`, else for what the rules say."""
        turn.hide_secrets()
        scope = Scope(turn.owner, turn.session, at, present=True)
        thread = self.topics.turn_to(scope, turn.message)
        try:
            return self._composed(turn, windows, scope, thread, since, intent)
        except EdgeError:
            self.topics.turn_back(scope, thread)
            raise

    def _composed(
        self,
        turn: RunningTurn,
        windows: Windows,
        scope: Scope,
        thread: Thread,
        since: float,
        intent: Intent | None,
    ) -> Progress:
        lead = self.intentions.lead(turn.owner, thread, turn.message, intent)
        planned = self.planning.find(scope, turn.message, lead)
        found = planned.found
        prompt = windows.prepare(
            scope,
            turn.message,
            planned.told,
            nothing=found.nothing_to_go_on,
            execution=self.contexts.execution(turn.owner, turn.session, turn.context),
            shift=thread.shift,
            back=thread.units,
            in_time=self.pace.tokens(since),
            manner=planned.manner,
            instructions=turn.terms.instructions,
        )
        told = self.batches.told(scope, turn.message)
        if told is None and (told := self.whether.told(scope, turn.message)) is not None:
            told = planned.in_doubt or told
        echo = echo_of(turn.message, windows.heard(scope), ACKNOWLEDGEMENTS)
        lists = planned.manner.hint is Hint.ALL
        doubt = planned.in_doubt
        return Progress(found, prompt, scope.as_of, thread, lead, told=told, in_doubt=doubt, lists=lists, echo=echo)
