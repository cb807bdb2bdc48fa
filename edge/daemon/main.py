"""The composition root: makes every part, serves until told to stop, and ends them in order."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

from aiohttp import web

from edge import __version__
from edge.clock import Clock, SystemClock
from edge.daemon.client_faults import ClientFaults
from edge.daemon.door import IDLE_SECONDS, Door
from edge.daemon.embedders import Embedders
from edge.daemon.http import Service, make_app
from edge.daemon.index_folders import remove_first_form
from edge.daemon.indexes import Indexes
from edge.daemon.listening import BACKLOG, listen
from edge.daemon.memory import Memory
from edge.daemon.notify import Notifier
from edge.daemon.parts import (
    FileModels,
    Files,
    Models,
    background_threads,
    decay,
    lifespans,
    own_table,
    prompt_plan,
    read_rules,
    read_weights,
)
from edge.daemon.quiet import Quiet, noting_use
from edge.daemon.speaking import ModelHolder
from edge.daemon.status import Status
from edge.daemon.workers import ThreadWorker
from edge.engine.answers import Answers
from edge.engine.archive import Archive
from edge.engine.batches import Batches
from edge.engine.contexts import Contexts
from edge.engine.doubles import Doubles
from edge.engine.forgetting import Forgetting
from edge.engine.model_ports import Sampling, TextEmbedder
from edge.engine.opening import MemoryDesk
from edge.engine.past import Past
from edge.engine.recall import Limits, Recall
from edge.engine.remember import Remember
from edge.engine.serving import Serving
from edge.engine.speed import Speed
from edge.engine.topics import Topics
from edge.engine.truth import Doubts
from edge.engine.turn import Turns
from edge.engine.vector_ports import VectorIndex
from edge.engine.vectors import Vectors, embedder_key
from edge.errors import DiskFull, EdgeError, StoreReadOnly
from edge.index.opening import open_index
from edge.index.options import Options
from edge.memory.ranking import Ranker
from edge.memory.rules import Rules
from edge.places import make_private_folder
from edge.settings import Settings
from edge.store.sqlite import SqliteStore, open_store

_log = logging.getLogger(__name__)
_MEMORY_QUEUE = 256
"""Short requests that may wait for the memory thread; each takes milliseconds."""
_SHUTDOWN_SECONDS = 5.0


def run_daemon(settings: Settings, models: Models | None = None, clock: Clock | None = None) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit status. `models` and `clock` stand in for the real ones.

    Raises the EdgeError that keeps it from starting.
    """
    logging.basicConfig(
        level=settings.daemon.log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("aiohttp.server").addFilter(ClientFaults())
    clock = clock or SystemClock()
    os.umask(0o007)
    _make_folder(settings)
    asyncio.run(_serve(settings, models or FileModels(settings, clock), clock, os.environ))
    return 0


def _make_folder(settings: Settings) -> None:
    state = settings.places.state
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreReadOnly(f"The state folder {state} cannot be made: {error.strerror}.", path=str(state)) from error


async def _serve(settings: Settings, models: Models, clock: Clock, environ: Mapping[str, str]) -> None:
    notifier = Notifier(environ)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with running(settings, models, clock) as daemon:
        _log.info("edge %s serves on %s", __version__, settings.places.socket)
        notifier.ready(f"Serving on {settings.places.socket}")
        watchdog = asyncio.ensure_future(_keep_watch(notifier, daemon.workers))
        await stop.wait()
        _log.info("stopping")
        notifier.stopping()
        watchdog.cancel()


async def _keep_watch(notifier: Notifier, workers: tuple[ThreadWorker, ...]) -> None:
    if notifier.watchdog_seconds is None:
        return
    while all(worker.alive for worker in workers):
        notifier.alive()
        await asyncio.sleep(notifier.watchdog_seconds / 3)


class Daemon:
    """All parts of a daemon, made but not yet serving."""

    def __init__(
        self,
        settings: Settings,
        models: Models,
        clock: Clock,
        store: SqliteStore,
        rules: Rules,
        ranker: Ranker,
        workers: tuple[ThreadWorker, ThreadWorker],
    ) -> None:
        started = clock.monotonic()
        self.workers = memory_worker, model_worker = workers
        self.quiet = Quiet(clock)
        speed = Speed()
        self.memory = _memory(settings, models, clock, store, rules, ranker)
        self.speech = ModelHolder(model_worker, models.load_language, store, prompt_plan(settings, rules))
        contexts = Contexts(store.contexts, self.memory.remember)
        batches = Batches(store.batches, kept=timedelta(hours=settings.memory.batch_operation_hours))
        serving = Serving(store, store.archive, self.memory.archive)
        topics = Topics(store.topics, self.memory.vectors)
        self.turns = Turns(
            MemoryDesk(memory_worker, self.memory.recall, self.memory.remember, contexts, batches, serving, topics),
            Answers(rules, fast=settings.recall.fast_answers),
            model_worker,
            self.speech.speaker,
            clock,
            waiting=settings.daemon.queue,
            written=self.catch_up,
            speed=speed,
        )
        status = Status(
            settings, models.language_id, self.memory, memory_worker, self.turns, self.speech, speed,
            models.embedder_bytes, clock, started,
        )  # fmt: skip
        self.service = Service(
            memory=self.memory,
            memory_worker=memory_worker,
            indexes=Indexes(self.memory, memory_worker, self.catch_up),
            turns=self.turns,
            contexts=contexts,
            batches=batches,
            truth=store.truth,
            forgetting=Forgetting(store.forgetting, self.memory.recall, self.memory.vectors),
            speech=self.speech,
            status=status,
            sampling=_sampling(settings),
            recall_limit=settings.recall.limit,
            clock=clock,
            written=self.catch_up,
        )

    def catch_up(self) -> None:
        """Let the memory thread embed what was written, and so on, when it has nothing else to do."""
        self.workers[0].in_background(self.memory.wake)
        self.workers[0].in_background(self.memory.step)

    def rest(self) -> None:
        """Let the memory thread do what can wait until nobody uses the daemon."""
        self.workers[0].in_background(self.memory.seal)
        self.workers[0].in_background(self.memory.step)

    async def stop(self) -> None:
        """End turns, then the threads, each finishing its own part."""
        memory_worker, model_worker = self.workers
        await self.turns.close()
        await asyncio.to_thread(model_worker.close, self.speech.close)
        await asyncio.to_thread(memory_worker.close, self.memory.finish)


@asynccontextmanager
async def running(settings: Settings, models: Models, clock: Clock) -> AsyncIterator[Daemon]:
    """A daemon that serves on its socket while the block runs."""
    rules = await asyncio.to_thread(read_rules, own_table(settings))  # first: a mistake in it ends the start
    ranker = Ranker(await asyncio.to_thread(read_weights, settings))
    workers = ThreadWorker("memory", _MEMORY_QUEUE), ThreadWorker("model", settings.daemon.queue + 2)
    files = Files.inside(settings.places.state)
    store = await workers[0].run(partial(_open_store, files, clock))
    daemon = Daemon(settings, models, clock, store, rules, ranker, workers)
    app = make_app(daemon.service)
    app.middlewares.append(noting_use(daemon.quiet))
    runner = web.AppRunner(
        app,
        handler_cancellation=True,
        access_log=None,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        keepalive_timeout=IDLE_SECONDS,
    )
    make_private_folder(settings.places.socket, os.getuid())
    socket = listen(settings.places.socket, settings.daemon.group)
    await runner.setup()
    assert runner.server is not None
    listening = await asyncio.get_running_loop().create_unix_server(Door(runner.server), sock=socket, backlog=BACKLOG)
    loading = asyncio.ensure_future(_load(daemon))
    resting = asyncio.ensure_future(daemon.quiet.watch(daemon.rest))
    try:
        yield daemon
    finally:
        resting.cancel()
        await daemon.turns.close()
        await loading
        settings.places.socket.unlink(missing_ok=True)  # first: once it is closed, another daemon may take the path
        listening.close()
        await runner.cleanup()
        await daemon.stop()


async def _load(daemon: Daemon) -> None:
    """Embedder first: it takes a second, and then its share of the memory can be told from the model's.

    What goes wrong there was logged on its thread; the model is loaded all the same, and the end waits for this.
    """
    try:
        await daemon.workers[0].run(daemon.memory.ensure_vectors)
    except EdgeError as error:
        daemon.memory.embedder_error = error
    daemon.workers[0].in_background(daemon.memory.compile_rules)
    daemon.workers[0].in_background(daemon.memory.read_ahead)
    daemon.speech.start()
    daemon.catch_up()


def _open_store(files: Files, clock: Clock) -> SqliteStore:
    store = open_store(files.database, clock)
    try:
        left_open = store.recover(clock.now())
    except DiskFull as error:  # what is known can be asked all the same
        _log.warning("turns that were interrupted stay open until the next start: %s", error.message)
        return store
    if left_open:
        _log.warning("%d turns were interrupted when the daemon last ended", left_open)
    return store


def _close_store(store: SqliteStore) -> None:
    """Close it; a stop has the time to write a large database anew, where forgotten words may lie in unused pages."""
    try:
        store.remove_traces()
    except EdgeError as error:
        _log.warning("the database was not written anew: %s", error.message)
    try:
        store.close()
    except EdgeError as error:
        _log.warning("the newest memories stay in the database's -wal file until the next stop: %s", error.message)


def _memory(
    settings: Settings, models: Models, clock: Clock, store: SqliteStore, rules: Rules, ranker: Ranker
) -> Memory:
    vectors = Vectors()
    indexes = Files.inside(settings.places.state).indexes
    remove_first_form(indexes)
    wanted = settings.recall
    limits = Limits(wanted.candidates, wanted.limit, wanted.threshold, wanted.companions)
    return Memory(
        store=store,
        rules=rules,
        vectors=vectors,
        recall=Recall(store, rules, vectors, limits, clock, ranker=ranker, past=Past(store.truth, rules)),
        archive=Archive(store.archive, lifespans(settings.memory), decay(settings.memory, rules), clock),
        remember=Remember(store, rules, vectors, lifespans(settings.memory), Doubts(store.truth, rules)),
        doubles=Doubles(store, store.truth, store, vectors, clock),
        embedders=Embedders(models, store, vectors, indexes, partial(_open_index, settings, store)),
        close_store=partial(_close_store, store),
    )


def _open_index(settings: Settings, store: SqliteStore, folder: Path, embedder: TextEmbedder) -> VectorIndex:
    options = Options(
        threads=background_threads(settings),
        head_vectors=settings.index.head,
        build_bytes=settings.index.build_memory_mb << 20,
    )
    return open_index(folder, embedder_key(embedder), embedder.dimension, store, options)


def _sampling(settings: Settings) -> Sampling:
    model = settings.model
    return Sampling(
        max_tokens=model.reply_tokens,
        temperature=model.temperature,
        top_p=model.top_p,
        repeat_penalty=model.repeat_penalty,
    )
