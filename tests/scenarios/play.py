"""Plays a scenario on all parts of a daemon, with a clock that moves when the script says so."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from edge.daemon.assembly import Daemon
from edge.daemon.main import running
from edge.engine.events import RecallDone, TokenMade, TurnDone, TurnFailed
from edge.engine.forgetting import Wanted
from edge.engine.model_ports import Sampling
from edge.engine.ports import Scope, Written
from edge.memory.archive import Why
from edge.memory.language import language_of
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, Unit
from tests.e2e.running import environment, settings_of
from tests.fakes.clock import SetClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.language_model import ScriptedModel
from tests.scenarios.models import Mode, OfScenario, RealModels
from tests.scenarios.script import SETTINGS, Check, Script, Step
from tests.scenarios.watching import LogLines, Watch, audited

ANN = OwnerId("uid:1000")
MAIN = SessionId("main")
SMALL_TALK = {
    "en": (
        "The weather is fine today.", "I walked along the river.", "The museum was closed.", "Trains are fun.",
        "That film was a bit long.", "Good morning!", "I had soup for lunch.", "The garden looks nice.",
        "It rained all night.", "Thanks, that helps.",
    ),
    "zh": (
        "今天天气不错。", "我沿着河边散了步。", "博物馆关门了。", "火车真有意思。", "那部电影有点长。", "早上好！",
        "中午喝了汤。", "花园看起来很美。", "下了一整夜雨。", "谢谢，很有帮助。",
    ),
}  # fmt: skip


@dataclass(slots=True)
class Seen:
    """What is known after a step: of a turn, its end and its prompt; of anything that writes, what was written."""

    done: TurnDone | None = None
    prompt: str = ""
    written: tuple[int, ...] = ()


@dataclass(slots=True)
class Player:
    """A scenario under way."""

    script: Script
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    mode: Mode = Mode.SCRIPTED
    real: RealModels | None = None
    models: OfScenario = field(init=False)
    clock: SetClock = field(default_factory=SetClock)
    owner: OwnerId = ANN
    session: SessionId = MAIN
    seen: Seen = field(default_factory=Seen)
    replies: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    watch: Watch = field(default_factory=Watch)
    context: dict[str, object] = field(default_factory=dict)
    log: LogLines = field(default_factory=LogLines)

    async def play(self) -> list[str]:
        """What was not as the script says it must be."""
        self._set_the_scene()
        self.models = self._make_models()
        async with AsyncExitStack() as stack:
            stack.enter_context(self.log)
            daemon = await self._start(stack)
            for step in self.script.steps:
                if step.sign == "!" and step.text == "restart":
                    await stack.aclose()
                    stack.enter_context(self.log)
                    daemon = await self._start(stack)
                else:
                    await self._take(daemon, step)
                for check in step.checks:
                    await self._check(daemon, check)
        return self.faults

    # --- the scene -------------------------------------------------------------------------------------------------

    def _set_the_scene(self) -> None:
        zone = self.script.settings.get("zone", "UTC")
        self.monkeypatch.setenv("TZ", zone)
        time.tzset()
        self.clock.set(self._moment(self.script.settings.get("start", "2026-05-03 12:00")))

    def _moment(self, text: str) -> datetime:
        zone = ZoneInfo(self.script.settings.get("zone", "UTC"))
        return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=zone).astimezone(UTC)

    async def _start(self, stack: AsyncExitStack) -> Daemon:
        own = {name: value for name, value in self.script.settings.items() if name not in SETTINGS}
        variables = {f"EDGE_{name.replace('.', '_').upper()}": value for name, value in own.items()}
        if self.mode is Mode.WORDED:
            variables["EDGE_RECALL_FAST_ANSWERS"] = "false"
        settings = settings_of(environment(self.folder, **variables))
        daemon = await stack.enter_async_context(running(settings, self.models, self.clock))
        await daemon.workers[0].run(daemon.memory.ensure_vectors)
        await daemon.speech.speaker()
        return daemon

    def _make_models(self) -> OfScenario:
        if self.mode is Mode.SCRIPTED:
            model = ScriptedModel(lambda prompt: self._next_reply() or "I see.")
            is_real = self.script.settings.get("embedder") == "real"
            return OfScenario(model, self._real_models.embedder if is_real else HashEmbedder())
        return OfScenario(self._real_models.heard(self._next_reply), self._real_models.embedder)

    @property
    def _real_models(self) -> RealModels:
        assert self.real is not None, "a scenario with real models was not given them"
        return self.real

    def _next_reply(self) -> str | None:
        return self.replies.pop() if self.replies else None

    # --- what happens ----------------------------------------------------------------------------------------------

    async def _take(self, daemon: Daemon, step: Step) -> None:
        if step.sign == ">":
            await self._say(daemon, step.text, step.reply)
        elif step.sign == "+":
            count, _, unit = step.text.partition(" ")
            self.clock.pass_by(**{unit if unit.endswith("s") else f"{unit}s": float(count)})
        elif step.sign == "=":
            self.clock.set(self._moment(step.text))
        elif step.sign == "@":
            what, _, name = step.text.partition(" ")
            self.owner = OwnerId(name) if what == "owner" else self.owner
            self.session = SessionId(name) if what == "session" else self.session
        else:
            await self._act(daemon, step.text)

    async def _act(self, daemon: Daemon, text: str) -> None:
        name, _, rest = text.partition(" ")
        if name == "small":
            language = language_of(self.script.title)
            for words in islice(cycle(SMALL_TALK[language]), int(rest.removeprefix("talk "))):
                await self._say(daemon, words, None, most=self._most // 4)
        else:
            act = {
                "context": self._set_context, "remember": self._remember, "draft": self._draft, "batch": self._batch,
                "forget": self._forget, "archive": self._archive,
            }[name]  # fmt: skip
            await daemon.workers[0].run(lambda: act(daemon, rest))
        await self._settle(daemon)

    def _set_context(self, daemon: Daemon, text: str) -> None:
        """What an agent's request sets."""
        self.context = json.loads(text)
        self._note(daemon.service.contexts.replace(self.owner, self.session, self.context, self.clock.now()))

    def _remember(self, daemon: Daemon, text: str) -> None:
        """As `edge remember`, in the session."""
        self._note(daemon.memory.remember.statement(self.owner, self.session, text, self.clock.now()))

    def _draft(self, daemon: Daemon, text: str) -> None:
        """A unit as a request gives it, in JSON."""
        given = json.loads(text)
        until = given.pop("valid_until", None)
        draft = Draft(
            Kind(given.pop("kind")),
            source=Source(given.pop("source", "user")),
            valid_until=None if until is None else self._moment(until),
            **given,
        )
        self._note(daemon.memory.remember.drafts(self.owner, self.session, [draft], self.clock.now()))

    def _batch(self, daemon: Daemon, text: str) -> None:
        """`begin 10 Adding contacts`, `done 3`, `failed 4 no such address`: of the session's only batch."""
        batches, now = daemon.service.batches, self.clock.now()
        what, _, rest = text.partition(" ")
        number, _, words = rest.partition(" ")
        if what == "begin":
            batches.begin(self.owner, self.session, "task", words, int(number), now)
            return
        (batch,) = batches.page(self.owner, self.session, None, None, 9).batches
        if what == "done":
            batches.advance(self.owner, batch.id, int(number), now)
        else:
            batches.fail(self.owner, batch.id, int(number), words, now)

    def _forget(self, daemon: Daemon, text: str) -> None:
        """All that holds these words, and what went with it."""
        daemon.service.forgetting.forget(self.owner, Wanted(query=text), None, self.clock.now())
        daemon.speech.forget(self.owner)

    def _archive(self, daemon: Daemon, text: str) -> None:
        """The visible units that hold this text."""
        now = self.clock.now()
        page = daemon.memory.store.page(
            self.owner, session=None, kinds=None, before=None, limit=10**6, as_of=now, include_past=False
        )
        ids = [unit.id for unit in page.units if _holds(unit.content, text)]
        daemon.memory.archive.put_away(self.owner, ids, Why.BY_HAND, now)

    def _note(self, written: Written) -> None:
        self.seen = Seen(written=tuple(map(int, written.added)))

    @property
    def _most(self) -> int:
        """Tokens of a reply."""
        return 200 if self.mode is Mode.SCRIPTED else 32

    async def _say(self, daemon: Daemon, words: str, reply: str | None, most: int | None = None) -> None:
        """A turn, a minute after what was before."""
        self.clock.pass_by(minutes=1)
        self.replies = [] if reply is None else [reply]
        turn = daemon.turns.start(self.owner, self.session, words, Sampling(max_tokens=most or self._most))
        while (event := await turn.events.get()) is not None:
            if isinstance(event, TurnFailed):
                raise event.error
            if isinstance(event, TurnDone):
                self.seen = Seen(event, self._prompt, tuple(map(int, event.remembered)))
                await self._look(daemon, words, event)
            assert isinstance(event, RecallDone | TokenMade | TurnDone)
        await self._settle(daemon)

    async def _look(self, daemon: Daemon, words: str, done: TurnDone) -> None:
        """What must hold in every turn."""
        units = await self._units(daemon, past=True)
        scope = Scope(self.owner, self.session, self.clock.now(), present=True)
        store = daemon.memory.store
        found = await daemon.workers[0].run(lambda: list(self.watch.faults(store, scope, words, done, units)))
        found += audited(self.models.model, self.context, units, self.log.lines)
        self.faults += [f"turn {words!r}: {fault}" for fault in found]

    @property
    def _prompt(self) -> str:
        """What the model was given in the last turn."""
        model = self.models.model
        return model.tokenizer.decode(model.prompts[-1]).decode(errors="replace")

    async def _settle(self, daemon: Daemon) -> None:
        """All background work is done."""
        while await daemon.workers[0].run(daemon.memory.step):
            pass

    # --- what must be seen -----------------------------------------------------------------------------------------

    async def _check(self, daemon: Daemon, check: Check) -> None:
        if self._is_passed_over(check):
            return
        found = await self._found(daemon, check)
        if any(_holds(text, check.value) for text in found) is not check.wanted:
            said = "is missing" if check.wanted else "is there"
            self.faults.append(f"line {check.line}: {check.name} {check.value!r} {said} in {list(found)}")

    def _is_passed_over(self, check: Check) -> bool:
        """What a scripted model says is no finding; and a model that words all must word what the runtime would say."""
        if check.name == "says":
            return self.mode is Mode.SCRIPTED and self.seen.done is not None and not self.seen.done.told_by_runtime
        return check.name == "by" and self.mode is Mode.WORDED

    async def _found(self, daemon: Daemon, check: Check) -> Sequence[str]:
        done = self.seen.done
        if check.name in ("unit", "history", "count", "remembered"):
            units = await self._units(daemon, past=check.name in ("history", "remembered"))
            return self._of_units(check, units)
        assert done is not None, "there was no turn"
        return {
            "reply": [done.reply],
            "says": [done.reply],
            "by": ["runtime" if done.told_by_runtime else "model"],
            "prompt": [self.seen.prompt.rpartition("\nuser\n")[2]],
            "window": [self.seen.prompt],
            "recalled": [recalled.unit.content for recalled in done.found.recalled],
            "first": [recalled.unit.content for recalled in done.found.recalled[:1]],
        }[check.name]

    def _of_units(self, check: Check, units: Sequence[Unit]) -> Sequence[str]:
        now = self.clock.now()
        if check.name == "count":
            return [str(len(units))]
        if check.name == "remembered":
            units = [unit for unit in units if unit.id in self.seen.written]
        if check.name == "history":
            units = [unit for unit in units if _is_past(unit, now)]
        return [text for unit in units for text in (unit.content, f"{unit.slot} = {unit.value}")]

    async def _units(self, daemon: Daemon, *, past: bool) -> Sequence[Unit]:
        """All units of the owner, or those that a turn of the session may be given."""
        store, owner, now = daemon.memory.store, self.owner, self.clock.now()
        page = await daemon.workers[0].run(
            lambda: store.page(owner, session=None, kinds=None, before=None, limit=10**6, as_of=now, include_past=True)
        )
        if past:
            return page.units
        scope = Scope(owner, self.session, now, present=True)
        visible = await daemon.workers[0].run(lambda: store.units(scope, [unit.id for unit in page.units]))
        return list(visible.values())


def _is_past(unit: Unit, now: datetime) -> bool:
    ended = unit.valid_until is not None and unit.valid_until <= now
    return ended or unit.superseded_by is not None or unit.archived_at is not None


def _holds(text: str, wanted: str) -> bool:
    if wanted.isdigit() and text.isdigit():
        return wanted == text
    return wanted.casefold() in text.casefold()
