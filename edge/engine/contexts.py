"""The execution context of sessions: what an agent is doing, set whole in one step and used by the next turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from edge.engine.context_ports import ContextStore
from edge.engine.ports import NewContext, Written
from edge.engine.remember import Remember
from edge.memory.secret_json import redacted_json
from edge.memory.tool_results import told_by_result
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source
from edge.prompt.structured import Execution, compact_json, execution_of

_LONGEST_TOOL = 200
Context = Mapping[str, object]
"""current_tool, tool_args, session_variables and last_tool_result: those that there are, each any JSON."""


@dataclass(frozen=True, slots=True)
class SessionContext:
    """A session's context as it is kept, without secrets. `updated_at` is None where there is none."""

    session: SessionId
    context: Context = field(default_factory=dict)
    updated_at: datetime | None = None


class Contexts:
    """The contexts of all sessions. Lives on the memory thread; what it answers is on the disk."""

    def __init__(self, store: ContextStore, remember: Remember) -> None:
        self._store = store
        self._remember = remember

    def replace(self, owner: OwnerId, session: SessionId, context: Context, at: datetime) -> Written:
        """Put a context in the place of the session's, in one step with the memory that its `last_tool_result` becomes;
        an empty one clears it. Raises RequestInvalid for what is not JSON."""
        return self._store.save_context(owner, session, self.new(owner, session, context, at), at)

    def new(self, owner: OwnerId, session: SessionId, context: Context, at: datetime) -> NewContext:
        """What would take the place of the session's context, for who writes it together with something else. Raises
        RequestInvalid."""
        clean = without_secrets(context)
        drafts = _drafts(clean)
        changes = self._remember.planned(owner, session, drafts, at) if drafts else ()
        return NewContext(compact_json(clean, "context") if clean else None, changes)

    def read(self, owner: OwnerId, session: SessionId) -> SessionContext:
        """The session's context; an empty one where it has none."""
        stored = self._store.context(owner, session)
        if stored is None:
            return SessionContext(session)
        return SessionContext(session, json.loads(stored.context), stored.updated_at)

    def execution(self, owner: OwnerId, session: SessionId, given: Context | None) -> Execution:
        """What the model is told in a turn: what the turn itself brings, else the session's."""
        context = self.read(owner, session).context if given is None else without_secrets(given)
        return execution_of(context, "context")


def without_secrets(context: Context) -> Context:
    """The context with visible marks in place of secrets. Raises RequestInvalid for what is not JSON."""
    compact_json(context, "context")
    clean, _ = redacted_json(dict(context))
    return cast(Context, clean)


def _drafts(context: Context) -> list[Draft]:
    told = told_by_result(context)
    if told is None:
        return []
    tool = context.get("current_tool")
    task = tool[:_LONGEST_TOOL] if isinstance(tool, str) and tool else None
    return [Draft(Kind.TOOL_RESULT, told, source=Source.TOOL, task_type=task, session_only=True)]
