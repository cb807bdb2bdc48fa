"""Short ways to make owners, moments and changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from edge.engine.ports import EmbeddingRow, Scope
from edge.memory.text import content_key
from edge.memory.units import Draft, Insert, Kind, OwnerId, SessionId, Source, UnitId

ANN = OwnerId("uid:1000")
BOB = OwnerId("uid:1001")
MAIN = SessionId("main")
WORK = SessionId("work")
NOON = datetime(2025, 6, 1, 12, 0, 0, 123457, tzinfo=UTC)


def after(**time: float) -> datetime:
    return NOON + timedelta(**time)


def scope(
    owner: OwnerId = ANN,
    session: SessionId | None = MAIN,
    as_of: datetime | None = None,
    kinds: frozenset[Kind] | None = None,
    *,
    present: bool = False,
) -> Scope:
    return Scope(owner, session, as_of or after(minutes=1), kinds, present)


def insert(
    draft: Draft,
    *,
    session: SessionId | None = None,
    valid_from: datetime = NOON,
    valid_until: datetime | None = None,
    supersedes: tuple[UnitId, ...] = (),
) -> Insert:
    key = content_key(draft.kind, draft.subject, draft.source, draft.content)
    return Insert(draft, session, key, valid_from, valid_until, supersedes)


def fact(content: str, slot: str | None = None, value: str | None = None, quote: str | None = None) -> Draft:
    return Draft(Kind.USER_PROFILE, content, slot=slot, value=value, quote=quote)


def episode(words: str, source: Source = Source.USER) -> Draft:
    return Draft(Kind.EPISODE, words, source=source)


def said_by_assistant(draft: Draft) -> Draft:
    return replace(draft, source=Source.ASSISTANT)


def embedding(unit: UnitId, chunk: int = 0, value: float = 1.0) -> EmbeddingRow:
    return EmbeddingRow(unit, chunk, np.array([value, 0.0], dtype=np.float32), b"\x01")
