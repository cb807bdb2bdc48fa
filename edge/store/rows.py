"""Between rows and the words of the domain. Times are whole microseconds since 1970 in UTC."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from edge.engine.ports import Vector
from edge.memory.units import ClusterId, Ending, Kind, OwnerId, SessionId, Source, Turn, TurnId, TurnState, Unit, UnitId

Row = tuple[Any, ...]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

UNIT_COLUMNS = (
    "u.id, u.owner, u.session, u.kind, u.content, u.subject, u.slot, u.value, u.entities, u.source, u.source_turn, "
    "u.confidence, u.importance, u.task_type, u.created_at, u.valid_from, u.valid_until, u.relevance, u.cluster, "
    "u.access_count, u.last_accessed, u.superseded_by, u.archived_at, u.archived_why, u.ended_why"
)
TURN_COLUMNS = "id, owner, session, message, reply, state, started_at, ended_at"


def micros(moment: datetime) -> int:
    """A moment as it is stored, exactly. Raises TypeError for one without a time zone."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(stored: int) -> datetime:
    """The moment that was stored, in UTC."""
    return _EPOCH + timedelta(microseconds=stored)


def optional_micros(given: datetime | None) -> int | None:
    """As `micros`, for a moment that may be missing."""
    return None if given is None else micros(given)


def optional_moment(stored: int | None) -> datetime | None:
    """As `moment`, for one that may be missing."""
    return None if stored is None else moment(stored)


def vector_blob(vector: Vector | None) -> bytes | None:
    """A vector as it is stored: little-endian float32."""
    return None if vector is None else vector.astype("<f4").tobytes()


def vector_from(stored: bytes | None) -> Vector | None:
    """A vector that was stored."""
    return None if stored is None else np.frombuffer(stored, dtype="<f4").astype(np.float32)


def json_ids(ids: Collection[int]) -> str:
    """Ids as one parameter, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps([int(number) for number in ids])


def unit_from(row: Row) -> Unit:
    """A unit from a row of UNIT_COLUMNS."""
    return Unit(
        id=UnitId(row[0]),
        owner=OwnerId(row[1]),
        session=None if row[2] is None else SessionId(row[2]),
        kind=Kind(row[3]),
        content=row[4],
        subject=row[5],
        slot=row[6],
        value=row[7],
        entities=tuple(json.loads(row[8])) if row[8] != "[]" else (),
        source=Source(row[9]),
        source_turn=None if row[10] is None else TurnId(row[10]),
        confidence=row[11],
        importance=row[12],
        task_type=row[13],
        created_at=moment(row[14]),
        valid_from=moment(row[15]),
        valid_until=optional_moment(row[16]),
        relevance=row[17],
        cluster=None if row[18] is None else ClusterId(row[18]),
        access_count=row[19],
        last_accessed=optional_moment(row[20]),
        superseded_by=None if row[21] is None else UnitId(row[21]),
        archived_at=optional_moment(row[22]),
        archived_why=row[23],
        ended_why=None if row[24] is None else Ending(row[24]),
    )


def turn_from(row: Row) -> Turn:
    """A turn from a row of TURN_COLUMNS."""
    return Turn(
        id=TurnId(row[0]),
        owner=OwnerId(row[1]),
        session=SessionId(row[2]),
        message=row[3],
        reply=row[4],
        state=TurnState(row[5]),
        started_at=moment(row[6]),
        ended_at=optional_moment(row[7]),
    )
