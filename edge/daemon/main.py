"""The process: has the daemon made, serves until told to stop, and ends in order."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import web

from edge import __version__
from edge.allocator import bound_arenas
from edge.clock import Clock, SystemClock
from edge.daemon.assembly import Daemon, open_database
from edge.daemon.board import Board
from edge.daemon.client_faults import ClientFaults
from edge.daemon.door import IDLE_SECONDS, Door
from edge.daemon.http import make_app
from edge.daemon.listening import BACKLOG, listen
from edge.daemon.metrics import figures_of
from edge.daemon.notify import Notifier
from edge.daemon.parts import FileModels, Models, off_peak, own_table, read_rules, read_weights
from edge.daemon.quiet import noting_use
from edge.daemon.textfile import Textfile, textfile_path
from edge.daemon.workers import ThreadWorker
from edge.errors import EdgeError, StoreReadOnly
from edge.memory.ranking import Ranker
from edge.places import make_private_folder
from edge.settings import Settings

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
    bound_arenas()
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


@asynccontextmanager
async def running(
    settings: Settings, models: Models, clock: Clock, board: Board | None = None
) -> AsyncIterator[Daemon]:
    """A daemon that serves on its socket while the block runs. `board` stands in for this machine's."""
    textfile = textfile_path(settings.health)
    hours = off_peak(settings.offpeak)  # first, and what follows: a mistake in it ends the start
    rules = await asyncio.to_thread(read_rules, own_table(settings))
    ranker = Ranker(await asyncio.to_thread(read_weights, settings))
    workers = ThreadWorker("memory", _MEMORY_QUEUE), ThreadWorker("model", settings.daemon.queue + 2)
    store = await workers[0].run(partial(open_database, settings, clock))
    daemon = Daemon(settings, models, clock, store, rules, ranker, workers, hours, board or Board())
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
    watches = [daemon.schedule.watch, daemon.unloading.watch]
    figures = None if textfile is None else Textfile(textfile, partial(figures_of, daemon.health))
    watching = [asyncio.ensure_future(watch()) for watch in (*watches, *([figures.watch] if figures else []))]
    try:
        yield daemon
    finally:
        await daemon.schedule.close()
        for watch in watching:
            watch.cancel()
        if figures is not None:
            figures.remove()
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
