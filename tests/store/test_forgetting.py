"""Forgotten words are in no file of the store."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from edge.engine.ports import EmbeddingRow
from edge.errors import DiskFull
from edge.memory.units import Draft, Kind, Source, TurnState, UnitId
from edge.store.database import Database
from edge.store.sqlite import SqliteStore
from tests.store.making import ANN, MAIN, NOON, WORK, episode, insert, scope


def raw_bytes(database: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(database.parent.iterdir()))


def fill(store: SqliteStore, words: str) -> None:
    store.apply(ANN, [insert(episode(f"{words} {number}")) for number in range(600)], NOON)


def tell(store: SqliteStore, message: str, fact: Draft | None = None, reply: str = "Noted.") -> list[UnitId]:
    changes = [insert(episode(message))] + ([insert(fact)] if fact else [])
    begun = store.begin_turn(ANN, MAIN, message, changes, NOON)
    assert begun.turn is not None
    store.finish_turn(ANN, begun.turn, reply, TurnState.DONE, [insert(episode(reply, Source.ASSISTANT))], NOON)
    return list(begun.added)


@pytest.mark.parametrize("checkpointed", [False, True])
@pytest.mark.parametrize(
    ("message", "value", "slot", "traces"),
    [
        ("My brother Quentinius likes zabaglione", "zabaglione", "like", ["zabaglione", "zabaglion", "Quentinius"]),
        ("我的护照号是鳄鱼ＥＢ一二三", "鳄鱼", "passport", ["鳄鱼", "护照", "号是鳄"]),
        ("Ring +49 30 7654321 please", "+49307654321", "phone", ["7654321", "49307654321"]),
    ],
)
def test_no_trace_is_left_in_any_file(
    sqlite_store: SqliteStore,
    database: Path,
    message: str,
    value: str,
    slot: str,
    traces: list[str],
    checkpointed: bool,
) -> None:
    fill(sqlite_store, "filler about the weather, 天气不错")
    draft = Draft(
        Kind.USER_PROFILE, f"{slot}: {message}", slot=slot, value=value, entities=(value, traces[0]), quote=message
    )
    words, told = tell(sqlite_store, message, draft, f"I will keep {value} in mind.")
    vector = np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32)
    for embedder in ("mini/4", "other/4"):
        sqlite_store.save_embeddings(embedder, [EmbeddingRow(told, 0, vector, traces[0].encode())])
    fill(sqlite_store, "more filler, 明天下雨")
    if checkpointed:
        sqlite_store.checkpoint()
    before = raw_bytes(database)
    assert all(trace in before for trace in (*map(str.encode, traces), vector.tobytes()))

    gone = sqlite_store.forget(ANN, [told])

    assert {words, told} < set(gone)
    left = raw_bytes(database)
    assert [trace for trace in traces if trace.encode() in left] == []
    assert vector.tobytes() not in left
    assert b"filler" in left


def test_words_that_others_still_say_are_still_found(sqlite_store: SqliteStore) -> None:
    (one,) = tell(sqlite_store, "the garden is green")
    (two,) = tell(sqlite_store, "the garden is wet")
    sqlite_store.forget(ANN, [one])
    assert [unit for unit, _ in sqlite_store.search_text(scope(session=WORK), "garden", 9)] == [two]


def test_no_copy_stays_in_the_unused_part_of_a_page(sqlite_store: SqliteStore, database: Path) -> None:
    """Rows that grow and go are moved between pages again and again. Without the rewriting, this seed leaves one."""
    chance = random.Random(3)
    live: list[tuple[str, UnitId]] = []
    for code in range(130):
        word = f"zq{code:05}xw"
        message = f"{word} " + " ".join(chance.choices(["sun", "rain", "天气"], k=chance.randrange(60)))
        likes = Draft(Kind.USER_PROFILE, f"likes {word}", slot="like", value=word)
        live.append((word, tell(sqlite_store, message, likes, f"ok {word} " + "sun " * chance.randrange(60))[1]))
        if chance.random() < 0.15:
            gone, unit = live.pop(chance.randrange(len(live)))
            sqlite_store.forget(ANN, [unit])
            assert gone.encode() not in raw_bytes(database)


def test_a_large_database_is_rewritten_off_peak(
    sqlite_store: SqliteStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.store.traces.REWRITTEN_AT_ONCE", 0)
    (one,) = tell(sqlite_store, "an unusual zabaglione")
    (two,) = tell(sqlite_store, "the weather")
    assert not sqlite_store.remove_traces()
    sqlite_store.forget(ANN, [one])
    assert sqlite_store.remove_traces()
    assert not sqlite_store.remove_traces()
    assert b"zabaglione" not in raw_bytes(database)
    assert sqlite_store.unit(ANN, two).content == "the weather"


def test_what_is_forgotten_is_gone_also_where_its_traces_have_to_wait_for_room(
    sqlite_store: SqliteStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = tell(sqlite_store, "an unusual zabaglione")

    def full(_: Database) -> None:
        raise DiskFull("There is no room left.")

    with monkeypatch.context() as disk:
        disk.setattr(Database, "checkpoint", full)
        assert sqlite_store.forget(ANN, [one]) == (one,)
    assert sqlite_store.recover(NOON) == 0
    assert b"zabaglione" not in raw_bytes(database)
