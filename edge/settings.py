"""What can be set, with default, range and meaning: the one place where settings are declared.

`edge.config` reads the file and the environment into these; `edge/SETTINGS.md` is generated from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """What a setting means and which values it takes."""

    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


def _setting(
    default: Any, doc: str, *, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"rule": Rule(doc, low, high, choices)})


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """The process and its socket."""

    group: str = _setting("edge", "Group that may use the socket; left alone where no such group exists.")
    queue: int = _setting(8, "Turns that may wait for the model; one more is answered `busy`.", low=1, high=256)
    log_level: str = _setting(
        "info", "Least severe level that is logged.", choices=("debug", "info", "warning", "error")
    )


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The language model."""

    id: str = _setting(
        "auto", "Model of the manifest; `auto` takes the best one for this device's memory that is on the machine."
    )
    file: str = _setting("", "A GGUF file outside the manifest, used in place of `id`; you vouch for it.")
    context: int = _setting(4096, "Context in tokens: prompt and reply together.", low=512, high=131072)
    resident_tokens: int = _setting(
        0,
        "Tokens of other sessions' windows that the KV cache has room for beside one full context; 1,000 take 12 MiB "
        "with the default model. Sessions whose windows fit in there together need no file when they take turns.",
        low=0,
        high=131072,
    )
    unload_seconds: int = _setting(
        600,
        "Seconds without a turn after which the model is freed; the next turn loads it and goes on where its session "
        "was. 0: never.",
        low=0,
        high=604800,
    )
    kept_windows: int = _setting(
        16,
        "Files of sessions' evaluated windows, and of how an owner's windows begin, that are kept for when they go on; "
        "0: none.",
        low=0,
        high=1000,
    )
    kept_windows_mb: int = _setting(256, "Most MiB that these files take together.", low=1, high=65536)
    reply_tokens: int = _setting(256, "Longest reply in tokens; its room is kept free.", low=16, high=8192)
    threads: int = _setting(0, "Threads that generate; 0: one for each physical core.", low=0, high=256)
    prefill_threads: int = _setting(0, "Threads that evaluate a prompt; 0: one for each core.", low=0, high=256)
    batch: int = _setting(
        0,
        "Tokens evaluated in one step; 0: chosen by device. Smaller stops sooner and takes less "
        "memory, larger is faster on big machines.",
        low=0,
        high=2048,
    )
    kv_type: str = _setting(
        "f16", "Type of the KV cache; q8_0 halves its memory and needs flash attention.", choices=("f16", "q8_0")
    )
    flash_attention: bool = _setting(True, "Use flash attention.")
    rope_scale: float = _setting(
        1.0,
        "Linear RoPE scaling for contexts beyond what the model was trained for; 1 keeps the model's own.",
        low=1.0,
        high=16.0,
    )
    temperature: float = _setting(
        0.2, "0 always takes the likeliest token; more is livelier and less reliable.", low=0.0, high=2.0
    )
    top_p: float = _setting(0.9, "Share of the probability that is sampled from.", low=0.05, high=1.0)
    repeat_penalty: float = _setting(1.05, "Over 1 discourages repetition.", low=1.0, high=2.0)


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """The embedder."""

    id: str = _setting("all-minilm-l6-v2-int8", "Embedder of the manifest.")
    threads: int = _setting(0, "Threads; 0: one on two cores or fewer, else two.", low=0, high=16)


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The index of vectors, which is built in the background."""

    head: int = _setting(
        4096,
        "Vectors held in memory, where they are compared one by one, before they are sealed into a file.",
        low=64,
        high=65536,
    )
    build_memory_mb: int = _setting(256, "Most memory in MiB that building a file takes.", low=48, high=16384)


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Finding memories for a turn."""

    limit: int = _setting(8, "Most units that a turn is given.", low=0, high=100)
    candidates: int = _setting(200, "Units that each search proposes before ranking.", low=10, high=2000)
    threshold: float = _setting(
        0.7,
        "Score from 0 to 1 that the best unit must reach; under it there is nothing reliable. Of the questions whose "
        "best unit scores 0.7, memory can answer about seven in ten.",
        low=0.0,
        high=1.0,
    )
    companions: float = _setting(
        0.6, "Share of the best score that other units must reach to be told with it.", low=0.0, high=1.0
    )
    weights: str = _setting(
        "",
        "A file of your own with weights of ranking, such as `scripts/bench tune` writes, from the settings file's "
        "folder; empty takes `weights.toml` there, if there is one. A mistake in it is named, and nothing starts.",
    )
    ask_model: bool = _setting(
        False,
        "Where no rule is sure what a message is for, let the model choose among three labels, if that takes no more "
        "than a quarter of the time to the first token. Off: of the messages that the rules are least sure of they are "
        "right more often than the default model.",
    )
    fast_answers: bool = _setting(
        True,
        'Answer a question for what memory certainly holds ("what is my order number?") at once, in the words of the '
        "runtime; the model reads along. Off, the model words it.",
    )


@dataclass(frozen=True, slots=True)
class PromptSettings:
    """What the model sees."""

    role: str = _setting(
        "", "Role text in place of the built-in one; empty keeps the built-in, in the language of `language`."
    )
    language: str = _setting(
        "auto", "Language of the built-in role text; `auto` takes each session's own.", choices=("auto", "en", "zh")
    )
    target_first_token: float = _setting(
        2.0,
        "Seconds in which a reply begins. What of memories and earlier turns the model cannot evaluate until then is "
        "left out; what the person says never is.",
        low=0.1,
        high=3600.0,
    )
    memory_tokens: int = _setting(320, "Most tokens of memories that one turn adds.", low=0, high=8192)
    anchor_tokens: int = _setting(160, "Most tokens of core facts at the head of the window.", low=0, high=2048)
    high_mark: float = _setting(0.75, "Share of the context at which the window is compacted.", low=0.3, high=0.95)
    low_mark: float = _setting(0.35, "Share of the context that is filled after compaction.", low=0.1, high=0.8)


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """How long kinds live, when what ended is archived, and what the rules know."""

    session_state_hours: float = _setting(24.0, "Life of session_state.", low=0.01, high=876000)
    tool_result_hours: float = _setting(24.0, "Life of tool_result.", low=0.01, high=876000)
    batch_operation_hours: float = _setting(
        168.0, "Life of batch_operation once the batch is done or cancelled.", low=0.01, high=876000
    )
    expired_days: float = _setting(7.0, "Days after its end at which what expired is archived.", low=0, high=36500)
    superseded_days: float = _setting(
        30.0, "Days after which what was replaced is archived; its history stays.", low=0, high=36500
    )
    unused_days: float = _setting(
        90.0,
        "Days without use after which a memory that kept misleading is archived; what holds of the person, and "
        "standing rules, never are.",
        low=1,
        high=36500,
    )
    rules: str = _setting(
        "",
        "A rule table of your own, with slots and patterns, from the settings file's folder; empty takes `rules.toml` "
        "there, if there is one. A mistake in it is named, and nothing starts.",
    )


@dataclass(frozen=True, slots=True)
class OffPeakSettings:
    """When the assistant organises what it knows, and how much it may take for that."""

    idle_minutes: float = _setting(5.0, "Minutes without use after which it is off-peak.", low=0.01, high=1440)
    hours: str = _setting(
        "01:00-05:00",
        "Hours of the day, in the machine's time zone, that are off-peak as long as no turn runs, used or not; empty: "
        "none are.",
    )
    budget_minutes: float = _setting(180.0, "Minutes that the steps of one night may work.", low=1, high=1440)
    budget_tokens: int = _setting(1_500_000, "Tokens that one night may evaluate.", low=0, high=1_000_000_000)
    new_units: int = _setting(20, "New memories of an owner from which on a night is due.", low=1, high=1_000_000)
    new_turns: int = _setting(100, "New turns of an owner from which on a night is due.", low=1, high=1_000_000)
    growth: float = _setting(
        0.2,
        "Share by which an owner's memories have to grow for a night to be due, from five new ones on.",
        low=0.01,
        high=100,
    )
    freshness: float = _setting(
        0.85,
        "Share of an owner's active memories that must hold now; under it a night is due.",
        low=0.0,
        high=1.0,
    )
    hot_celsius: float = _setting(
        75.0, "Temperature of the board from which on it is left alone; at 80 it slows itself down.", low=30, high=110
    )
    cold_days: float = _setting(
        30.0,
        "Days without use after which a cluster is archived as a whole; what recall finds in one brings it back.",
        low=1,
        high=36500,
    )
    backups: int = _setting(3, "Backups that are kept in the state folder; one is made each night.", low=1, high=365)


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """Figures for those who watch the machine."""

    textfile: str = _setting(
        "",
        "A file for node_exporter's textfile collector, ending in .prom, that is written anew each minute with the "
        "figures of `GET /metrics`; empty: none.",
    )


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are. From EDGE_STATE_DIR, EDGE_SOCKET, EDGE_CONFIG, or the service's or the user's XDG folders."""

    state: Path
    socket: Path
    config: Path
    models: tuple[Path, ...]
    """Folders in which model files are looked for; the first takes what is fetched."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that is in force. `origins` says for each `section.key` where it came from."""

    places: Places
    daemon: DaemonSettings = DaemonSettings()
    model: ModelSettings = ModelSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    index: IndexSettings = IndexSettings()
    recall: RecallSettings = RecallSettings()
    prompt: PromptSettings = PromptSettings()
    memory: MemorySettings = MemorySettings()
    offpeak: OffPeakSettings = OffPeakSettings()
    health: HealthSettings = HealthSettings()
    origins: dict[str, str] = field(default_factory=dict)


SECTIONS: dict[str, type] = {
    "daemon": DaemonSettings,
    "model": ModelSettings,
    "embedder": EmbedderSettings,
    "index": IndexSettings,
    "recall": RecallSettings,
    "prompt": PromptSettings,
    "memory": MemorySettings,
    "offpeak": OffPeakSettings,
    "health": HealthSettings,
}
