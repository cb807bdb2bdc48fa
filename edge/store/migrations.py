"""Bringing a database's schema up to date; each change is made and recorded in one transaction."""

from __future__ import annotations

import sqlite3

from edge import __version__
from edge.clock import Clock
from edge.errors import StoreNewer
from edge.store.rows import micros
from edge.store.schema import MIGRATIONS, Migration


def migrate(db: sqlite3.Connection, clock: Clock, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Bring a database up to date, one transaction for each missing change."""
    applied = {name for name, _ in applied_migrations(db)}
    for number, migration in enumerate(migrations, start=1):
        if migration.name not in applied:
            _apply(db, migration, number, micros(clock.now()))


def _apply(db: sqlite3.Connection, migration: Migration, number: int, at: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in migration.statements:
            db.execute(statement)
        db.execute("INSERT INTO migrations VALUES (?, ?, ?)", (migration.name, at, __version__))
        db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def applied_migrations(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Names of the changes in a database and the version that made each, oldest first; none in an empty one."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'").fetchone():
        return []
    return db.execute("SELECT name, version FROM migrations ORDER BY rowid").fetchall()


def refuse_newer(db: sqlite3.Connection, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Raise StoreNewer for a database that holds a change this version does not know."""
    known = {migration.name for migration in migrations}
    applied = applied_migrations(db)
    unknown = [version for name, version in applied if name not in known]
    (user_version,) = db.execute("PRAGMA user_version").fetchone()
    if unknown or user_version > len(migrations):
        version = (unknown or [applied[-1][1] if applied else "a later one"])[-1]
        raise StoreNewer(
            f"The memory's database was written by edge {version}; this is edge {__version__}.",
            hint=f"Install edge {version} or later; the database is left as it is.",
            version=version,
        )
