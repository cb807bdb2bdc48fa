"""Full text at a bounded cost finds what full text without a bound would."""

from __future__ import annotations

import pytest

from edge.memory.units import OwnerId, UnitId
from edge.store.sqlite import SqliteStore
from tests.store.making import ANN, BOB, NOON, episode, insert, scope


@pytest.fixture(autouse=True)
def small_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edge.store.search.SCORED_LIMIT", 10)


def add(store: SqliteStore, *texts: str, owner: OwnerId = ANN) -> list[UnitId]:
    return list(store.apply(owner, [insert(episode(text)) for text in texts], NOON).added)


def found(store: SqliteStore, query: str, limit: int = 3) -> list[UnitId]:
    return [unit for unit, _ in store.search_text(scope(), query, limit)]


def test_a_rare_word_is_found_however_old_beside_a_common_one(sqlite_store: SqliteStore) -> None:
    (rare,) = add(sqlite_store, "the weather in Reykjavik")
    add(sqlite_store, *[f"the weather number {number}" for number in range(200)])
    assert found(sqlite_store, "weather Reykjavik", 1) == [rare]
    assert found(sqlite_store, "weather Reykjavik", 3)[0] == rare
    assert len(found(sqlite_store, "weather Reykjavik", 3)) == 3


def test_a_common_word_alone_finds_among_the_newest(sqlite_store: SqliteStore) -> None:
    ids = add(sqlite_store, *[f"天气 {number}" for number in range(200)])
    assert set(found(sqlite_store, "天气", 50)) == set(ids[-10:])


def test_a_word_that_is_rare_only_with_another_owner_hides_nothing(sqlite_store: SqliteStore) -> None:
    add(sqlite_store, "Reykjavik", owner=BOB)
    mine = add(sqlite_store, *[f"weather {number}" for number in range(20)])
    assert set(found(sqlite_store, "weather Reykjavik", 5)) <= set(mine)
    assert len(found(sqlite_store, "weather Reykjavik", 5)) == 5


def test_another_owners_matches_do_not_use_up_the_bound(sqlite_store: SqliteStore) -> None:
    mine = add(sqlite_store, "weather")
    add(sqlite_store, *["weather"] * 200, owner=BOB)
    assert found(sqlite_store, "weather") == mine


def test_full_text_is_whole(sqlite_store: SqliteStore) -> None:
    ids = add(sqlite_store, "one 猫", "two 狗", "three")
    sqlite_store.forget(ANN, ids[:1])
    sqlite_store._db.rows("INSERT INTO units_text (units_text) VALUES ('integrity-check')")
    assert found(sqlite_store, "猫") == []
    assert found(sqlite_store, "狗") == ids[1:2]
