"""Owner and session are arguments of every method, and their queries go through indexes."""

from __future__ import annotations

import inspect
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from edge.engine.ports import MemoryStore
from edge.engine.vector_ports import VectorLog
from edge.memory.clusters import Create, Placement, Profile, RunId, StagedNumber, Why
from edge.memory.units import SELF, ClusterId, Kind, UnitId
from edge.store.sqlite import SqliteStore
from edge.store.vector_log import SqliteVectorLog
from tests.store.making import ANN, MAIN, NOON, after, embedding, episode, fact, insert, scope


def public_methods(store: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(method)
        for name, method in inspect.getmembers(store, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(("store", "port"), [(SqliteStore, MemoryStore), (SqliteVectorLog, VectorLog)])
def test_the_store_has_the_ports_methods_with_their_parameters(store: type, port: type) -> None:
    ours = public_methods(store)
    for name, signature in public_methods(port).items():
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
    "visible": lambda store: store.visible(scope()),
    "visible now": lambda store: store.visible(scope(present=True)),
    "visible later": lambda store: store.visible(scope(as_of=after(hours=1), present=True)),
    "visible of a kind": lambda store: store.visible(scope(kinds=frozenset({Kind.EPISODE}))),
    "units": lambda store: store.units(scope(), [UnitId(1), UnitId(2)]),
    "unit": lambda store: store.unit(ANN, UnitId(1)),
    "search_text": lambda store: store.search_text(scope(), "hello", 5),
    "turns": lambda store: store.turns(ANN, MAIN, last=5),
    "sessions": lambda store: store.sessions(ANN),
    "mark_used": lambda store: store.mark_used(ANN, [UnitId(1)], NOON),
    "missing_embeddings": lambda store: store.missing_embeddings("mini/2", 5),
    "count_missing": lambda store: store.count_missing("mini/2"),
    "last_number": lambda store: store.vector_log.last_number("mini/2"),
    "vectors_between": lambda store: store.vector_log.vectors_between("mini/2", 0, 9, 5),
    "newest_between": lambda store: store.vector_log.newest_between("mini/2", 0, 9, 5),
    "vectors_of": lambda store: store.vector_log.vectors_of("mini/2", np.array([1, 2], dtype=np.int64)),
    "superseded": lambda store: store.vector_log.superseded("mini/2"),
    "save_embeddings": lambda store: store.save_embeddings("mini/2", [embedding(UnitId(2))]),
    "forgotten_after": lambda store: store.vector_log.forgotten_after("mini/2", 0),
    "prune": lambda store: store.vector_log.prune("mini/2", keep="one", forgotten=9),
    "drop_embedder": lambda store: store.drop_embedder("mini/2", 1),
    "forget words": lambda store: store.forget(ANN, [UnitId(1)]),
    "clusters": lambda store: store.clusters.clusters(ANN),
    "members": lambda store: store.clusters.members(ANN, ClusterId(1), limit=5),
    "unplaced": lambda store: store.clusters.unplaced(ANN, limit=5),
    "count unplaced": lambda store: store.clusters.count_unplaced(ANN),
    "vectors of units": lambda store: store.clusters.vectors(ANN, [UnitId(1)]),
    "runs": lambda store: store.clusters.runs(ANN, limit=5),
    "changes of a run": lambda store: store.clusters.changes(ANN, RunId(1)),
    "move a unit": lambda store: store.clusters.edit(ANN, "move", [], [Placement(UnitId(2), None, Why.PERSON)], NOON),
    "stage": lambda store: store.clusters.stage(ANN, RunId(2), [], [Placement(UnitId(2), None, Why.CENTROID)]),
    "staged": lambda store: store.clusters.staged(ANN, RunId(2)),
    "apply a run": lambda store: store.clusters.apply_run(ANN, RunId(2), NOON),
    "undo a run": lambda store: store.clusters.undo(ANN, None, NOON),
    "recover": lambda store: store.recover(NOON),
}


SCANS = ("SCAN u", "SCAN turns", "SCAN embeddings", "SCAN v", "SCAN b", "SCAN forgotten", "SCAN marks", "SCAN cluster")

SMALL = {"SCAN u USING INDEX units_superseded", "SCAN u USING COVERING INDEX units_superseded"}
"""Nothing else is in that index."""


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_scans_units_or_turns(sqlite_store: SqliteStore, name: str) -> None:
    sqlite_store.begin_turn(ANN, MAIN, "hello", [insert(episode("hello")), insert(fact("x", "phone", "1"))], NOON)
    sqlite_store.save_embeddings("mini/2", [embedding(UnitId(1))])
    sqlite_store.visible(scope(present=True))
    sqlite_store.apply(ANN, [insert(fact("written after the mask"))], NOON)
    organise(sqlite_store)
    with planning(sqlite_store) as planned:
        QUERIES[name](sqlite_store)
    assert planned
    assert [line for line in planned if line.startswith(SCANS) and line not in SMALL] == []
    assert [line for line in planned if "SEARCH" in line]


def organise(store: SqliteStore) -> None:
    """A run that is done, and one that is open."""
    new = Create(StagedNumber(1), Profile("hello there"), None, "")
    store.clusters.edit(ANN, "new", [new], [Placement(UnitId(1), new.number, Why.PERSON)], NOON)
    store.clusters.begin_run(ANN, trigger="units", seed=1, attempt=1, model=None, prompts=None, embedder=None, at=NOON)


@contextmanager
def planning(store: SqliteStore) -> Iterator[list[str]]:
    """Afterwards the list holds how SQLite does what it was asked in the block."""
    connection = store._db._connection
    statements: list[str] = []
    planned: list[str] = []
    connection.set_trace_callback(statements.append)
    try:
        yield planned
    finally:
        connection.set_trace_callback(None)
    planned += [line for statement in statements for line in _plan(connection, statement)]


def _plan(connection: sqlite3.Connection, statement: str) -> list[str]:
    if not statement.lstrip().upper().startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
        return []
    rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
    return [detail for *_, detail in rows if not detail.startswith("SCAN units_te")]
