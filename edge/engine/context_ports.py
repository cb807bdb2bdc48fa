"""What the execution context of sessions needs from the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.engine.ports import NewContext, Written
from edge.memory.units import OwnerId, SessionId


@dataclass(frozen=True, slots=True)
class StoredContext:
    """What a session is doing, as one JSON object without spaces."""

    context: str
    updated_at: datetime


class ContextStore(Protocol):
    """The execution context of each session. Writes are durable when they return."""

    def save_context(self, owner: OwnerId, session: SessionId, context: NewContext, at: datetime) -> Written:
        """Put a context in the place of the session's, with the changes of units, in one transaction."""

    def context(self, owner: OwnerId, session: SessionId) -> StoredContext | None:
        """The session's, where it has one."""
