"""Visible units as masks, which recall asks for in every turn.

What of an owner's units is bound to no session may be millions, and little of it changes from turn to turn. Its masks
for the present are kept and brought up to date by asking anew only about units that were written since, or whose life
begins or ends between the moment of the mask and the one that is asked about. The few that are bound to the session
are read each time, and so is the past.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from edge.engine.ports import Ids, Mask, Scope
from edge.memory.units import Kind, OwnerId, SessionId
from edge.store.database import Database
from edge.store.rows import json_ids, micros
from edge.store.scopes import in_scope, lives, visible

KEPT = 8
"""Masks that are kept; each takes a byte for each unit of the store."""
_RENEWED_AT_LEAST = 256
_RENEWED_SHARE = 32
"""Asking about one unit costs as much as reading some twenty in a row: from one in 32 on, all are read."""

# Temporary: they belong to the connection, not to the file. Whatever writes to units, and be it SQLite itself that
# undoes or cascades, a mask that is kept learns of it.
_DECIDING = "owner, session, kind, created_at, valid_from, valid_until, superseded, archived_at"
_TRIGGERS = tuple(
    f"CREATE TEMP TRIGGER unit_{name} AFTER {event} ON main.units BEGIN SELECT unit_written({row}.id); END"
    for name, event, row in (
        ("inserted", "INSERT", "new"),
        ("updated", f"UPDATE OF {_DECIDING}", "new"),
        ("deleted", "DELETE", "old"),
    )
)

_CROSSED = """
    SELECT id FROM units INDEXED BY units_alive
    WHERE owner = :owner AND session IS NULL AND valid_until > :first AND valid_until <= :last
    UNION SELECT id FROM units INDEXED BY units_dated
    WHERE owner = :owner AND valid_from <> created_at AND valid_from > :first AND valid_from <= :last
    LIMIT :limit
"""
"""Units whose life begins or ends in the interval, which is open at its beginning as `lives` is at its end. One whose
life does both is counted once: the limit tells that there are too many."""


@dataclass(slots=True)
class _Kept:
    """A mask that was right at `as_of` but for the units in `written`."""

    mask: Mask
    as_of: int
    written: set[int] = field(default_factory=set)

    @property
    def renewed_limit(self) -> int:
        return _RENEWED_AT_LEAST + len(self.mask) // _RENEWED_SHARE


class Masks:
    """The masks of one store. They are exact: always what a query of that moment would give."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: dict[tuple[OwnerId, frozenset[Kind] | None], _Kept] = {}
        db.define("unit_written", self._note)
        for trigger in _TRIGGERS:
            db.rows(trigger)

    @property
    def size(self) -> int:
        """Bytes that the masks take which are kept."""
        return sum(kept.mask.nbytes for kept in self._kept.values())

    def visible(self, scope: Scope) -> Mask:
        """Read-only; its length is the greatest visible id + 1, or 0."""
        if scope.archived:
            return _mask_of(self._archived(scope)).view()
        shared = self._present(scope) if scope.present else _mask_of(self._ids(scope, None))
        if scope.session is not None:
            shared = _changed(shared, self._ids(scope, scope.session), True)
        return shared.view()

    def _note(self, unit: int) -> None:
        """A unit is written to. Whether that lasts is seen when the mask is asked for."""
        for key, kept in list(self._kept.items()):
            kept.written.add(unit)
            if len(kept.written) > kept.renewed_limit:
                del self._kept[key]

    def _present(self, scope: Scope) -> Mask:
        key = (scope.owner, scope.kinds)
        kept = self._kept.pop(key, None)
        mask = None if kept is None else self._renewed(scope, kept)
        if mask is None:
            mask = _mask_of(self._ids(scope, None))
        if len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = _Kept(mask, micros(scope.as_of))
        return mask

    def _renewed(self, scope: Scope, kept: _Kept) -> Mask | None:
        """None where so much is other that all must be read."""
        units = kept.written | self._crossed(scope.owner, kept.as_of, micros(scope.as_of), kept.renewed_limit + 1)
        if len(units) > kept.renewed_limit:
            return None
        if not units:
            return kept.mask
        hidden = _changed(kept.mask, np.fromiter((unit for unit in units if unit < len(kept.mask)), np.int64), False)
        return _changed(hidden, self._those_visible(scope, units), True)

    def _crossed(self, owner: OwnerId, one: int, other: int, limit: int) -> set[int]:
        if one == other:
            return set()
        parameters = {"owner": owner, "first": min(one, other), "last": max(one, other), "limit": limit}
        return {unit for (unit,) in self._db.rows(_CROSSED, parameters)}

    def _those_visible(self, scope: Scope, units: Collection[int]) -> Ids:
        rows = self._db.rows(
            f"""
            SELECT u.id FROM units u NOT INDEXED WHERE u.id IN (SELECT value FROM json_each(:ids))
            AND u.owner = :owner AND u.session IS NULL AND {lives(scope)}
            """,
            in_scope(scope, ids=json_ids(units)),
        )
        return np.fromiter((unit for (unit,) in rows), dtype=np.int64)

    def _archived(self, scope: Scope) -> Ids:
        """The few that left the active set, from an index of their own."""
        rows = self._db.rows(
            f"""
            SELECT u.id FROM units u INDEXED BY units_archived
            WHERE u.archived_at IS NOT NULL AND {visible(scope)}
            """,
            in_scope(scope),
        )
        return np.fromiter((unit for (unit,) in rows), dtype=np.int64)

    def _ids(self, scope: Scope, session: SessionId | None) -> Ids:
        """Visible units that are bound to just this session, from the index alone and without those that ended. One
        string crosses from SQLite instead of a tuple for each id: three times as fast."""
        bound = f"""
            SELECT u.id FROM units u INDEXED BY units_alive
            WHERE u.owner = :owner AND u.session IS :session AND {lives(scope)} AND u.valid_until
        """
        row = self._db.row(
            f"SELECT group_concat(id) FROM ({bound} IS NULL UNION ALL {bound} > :as_of)",
            {**in_scope(scope), "session": session},
        )
        joined = row[0] if row else None
        ids: Ids = np.fromstring(joined or "", dtype=np.int64, sep=",")
        return ids


def _mask_of(ids: Ids) -> Mask:
    none = np.zeros(0, dtype=np.bool_)
    none.flags.writeable = False
    return _changed(none, ids, True)


def _changed(mask: Mask, ids: Ids, value: bool) -> Mask:
    """Another mask, read-only as this one: callers may still hold it. No longer than its last unit needs."""
    if not len(ids):
        return mask
    changed = np.zeros(max(len(mask), int(ids.max()) + 1), dtype=np.bool_)
    changed[: len(mask)] = mask
    changed[ids] = value
    beyond = int(np.argmax(changed[::-1])) if changed.any() else len(changed)
    changed = changed[: len(changed) - beyond].copy() if beyond else changed
    changed.flags.writeable = False
    return changed
