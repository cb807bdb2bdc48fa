"""Full text: BM25 as FTS5 counts it, at a bounded cost.

Scoring a match costs about 2 microseconds, so a word that stands in thousands of units must not be scored for its own
sake: the rarest terms of a question are taken until their matches fill the bound, the rest only where those find too
little, and then among the newest units.
"""

from __future__ import annotations

from collections.abc import Sequence

from edge.engine.ports import Scope
from edge.memory.text import is_prefix, query_terms
from edge.memory.units import UnitId
from edge.store.database import Database
from edge.store.scopes import in_scope, visible

QUERY_TERM_LIMIT = 64
"""Terms of a question that are looked for; of a longer one, the first."""
SCORED_LIMIT = 4000
"""Matches that are scored for a question, and again where it has to be widened."""
_LAST_CHARACTER = "\U0010ffff"


def search_units(db: Database, scope: Scope, query: str, limit: int) -> list[tuple[UnitId, float]]:
    """Visible units, best first, with a positive score."""
    terms = _by_rarity(db, query_terms(query)[:QUERY_TERM_LIMIT])
    telling = _within_bound(terms)
    found = _matches(db, scope, telling, limit)
    if len(found) < limit and len(telling) < len(terms):
        for unit, score in _matches(db, scope, [term for term, _ in terms], limit).items():
            found[unit] = max(score, found.get(unit, 0.0))
    return sorted(found.items(), key=lambda match: (-match[1], -match[0]))[:limit]


def _by_rarity(db: Database, terms: list[str]) -> list[tuple[str, int]]:
    """The terms that stand anywhere and how many units they stand in, rarest first."""
    counted = [(term, count_holding(db, term)) for term in terms]
    return sorted(((term, count) for term, count in counted if count), key=lambda pair: pair[1])


def count_holding(db: Database, term: str) -> int:
    """How many units hold a search term."""
    if is_prefix(term):
        row = db.row("SELECT sum(doc) FROM units_terms WHERE term >= ? AND term < ?", (term, term + _LAST_CHARACTER))
    else:
        row = db.row("SELECT doc FROM units_terms WHERE term = ?", (term,))
    return (row[0] or 0) if row else 0


def _within_bound(terms: list[tuple[str, int]]) -> list[str]:
    chosen: list[str] = []
    matches = 0
    for term, count in terms:
        matches += count
        if chosen and matches > SCORED_LIMIT:
            break
        chosen.append(term)
    return chosen


def _matches(db: Database, scope: Scope, terms: list[str], limit: int) -> dict[UnitId, float]:
    if not terms:
        return {}
    rows = db.rows(
        f"""
        SELECT id, -rank FROM (
            SELECT u.id AS id, units_text.rank AS rank FROM units_text CROSS JOIN units u ON u.id = units_text.rowid
            WHERE units_text MATCH :match AND {visible(scope)} ORDER BY units_text.rowid DESC LIMIT {SCORED_LIMIT})
        ORDER BY rank, id DESC LIMIT :limit
        """,
        in_scope(scope, match=as_match(terms, "OR"), limit=limit),
    )
    return {UnitId(unit): score for unit, score in rows}


def as_match(terms: Sequence[str], operator: str) -> str:
    """Terms as FTS5 syntax: those that hold all of them (AND) or any (OR)."""
    return f" {operator} ".join(_quoted(term) for term in terms)


def _quoted(term: str) -> str:
    """A term as FTS5 syntax. Terms hold no quotes, so nothing in one can end the string."""
    return f'"{term}" *' if is_prefix(term) else f'"{term}"'
