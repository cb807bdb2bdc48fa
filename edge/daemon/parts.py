"""Making the parts from the settings: models from the manifest's files, the rules, the plan of prompts."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Protocol

from edge.clock import Clock
from edge.daemon.hindrances import OffPeak
from edge.daemon.resident import resident_bytes
from edge.engine.anchor import PromptPlan
from edge.engine.model_ports import LanguageModel, Sampling, TextEmbedder
from edge.engine.speed import tried
from edge.errors import EdgeError, ModelUnfit, SettingsInvalid
from edge.memory.archive import Decay
from edge.memory.lifecycle import Lifespans
from edge.memory.nights import Hours, Thresholds
from edge.memory.rules import OwnTable, Rules, parse_rules
from edge.memory.scoring import Weights
from edge.memory.weights import WEIGHTS, parse_weights
from edge.models.device import embedder_threads, usable_cpus
from edge.models.files import ModelFiles, State
from edge.models.llama_loading import LlamaOptions, load_llama
from edge.models.manifest import Manifest, Model, Role, device_memory_mb, load_manifest
from edge.models.minilm import load_minilm
from edge.prompt.window import Marks
from edge.settings import MemorySettings, ModelSettings, OffPeakSettings, Settings

_DIMENSION = 384


class Models(Protocol):
    """Where the daemon gets its models from; a scripted one in tests."""

    def language_id(self) -> str:
        """The id of the language model that is or will be used."""

    def load_language(self) -> LanguageModel:
        """Load it. Raises ModelMissing, ModelDamaged or ModelUnfit."""

    def language_setup(self) -> str:
        """What the speed of the model that was loaded depends on: its file, and how it is run."""

    def tried(self, model: LanguageModel) -> float | None:
        """Seconds that a token of a prompt takes, by a short trial on the model's thread; None where none was made."""

    def load_embedder(self) -> TextEmbedder:
        """Load the embedder of the settings. Raises ModelMissing, ModelDamaged or ModelUnfit."""

    def load_former(self, embedder_id: str, dimension: int) -> TextEmbedder:
        """Load an embedder that the settings do not name, whose vectors are of this dimension. Raises ModelUnknown,
        ModelMissing, ModelDamaged or ModelUnfit."""

    def embedder_bytes(self) -> int:
        """Resident bytes that loading the embedders took that are still held."""


class FileModels:
    """Models from the files of the manifest."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._embedders: list[tuple[weakref.ref[TextEmbedder], int]] = []
        self._setup = ""

    def language_id(self) -> str:
        if self._settings.model.file:
            return Path(self._settings.model.file).name
        files = self._files(load_manifest())
        return _chosen(files, self._settings.model.id)

    def load_language(self) -> LanguageModel:
        options = llama_options(self._settings.model)
        if self._settings.model.file:
            return self._load_named_file(Path(self._settings.model.file), options)
        files = self._files(load_manifest())
        model = _of_role(files.manifest.model(_chosen(files, self._settings.model.id)), Role.LANGUAGE, "model.id")
        path = files.usable_path(model.id, model.files[0].name)
        return self._load_llama(path, options, model.id)

    def _load_named_file(self, path: Path, options: LlamaOptions) -> LanguageModel:
        """Load the file of `model.file`; what is wrong with it is not mended by the manifest's models."""
        try:
            return self._load_llama(path, options, path.name)
        except EdgeError as error:
            if error.hint == error.default_hint:
                error.hint = "Correct model.file in the settings, or leave it empty to use model.id."
            raise

    def _load_llama(self, path: Path, options: LlamaOptions, model_id: str) -> LanguageModel:
        model = load_llama(path, options, model_id=model_id, clock=self._clock)
        self._setup = speed_setup(path, options)
        return model

    def language_setup(self) -> str:
        return self._setup

    def tried(self, model: LanguageModel) -> float | None:
        return tried(model, self._clock)

    def load_embedder(self) -> TextEmbedder:
        return self._load_embedder(self._settings.embedder.id, _DIMENSION)

    def load_former(self, embedder_id: str, dimension: int) -> TextEmbedder:
        return self._load_embedder(embedder_id, dimension)

    def _load_embedder(self, embedder_id: str, dimension: int) -> TextEmbedder:
        files = self._files(load_manifest())
        model_id = _of_role(files.manifest.model(embedder_id), Role.EMBEDDER, "embedder.id").id
        network, tokenizer = (files.usable_path(model_id, name) for name in ("model.onnx", "tokenizer.json"))
        before = resident_bytes()
        threads = background_threads(self._settings)
        embedder = load_minilm(network, tokenizer, model_id=model_id, dimension=dimension, threads=threads)
        embedder.embed_query("warm")
        self._embedders.append((weakref.ref(embedder), max(0, resident_bytes() - before)))
        return embedder

    def embedder_bytes(self) -> int:
        return sum(taken for held, taken in self._embedders if held() is not None)

    def _files(self, manifest: Manifest) -> ModelFiles:
        return ModelFiles(manifest, self._settings.places.models)


def background_threads(settings: Settings) -> int:
    """Threads of the embedder, and of what builds its index."""
    return settings.embedder.threads or embedder_threads(usable_cpus())


def _of_role(model: Model, role: Role, setting: str) -> Model:
    if model.role is not role:
        hint = f"Choose another with {setting} in the settings; `edge models list` shows them."
        raise ModelUnfit(f"{model.id} is a model for another role than {role}.", hint=hint, model=model.id)
    return model


def _chosen(files: ModelFiles, wanted: str) -> str:
    """The model that is named; for `auto` the best for this device that is here, or the default, to be named as
    missing."""
    if wanted != "auto":
        return wanted
    here = [
        model_id
        for model_id in files.manifest.ladder(Role.LANGUAGE, device_memory_mb())
        if files.check(model_id).state is State.PRESENT
    ]
    return here[0] if here else files.manifest.default(Role.LANGUAGE).id


def llama_options(settings: ModelSettings) -> LlamaOptions:
    """The settings of section `model` as options of the adapter."""
    return LlamaOptions(
        context=settings.context,
        resident_tokens=settings.resident_tokens,
        threads=settings.threads,
        prefill_threads=settings.prefill_threads,
        batch=settings.batch,
        kv_type="q8_0" if settings.kv_type == "q8_0" else "f16",
        flash_attention=settings.flash_attention,
        rope_scale=settings.rope_scale,
    )


def speed_setup(path: Path, options: LlamaOptions) -> str:
    """A name for a model's file and for how it is run on this device, as far as its speed depends on that."""
    run = options.for_device()
    threads = f"{run.threads} and {run.prefill_threads} threads"
    attention = "flash" if run.flash_attention else "plain"
    return f"{path.name}, {path.stat().st_size} bytes, {threads}, batch {run.batch}, {run.kv_type}, {attention}"


def read_rules(own: OwnTable | None = None) -> Rules:
    """The rules of the package's tables, and of a person's own. Raises SettingsInvalid where that one is wrong."""
    folder = resources.files("edge.memory") / "tables"
    tables = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return parse_rules((table.read_text(encoding="utf-8") for table in tables), own)


def own_table(settings: Settings) -> OwnTable | None:
    """The person's own table: the file that the settings name, which must be there, or `rules.toml` beside the
    settings file, if there is one. Raises SettingsInvalid."""
    own = _own_file(settings, settings.memory.rules, "rules.toml", "memory.rules")
    return None if own is None else OwnTable(*own)


def read_weights(settings: Settings) -> dict[str, Weights]:
    """The weights of ranking, with the person's own from the file that the settings name, which must be there, or
    `weights.toml` beside the settings file, if there is one. Raises SettingsInvalid."""
    own = _own_file(settings, settings.recall.weights, "weights.toml", "recall.weights")
    return WEIGHTS if own is None else parse_weights(own[1], own[0])


def _own_file(settings: Settings, named: str, usual: str, key: str) -> tuple[str, str] | None:
    """Path and text of a person's own file."""
    folder = settings.places.config.parent
    path = folder / Path(named).expanduser() if named else folder / usual
    try:
        return str(path), path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not named:
            return None
        raise SettingsInvalid(f"{key}: there is no file {path}.", key=key) from None
    except UnicodeDecodeError as error:
        raise SettingsInvalid(f"{path} is not UTF-8 (byte {error.start}).", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise SettingsInvalid(
            f"{path} cannot be read: {error.strerror}.", hint="Give the daemon's user access."
        ) from error


def sampling(settings: ModelSettings) -> Sampling:
    """How replies are made."""
    return Sampling(
        max_tokens=settings.reply_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        repeat_penalty=settings.repeat_penalty,
    )


def prompt_plan(settings: Settings, rules: Rules) -> PromptPlan:
    """How prompts are made, from the settings."""
    context = settings.model.context
    marks = Marks(
        context=context,
        reply=settings.model.reply_tokens,
        high=int(context * settings.prompt.high_mark),
        low=int(context * settings.prompt.low_mark),
    )
    return PromptPlan(
        marks=marks,
        memory_tokens=settings.prompt.memory_tokens,
        anchor_tokens=settings.prompt.anchor_tokens,
        core_slots=tuple(name for name, slot in rules.slots.items() if slot.core),
        newest_slots=frozenset(name for name, slot in rules.slots.items() if slot.newest),
        role=settings.prompt.role,
        language=settings.prompt.language,
    )


def lifespans(settings: MemorySettings) -> Lifespans:
    """How long kinds live, from the settings."""
    return Lifespans(
        session_state=timedelta(hours=settings.session_state_hours),
        tool_result=timedelta(hours=settings.tool_result_hours),
    )


def decay(settings: MemorySettings, rules: Rules) -> Decay:
    """When units leave the active set, from the settings; what stands in the anchor never decays."""
    return Decay(
        expired=timedelta(days=settings.expired_days),
        superseded=timedelta(days=settings.superseded_days),
        unused=timedelta(days=settings.unused_days),
        standing=frozenset(name for name, slot in rules.slots.items() if slot.core),
    )


def off_peak(settings: OffPeakSettings) -> OffPeak:
    """When work that can wait is done, from the settings. Raises SettingsInvalid for hours that are none."""
    try:
        hours = Hours.read(settings.hours)
    except ValueError as error:
        raise SettingsInvalid(f"offpeak.hours: {error}.", key="offpeak.hours") from None
    return OffPeak(settings.idle_minutes * 60, hours, settings.hot_celsius)


def thresholds(settings: OffPeakSettings) -> Thresholds:
    """What has to be new for a night to be due, from the settings."""
    return Thresholds(settings.new_units, settings.new_turns, settings.growth, settings.freshness)


@dataclass(frozen=True, slots=True)
class Files:
    """Where the daemon keeps its state."""

    database: Path
    speeds: Path
    indexes: Path
    """The folder that holds those of the indexes."""
    backups: Path
    windows: Path
    """The folder that holds sessions' evaluated windows."""

    @staticmethod
    def inside(state: Path) -> Files:
        """Their places in a state folder."""
        return Files(state / "memory.db", state / "speeds.json", state / "index", state / "backups", state / "kv")
