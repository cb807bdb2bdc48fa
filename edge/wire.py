"""The JSON shapes on the socket, shared by the daemon and the command line. Times are ISO 8601 in UTC with `Z`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

API_VERSION = 1
MAX_BODY_BYTES = 1024 * 1024
MAX_SESSION_CHARS = 128
MAX_REASON_CHARS = 500
"""Of why an item of a batch could not be done."""
MAX_SOCKET_PATH_BYTES = 107
DEFAULT_PAGE = 50
MAX_PAGE = 500


class MemoryWire(TypedDict):
    """A memory unit, whole."""

    id: int
    kind: str
    content: str
    session: str | None
    subject: str
    slot: str | None
    value: str | None
    entities: list[str]
    source: str
    source_turn: int | None
    confidence: float
    importance: float
    task_type: str | None
    created_at: str
    valid_from: str
    valid_until: str | None
    relevance: float
    cluster: int | None
    access_count: int
    last_accessed: str | None
    superseded_by: int | None
    archived_at: str | None
    archived_why: NotRequired[str | None]
    ended_why: str | None


class HistoryAnswer(TypedDict):
    """`GET /v1/memories/{id}/history`: what took one another's place, oldest first. `ended_why` says why each ended."""

    memories: list[MemoryWire]


class WordsWire(TypedDict):
    """Words that were said in a turn; null where they were forgotten."""

    turn: int
    session: str
    at: str
    words: str | None


class WhyAnswer(TypedDict):
    """`GET /v1/memories/{id}/why`: the words it was drawn from (`quote` is the part of them that says it), and those
    that said it again. `said` is null for what was told outside a turn."""

    memory: MemoryWire
    quote: str | None
    said: WordsWire | None
    confirmed: list[WordsWire]


class RecalledWire(TypedDict):
    """A recalled unit as a turn reports it. `sent` is false where the window already held it, or its room gave way;
    `passage` is the part of a long content that matched, which is what the model is shown."""

    id: int
    kind: str
    content: str
    score: float
    stage: Literal["rule", "search"]
    source: str
    created_at: str
    slot: NotRequired[str | None]
    sent: NotRequired[bool]
    passage: NotRequired[str]
    archived_why: NotRequired[str]
    signals: NotRequired[dict[str, float]]


class GaveWayWire(TypedDict):
    """What of a section of the prompt had no room: how many pieces, their tokens, and what there was not enough of."""

    section: Literal["summary", "last_tool_result", "current_tool", "memories", "turns"]
    count: int
    tokens: int
    because: Literal["tokens", "seconds"]


class UsageWire(TypedDict):
    """Tokens of a turn. `prompt_tokens` = `reused_tokens` + `evaluated_tokens`. `in_time_tokens` is how many could be
    evaluated within `prompt.target_first_token`; null where the model's speed is not known."""

    prompt_tokens: int
    reused_tokens: int
    evaluated_tokens: int
    completion_tokens: int
    memory_tokens: int
    appended_tokens: int
    in_time_tokens: int | None
    dropped_memories: int
    gave_way: list[GaveWayWire]
    compacted: bool


class TimingsWire(TypedDict):
    """Milliseconds. `rules_ms` and `recall_ms` are what these took, `first_token_ms` and `total_ms` count from the
    request, the wait for other turns included. `first_token_ms` is null where no token was made."""

    rules_ms: float
    recall_ms: float
    first_token_ms: float | None
    total_ms: float


class LoadingEvent(TypedDict):
    """`event: loading`: the turn waits for the language model, which was freed while nobody spoke."""

    what: Literal["model"]


class RecallEvent(TypedDict):
    """`event: recall`: what was found, before the model starts. `degraded` names what could not be searched, or not
    whole."""

    turn: int
    recalled: list[RecalledWire]
    nothing_reliable: bool
    degraded: list[str]


class TokenEvent(TypedDict):
    """`event: token`: the next piece of the reply; always whole characters."""

    text: str


class AskedWire(TypedDict):
    """Two memories that contradict each other, about which the reply asks at its end."""

    older: int
    newer: int


class IntentWire(TypedDict):
    """What a turn was taken for. `confidence` is 0 to 1; where it is not `sure` the turn was treated as `general`.
    `why` names the rule that decided."""

    label: Literal[
        "profile",
        "fact",
        "temporal",
        "current_state",
        "aggregate",
        "standing_rule",
        "state_change",
        "progress",
        "small_talk",
        "general",
    ]
    move: Literal["ask", "tell", "confirm", "correct", "request", "greet", "other"]
    confidence: float
    sure: bool
    why: str


class DoneEvent(TypedDict):
    """`event: done`: the turn is stored. `finish` is `stop`, or `length` where the reply hit its token limit.

    `answered_by` is `runtime` where memory alone decided the reply and the model only read along. `redacted` names the
    secrets that were taken out of message and context before anything was stored: "API key", "password". `topic` says
    that the message changed the subject, or came back to one."""

    turn: int
    session: str
    reply: str
    finish: Literal["stop", "length"]
    answered_by: Literal["model", "runtime"]
    recalled: list[RecalledWire]
    remembered: list[int]
    usage: UsageWire
    timings: TimingsWire
    redacted: list[str]
    asked: AskedWire | None
    intent: IntentWire
    topic: Literal["new", "returned"] | None


class SessionWire(TypedDict):
    """A session in the list of sessions."""

    session: str
    turns: int
    first_turn_at: str
    last_turn_at: str


class MemoryPage(TypedDict):
    """`GET /v1/memories`. `next_before` goes into `?before=` for the next page; null at the end."""

    memories: list[MemoryWire]
    next_before: int | None


class ModelStatus(TypedDict):
    """A model. `state` is `loading`, `ready` or `failed`; then `error` says why."""

    id: str
    state: Literal["loading", "ready", "failed"]
    file: str | None
    error: dict[str, str | int | float | bool | None] | None


class LanguageModelStatus(TypedDict):
    """The language model, as ModelStatus tells it. `unloaded`: freed while nobody spoke; the next turn loads it.
    `state_seconds`: for how long it has been so."""

    id: str
    state: Literal["loading", "ready", "failed", "unloaded"]
    state_seconds: float
    file: str | None
    error: dict[str, str | int | float | bool | None] | None


class EmbedderStatus(ModelStatus):
    """The embedder whose vectors are searched. While another takes over, `changing_to` names it.

    `done` of `total` memories are embedded by the one that is to serve. Where that one cannot be loaded the other goes
    on, `ready`, and `error` says why.
    """

    changing_to: str | None
    done: int
    total: int


class SettingWire(TypedDict):
    """A setting in force and where it came from: `default`, `file` or `environment`."""

    value: str | int | float | bool
    origin: str


class StatusWire(TypedDict):
    """`GET /v1/status`. `memory` is resident bytes by part; `settings` is keyed `section.key`. `degraded` names what
    does not serve now, or not whole: `vectors`, `index` while vectors are missing from it, `embeddings` while most
    memories have none, `database`; `counts` is empty where the database cannot be asked."""

    version: str
    api: int
    pid: int
    uptime_seconds: float
    owner: str
    state_dir: str
    socket: str
    config: str
    model: LanguageModelStatus
    embedder: EmbedderStatus
    queue: dict[str, int]
    counts: dict[str, int]
    memory: dict[str, int]
    speed: dict[str, float | None]
    offpeak: OffPeakWire
    degraded: list[str]
    settings: dict[str, SettingWire]


class FreshnessWire(TypedDict):
    """Of the owner's active memories those that are valid, and their share from 0 to 1."""

    share: float
    valid: int
    active: int
    healthy_from: float
    is_healthy: bool


class HitRateWire(TypedDict):
    """Of the owner's newest `recalls`, at most `window`, those that `served`. `share` is null before the first,
    `is_healthy` until there are enough to tell."""

    share: float | None
    served: int
    recalls: int
    window: int
    healthy_from: float
    is_healthy: bool | None


class AmnesiaWire(TypedDict):
    """How many of the owner's last turns, in a row, recalled nothing and sound so; the alert is on from so many."""

    alert: bool
    turns_in_a_row: int
    alert_from: int


class QualityWire(TypedDict):
    """How well memory serves the owner who asks."""

    freshness: FreshnessWire
    hit_rate: HitRateWire
    amnesia: AmnesiaWire


class SpreadWire(TypedDict):
    """How long something took since the daemon began: `p50_ms` and `p95_ms` are estimates, null before the first."""

    count: int
    mean_ms: float | None
    p50_ms: float | None
    p95_ms: float | None


class BoardWire(TypedDict):
    """What the board tells of itself; null is not known. `load` is for each core, memory in bytes."""

    temperature_celsius: float | None
    throttled: bool | None
    under_voltage: bool | None
    load: float | None
    memory_total: int | None
    memory_available: int | None


class MachineWire(TypedDict):
    """The machine's, of all owners together, since the daemon began. `turns` by how they ended, `by_runtime` those
    without the model; `stages` are of recall; `memory` is resident bytes by part."""

    uptime_seconds: float
    turns: dict[str, int]
    by_runtime: int
    tokens: dict[str, int]
    speed: dict[str, float | None]
    first_token: SpreadWire
    turn: SpreadWire
    recall: SpreadWire
    stages: dict[str, SpreadWire]
    queue: dict[str, int]
    memory: dict[str, int]
    board: BoardWire
    offpeak: OffPeakWire
    degraded: list[str]


class HealthWire(TypedDict):
    """`GET /memory/health`. `needs` names what of `quality` is not healthy; `quality` is null, and `error` says why,
    where the database cannot be asked."""

    owner: str
    is_healthy: bool | None
    needs: list[Literal["freshness", "hit_rate", "amnesia"]]
    quality: QualityWire | None
    error: dict[str, str | int | float | bool | None] | None
    machine: MachineWire


class RememberAnswer(TypedDict):
    """`POST /v1/memories`: ids of new units, of known ones it confirmed, of those it superseded; the units; and what
    secrets were taken out of it."""

    added: list[int]
    confirmed: list[int]
    superseded: list[int]
    memories: list[MemoryWire]
    redacted: list[str]


class ForgetAnswer(TypedDict):
    """`DELETE /v1/memories/{id}`: every id that is gone, with units drawn from the same words."""

    forgotten: list[int]


class ForgetPreview(TypedDict):
    """`POST /v1/forget` with `preview`: what goes. `memories` are the first of `ids`, whole; `turns` is the number of
    turns that lose words or go with their session; `kept` are the first of `kept_ids`, the facts from a session that
    stay. `found_by` says of a query's whether they hold its `words` or are near to its `meaning`."""

    token: str
    found_by: Literal["words", "meaning"] | None
    ids: list[int]
    memories: list[MemoryWire]
    turns: int
    kept_ids: list[int]
    kept: list[MemoryWire]


class ForgotAnswer(TypedDict):
    """`POST /v1/forget`: every id that is gone, how many turns lost words, and the facts from a session that stay."""

    forgotten: list[int]
    turns: int
    kept: list[int]


class ForgetAllPreview(TypedDict):
    """`POST /v1/forget-all` with `preview`: how much there is of an owner."""

    owner: str
    token: str
    memories: int
    turns: int
    sessions: int


class ForgotAllEvent(TypedDict):
    """`event: progress` and `done` of the same: what is gone so far."""

    owner: str
    memories: int
    turns: int


class DroppedWire(TypedDict):
    """With `explain`: a candidate that was not recalled, and why."""

    id: int
    content: str
    score: float
    why: str


class RecallAnswer(TypedDict):
    """`POST /v1/recall`: what a turn would be given."""

    recalled: list[RecalledWire]
    nothing_reliable: bool
    dropped: list[DroppedWire]
    degraded: list[str]
    rules_ms: float
    recall_ms: float


class SessionsAnswer(TypedDict):
    """`GET /v1/sessions`."""

    sessions: list[SessionWire]


class SegmentWire(TypedDict):
    """One file of an index; `dead` of its vectors are of no use any more."""

    name: str
    vectors: int
    dead: int
    bytes: int


class IndexWorkWire(TypedDict):
    """What an index does in the background: `seal`, `merge` or `rebuild`; `done` of `total` vectors."""

    task: str
    done: int
    total: int


class IndexWire(TypedDict):
    """One index. `vectors` can be found through it, `fresh` of them are in memory until they are sealed, `missing` are
    not in it again yet; `rebuilding` until they are, and until a rebuild that was asked for has ended. `unfit` says of
    files that were moved aside why. `memory_bytes` is without mapped files."""

    embedder: str
    vectors: int
    fresh: int
    missing: int
    segments: list[SegmentWire]
    work: IndexWorkWire | None
    rebuilding: bool
    unfit: list[str]
    memory_bytes: int


class ChangeWire(TypedDict):
    """A change of embedder: `done` of `total` memories are embedded by the new one."""

    embedder: str
    done: int
    total: int


class IndexAnswer(TypedDict):
    """`GET /v1/index` and `POST /v1/index/rebuild`: the index that is searched, the one that is to take its place, and
    how far that is. `held_up` is the error for which work on an index waits."""

    serving: IndexWire | None
    coming: IndexWire | None
    changing: ChangeWire | None
    held_up: dict[str, str | int | float | bool | None] | None


class VerifyProgress(TypedDict):
    """`event: progress` of a verification: `done` of `total` vectors of an index are compared."""

    embedder: str
    done: int
    total: int


class VerifyDone(TypedDict):
    """`event: done` of a verification: how many vectors were compared, what is wrong, in sentences, and whether the
    index is being rebuilt."""

    vectors: int
    faults: list[str]
    rebuilding: bool


class ContextWire(TypedDict):
    """`GET`, `PUT` and `DELETE /v1/sessions/{session}/context`: the session's execution context as it is kept, with
    marks in place of secrets; an empty object and null where there is none."""

    session: str
    context: dict[str, object]
    updated_at: str | None


class FailureWire(TypedDict):
    """An item of a batch that could not be done, and why."""

    item: int
    reason: str


class BatchWire(TypedDict):
    """A batch. `handled` of `total` items were tried: `done` and `failed`. `next` is the item to do now, null when all
    were tried. `unit` is its memory. `failures` are the newest 50, newest last."""

    id: int
    session: str
    task: str
    title: str
    unit: int
    state: Literal["running", "done", "cancelled"]
    total: int
    handled: int
    done: int
    failed: int
    next: int | None
    last_success: int | None
    started_at: str
    updated_at: str
    failures: list[FailureWire]


class FailurePageWire(TypedDict):
    """`GET /v1/batches/ID/failures`, newest first. `next_before` goes into `?before=` for the next page; null at the
    end."""

    failures: list[FailureWire]
    next_before: int | None


class BatchPageWire(TypedDict):
    """`GET /v1/batches`, newest first. `next_before` goes into `?before=` for the next page; null at the end."""

    batches: list[BatchWire]
    next_before: int | None


class ClusterProfileWire(TypedDict):
    """What a cluster is called: a key of 2-5 words (in Chinese 2-10 characters), one line, tags, who named it, and the
    coarse level above it, null where that was not decided."""

    key: str
    description: str
    tags: list[str]
    named_by: str
    coarse: str | None


class ClusterWire(ClusterProfileWire):
    """A cluster. `size` counts its current members; `touched_at` is when one was last said or used."""

    id: int
    size: int
    made_at: str
    touched_at: str
    archived_at: str | None


class ClustersAnswer(TypedDict):
    """`GET /v1/clusters`. `unplaced` counts the memories that are in no cluster and may be placed."""

    clusters: list[ClusterWire]
    unplaced: int


class ClusterPageWire(TypedDict):
    """`GET /v1/clusters/ID`: members newest first. `next_before` goes into `?before=` for the next page."""

    cluster: ClusterWire
    memories: list[MemoryWire]
    next_before: int | None


class ClusterRunWire(TypedDict):
    """One organising of the clusters, or, with `trigger` "person", an edit, of which `why` names the kind. `undoable`
    is true of the newest in force. `counts`: created, reprofiled, dissolved clusters; placed and left memories, and of
    the placed those that were in another cluster before, moved; checked and wrong placements; what was skipped because
    it no longer fitted."""

    id: int
    trigger: str
    state: Literal["open", "done", "abandoned", "undone"]
    undoable: bool
    phase: str
    why: str
    model: str | None
    prompts: str | None
    embedder: str | None
    seed: int
    attempt: int
    began_at: str
    ended_at: str | None
    counts: dict[str, int]


class ClusterChangeWire(TypedDict):
    """What a run did to a cluster; `before` is null for a new one, `after` for one that it dissolved."""

    cluster: int
    before: ClusterProfileWire | None
    after: ClusterProfileWire | None
    why: str


class ClusterRunAnswer(TypedDict):
    """`GET /v1/clusters/history/ID` and `POST /v1/clusters/undo`."""

    run: ClusterRunWire
    changes: list[ClusterChangeWire]


class ClusterRunsPage(TypedDict):
    """`GET /v1/clusters/history`, newest first. `next_before` goes into `?before=` for the next page."""

    runs: list[ClusterRunWire]
    next_before: int | None


class ClusterEdited(TypedDict):
    """The answer to a rename or a merge: the run, and the cluster as it is then."""

    run: ClusterRunWire
    cluster: ClusterWire


class MemoryMoved(TypedDict):
    """The answer to a move: the run, and the memory as it is then."""

    run: ClusterRunWire
    memory: MemoryWire


class OffPeakWire(TypedDict):
    """What off-peak does: `works` on `step`, `waits` for what `words` say (`cause` is one of a fixed few), or `rests`
    until something is due."""

    state: Literal["works", "waits", "rests"]
    step: str | None
    cause: str | None
    words: str | None


class StepWire(TypedDict):
    """A step of a night, of the owner who asks or of the whole store. `works` units of work were done; `failure` says
    why it waits for the next night."""

    step: str
    state: Literal["waiting", "done", "failed"]
    seconds: float
    tokens: int
    works: int
    counts: dict[str, int]
    failure: str | None


class NightWire(TypedDict):
    """A night. `state` is `open` while it is to go on, `done`, or `spent` where its budget ended before its work."""

    id: int
    trigger: str
    began_at: str
    ended_at: str | None
    state: Literal["open", "done", "spent"]
    steps: list[StepWire]


class ConsolidationAnswer(TypedDict):
    """`GET /v1/consolidations`: what off-peak does, and the newest night; null before the first, and for a night that
    another owner asked for."""

    offpeak: OffPeakWire
    night: NightWire | None


class WaitsEvent(TypedDict):
    """`event: waits` of a consolidation: what it waits for."""

    cause: str
    words: str


class ConsolidatedEvent(TypedDict):
    """`event: done` of a consolidation: the night; null where it begins later, off-peak."""

    night: NightWire | None


class BackupProgress(TypedDict):
    """`event: progress` of a backup: bytes written so far; at `total` what was written is checked."""

    bytes: int
    total: int


class BackupDone(TypedDict):
    """`event: done` of a backup: where it is, and how many older ones went for it."""

    name: str
    path: str
    bytes: int
    removed: int


class ImportAnswer(TypedDict):
    """`POST /v1/import`: lines that were read, what is new by type of record, how many records were known already, and
    from how many a secret was taken out. `ended` is whether the end of an export was read."""

    lines: int
    added: dict[str, int]
    known: int
    redacted: int
    ended: bool


class ErrorWire(TypedDict):
    """The body of every error, and of the `error` event."""

    error: dict[str, str | int | float | bool | None]
