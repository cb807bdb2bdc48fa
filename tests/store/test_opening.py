"""Opening: locks, migrations, and files that must be left alone."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from edge import __version__
from edge.errors import DaemonRunning, StoreDamaged, StoreFailed, StoreNewer
from edge.memory.units import Kind, Source, TurnState
from edge.store.migrations import applied_migrations, migrate
from edge.store.schema import MIGRATIONS, Migration
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, MAIN, NOON, embedding, episode, fact, insert, scope


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def filled(database: Path) -> None:
    store = open_store(database, NoonClock())
    store.apply(ANN, [insert(episode(f"words {number} 天气")) for number in range(500)], NOON)
    store.close()


def run_sql(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def test_what_was_stored_is_there_after_reopening(database: Path) -> None:
    filled(database)
    store = open_store(database, NoonClock())
    assert store.counts(ANN)["units"] == 500
    assert len(store.search_text(scope(), "天气", 1000)) == 500
    store.close()
    store.close()


def test_settings_in_force(sqlite_store: SqliteStore) -> None:
    expected = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 5000}
    for name, value in expected.items():
        assert sqlite_store._db.rows(f"PRAGMA {name}") == [(value,)]
    sqlite_store.save_embeddings("mini/2", [])
    sqlite_store.mark_used(ANN, [], NOON)
    assert sqlite_store._db.rows("PRAGMA synchronous") == [(2,)]


def test_files_are_the_users_alone(sqlite_store: SqliteStore, database: Path) -> None:
    sqlite_store.apply(ANN, [insert(fact("x"))], NOON)
    for path in database.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE(database.parent.stat().st_mode) == 0o700


def test_the_log_is_empty_after_a_checkpoint(sqlite_store: SqliteStore, database: Path) -> None:
    sqlite_store.apply(ANN, [insert(fact("x"))], NOON)
    log = database.with_name(database.name + "-wal")
    assert log.stat().st_size > 0
    sqlite_store.checkpoint()
    assert log.stat().st_size == 0


# --- locks and threads ---


def test_a_second_process_is_refused_and_told_the_first_ones_id(sqlite_store: SqliteStore, database: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from edge.clock import SystemClock; from edge.errors import DaemonRunning\n"
        "from edge.store.sqlite import open_store\n"
        "try: open_store(Path(sys.argv[1]), SystemClock())\n"
        "except DaemonRunning as error: print(error.details['pid'])"
    )
    run = subprocess.run([sys.executable, "-c", script, str(database)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(os.getpid())
    sqlite_store.apply(ANN, [insert(fact("still serves"))], NOON)


def test_the_same_process_is_refused_too_and_may_open_after_closing(database: Path) -> None:
    store = open_store(database, NoonClock())
    with pytest.raises(DaemonRunning):
        open_store(database, NoonClock())
    store.close()
    open_store(database, NoonClock()).close()


def test_a_lock_left_by_a_dead_process_is_no_hindrance(database: Path) -> None:
    database.parent.mkdir()
    database.with_name(database.name + ".lock").write_text("99999999  \n")
    open_store(database, NoonClock()).close()


def test_another_thread_is_refused(sqlite_store: SqliteStore) -> None:
    raised: list[BaseException] = []

    def read() -> None:
        try:
            sqlite_store.embedder()
        except sqlite3.ProgrammingError as error:
            raised.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert len(raised) == 1


# --- files that cannot be used ---


def test_a_damaged_database_is_refused_and_untouched(database: Path) -> None:
    filled(database)
    damaged = bytearray(database.read_bytes())
    for page in range(2, len(damaged) // 4096):
        damaged[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    database.write_bytes(damaged)
    before = digest(database)
    with pytest.raises(StoreDamaged):
        open_store(database, NoonClock())
    assert digest(database) == before


@pytest.mark.parametrize("content", [b"not a database" * 500, b"SQLite format 3\0", b"\0" * 8192])
def test_what_is_no_database_is_refused_and_untouched(database: Path, content: bytes) -> None:
    database.parent.mkdir()
    database.write_bytes(content)
    with pytest.raises(StoreDamaged):
        open_store(database, NoonClock())
    assert database.read_bytes() == content


def test_a_database_cut_short_is_refused_and_untouched(database: Path) -> None:
    filled(database)
    os.truncate(database, database.stat().st_size // 2)
    before = digest(database)
    with pytest.raises(StoreDamaged):
        open_store(database, NoonClock())
    assert digest(database) == before


def test_a_database_of_another_program_is_refused_and_untouched(database: Path) -> None:
    database.parent.mkdir()
    run_sql(database, "CREATE TABLE contacts (name TEXT)")
    before = digest(database)
    with pytest.raises(StoreDamaged, match="another program"):
        open_store(database, NoonClock())
    assert digest(database) == before


def test_after_a_refusal_the_lock_is_free(database: Path) -> None:
    database.parent.mkdir()
    database.write_bytes(b"not a database" * 500)
    with pytest.raises(StoreDamaged):
        open_store(database, NoonClock())
    database.unlink()
    open_store(database, NoonClock()).close()


def test_a_folder_in_the_databases_place_is_named(database: Path) -> None:
    database.mkdir(parents=True)
    with pytest.raises((StoreFailed, StoreDamaged)):
        open_store(database, NoonClock())


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO migrations VALUES ('999_from_tomorrow', 0, '9.1.0')", "PRAGMA user_version = 999"],
)
def test_a_newer_database_is_refused_with_its_version_and_untouched(database: Path, statement: str) -> None:
    filled(database)
    run_sql(database, statement)
    before = digest(database)
    with pytest.raises(StoreNewer) as raised:
        open_store(database, NoonClock())
    assert digest(database) == before
    assert raised.value.details["version"] == ("9.1.0" if "999_from" in statement else __version__)


# --- migrations ---


def test_migrations_are_recorded_with_the_version_that_made_them(sqlite_store: SqliteStore) -> None:
    expected = [(migration.name, __version__) for migration in MIGRATIONS]
    assert sqlite_store._db.rows("SELECT name, version FROM migrations ORDER BY rowid") == expected
    assert sqlite_store._db.rows("PRAGMA user_version") == [(len(MIGRATIONS),)]


@pytest.mark.parametrize(
    ("number", "digest"),
    [
        (0, "4b28177f26d6cd3a7e1c4d393223bd05e5cdf634a7a58a5335982576073268ec"),
        (1, "aacd9b0cd10d54294cb9fe39ea74a1c7a0085c94c58cd3b2499309dd8ba743e2"),
        (2, "07b90ed13b02d23f93af8f8ce7a03aea17c12d4191f0be82e9eda78b400614a9"),
    ],
)
def test_a_change_that_was_released_is_as_it_was(number: int, digest: str) -> None:
    statements = "\n".join(MIGRATIONS[number].statements)
    assert hashlib.sha256(statements.encode()).hexdigest() == digest


def test_opening_again_changes_no_byte(database: Path) -> None:
    filled(database)
    before = digest(database)
    open_store(database, NoonClock()).close()
    assert digest(database) == before


def test_a_change_that_fails_leaves_no_part_of_itself(database: Path) -> None:
    filled(database)
    broken = Migration("999_broken", ("CREATE TABLE extra (id INTEGER)", "INSERT INTO nowhere VALUES (1)"))
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        with pytest.raises(sqlite3.OperationalError):
            migrate(db, NoonClock(), (*MIGRATIONS, broken))
        assert applied_migrations(db) == [(migration.name, __version__) for migration in MIGRATIONS]
        assert db.execute("SELECT 1 FROM sqlite_master WHERE name = 'extra'").fetchone() is None
        mended = Migration("999_broken", ("CREATE TABLE extra (id INTEGER)",))
        migrate(db, NoonClock(), (*MIGRATIONS, mended))
        assert applied_migrations(db)[-1] == ("999_broken", __version__)
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)


@pytest.mark.parametrize(("table", "enum"), [("units", Kind), ("units", Source), ("turns", TurnState)])
def test_the_schema_takes_every_word_of_the_domain(
    sqlite_store: SqliteStore, table: str, enum: type[Kind] | type[Source] | type[TurnState]
) -> None:
    ((schema,),) = sqlite_store._db.rows("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
    for word in enum:
        assert f"'{word.value}'" in schema


def test_embeddings_go_with_their_unit(sqlite_store: SqliteStore) -> None:
    (unit,) = sqlite_store.apply(ANN, [insert(fact("x"))], NOON).added
    sqlite_store.save_embeddings("mini/2", [embedding(unit)])
    sqlite_store.missing_embeddings("other/2", 1)
    sqlite_store.forget(ANN, [unit])
    for table in ("embeddings", "backlog", "units_text"):
        assert sqlite_store._db.rows(f"SELECT count(*) FROM {table}") == [(0,)]


def test_a_store_of_a_killed_process_is_locked_while_it_lives(database: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    process = context.Process(target=_hold, args=(str(database), ready, release))
    process.start()
    try:
        assert ready.wait(30)
        with pytest.raises(DaemonRunning) as raised:
            open_store(database, NoonClock())
        assert raised.value.details["pid"] == process.pid
    finally:
        process.kill()
        process.join()
    store = open_store(database, NoonClock())
    assert store.recover(NOON) == 1
    store.close()


def _hold(path: str, ready: threading.Event, release: threading.Event) -> None:
    store = open_store(Path(path), NoonClock())
    store.begin_turn(ANN, MAIN, "left open", (), NOON)
    ready.set()
    release.wait(60)
