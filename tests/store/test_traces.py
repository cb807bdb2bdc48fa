"""What forgetting leaves in the files goes at once, and in a long row of forgettings in its share of the time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from edge.memory.units import Draft, Kind, UnitId
from edge.store.database import Database
from edge.store.sqlite import SqliteStore, open_store
from edge.store.traces import SECONDS_IN_HAND, SHARE
from tests.store.making import ANN, MAIN, NOON, episode, insert, scope
from tests.store.test_forgetting import raw_bytes

REWRITE_SECONDS = 0.5


class StopWatch:
    """It is always noon; only what a test says takes time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> StopWatch:
    return StopWatch()


@pytest.fixture
def slow_store(database: Path, watch: StopWatch, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    """A store whose database takes half a second to be written anew."""
    rewrite = Database.rewrite

    def slow(db: Database) -> None:
        rewrite(db)
        watch.seconds += REWRITE_SECONDS

    monkeypatch.setattr(Database, "rewrite", slow)
    store = open_store(database, watch)
    yield store
    store.close()


def told(store: SqliteStore, count: int) -> list[UnitId]:
    """So many units, each with a word of its own in both languages."""
    changes = [insert(episode(f"zq{number:03}xw is told, {number:03}号飞艇")) for number in range(count)]
    return list(store.apply(ANN, changes, NOON).added)


def left(database: Path, count: int) -> int:
    """Of how many of them a trace is in a file."""
    data = raw_bytes(database)
    return sum(f"zq{number:03}xw".encode() in data for number in range(count))


def test_a_long_row_takes_its_share_of_the_time(slow_store: SqliteStore, database: Path, watch: StopWatch) -> None:
    units = told(slow_store, 200)
    at_once = int(SECONDS_IN_HAND / REWRITE_SECONDS)
    for number, unit in enumerate(units[:100], start=1):
        slow_store.forget(ANN, [unit])
        if number <= at_once:
            assert left(database, 200) == 200 - number
    assert watch.seconds <= SECONDS_IN_HAND + REWRITE_SECONDS
    assert left(database, 100) > 0
    assert UnitId(51) not in dict(slow_store.search_text(scope(), "zq050xw", 999))
    assert slow_store.tidy()
    watch.seconds += REWRITE_SECONDS / SHARE
    assert not slow_store.tidy()
    assert left(database, 200) == 100


def test_what_a_row_left_goes_at_the_next_start(slow_store: SqliteStore, database: Path, watch: StopWatch) -> None:
    for unit in told(slow_store, 20):
        slow_store.forget(ANN, [unit])
    assert left(database, 20) > 0
    slow_store.close()
    again = open_store(database, watch)
    again.recover(NOON)
    assert left(database, 20) == 0
    again.close()


def test_of_a_large_database_the_terms_go_and_the_pages_wait(
    slow_store: SqliteStore, database: Path, watch: StopWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.store.traces.REWRITTEN_AT_ONCE", 0)
    for unit in told(slow_store, 20):
        slow_store.forget(ANN, [unit])
    rows = slow_store._db.rows("SELECT block FROM units_text_data")
    assert not any(b"zq0" in block or "飞艇".encode() in block for (block,) in rows)
    assert slow_store.tidy()
    assert watch.seconds == 0
    assert slow_store.remove_traces()
    assert not slow_store.tidy()
    assert left(database, 20) == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("13900001111", "ring 139-0000 1111 today"),
        ("13900001111", "请打１３９ 0000（1111）"),
        ("139 0000 1111", "13900001111"),
        ("AB-12345", "the code ab12345."),
        ("京A12345", "车牌是 京 a·12345"),
        ("ann@example.org", "ANN@example . org"),
        ("1234567" * 8, f"x{'1234567' * 8}"),
    ],
)
@pytest.mark.parametrize("place", ["content", "value", "quote", "message", "reply"])
def test_a_value_is_found_wherever_it_stands_however_it_is_written(
    sqlite_store: SqliteStore, value: str, text: str, place: str
) -> None:
    named = Draft(Kind.USER_PROFILE, "it", slot="it", value=value)
    texts = {"content": "elsewhere", place: text}
    other = Draft(Kind.FACT_REFERENCE, texts["content"], value=texts.get("value"), quote=texts.get("quote"))
    told = sqlite_store.begin_turn(ANN, MAIN, texts.get("message", "hello"), [insert(other)], NOON)
    assert told.turn is not None
    sqlite_store._db.rows("UPDATE turns SET reply = ? WHERE id = ?", (texts.get("reply", ""), told.turn))
    (unit,) = sqlite_store.apply(ANN, [insert(named)], NOON).added
    gone = sqlite_store.forget(ANN, [unit])
    rows = sqlite_store._db.rows("SELECT message || reply FROM turns")
    units = sqlite_store._db.rows("SELECT content || ifnull(value, '') || ifnull(quote, '') FROM units")
    assert text not in "".join(shown for (shown,) in (*rows, *units))
    assert (told.added[0] in gone) is (place in ("content", "value"))
