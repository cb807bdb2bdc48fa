"""The composition root: makes every part of a daemon, over the store, the index and the models."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from functools import partial
from pathlib import Path

from edge.allocator import give_back_freed
from edge.clock import Clock
from edge.daemon.board import Board
from edge.daemon.embedders import Embedders
from edge.daemon.figures import TurnFigures
from edge.daemon.health import HealthReader
from edge.daemon.hindrances import Conditions, OffPeak
from edge.daemon.http import Service
from edge.daemon.index_folders import remove_first_form
from edge.daemon.indexes import Indexes
from edge.daemon.memory import Memory
from edge.daemon.offpeak import Schedule
from edge.daemon.parts import Files, Models, background_threads, decay, lifespans, prompt_plan, sampling, thresholds
from edge.daemon.quiet import Quiet
from edge.daemon.speaking import ModelHolder
from edge.daemon.speeds import SpeedFile, SpeedKeeper
from edge.daemon.status import Status
from edge.daemon.unloading import Unloading
from edge.daemon.workers import ThreadWorker
from edge.engine.answers import Answers
from edge.engine.archive import Archive
from edge.engine.batches import Batches
from edge.engine.cleaning import Cleaning
from edge.engine.clustering import Clustering
from edge.engine.clusters import Clusters
from edge.engine.cold import Cold
from edge.engine.consolidate import Budget, Consolidation
from edge.engine.contexts import Contexts
from edge.engine.distilling import Distilling
from edge.engine.doubles import Doubles
from edge.engine.evolving import Evolving
from edge.engine.forgetting import Copies, Forgetting
from edge.engine.forgetting_all import ForgettingAll
from edge.engine.health import Health
from edge.engine.housekeeping import BackupStep, Job
from edge.engine.intent_asking import IntentAsking
from edge.engine.intentions import Intentions
from edge.engine.merging import Merging
from edge.engine.model_ports import LanguageModel, TextEmbedder
from edge.engine.nights import Nights
from edge.engine.offpeak import Interrupts, Step
from edge.engine.opening import MemoryDesk
from edge.engine.past import Past
from edge.engine.planning import Planning
from edge.engine.recall import Limits, Recall
from edge.engine.remember import Remember
from edge.engine.serving import Serving
from edge.engine.speed import Pace, Speed
from edge.engine.topics import Topics
from edge.engine.transfer import Transfer
from edge.engine.truth import Doubts
from edge.engine.turn import Turns
from edge.engine.vector_ports import VectorIndex
from edge.engine.vectors import Vectors, embedder_key
from edge.engine.whether import Whether
from edge.errors import DiskFull, EdgeError
from edge.index.opening import open_index
from edge.index.options import Options
from edge.memory.nights import StepName
from edge.memory.ranking import Ranker
from edge.memory.rules import Rules
from edge.models.kv_files import KvFiles
from edge.settings import OffPeakSettings, Settings
from edge.store.backups import FileBackups
from edge.store.sqlite import SqliteStore, open_store

_log = logging.getLogger(__name__)


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
        hours: OffPeak,
        board: Board,
    ) -> None:
        started = clock.monotonic()
        self.workers = memory_worker, model_worker = workers
        self.quiet = Quiet(clock)
        interrupts = Interrupts()
        speed, figures = Speed(), TurnFigures()
        self.speeds = SpeedKeeper(speed, SpeedFile(Files.inside(settings.places.state).speeds), models)
        self.memory = _memory(settings, models, clock, store, rules, ranker)
        self.speech = ModelHolder(
            model_worker, self.speeds.load, store, prompt_plan(settings, rules), _kept_windows(settings), clock
        )
        contexts = Contexts(store.contexts, self.memory.remember)
        batches = Batches(store.batches, rules.progress, kept=timedelta(hours=settings.memory.batch_operation_hours))
        serving = Serving(store, store.archive, self.memory.archive, rules.assent)
        topics = Topics(store.topics, self.memory.vectors)
        pace = Pace(speed, settings.prompt.target_first_token, clock)
        whether = Whether(store, store.truth, rules, fast=settings.recall.fast_answers)
        self.turns = Turns(
            MemoryDesk(
                memory_worker,
                Planning(self.memory.recall, store, store.truth, rules, settings.recall.limit),
                self.memory.remember,
                contexts,
                batches,
                serving,
                topics,
                Intentions(store.intents, rules),
                whether,
                pace,
                Health(store.health, rules.amnesia),
            ),
            Answers(rules, fast=settings.recall.fast_answers),
            model_worker,
            self.speech.speaker,
            clock,
            waiting=settings.daemon.queue,
            written=self.catch_up,
            speed=speed,
            interrupts=interrupts,
            is_freed=lambda: self.speech.is_freed,
            asking=IntentAsking(rules, model_worker, pace, wanted=settings.recall.ask_model),
            ended=figures.ended,
        )
        conditions = Conditions(hours, self.quiet, interrupts, board, clock)
        backups = _backups(settings, clock)
        self.schedule = self._schedule(settings, store, backups, clock, interrupts, conditions)
        self.unloading = Unloading(
            self.speech,
            settings.model.unload_seconds,
            lambda: self.turns.depth > 0 or self.schedule.is_working,
            clock,
        )
        copies = Copies(self.speech.forget_kept, self.speech.forget, self.memory.vectors, self.memory.forgot)
        status = Status(
            settings, models.language_id, self.memory, memory_worker, self.turns, self.speech, speed,
            self.schedule, models.embedder_bytes, clock, started,
        )  # fmt: skip
        self.health = HealthReader(status, store.health, store.nights, figures, board, clock)
        self.service = Service(
            memory=self.memory,
            memory_worker=memory_worker,
            indexes=Indexes(self.memory, memory_worker, self.catch_up),
            turns=self.turns,
            contexts=contexts,
            batches=batches,
            clusters=Clusters(store.clusters),
            truth=store.truth,
            forgetting=Forgetting(store, store.forgetting, self.memory.recall, copies),
            forgetting_all=ForgettingAll(store.owners, copies),
            backups=backups,
            transfer=Transfer(store.transfer),
            status=status,
            health=self.health,
            model_name=status.model_name,
            schedule=self.schedule,
            sampling=sampling(settings.model),
            recall_limit=settings.recall.limit,
            clock=clock,
            written=self.catch_up,
        )

    def catch_up(self) -> None:
        """Let the memory thread embed what was written, and so on, when it has nothing else to do."""
        self.workers[0].in_background(self.memory.wake)
        self.workers[0].in_background(self.memory.step)
        self.workers[0].in_background(self.speeds.keep)

    def tidy(self) -> None:
        """Let the memory thread do what was put off a moment ago, and give back what turns have freed."""
        self.workers[0].in_background(self.memory.tidy)
        self.workers[0].in_background(_give_back)

    def _schedule(
        self, settings: Settings, store: SqliteStore, backups: FileBackups, clock: Clock, interrupts: Interrupts,
        conditions: Conditions,
    ) -> Schedule:  # fmt: skip
        memory_worker, model_worker = self.workers
        steps = self._steps(settings.offpeak, store, backups, interrupts, clock)
        budget = Budget(settings.offpeak.budget_minutes * 60, settings.offpeak.budget_tokens)
        names = [step.name for step in steps]
        return Schedule(
            Nights(store.nights, backups, names, thresholds(settings.offpeak), clock),
            Consolidation(store.nights, memory_worker, steps, self._model, model_worker, interrupts, clock, budget),
            conditions,
            interrupts,
            memory_worker,
            clock,
            meanwhile=self.tidy,
        )

    def _steps(
        self, settings: OffPeakSettings, store: SqliteStore, backups: FileBackups, interrupts: Interrupts, clock: Clock
    ) -> tuple[Step, ...]:
        """What a night is made of, in the order of StepName."""
        memory_worker = self.workers[0]
        return (
            Job(StepName.BACKLOG, memory_worker, self.memory.embed_some, "embedded"),
            Distilling(memory_worker, store, store.distilling, self.memory.remember, clock, self.catch_up),
            Clustering(memory_worker, store, store.clusters, store.readings, clock),
            Merging(memory_worker, store.merging, store.clusters, clock),
            Evolving(memory_worker, store.evolving, store.clusters, clock),
            Cleaning(memory_worker, store.nights, store.archive, thresholds(settings), clock),
            Cold(memory_worker, store.cold, timedelta(days=settings.cold_days), clock),
            Job(StepName.SEAL, memory_worker, self.memory.seal, "steps"),
            Job(StepName.TEXT, memory_worker, store.merge_text, "merges"),
            Job(StepName.CHECKPOINT, memory_worker, partial(_checkpoint, store), "checkpoints"),
            BackupStep(backups, interrupts),
        )

    async def _model(self) -> LanguageModel:
        return (await self.speech.speaker()).model

    async def stop(self) -> None:
        """End off-peak work and turns, then the threads, each finishing its own part."""
        memory_worker, model_worker = self.workers
        await self.schedule.close()
        await self.turns.close()
        await asyncio.to_thread(model_worker.close, self.speech.close)
        await asyncio.to_thread(memory_worker.close, self._finish)

    def _finish(self) -> None:
        self.speeds.keep()
        self.memory.finish()


def open_database(settings: Settings, clock: Clock) -> SqliteStore:
    """The database in the state folder, with turns that were interrupted ended. Raises what `open_store` does."""
    store = open_store(Files.inside(settings.places.state).database, clock)
    try:
        left_open = store.recover(clock.now())
    except DiskFull as error:  # what is known can be asked all the same
        _log.warning("turns that were interrupted stay open until the next start: %s", error.message)
        return store
    if left_open:
        _log.warning("%d turns were interrupted when the daemon last ended", left_open)
    return store


def _backups(settings: Settings, clock: Clock) -> FileBackups:
    files = Files.inside(settings.places.state)
    return FileBackups(files.database, files.backups, settings.offpeak.backups, clock)


def _kept_windows(settings: Settings) -> KvFiles:
    model = settings.model
    files = KvFiles(Files.inside(settings.places.state).windows, model.kept_windows, model.kept_windows_mb << 20)
    files.sweep()
    return files


def _give_back() -> bool:
    """A background step, for once a minute. Measured over 400 turns: without it the process keeps 25 MB that nobody
    uses, in pieces between what is used."""
    give_back_freed()
    return False


def _checkpoint(store: SqliteStore) -> bool:
    store.checkpoint()
    return False


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
        archive=Archive(store.archive, store.cold, lifespans(settings.memory), decay(settings.memory, rules), clock),
        remember=Remember(store, rules, vectors, lifespans(settings.memory), Doubts(store.truth, rules)),
        doubles=Doubles(store, store.truth, store.vector_log, vectors, clock),
        embedders=Embedders(models, store, vectors, indexes, partial(_open_index, settings, store)),
        close_store=partial(_close_store, store),
    )


def _open_index(settings: Settings, store: SqliteStore, folder: Path, embedder: TextEmbedder) -> VectorIndex:
    options = Options(
        threads=background_threads(settings),
        head_vectors=settings.index.head,
        build_bytes=settings.index.build_memory_mb << 20,
    )
    return open_index(folder, embedder_key(embedder), embedder.dimension, store.vector_log, options)
