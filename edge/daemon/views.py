"""From the domain's types to the shapes on the wire."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from edge.engine.batch_ports import BatchPage, FailurePage
from edge.engine.contexts import SessionContext
from edge.engine.events import Event, ModelLoading, RecallDone, TokenMade, TurnDone, TurnFailed, Usage
from edge.engine.model_ports import Finish
from edge.engine.recall import Found
from edge.engine.vectors import Pair
from edge.errors import EdgeError
from edge.memory.batches import Batch, Failure
from edge.memory.intents import Intent
from edge.memory.units import Recalled, SessionInfo, Unit, UnitId
from edge.prompt.budget import Section
from edge.wire import (
    BackupDone,
    BackupProgress,
    BatchPageWire,
    BatchWire,
    ConsolidatedEvent,
    ContextWire,
    DoneEvent,
    DroppedWire,
    ErrorWire,
    FailurePageWire,
    FailureWire,
    ForgotAllEvent,
    IndexWire,
    IntentWire,
    LoadingEvent,
    MemoryWire,
    RecallAnswer,
    RecalledWire,
    RecallEvent,
    SessionWire,
    StepWire,
    TokenEvent,
    UsageWire,
    VerifyDone,
    VerifyProgress,
    WaitsEvent,
)

EventWire = (
    LoadingEvent
    | RecallEvent
    | TokenEvent
    | DoneEvent
    | ErrorWire
    | VerifyProgress
    | VerifyDone
    | StepWire
    | WaitsEvent
    | ConsolidatedEvent
    | BackupProgress
    | BackupDone
    | ForgotAllEvent
)


def time_wire(moment: datetime) -> str:
    """ISO 8601 in UTC with `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def optional_time(moment: datetime | None) -> str | None:
    """The same, where there is a time."""
    return None if moment is None else time_wire(moment)


def memory_wire(unit: Unit) -> MemoryWire:
    """A unit, whole."""
    return {
        "id": unit.id,
        "kind": unit.kind.value,
        "content": unit.content,
        "session": unit.session,
        "subject": unit.subject,
        "slot": unit.slot,
        "value": unit.value,
        "entities": list(unit.entities),
        "source": unit.source.value,
        "source_turn": unit.source_turn,
        "confidence": unit.confidence,
        "importance": unit.importance,
        "task_type": unit.task_type,
        "created_at": time_wire(unit.created_at),
        "valid_from": time_wire(unit.valid_from),
        "valid_until": optional_time(unit.valid_until),
        "relevance": unit.relevance,
        "cluster": unit.cluster,
        "access_count": unit.access_count,
        "last_accessed": optional_time(unit.last_accessed),
        "superseded_by": unit.superseded_by,
        "archived_at": optional_time(unit.archived_at),
        "archived_why": unit.archived_why,
        "ended_why": None if unit.ended_why is None else unit.ended_why.value,
    }


def session_wire(session: SessionInfo) -> SessionWire:
    """A session in the list of sessions."""
    return {
        "session": session.id,
        "turns": session.turns,
        "first_turn_at": time_wire(session.first_turn_at),
        "last_turn_at": time_wire(session.last_turn_at),
    }


def recalled_wire(found: Recalled, sent: Collection[UnitId] | None = None, *, explain: bool = False) -> RecalledWire:
    """A recalled unit; `sent` are those that went into the prompt, `explain` adds the signals behind the score."""
    wire: RecalledWire = {
        "id": found.unit.id,
        "kind": found.unit.kind.value,
        "content": found.unit.content,
        "score": round(found.score, 4),
        "stage": found.stage.value,
        "source": found.unit.source.value,
        "created_at": time_wire(found.unit.created_at),
        "slot": found.unit.slot,
    }
    if sent is not None:
        wire["sent"] = found.unit.id in sent
    if found.passage is not None:
        wire["passage"] = found.passage
    if found.unit.archived_why is not None:
        wire["archived_why"] = found.unit.archived_why
    if explain:
        wire["signals"] = {name: round(value, 4) for name, value in found.signals.items()}
    return wire


def recall_answer(found: Found, *, explain: bool) -> RecallAnswer:
    """What a turn would be given."""
    dropped: list[DroppedWire] = [
        {"id": out.unit.id, "content": out.unit.content, "score": round(out.score, 4), "why": why}
        for out, why in found.dropped
    ]
    return {
        "recalled": [recalled_wire(item, explain=explain) for item in found.recalled],
        "nothing_reliable": not found.recalled,
        "dropped": dropped if explain else [],
        "degraded": list(found.degraded),
        "rules_ms": _ms(found.rules_seconds),
        "recall_ms": _ms(found.total_seconds),
    }


def index_wire(pair: Pair) -> IndexWire:
    """An index; to be called on the memory thread."""
    state = pair.index.state()
    work = state.work
    return {
        "embedder": pair.key,
        "vectors": state.vectors,
        "fresh": state.fresh,
        "missing": state.missing,
        "segments": [
            {"name": each.name, "vectors": each.vectors, "dead": each.dead, "bytes": each.bytes}
            for each in state.segments
        ],
        "work": None if work is None else {"task": work.task, "done": work.done, "total": work.total},
        "rebuilding": pair.is_rebuilding,
        "unfit": list(state.unfit),
        "memory_bytes": pair.index.memory_bytes(),
    }


def context_wire(found: SessionContext) -> ContextWire:
    """The execution context of a session."""
    return {
        "session": found.session,
        "context": dict(found.context),
        "updated_at": optional_time(found.updated_at),
    }


def batch_wire(batch: Batch) -> BatchWire:
    """A batch."""
    return {
        "id": batch.id,
        "session": batch.session,
        "task": batch.task,
        "title": batch.title,
        "unit": batch.unit,
        "state": batch.state.value,
        "total": batch.total,
        "handled": batch.handled,
        "done": batch.done,
        "failed": batch.failed,
        "next": batch.next,
        "last_success": batch.last_success,
        "started_at": time_wire(batch.started_at),
        "updated_at": time_wire(batch.updated_at),
        "failures": [_failure(failure) for failure in batch.failures],
    }


def failure_page_wire(page: FailurePage) -> FailurePageWire:
    """A page of a batch's failures."""
    return {"failures": [_failure(failure) for failure in page.failures], "next_before": page.next_before}


def _failure(failure: Failure) -> FailureWire:
    return {"item": failure.item, "reason": failure.reason}


def batch_page_wire(page: BatchPage) -> BatchPageWire:
    """A page of batches."""
    return {"batches": [batch_wire(batch) for batch in page.batches], "next_before": page.next_before}


def error_wire(error: EdgeError) -> ErrorWire:
    """The body of an error."""
    return {"error": error.to_wire()}


def event_wire(event: Event) -> tuple[str, EventWire]:
    """An event of a turn: its name and its data."""
    match event:
        case ModelLoading():
            return "loading", {"what": "model"}
        case RecallDone():
            return "recall", _recall_event(event)
        case TokenMade():
            return "token", {"text": event.text}
        case TurnDone():
            return "done", done_wire(event)
        case TurnFailed():
            return "error", error_wire(event.error)


def _recall_event(event: RecallDone) -> RecallEvent:
    return {
        "turn": event.turn,
        "recalled": [recalled_wire(item, event.sent) for item in event.found.recalled],
        "nothing_reliable": not event.found.recalled,
        "degraded": list(event.found.degraded),
    }


def done_wire(event: TurnDone) -> DoneEvent:
    """The end of a turn."""
    asked = event.asked
    return {
        "turn": event.turn,
        "session": event.session,
        "reply": event.reply,
        "finish": "length" if event.finish is Finish.LENGTH else "stop",
        "answered_by": "runtime" if event.told_by_runtime else "model",
        "recalled": [recalled_wire(item, event.sent) for item in event.found.recalled],
        "remembered": list(event.remembered),
        "asked": None if asked is None else {"older": asked.older, "newer": asked.newer},
        "topic": None if event.topic is None else event.topic.value,
        "intent": _intent_wire(event.intent),
        "usage": _usage_wire(event.usage),
        "timings": {
            "rules_ms": _ms(event.timings.rules),
            "recall_ms": _ms(event.timings.recall),
            "first_token_ms": None if event.timings.first_token is None else _ms(event.timings.first_token),
            "total_ms": _ms(event.timings.total),
        },
        "redacted": list(event.redacted),
    }


def _intent_wire(intent: Intent) -> IntentWire:
    return {
        "label": intent.label.value,
        "move": intent.move.value,
        "confidence": round(intent.confidence, 4),
        "sure": intent.sure,
        "why": intent.why,
    }


def _usage_wire(usage: Usage) -> UsageWire:
    return {
        "prompt_tokens": usage.prompt,
        "reused_tokens": usage.reused,
        "evaluated_tokens": usage.evaluated,
        "completion_tokens": usage.completion,
        "memory_tokens": usage.memories,
        "appended_tokens": usage.appended,
        "in_time_tokens": usage.in_time,
        "dropped_memories": sum(each.count for each in usage.gave_way if each.section is Section.MEMORIES),
        "gave_way": [
            {"section": each.section.value, "count": each.count, "tokens": each.tokens, "because": each.cause.value}
            for each in usage.gave_way
        ],
        "compacted": usage.rebuilt,
    }


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
