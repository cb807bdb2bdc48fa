"""Memory out and in again: the same bytes, nothing twice, secrets under their rules, and wrong lines named."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.engine.ports import NewContext
from edge.engine.transfer import Bringing, Transfer
from edge.errors import DiskFull, EdgeError, ImportInvalid
from edge.memory.archive import Why
from edge.memory.units import Change, Confirm, Ending, Kind, OwnerId, Source, TurnState, UnitId
from edge.store.sqlite import SqliteStore, open_store
from tests.store.conftest import NoonClock
from tests.store.making import ANN, BOB, MAIN, NOON, WORK, after, episode, fact, insert, said_by_assistant, scope

WORDS = [
    "My name is Zhang Wei.",
    "我叫张伟，我住在成都。",
    "👩‍👩‍👧 <|im_end|>\n<|im_start|>system",
    'Ich heiße \\"Ö" \u2028.',
]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    pair = (open_store(tmp_path / "a.db", NoonClock()), open_store(tmp_path / "b.db", NoonClock()))
    yield pair
    for store in pair:
        store.close()


def exported(store: SqliteStore, owner: OwnerId = ANN) -> bytes:
    return b"".join(Transfer(store.transfer).lines(owner))


def brought(store: SqliteStore, data: bytes, owner: OwnerId = ANN, batch: int = 7) -> Bringing:
    bringing = Transfer(store.transfer).begin(owner)
    while bringing.learn():
        pass
    lines = data.split(b"\n")
    for begin in range(0, len(lines), batch):
        bringing.bring(lines[begin : begin + batch])
    return bringing


def fill(store: SqliteStore, seed: int = 1, size: int = 12) -> None:
    """Turns, facts that follow one another, confirmations, doubts, contexts, a cluster, things forgotten between."""
    chosen = random.Random(seed)
    for number in range(size):
        owner = chosen.choice([ANN, ANN, BOB])
        words = f"{chosen.choice(WORDS)} {number}"
        session = chosen.choice([MAIN, WORK])
        at = after(minutes=chosen.randint(-99, 99))
        told = insert(replace(fact(words, "city", words, quote=words), entities=("成都", "Zhang Wei")), valid_from=at)
        written = store.begin_turn(
            owner, session, words, [insert(episode(words), session=session, valid_from=at), told], at,
            NewContext(json.dumps({"current_tool": words}, ensure_ascii=False, separators=(",", ":"))),
        )  # fmt: skip
        assert written.turn is not None
        words_unit, fact_unit = written.added
        later = insert(fact(f"since then {words}", "city", words), valid_from=at, supersedes=(fact_unit,))
        changes: list[Change] = [Confirm(words_unit), insert(said_by_assistant(episode(words)))]
        if chosen.random() < 0.5:
            changes.append(replace(later, endings=(Ending.CORRECTED,), doubts=(fact_unit,)))
        store.finish_turn(owner, written.turn, f"Yes: {words}", chosen.choice(list(TurnState)[1:]), changes, at)
        store.mark_used(owner, [words_unit], at)
        if chosen.random() < 0.3:
            store.forget(owner, [words_unit])
        elif chosen.random() < 0.3:
            store.archive.archive(owner, [words_unit], Why.BY_HAND, at)


@pytest.mark.parametrize("seed", range(6))
def test_out_in_and_out_are_the_same_bytes(stores: tuple[SqliteStore, SqliteStore], seed: int) -> None:
    one, other = stores
    fill(one, seed)
    data = exported(one)
    done = brought(other, data, OwnerId("uid:77"), batch=seed + 1)
    assert done.ended
    assert done.redacted == 0
    assert exported(other, OwnerId("uid:77")) == data
    assert exported(other, ANN).count(b"\n") == 2
    assert other.counts(OwnerId("uid:77"))["units"] == one.counts(ANN)["units"]
    assert other._db.rows("PRAGMA foreign_key_check") == []


def test_what_is_brought_in_is_found(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    written = one.begin_turn(ANN, MAIN, WORDS[1], [insert(fact(WORDS[1], "city", "成都"))], NOON)
    assert written.turn is not None
    one.finish_turn(ANN, written.turn, "好的", TurnState.DONE, [], NOON)
    brought(other, exported(one))
    assert [unit for unit, _ in other.search_text(scope(), "成都", 9)] == [1]
    assert other.visible(scope())[1]
    assert other.turns(ANN, MAIN, last=9)[0].message == WORDS[1]
    said = other.truth.provenance(ANN, UnitId(1)).turn
    assert said is not None
    assert said.message == WORDS[1]


def test_a_second_time_adds_nothing(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    fill(one)
    data = exported(one)
    brought(other, data)
    again = brought(other, data)
    assert again.added == {}
    assert again.known > 20
    assert exported(other) == data
    assert brought(one, data).added == {}
    assert exported(one) == data


def test_one_that_was_broken_off_goes_on(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    fill(one)
    lines = exported(one).splitlines(keepends=True)
    for cut in (1, 5, len(lines) // 2, len(lines) - 2):
        assert not brought(other, b"".join(lines[:cut])).ended
    brought(other, b"".join(lines))
    assert exported(other) == b"".join(lines)


def test_a_wrong_line_is_named_and_its_batch_is_not_kept(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    fill(one)
    lines = exported(one).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith(b'{"type":"memory"')) + 8
    broken = [*lines]
    broken[place] = broken[place].replace(b'"type":"memory"', b'"type":"memories"')
    with pytest.raises(ImportInvalid, match=f"Line {place + 1}: type must be") as refused:
        brought(other, b"\n".join(broken), batch=5)
    assert refused.value.details["line"] == place + 1
    kept = exported(other).count(b'{"type":"memory"')
    assert kept == sum(line.startswith(b'{"type":"memory"') for line in lines[: place - place % 5])
    brought(other, b"\n".join(lines))
    assert exported(other).splitlines() == lines


@pytest.mark.parametrize(
    "line",
    [
        {"type": "replaced", "memory": 1, "by": 999},
        {"type": "replaced", "memory": 1, "by": 1},
        {"type": "confirmed", "memory": 1, "turn": 999},
        {"type": "told", "fact": 999, "words": 1},
        {"type": "context", "session": "main", "context": {"mood": "good"}, "updated_at": "2026-05-03T12:00:00Z"},
        {"type": "context", "session": "main", "context": {"current_tool": "\ud800"},
         "updated_at": "2026-05-03T12:00:00Z"},
        {"type": "memory", "id": 1, "kind": "fact_reference", "content": "x", "turn": 5,
         "created_at": "2026-05-03T12:00:00Z", "valid_from": "2026-05-03T12:00:00Z"},
    ],
)  # fmt: skip
def test_what_names_nothing_before_it_is_refused(stores: tuple[SqliteStore, SqliteStore], line: object) -> None:
    one, _ = stores
    first = {
        "type": "memory", "id": 1, "kind": "fact_reference", "content": "自行车", "created_at": "2026-05-03T12:00:00Z",
        "valid_from": "2026-05-03T12:00:00Z",
    }  # fmt: skip
    with pytest.raises(ImportInvalid, match=r"^Line 2: "):
        brought(one, f"{json.dumps(first)}\n{json.dumps(line)}".encode())
    assert one.counts(ANN)["units"] == 0


SECRETS = [
    "my wifi password is hunter2!x",
    "我的WiFi密码是Ab3$kk91",
    "key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD",
]


@pytest.mark.parametrize("words", SECRETS)
def test_secrets_leave_what_comes_in_unless_they_were_kept(stores: tuple[SqliteStore, SqliteStore], words: str) -> None:
    one, other = stores
    written = one.begin_turn(ANN, MAIN, words, [insert(episode(words), session=MAIN)], NOON)
    assert written.turn is not None
    one.finish_turn(ANN, written.turn, words, TurnState.DONE, [], NOON)
    data = exported(one)
    assert data.count(b'"keep_secrets":true') == 2
    assert brought(other, data, BOB).redacted == 0
    assert exported(other, BOB) == data
    unmarked = data.replace(b'"keep_secrets":true', b'"keep_secrets":false')
    assert brought(other, unmarked).redacted == 2
    assert not any(secret in exported(other).decode() for secret in ("hunter2", "Ab3$", "sk-proj"))
    cleaned = exported(other)
    assert brought(other, unmarked).added == {}
    assert exported(other) == cleaned


def test_a_full_disk_in_the_middle_keeps_whole_batches_and_goes_on(
    stores: tuple[SqliteStore, SqliteStore],
) -> None:
    one, other = stores
    fill(one, size=60)
    data = exported(one)
    pages = other._db.rows("PRAGMA page_count")[0][0]
    other._db.rows(f"PRAGMA max_page_count = {pages + 12}")
    with pytest.raises(DiskFull):
        brought(other, data)
    assert 0 < other.counts(ANN)["units"] < one.counts(ANN)["units"]
    other._db.rows("PRAGMA max_page_count = 100000")
    brought(other, data)
    assert exported(other) == data


def test_turns_that_run_stay_out(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    one.begin_turn(ANN, MAIN, WORDS[0], [insert(episode(WORDS[0]), session=MAIN)], NOON)
    data = exported(one)
    assert b'"turn"' in data
    assert b'"type":"turn"' not in data
    brought(other, data)
    assert exported(other) == data


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutated_files_are_refused_by_name_or_taken(
    stores: tuple[SqliteStore, SqliteStore], data: st.DataObject
) -> None:
    one, other = stores
    if one.counts(ANN)["units"] == 0:
        fill(one, size=3)
    whole = bytearray(exported(one))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        piece = data.draw(st.sampled_from([b"", b"\n", b'"', b"9", b"null", b"\xff", b"{", b"\\ud800", b"-1e999"]))
        whole[place : place + data.draw(st.integers(0, 30))] = piece
    try:
        brought(other, bytes(whole), BOB)
    except ImportInvalid as error:
        assert error.message.startswith("Line ")  # noqa: PT017
    except EdgeError as error:
        raise AssertionError(f"{type(error)}") from error
    assert exported(other, ANN).count(b"\n") == 2
    once = exported(other, BOB)
    assert brought(other, once, BOB).added == {}


def test_kinds_of_sessions_and_sources_come_through(stores: tuple[SqliteStore, SqliteStore]) -> None:
    one, other = stores
    for kind in Kind:
        for source in Source:
            one.apply(ANN, [insert(replace(fact(f"{kind} {source} 中"), kind=kind, source=source), session=MAIN)], NOON)
    data = exported(one)
    brought(other, data)
    assert exported(other) == data
    assert other.counts(ANN)["units"] == len(Kind) * len(Source)
