"""Short ways to make units."""

from __future__ import annotations

from datetime import UTC, datetime

from edge.memory.units import SELF, Kind, OwnerId, Source, Unit, UnitId

AT = datetime(2026, 1, 1, tzinfo=UTC)


def unit(
    number: int,
    content: str,
    *,
    subject: str = SELF,
    kind: Kind = Kind.EPISODE,
    source: Source = Source.USER,
    at: datetime = AT,
) -> Unit:
    return Unit(
        id=UnitId(number),
        owner=OwnerId("uid:1"),
        session=None,
        kind=kind,
        content=content,
        subject=subject,
        slot=None,
        value=None,
        entities=(),
        source=source,
        source_turn=None,
        confidence=1.0,
        importance=0.5,
        task_type=None,
        created_at=at,
        valid_from=at,
        valid_until=None,
    )
