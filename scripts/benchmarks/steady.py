"""Whether a daemon keeps its size over a day: many mixed turns on a clock that jumps, with the real embedder and a
scripted model, so that what grows is the runtime's own."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

import click

from edge.allocator import bound_arenas, give_back_freed
from edge.client.calls import Client
from edge.client.events import Done
from edge.daemon.assembly import Daemon
from edge.daemon.main import running
from edge.daemon.resident import resident_bytes
from edge.engine.events import TurnDone, TurnFailed
from edge.engine.model_ports import LanguageModel, Sampling, TextEmbedder
from edge.errors import ModelMissing
from edge.memory.units import OwnerId, SessionId
from edge.settings import Settings
from scripts.benchmarks import made_up
from scripts.benchmarks.memory import current_settings, real_embedder
from scripts.benchmarks.pace import fill
from scripts.benchmarks.private_memory import private_bytes
from scripts.benchmarks.report import Report, Table
from scripts.benchmarks.script import turns
from tests.fakes.clock import SetClock
from tests.fakes.language_model import ScriptedModel

GUEST = OwnerId("guest")
LEVEL = 200
"""Turns after which it is to be as large as it gets: models, tables, and the first of everything are in memory."""
_EVERY = 100
_NIGHT = 500
_TIDY_SECONDS = 60.0
_SESSIONS = 3
_SESSION_TURNS = 40
_SEED = 11
_REPLIES = (
    "I see.",
    "Got it, that is good to know.",
    "好的，我知道了。",
    "I cannot say more about that. Is there anything else?",
)
_ASIDE = (
    "Good morning!", "Thanks, that helps.", "Yes.", "How far are you?", "From now on always answer in metric units.",
    "My phone number is now 0151 20{n:06d}.", "No, it's 0151 30{n:06d}.", "I live in {city}.", "I like {thing}s.",
    "Different topic: the {thing}.", "I no longer like tea.", "Plan a weekend around the place where I live.",
    "早上好！", "谢谢你。", "是的。", "进度如何？", "以后都用摄氏度。", "我的订单号是DD{n:06d}。",
    "不对，是DE{n:06d}。", "我住在{zh_city}。", "我喜欢{zh_thing}。", "换个话题，说说{zh_thing}。",
    "我不再喝咖啡了。", "帮我总结一下我最近做了什么。",
)  # fmt: skip
_CITIES = ("Bonn", "Kiel", "Jena", "Trier", "Mainz")
_ZH_CITIES = ("杭州", "成都", "西安", "厦门", "青岛")
_THINGS = ("lamp", "kettle", "violin", "ladder", "camera")
_ZH_THINGS = ("台灯", "水壶", "书架", "梯子", "相机")


@dataclass(frozen=True, slots=True)
class Sample:
    """How large the process is after so many turns: resident bytes, those of them that no file stands behind, and units
    in memory."""

    turn: int
    resident: int
    private: int
    units: int


@dataclass(slots=True)
class SteadyModels:
    """The scripted model and an embedder, as a daemon asks for them."""

    embedder: TextEmbedder
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(_reply))

    def language_id(self) -> str:
        return self.model.id

    def load_language(self) -> LanguageModel:
        return self.model.opened()

    def language_setup(self) -> str:
        return self.model.id

    def tried(self, model: LanguageModel) -> float | None:  # noqa: ARG002 - the protocol has it
        return None

    def load_embedder(self) -> TextEmbedder:
        return self.embedder

    def load_former(self, embedder_id: str, dimension: int) -> TextEmbedder:  # noqa: ARG002
        raise ModelMissing(f"{embedder_id} is not here.")

    def embedder_bytes(self) -> int:
        return 0


def _reply(prompt: str) -> str:
    return _REPLIES[len(prompt) % len(_REPLIES)]


@dataclass(slots=True)
class Steady:
    """A daemon in this process that is talked to over its socket, as its own user, and by a guest."""

    daemon: Daemon
    client: Client
    clock: SetClock
    models: SteadyModels
    tidied: float = 0.0

    async def say(self, number: int, message: str, gap: float) -> None:
        """A turn, `gap` seconds after the last, in one of the sessions that go on at the time."""
        self.clock.pass_by(seconds=gap)
        session = f"talk-{number // (_SESSIONS * _SESSION_TURNS)}-{number % _SESSIONS}"
        if number % 4 == 3:
            await self._as_guest(SessionId(session), message)
        else:
            await asyncio.to_thread(self._over_the_socket, session, message)
        if self.clock.monotonic() - self.tidied >= _TIDY_SECONDS:
            self.tidied = self.clock.monotonic()
            self.daemon.tidy()  # as the schedule does by the time that really passes
        model = self.models.model  # what the fake keeps for tests
        model.prompts.clear()
        model.samplings.clear()
        model.aside.clear()

    def _over_the_socket(self, session: str, message: str) -> None:
        with self.client.turn(session, message) as turn:
            if not any(isinstance(event, Done) for event in turn):
                raise click.ClickException(f"The turn {message!r} did not end.")

    async def _as_guest(self, session: SessionId, message: str) -> None:
        turn = self.daemon.turns.start(GUEST, session, message, Sampling(max_tokens=200))
        ends = []
        while (event := await turn.events.get()) is not None:
            if isinstance(event, TurnFailed):
                raise event.error
            ends += [event] if isinstance(event, TurnDone) else []
        if not ends:
            raise click.ClickException(f"The turn {message!r} did not end.")

    async def night(self) -> None:
        """All off-peak steps, as asked for."""
        await asyncio.to_thread(self._night)

    def _night(self) -> None:
        with self.client.consolidate(now=True) as events:
            for _ in events:
                pass

    async def settle(self) -> None:
        """All background work is done."""
        while await self.daemon.workers[0].run(self.daemon.memory.step):
            pass

    async def sample(self, turn: int) -> Sample:
        """How large it is at rest, as the daemon is a minute after a turn."""
        await self.settle()
        await self.daemon.workers[0].run(give_back_freed)
        status = await asyncio.to_thread(self.client.status)
        return Sample(turn, resident_bytes(), private_bytes(), status["counts"]["units"])


@asynccontextmanager
async def steady(settings: Settings, embedder: TextEmbedder) -> AsyncIterator[Steady]:
    """The daemon while the block runs."""
    models, clock = SteadyModels(embedder), SetClock()
    settings.places.state.mkdir(mode=0o700, exist_ok=True)
    async with running(settings, models, clock) as daemon:
        await daemon.workers[0].run(daemon.memory.ensure_vectors)
        await daemon.speech.speaker()
        for work in (daemon.memory.compile_rules, daemon.memory.read_ahead):
            while await daemon.workers[0].run(work):
                pass
        yield Steady(daemon, Client(settings.places.socket), clock, models)


def messages(count: int) -> list[str]:
    """Mixed turns in two languages: things told and asked, corrections, courtesies, contradictions, changes of subject,
    and now and then a pasted page. The same ones each time."""
    chance = random.Random(_SEED)
    told, asked = made_up.own_doings(count, _SEED), made_up.questions(count, _SEED)
    script = turns(count)
    mixed = []
    for number in range(count):
        if number % 200 == 150:
            mixed.append("\n".join(told[number % 50 :][:100]))
        elif number % 5 == 4:
            mixed.append(
                chance.choice(_ASIDE).format(
                    n=number, city=chance.choice(_CITIES), zh_city=chance.choice(_ZH_CITIES),
                    thing=chance.choice(_THINGS), zh_thing=chance.choice(_ZH_THINGS),
                )
            )  # fmt: skip
        else:
            mixed.append((told, asked, told, script)[number % 4][number])
    return mixed


async def play(settings: Settings, embedder: TextEmbedder, count: int, hours: float, every: int) -> list[Sample]:
    """Turns over so many hours of the clock; a sample each `every` turns."""
    samples = []
    async with steady(settings, embedder) as talk:
        for number, message in enumerate(messages(count)):
            await talk.say(number, message, hours * 3600 / count)
            if number % _NIGHT == _NIGHT - 1:
                await talk.night()
            if (number + 1) % every == 0:
                samples.append(await talk.sample(number + 1))
                click.echo(samples[-1], err=True)
    return samples


def measure_steady(count: int, hours: float, units: int) -> Report:
    """The turns, on a memory of so many made-up units, with the real embedder."""
    bound_arenas()
    with tempfile.TemporaryDirectory(prefix="edge-bench-") as folder:
        settings = _settings(Path(folder))
        if units:
            filling = get_context("spawn").Process(target=fill, args=(settings.places.state, units))
            filling.start()  # a process of its own: what it takes is not the daemon's
            filling.join()
        samples = asyncio.run(play(settings, real_embedder(), count, hours, _EVERY))
    return report_of(samples, hours)


def _settings(folder: Path) -> Settings:
    """The defaults, with a state of their own."""
    places = replace(current_settings().places, state=folder / "state", socket=folder / "socket")
    return Settings(places=places)


def report_of(samples: Sequence[Sample], hours: float) -> Report:
    """How much the process grew once it was level."""
    level = next((sample for sample in samples if sample.turn >= LEVEL), samples[0])
    largest = max((sample for sample in samples if sample.turn >= level.turn), key=lambda sample: sample.resident)
    rows = [
        [sample.turn, sample.units, sample.resident / 1e6, sample.private / 1e6, sample.resident / level.resident - 1]
        for sample in samples
    ]
    columns = ("turns", "units", "resident MB", "private MB", "growth")
    report = Report("steady", [Table(f"Size over {hours:g} hours of the clock", columns, rows)])
    report.figures = {
        "resident after the first turns, MB": level.resident / 1e6,
        "resident at the end, MB": samples[-1].resident / 1e6,
        "growth at the end": samples[-1].resident / level.resident - 1,
        "growth at its largest": largest.resident / level.resident - 1,
    }
    return report
