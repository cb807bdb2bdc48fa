"""Owner and session are arguments of every method, and their queries go through indexes."""

from __future__ import annotations

import inspect
import sqlite3
from collections.abc import Callable

import pytest

from edge.engine.ports import MemoryStore
from edge.memory.units import SELF, Kind, UnitId
from edge.store.sqlite import SqliteStore
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.making import ANN, MAIN, NOON, episode, fact, insert, scope

OF_EVERYONE = {
    *("missing_embeddings", "save_embeddings", "embeddings", "generation"),
    *("recover", "checkpoint", "remove_traces", "close"),
}
"""The upkeep of the whole database; none of it is reached by a request."""


def public_methods(store: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(method)
        for name, method in inspect.getmembers(store, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize("store", [MemoryStore, SqliteStore, FakeMemoryStore])
def test_every_method_names_the_owner(store: type) -> None:
    methods = public_methods(store)
    assert len(methods) >= 15
    for name, signature in methods.items():
        assert name in OF_EVERYONE or {"owner", "scope"} & signature.parameters.keys(), name


def test_the_store_has_the_ports_methods_with_their_parameters() -> None:
    ours = public_methods(SqliteStore)
    for name, signature in public_methods(MemoryStore).items():
        assert list(ours[name].parameters) == list(signature.parameters), name


QUERIES: dict[str, Callable[[SqliteStore], object]] = {
    "slot_units": lambda store: store.slot_units(scope(), ["phone"], SELF),
    "slot_units of anyone": lambda store: store.slot_units(scope(), ["phone"], None),
    "known": lambda store: store.known(scope(), ["key"]),
    "page": lambda store: store.page(
        ANN, session=MAIN, kinds=frozenset({Kind.EPISODE}), before=UnitId(9), limit=5, as_of=NOON, include_past=False
    ),
    "first page": lambda store: store.page(
        ANN, session=None, kinds=None, before=None, limit=5, as_of=NOON, include_past=True
    ),
    "visible_ids": lambda store: store.visible_ids(scope()),
    "visible_ids of a kind": lambda store: store.visible_ids(scope(kinds=frozenset({Kind.EPISODE}))),
    "units": lambda store: store.units(scope(), [UnitId(1), UnitId(2)]),
    "unit": lambda store: store.unit(ANN, UnitId(1)),
    "search_text": lambda store: store.search_text(scope(), "hello", 5),
    "turns": lambda store: store.turns(ANN, MAIN, last=5),
    "sessions": lambda store: store.sessions(ANN),
    "mark_used": lambda store: store.mark_used(ANN, [UnitId(1)], NOON),
    "missing_embeddings": lambda store: store.missing_embeddings("mini", 5),
    "embeddings": lambda store: list(store.embeddings("mini")),
    "forget words": lambda store: store.forget(ANN, [UnitId(1)]),
    "recover": lambda store: store.recover(NOON),
}


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_scans_units_or_turns(sqlite_store: SqliteStore, name: str) -> None:
    sqlite_store.begin_turn(ANN, MAIN, "hello", [insert(episode("hello")), insert(fact("x", "phone", "1"))], NOON)
    sqlite_store.missing_embeddings("mini", 1)
    connection = sqlite_store._db._connection
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    QUERIES[name](sqlite_store)
    connection.set_trace_callback(None)
    planned = [line for statement in statements for line in plan(connection, statement)]
    assert planned
    assert [line for line in planned if line.startswith(("SCAN u", "SCAN turns", "SCAN embeddings"))] == []
    assert [line for line in planned if "SEARCH" in line]


def plan(connection: sqlite3.Connection, statement: str) -> list[str]:
    if not statement.lstrip().upper().startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
        return []
    rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
    return [detail for *_, detail in rows if not detail.startswith("SCAN units_te")]
