"""What recall reads again and again is kept in memory: units, the terms of their texts, and their token codes.

Whether a unit is seen is not kept but asked each time (see `edge.store.masks`), so what ends, begins or is archived
needs nothing here. What is kept of a unit goes with any write to it: SQLite itself tells of each in the statement that
makes it, so a forgotten text leaves even before its transaction ends. The longest unused goes first where the room is
taken.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from sys import getsizeof

from edge.engine.ports import Mask
from edge.memory.text import text_terms
from edge.memory.units import OwnerId, Unit, UnitId
from edge.store.database import Database
from edge.store.nearby import read_codes, read_sizes, within
from edge.store.rows import UNIT_COLUMNS, json_ids, unit_from

WARM_BYTES = 16 << 20
"""Room for what is kept: about 4,000 units of a sentence."""
_AHEAD = 2000
"""Units of the last day, and as many of profiles, that are read ahead at most, until half of the room is taken."""
_UNIT_BYTES = 900
"""Of a unit without its text, and of the books kept about it."""

_TRIGGERS = (
    "CREATE TEMP TRIGGER warm_updated AFTER UPDATE ON main.units BEGIN SELECT unit_changed(old.id); END",
    "CREATE TEMP TRIGGER warm_rewritten AFTER UPDATE OF id, owner, content ON main.units "
    "BEGIN SELECT unit_gone(old.id); SELECT unit_gone(new.id); END",
    "CREATE TEMP TRIGGER warm_deleted AFTER DELETE ON main.units BEGIN SELECT unit_gone(old.id); END",
    "CREATE TEMP TRIGGER warm_embedded AFTER INSERT ON main.embeddings BEGIN SELECT codes_changed(new.unit); END",
    "CREATE TEMP TRIGGER warm_recoded AFTER UPDATE ON main.embeddings BEGIN SELECT codes_changed(old.unit); END",
    "CREATE TEMP TRIGGER warm_unembedded AFTER DELETE ON main.embeddings BEGIN SELECT codes_changed(old.unit); END",
)
_LAST_DAY = f"""
    SELECT id FROM units WHERE superseded = 0
        AND created_at > (SELECT created_at FROM units ORDER BY id DESC LIMIT 1) - {24 * 3600 * 1_000_000}
        AND id > (SELECT max(id) FROM units) - 10 * {_AHEAD}
    ORDER BY id DESC LIMIT {_AHEAD}
"""
"""The day before the newest unit, which is a day that was talked in whatever the clock says now."""
_PROFILES = f"SELECT id FROM units WHERE slot IS NOT NULL AND superseded = 0 ORDER BY id DESC LIMIT {_AHEAD}"


@dataclass(slots=True)
class _Kept:
    """Of one unit; `unit` is None where its row was written to, `terms` before they were asked for. `codes` are by the
    key of their embedder, empty for a unit that it has not embedded."""

    unit: Unit | None
    terms: frozenset[str] | None = None
    codes: dict[str, tuple[bytes, ...]] = field(default_factory=dict)

    def size(self) -> int:
        text = _UNIT_BYTES + (0 if self.unit is None else getsizeof(self.unit.content))
        terms = 0 if self.terms is None else getsizeof(self.terms) + sum(map(getsizeof, self.terms))
        return text + terms + sum(getsizeof(code) for codes in self.codes.values() for code in codes)


class Warm:
    """What is kept of one store's units. It is exact: what it gives is always what the database would."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: OrderedDict[UnitId, _Kept] = OrderedDict()
        self._sizes: dict[UnitId, int] = {}
        self._taken = 0
        self._due: list[UnitId] | None = None
        db.define("unit_changed", self._unit_changed)
        db.define("unit_gone", self._drop)
        db.define("codes_changed", self._codes_changed)
        for trigger in _TRIGGERS:
            db.rows(trigger)

    @property
    def size(self) -> int:
        """Bytes that are taken; at most WARM_BYTES."""
        return self._taken

    def let_go(self) -> None:
        """Keep nothing any more of what was read so far."""
        self._kept.clear()
        self._sizes.clear()
        self._taken = 0

    # --- reading ---

    def units(self, ids: Collection[UnitId], visible: Mask) -> dict[UnitId, Unit]:
        """Those of the ids that the mask allows, ascending."""
        wanted = sorted({unit for unit in ids if 0 <= unit < len(visible) and visible[unit]})
        found = {unit: known for unit in wanted if (known := self._unit(unit)) is not None}
        for unit in self._read([unit for unit in wanted if unit not in found]):
            found[unit.id] = unit
        return {unit: found[unit] for unit in wanted if unit in found}

    def terms(self, units: Iterable[Unit]) -> dict[UnitId, frozenset[str]]:
        """The terms of the texts of units that were just read."""
        found: dict[UnitId, frozenset[str]] = {}
        for unit in units:
            kept = self._kept.get(unit.id)
            if kept is None or kept.unit is not unit:
                found[unit.id] = text_terms(unit.content)
                continue
            if kept.terms is None:
                kept.terms = text_terms(unit.content)
                self._weigh(unit.id, kept)
            found[unit.id] = kept.terms
        return found

    def codes(
        self, owner: OwnerId, embedder: str, ids: Sequence[UnitId], limit: int
    ) -> dict[UnitId, tuple[bytes, ...]]:
        """As `MemoryStore.token_codes`."""
        known = {unit: codes for unit in ids if (codes := self._codes(owner, embedder, unit)) is not None}
        others = [unit for unit in ids if unit not in known]
        sizes = read_sizes(self._db, owner, embedder, others)
        sizes |= {unit: sum(map(len, codes)) for unit, codes in known.items() if codes}
        wanted = within(sizes, [unit for unit in ids if unit in sizes], limit)
        read = read_codes(self._db, embedder, [unit for unit in wanted if unit not in known])
        for unit in others:
            if unit in read or unit not in sizes:
                self._keep_codes(owner, embedder, unit, read.get(unit, ()))
        return {unit: known[unit] if unit in known else read[unit] for unit in wanted}

    def read_ahead(self, embedder: str | None, limit: int) -> bool:
        """Read up to `limit` of the units of the last day and of profiles, where half of the room is not taken yet;
        True while some are left."""
        if self._due is None:
            ahead = [unit for (unit,) in [*self._db.rows(_PROFILES), *self._db.rows(_LAST_DAY)]]
            self._due = list(dict.fromkeys(ahead))
        batch, self._due = self._due[:limit], self._due[limit:]
        if self._taken > WARM_BYTES // 2:
            self._due = []
        units = self._read([unit for unit in batch if unit not in self._kept])
        self.terms(units)
        for owner in {unit.owner for unit in units} if embedder is not None else ():
            own = [unit.id for unit in units if unit.owner == owner]
            self.codes(owner, embedder or "", own, WARM_BYTES // 2)
        return bool(self._due)

    # --- keeping ---

    def _unit(self, unit: UnitId) -> Unit | None:
        kept = self._kept.get(unit)
        if kept is None or kept.unit is None:
            return None
        self._kept.move_to_end(unit)
        return kept.unit

    def _read(self, ids: Sequence[UnitId]) -> list[Unit]:
        if not ids:
            return []
        rows = self._db.rows(
            f"SELECT {UNIT_COLUMNS} FROM units u WHERE u.id IN (SELECT value FROM json_each(?))", (json_ids(ids),)
        )
        units = [unit_from(row) for row in rows]
        for unit in units:
            kept = self._kept.setdefault(unit.id, _Kept(unit))
            kept.unit = unit
            self._weigh(unit.id, kept)
        return units

    def _codes(self, owner: OwnerId, embedder: str, unit: UnitId) -> tuple[bytes, ...] | None:
        kept = self._kept.get(unit)
        if kept is None or kept.unit is None or kept.unit.owner != owner:
            return None
        return kept.codes.get(embedder)

    def _keep_codes(self, owner: OwnerId, embedder: str, unit: UnitId, codes: tuple[bytes, ...]) -> None:
        kept = self._kept.get(unit)
        if kept is not None and kept.unit is not None and kept.unit.owner == owner:
            kept.codes[embedder] = codes
            self._weigh(unit, kept)

    def _weigh(self, unit: UnitId, kept: _Kept) -> None:
        """Count what is kept of a unit anew, as used last, and let go of the longest unused."""
        size = kept.size()
        self._taken += size - self._sizes.get(unit, 0)
        self._sizes[unit] = size
        self._kept.move_to_end(unit)
        while self._taken > WARM_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, unit: int) -> None:
        self._kept.pop(UnitId(unit), None)
        self._taken -= self._sizes.pop(UnitId(unit), 0)

    def _unit_changed(self, unit: int) -> None:
        kept = self._kept.get(UnitId(unit))
        if kept is not None:
            kept.unit = None

    def _codes_changed(self, unit: int) -> None:
        kept = self._kept.get(UnitId(unit))
        if kept is not None:
            kept.codes.clear()
