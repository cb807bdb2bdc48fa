"""Forgetting what a person chose: what goes is what was shown, and no word of it is left in any file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from edge.engine.forgetting_ports import Selection
from edge.engine.ports import NewContext
from edge.errors import ForgettingChanged, MemoryNotFound, SessionNotFound
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, TurnId, TurnState, UnitId
from edge.store.sqlite import SqliteStore
from edge.store.traces import Traces
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, episode, fact, insert
from tests.store.test_forgetting import raw_bytes

SHOP = SessionId("shop")


def tell(
    store: SqliteStore,
    message: str,
    *drafts: Draft,
    session: SessionId = SHOP,
    reply: str = "Noted.",
    owner: OwnerId = ANN,
    bound: bool = False,
) -> list[UnitId]:
    """A whole turn; the units it added, the words first."""
    held = session if bound else None
    changes = [insert(episode(message)), *(insert(draft, session=held) for draft in drafts)]
    begun = store.begin_turn(owner, session, message, changes, NOON)
    assert begun.turn is not None
    words = [insert(episode(reply, Source.ASSISTANT))]
    ended = store.finish_turn(owner, begun.turn, reply, TurnState.DONE, words, NOON)
    return [*begun.added, *ended.added]


def ids(store: SqliteStore, owner: OwnerId = ANN) -> set[UnitId]:
    page = store.page(owner, session=None, kinds=None, before=None, limit=500, as_of=NOON, include_past=True)
    return {unit.id for unit in page.units}


def forget_session(store: SqliteStore, session: SessionId = SHOP, *, facts: bool = False) -> tuple[UnitId, ...]:
    selection = Selection(session=session, facts=facts)
    shown = store.forgetting.leaving(ANN, selection)
    assert store.forgetting.forget_selection(ANN, selection, shown.token) == shown
    return shown.units


def test_a_session_goes_whole_and_its_facts_stay_apart(sqlite_store: SqliteStore) -> None:
    store = sqlite_store
    words, phone, reply = tell(store, "My number is 5550001", fact("phone is 5550001", "phone", "5550001", "number is"))
    bound_words, cart, bound_reply = tell(store, "3 red mugs", fact("cart: 3 red mugs"), bound=True)
    other = set(tell(store, "hello", session=WORK)) | set(tell(store, "hi", owner=BOB))
    shown = store.forgetting.leaving(ANN, Selection(session=SHOP))
    assert (shown.units, shown.turns, shown.kept) == ((words, reply, bound_words, cart, bound_reply), 2, (phone,))
    assert ids(store) | ids(store, BOB) == {*shown.units, phone, *other}
    forget_session(store)
    assert ids(store) | ids(store, BOB) == {phone, *other}
    assert [info.id for info in store.sessions(ANN)] == [WORK]
    assert [info.id for info in store.sessions(BOB)] == [SHOP]
    assert store.unit(ANN, phone).source_turn is None
    assert store.forget(ANN, [phone]) == (phone,)


def test_with_its_facts_nothing_of_them_stays(sqlite_store: SqliteStore) -> None:
    tell(sqlite_store, "My number is 5550001", fact("phone is 5550001", "phone", "5550001"))
    elsewhere = tell(sqlite_store, "5550001 is busy", session=WORK, reply="Call 555 0001 later.")
    stays = tell(sqlite_store, "good evening", session=WORK)
    assert set(elsewhere) < set(forget_session(sqlite_store, facts=True))
    assert ids(sqlite_store) == set(stays)


@pytest.mark.parametrize("facts", [False, True])
@pytest.mark.parametrize(
    ("message", "reply", "state", "traces"),
    [
        ("The zabaglione is for Quentinius", "Zabaglione, noted.", "cart: 3 mugs", ["abaglion", "Quentin", "3 mugs"]),
        ("蛋黄酱是给昆廷的", "蛋黄酱，记住了。", "购物车：三个杯子", ["蛋黄", "昆廷", "三个杯"]),
    ],
)
def test_no_word_of_it_is_left_in_any_file(
    sqlite_store: SqliteStore, database: Path, message: str, reply: str, state: str, traces: list[str], facts: bool
) -> None:
    store = sqlite_store
    tell(store, "filler about the weather, 天气不错", session=WORK)
    tell(
        store, message, Draft(Kind.SESSION_STATE, state, quote=message, entities=(traces[1],)), reply=reply, bound=True
    )
    name = Draft(Kind.USER_PROFILE, "name: Ann", slot="name", value="Ann", quote=f"{message}, Ann")
    tell(store, "I am Ann", name, session=SHOP)
    store.contexts.save_context(ANN, SHOP, NewContext(f'{{"tool":"{traces[0]}"}}'), NOON)
    held = raw_bytes(database)
    assert all(trace.encode() in held for trace in traces)
    forget_session(store, facts=facts)
    left = raw_bytes(database)
    assert [trace for trace in traces if trace.encode() in left] == []
    assert b"filler" in left
    assert (b"name: Ann" in left) is not facts
    assert b"shop" not in left


def test_everything_that_points_to_its_turns_lets_go(sqlite_store: SqliteStore, database: Path) -> None:
    store = sqlite_store
    tea = store.apply(ANN, [insert(fact("likes tea"))], NOON).added[0]
    tell(store, "I like tea")
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("INSERT INTO confirmations VALUES (?, 1)", (tea,))
        db.execute("INSERT INTO topics (owner, session, started_turn, last_turn) VALUES (?, ?, 1, 1)", (ANN, SHOP))
        db.execute("UPDATE units SET topic = 1 WHERE id = ?", (tea,))
        db.execute(
            "INSERT INTO contradictions (owner, older, newer, marked_at, asked_turn) VALUES (?, ?, ?, 0, 1)",
            (ANN, tea, tea),
        )
        db.execute(
            "INSERT INTO batches (owner, session, task, unit, total, state, started_at, updated_at)"
            " VALUES (?, ?, 'mugs', ?, 3, 'running', 0, 0)",
            (ANN, SHOP, tea),
        )
    forget_session(store)
    with closing(sqlite3.connect(database)) as db:
        assert db.execute("SELECT topic FROM units").fetchall() == [(None,)]
        assert db.execute("SELECT asked_turn FROM contradictions").fetchall() == [(None,)]
        for table in ("turns", "topics", "batches", "confirmations", "session_contexts"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_turn_that_runs_loses_its_words_and_may_end(sqlite_store: SqliteStore) -> None:
    begun = sqlite_store.begin_turn(ANN, SHOP, "3 red mugs", [insert(episode("3 red mugs"), session=SHOP)], NOON)
    assert begun.turn is not None
    assert forget_session(sqlite_store) == begun.added
    sqlite_store.finish_turn(ANN, begun.turn, "", TurnState.DONE, (), after(seconds=1))
    (left,) = sqlite_store.turns(ANN, SHOP, last=5)
    assert (left.message, left.reply) == ("", "")
    assert forget_session(sqlite_store) == ()
    assert sqlite_store.sessions(ANN) == []


def test_what_came_in_between_is_not_forgotten_with_it(sqlite_store: SqliteStore) -> None:
    (words, *_) = tell(sqlite_store, "a secret word")
    by_session, by_id = Selection(session=SHOP), Selection((words,))
    tokens = [sqlite_store.forgetting.leaving(ANN, chosen).token for chosen in (by_session, by_id)]
    tell(sqlite_store, "another word", session=WORK)
    assert [sqlite_store.forgetting.leaving(ANN, chosen).token for chosen in (by_session, by_id)] == tokens
    newer = tell(sqlite_store, "another word")
    before = ids(sqlite_store)
    with pytest.raises(ForgettingChanged):
        sqlite_store.forgetting.forget_selection(ANN, by_session, tokens[0])
    assert ids(sqlite_store) == before
    sqlite_store.forgetting.forget_selection(ANN, by_id, tokens[1])
    assert ids(sqlite_store) >= set(newer)
    assert words not in ids(sqlite_store)


def test_what_is_not_the_owners_is_not_there(sqlite_store: SqliteStore) -> None:
    mine, theirs = tell(sqlite_store, "mine")[0], tell(sqlite_store, "theirs", owner=BOB, session=MAIN)[0]
    for chosen, error in (
        (Selection((mine, theirs)), MemoryNotFound),
        (Selection((UnitId(999),)), MemoryNotFound),
        (Selection(session=MAIN), SessionNotFound),
    ):
        with pytest.raises(error):
            sqlite_store.forgetting.leaving(ANN, chosen)
        with pytest.raises(error):
            sqlite_store.forgetting.forget_selection(ANN, chosen, None)
    assert mine in ids(sqlite_store)


def test_units_that_hold_all_words_in_any_state_and_session(sqlite_store: SqliteStore) -> None:
    store = sqlite_store
    old, bound, zh = store.apply(
        ANN,
        [
            insert(fact("the old address is Elm Street"), valid_until=after(seconds=1)),
            insert(fact("old shoes, new address"), session=WORK),
            insert(fact("旧地址是榆树街")),
        ],
        NOON,
    ).added
    store.apply(BOB, [insert(fact("old address"))], NOON)
    assert store.forgetting.holding(ANN, "Old address", 9) == [bound, old]
    assert store.forgetting.holding(ANN, "addresses: old", 1) == [bound]
    assert store.forgetting.holding(ANN, "旧地址", 9) == [zh]
    assert store.forgetting.holding(ANN, "old house", 9) == []
    assert store.forgetting.holding(ANN, '"?!', 9) == []


def test_traces_that_a_killed_process_left_go_at_the_next_start(
    sqlite_store: SqliteStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (words, *_) = tell(sqlite_store, "an unusual zabaglione")
    with monkeypatch.context() as killed:
        killed.setattr(Traces, "remove_in_time", lambda traces: True)
        sqlite_store.forgetting.forget_selection(ANN, Selection((words,)), None)
    sqlite_store.recover(NOON)
    assert not sqlite_store.remove_traces()
    assert b"zabaglion" not in raw_bytes(database)


def test_a_session_that_is_a_context_only_goes_too(sqlite_store: SqliteStore, database: Path) -> None:
    sqlite_store.contexts.save_context(ANN, SHOP, NewContext('{"tool":"zabaglione"}'), NOON)
    assert forget_session(sqlite_store) == ()
    assert b"zabaglione" not in raw_bytes(database)
    with pytest.raises(SessionNotFound):
        sqlite_store.forgetting.leaving(ANN, Selection(session=SHOP))


def test_a_turns_id_is_not_given_again(sqlite_store: SqliteStore) -> None:
    tell(sqlite_store, "one")
    forget_session(sqlite_store)
    begun = sqlite_store.begin_turn(ANN, SHOP, "two", (), NOON)
    assert begun.turn == TurnId(2)
