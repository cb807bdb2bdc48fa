"""Scopes as SQL: which rows of `units u` a scope makes visible."""

from __future__ import annotations

from typing import Any

from edge.engine.ports import Scope
from edge.memory.units import Kind
from edge.store.rows import micros

LIVED_THEN = """
    u.valid_from <= :as_of AND (u.valid_until IS NULL OR u.valid_until > :as_of)
    AND (u.archived_at IS NULL OR u.archived_at > :as_of)
"""
"""Alive at `as_of`. What was superseded ended where its successor began, so `valid_until` tells that too."""
LIVES_NOW = """
    (u.valid_from <= :as_of OR u.valid_from = u.created_at) AND (u.valid_until IS NULL OR u.valid_until > :as_of)
    AND u.superseded = 0 AND u.archived_at IS NULL
"""
"""Alive in the present, whatever the clock called the moment at which it was said."""


_ARCHIVED = """
    u.valid_from <= :as_of AND (u.valid_until IS NULL OR u.valid_until > :as_of) AND u.archived_at <= :as_of
"""
_ARCHIVED_NOW = """
    (u.valid_from <= :as_of OR u.valid_from = u.created_at) AND (u.valid_until IS NULL OR u.valid_until > :as_of)
    AND u.superseded = 0 AND u.archived_at IS NOT NULL
"""


def of_kinds(kinds: frozenset[Kind] | None) -> str:
    """A further condition, empty for all kinds."""
    if kinds is None:
        return ""
    names = ", ".join(f"'{kind.value}'" for kind in sorted(kinds))
    return f" AND u.kind IN ({names})"


def lives(scope: Scope) -> str:
    """The condition without owner and session."""
    if scope.archived:
        return (_ARCHIVED_NOW if scope.present else _ARCHIVED) + of_kinds(scope.kinds)
    return (LIVES_NOW if scope.present else LIVED_THEN) + of_kinds(scope.kinds)


def visible(scope: Scope) -> str:
    """The whole condition; its parameters are those of `in_scope`."""
    return f"u.owner = :owner AND (u.session IS NULL OR u.session = :session) AND {lives(scope)}"


def in_scope(scope: Scope, **more: Any) -> dict[str, Any]:
    """Parameters of `visible`, and more."""
    return {"owner": scope.owner, "session": scope.session, "as_of": micros(scope.as_of), **more}
