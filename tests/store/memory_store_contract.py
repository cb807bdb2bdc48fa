"""What every MemoryStore does: the same tests for the one in SQLite and for the fake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

import numpy as np
import pytest

from edge.engine.ports import EmbeddingRow, MemoryStore, Scope, Written
from edge.engine.vector_ports import VectorLog
from edge.errors import MemoryNotFound, TurnNotOpen
from edge.memory.places import Place
from edge.memory.units import Change, Confirm, Draft, Ending, Kind, OwnerId, SessionId, Source, TurnState, UnitId
from tests.store.making import (
    ANN,
    BOB,
    MAIN,
    NOON,
    WORK,
    after,
    embedding,
    episode,
    fact,
    insert,
    said_by_assistant,
    scope,
)

VECTOR = np.array([1.0, 0.0], dtype=np.float32)


class Store(MemoryStore, Protocol):
    """Both ports, and what the daemon calls at start."""

    @property
    def vector_log(self) -> VectorLog: ...

    def recover(self, at: datetime) -> int: ...


def turn(
    store: Store,
    message: str,
    changes: Sequence[Change] = (),
    reply: str = "Noted.",
    reply_changes: Sequence[Change] = (),
    owner: OwnerId = ANN,
    session: SessionId = MAIN,
) -> Written:
    """A whole turn; what its message added."""
    begun = store.begin_turn(owner, session, message, changes, NOON)
    assert begun.turn is not None
    store.finish_turn(owner, begun.turn, reply, TurnState.DONE, reply_changes, NOON)
    return begun


def add(store: Store, *drafts: Draft, owner: OwnerId = ANN, session: SessionId | None = None) -> list[UnitId]:
    return list(store.apply(owner, [insert(draft, session=session) for draft in drafts], NOON).added)


def found(store: Store, query: str, owner: OwnerId = ANN, session: SessionId | None = MAIN) -> list[UnitId]:
    return [unit for unit, _ in store.search_text(scope(owner, session), query, 10)]


def seen(store: Store, asked: Scope) -> list[int]:
    """The visible units, from a mask that has the shape it must have."""
    mask = store.visible(asked)
    assert mask.dtype == np.bool_
    assert not mask.flags.writeable
    ids: list[int] = np.flatnonzero(mask).tolist()
    assert len(mask) == (ids[-1] + 1 if ids else 0)
    return ids


def kept(store: Store, embedder: str = "mini/2") -> list[int]:
    """Units of all embeddings in the log."""
    units: list[int] = store.vector_log.vectors_between(embedder, 0, None, 999).units.tolist()
    return units


class MemoryStoreContract:
    """Subclasses give a fixture `store`."""

    # --- turns and units as written ---

    def test_unit_comes_back_as_it_was_written(self, store: Store) -> None:
        draft = Draft(
            Kind.FACT_REFERENCE,
            "妹妹的电话是 0151 2345678",
            source=Source.TOOL,
            subject="sister",
            slot="phone",
            value="01512345678",
            entities=("妹妹", "0151"),
            confidence=0.75,
            importance=0.25,
            task_type="contacts",
        )
        written = store.begin_turn(ANN, MAIN, "m", [insert(draft, session=WORK, valid_until=after(days=1))], NOON)
        unit = store.unit(ANN, written.added[0])
        assert (unit.owner, unit.session, unit.kind, unit.content) == (ANN, WORK, draft.kind, draft.content)
        assert (unit.subject, unit.slot, unit.value, unit.entities) == (
            "sister",
            "phone",
            "01512345678",
            draft.entities,
        )
        assert (unit.source, unit.source_turn) == (Source.TOOL, written.turn)
        assert (unit.confidence, unit.importance, unit.task_type) == (0.75, 0.25, "contacts")
        assert (unit.created_at, unit.valid_from, unit.valid_until) == (NOON, NOON, after(days=1))
        assert (unit.relevance, unit.access_count, unit.last_accessed) == (1.0, 0, None)
        assert (unit.superseded_by, unit.archived_at, unit.cluster) == (None, None, None)

    def test_turn_keeps_both_sides_word_for_word(self, store: Store) -> None:
        begun = store.begin_turn(ANN, MAIN, '你好 "quoted"\0🙂', (), NOON)
        assert begun.turn is not None
        assert store.turns(ANN, MAIN, last=5) == []
        store.finish_turn(ANN, begun.turn, "再见", TurnState.CUT, (), after(seconds=3))
        (kept,) = store.turns(ANN, MAIN, last=5)
        assert (kept.message, kept.reply, kept.state) == ('你好 "quoted"\0🙂', "再见", TurnState.CUT)
        assert (kept.started_at, kept.ended_at) == (NOON, after(seconds=3))

    def test_turns_are_the_last_ones_oldest_first_also_when_the_clock_went_back(self, store: Store) -> None:
        for number in range(4):
            begun = store.begin_turn(ANN, MAIN, f"m{number}", (), after(hours=-number))
            assert begun.turn is not None
            store.finish_turn(ANN, begun.turn, "r", TurnState.DONE, (), after(hours=-number))
        assert [kept.message for kept in store.turns(ANN, MAIN, last=3)] == ["m1", "m2", "m3"]
        assert store.turns(ANN, MAIN, last=0) == []

    def test_a_turn_ends_once_and_only_for_its_owner(self, store: Store) -> None:
        begun = store.begin_turn(ANN, MAIN, "hello", (), NOON)
        assert begun.turn is not None
        with pytest.raises(TurnNotOpen):
            store.finish_turn(BOB, begun.turn, "r", TurnState.DONE, (), NOON)
        store.finish_turn(ANN, begun.turn, "r", TurnState.DONE, (), NOON)
        with pytest.raises(TurnNotOpen):
            store.finish_turn(ANN, begun.turn, "again", TurnState.DONE, [insert(fact("no"))], NOON)
        assert store.counts(ANN)["units"] == 0

    def test_what_was_left_open_is_interrupted(self, store: Store) -> None:
        store.begin_turn(ANN, MAIN, "one", (), NOON)
        store.begin_turn(BOB, MAIN, "two", (), NOON)
        turn(store, "three")
        assert store.recover(after(hours=1)) == 2
        assert store.recover(after(hours=2)) == 0
        (kept,) = store.turns(BOB, MAIN, last=5)
        assert (kept.state, kept.ended_at) == (TurnState.INTERRUPTED, after(hours=1))

    def test_sessions_last_used_first(self, store: Store) -> None:
        turn(store, "a", session=MAIN)
        turn(store, "b", session=WORK)
        store.begin_turn(ANN, MAIN, "c", (), after(hours=-1))
        assert [(info.id, info.turns) for info in store.sessions(ANN)] == [(MAIN, 2), (WORK, 1)]
        assert (store.sessions(ANN)[0].first_turn_at, store.sessions(ANN)[0].last_turn_at) == (NOON, after(hours=-1))
        assert store.sessions(BOB) == []

    # --- changes ---

    def test_superseding_ends_the_old_where_the_new_begins(self, store: Store) -> None:
        (berlin,) = add(store, fact("lives in Berlin", "address", "Berlin"))
        change = insert(fact("lives in Hamburg", "address", "Hamburg"), valid_from=after(days=30), supersedes=(berlin,))
        written = store.apply(ANN, [change], after(days=30))
        (hamburg,) = written.added
        assert written.superseded == (berlin,)
        assert (store.unit(ANN, berlin).superseded_by, store.unit(ANN, berlin).valid_until) == (hamburg, after(days=30))
        now, then = scope(as_of=after(days=31)), scope(as_of=after(days=29))
        assert [unit.id for unit in store.slot_units(now, ["address"], "self")] == [hamburg]
        assert [unit.id for unit in store.slot_units(then, ["address"], "self")] == [berlin]

    def test_superseding_does_not_prolong_a_life(self, store: Store) -> None:
        old = store.apply(ANN, [insert(fact("a"), valid_until=after(hours=1))], NOON).added[0]
        store.apply(ANN, [insert(fact("b"), valid_from=after(hours=2), supersedes=(old,))], after(hours=2))
        assert store.unit(ANN, old).valid_until == after(hours=1)

    def test_the_newer_statement_is_current_also_when_the_clock_went_back(self, store: Store) -> None:
        (berlin,) = add(store, fact("lives in Berlin", "address", "Berlin"))
        earlier = after(hours=-1)
        change = insert(fact("lives in Hamburg", "address", "Hamburg"), valid_from=earlier, supersedes=(berlin,))
        (hamburg,) = store.apply(ANN, [change], earlier).added
        for as_of in (earlier, after(hours=1)):
            assert [unit.id for unit in store.slot_units(scope(as_of=as_of), ["address"], None)] == [hamburg]

    def test_confirming_raises_count_and_confidence_and_leaves_its_life(self, store: Store) -> None:
        draft = Draft(Kind.SESSION_STATE, "step 2", confidence=0.5)
        unit = store.apply(ANN, [insert(draft, valid_until=after(hours=24))], NOON).added[0]
        for hour in (1, 2):
            assert store.apply(ANN, [Confirm(unit)], after(hours=hour)).confirmed == (unit,)
        kept = store.unit(ANN, unit)
        assert (kept.access_count, kept.confidence, kept.last_accessed) == (2, 0.875, after(hours=2))
        assert (kept.valid_until, kept.relevance, kept.valid_from) == (after(hours=24), 1.0, NOON)

    def test_use_is_counted_and_changes_neither_relevance_nor_lifetime(self, store: Store) -> None:
        unit = store.apply(ANN, [insert(fact("x"), valid_until=after(hours=24))], NOON).added[0]
        for _ in range(100):
            store.mark_used(ANN, [unit], after(hours=1))
        store.mark_used(BOB, [unit], after(hours=9))
        kept = store.unit(ANN, unit)
        assert (kept.access_count, kept.last_accessed) == (100, after(hours=1))
        assert (kept.relevance, kept.valid_until) == (1.0, after(hours=24))

    def test_another_owners_units_are_neither_confirmed_nor_superseded(self, store: Store) -> None:
        (unit,) = add(store, fact("Ann's"))
        written = store.apply(BOB, [Confirm(unit), insert(fact("Bob's"), supersedes=(unit,))], NOON)
        assert (written.confirmed, written.superseded) == ((), ())
        assert (store.unit(ANN, unit).access_count, store.unit(ANN, unit).superseded_by) == (0, None)

    def test_known_finds_visible_units_by_key(self, store: Store) -> None:
        tea, old = insert(fact("likes tea")), insert(fact("likes mate"), valid_until=after(seconds=1))
        cart = insert(Draft(Kind.SESSION_STATE, "cart: 3 items"), session=WORK)
        ids = store.apply(ANN, [tea, old, cart], NOON).added
        keys = [tea.key, old.key, cart.key, "none"]
        assert store.known(scope(), keys) == {tea.key: ids[0]}
        assert store.known(scope(session=WORK), keys) == {tea.key: ids[0], cart.key: ids[2]}
        assert store.known(scope(BOB), keys) == {}

    # --- scopes ---

    def test_two_owners_with_one_session_name_never_mix(self, store: Store) -> None:
        (anns,) = add(store, fact("order A-2041", "order_id", "A-2041"), session=MAIN)
        (bobs,) = add(store, fact("order B-7", "order_id", "B-7"), owner=BOB, session=MAIN)
        turn(store, "Ann's words")
        turn(store, "Bob's words", owner=BOB)
        for owner, mine, theirs in ((ANN, anns, bobs), (BOB, bobs, anns)):
            assert seen(store, scope(owner)) == [mine]
            assert found(store, "order", owner) == [mine]
            assert list(store.units(scope(owner), [anns, bobs])) == [mine]
            assert [unit.id for unit in store.slot_units(scope(owner), ["order_id"], None)] == [mine]
            assert [kept.owner for kept in store.turns(owner, MAIN, last=9)] == [owner]
            assert store.counts(owner)["units"] == store.counts(owner)["turns"] == 1
            assert store.forget(owner, [theirs]) == ()
            with pytest.raises(MemoryNotFound):
                store.unit(owner, theirs)
        assert store.counts(None)["units"] == 2
        assert store.counts(None)["sessions"] == 2

    def test_scope_decides_what_is_visible(self, store: Store) -> None:
        everywhere, here = insert(fact("a")), insert(fact("b"), session=MAIN)
        there, later = insert(fact("c"), session=WORK), insert(fact("d"), valid_from=after(hours=1))
        ended = insert(fact("e"), valid_until=after(seconds=30))
        tool = insert(Draft(Kind.TOOL_RESULT, "f"), session=MAIN)
        a, b, c, d, e, f = store.apply(ANN, [everywhere, here, there, later, ended, tool], NOON).added
        expected = {
            scope(): [a, b, f],
            scope(session=None): [a],
            scope(session=WORK): [a, c],
            scope(as_of=after(hours=2)): [a, b, d, f],
            scope(as_of=NOON): [a, b, e, f],
            scope(as_of=after(seconds=30)): [a, b, f],
            scope(as_of=after(seconds=-1)): [],
            scope(kinds=frozenset({Kind.TOOL_RESULT})): [f],
            scope(kinds=frozenset()): [],
        }
        for asked, visible in expected.items():
            assert seen(store, asked) == visible
            assert sorted(store.units(asked, [a, b, c, d, e, f])) == visible

    def test_page_walks_all_units_newest_first(self, store: Store) -> None:
        ids = add(store, *[fact(f"fact {number}") for number in range(7)])
        seen: list[UnitId] = []
        before: UnitId | None = None
        while True:
            page = store.page(ANN, session=None, kinds=None, before=before, limit=3, as_of=NOON, include_past=False)
            seen += [unit.id for unit in page.units]
            before = page.next_before
            if before is None:
                break
        assert seen == ids[::-1]

    def test_a_clock_that_was_set_back_hides_nothing_and_brings_nothing_back(self, store: Store) -> None:
        boot = datetime(1970, 1, 1, tzinfo=UTC)
        (old,) = add(store, fact("lives in Berlin", "address", "Berlin"))
        (new,) = store.apply(ANN, [insert(fact("住在汉堡", "address", "汉堡"), supersedes=(old,))], NOON).added
        now = scope(as_of=boot, present=True)
        assert [unit.id for unit in store.slot_units(now, ["address"], None)] == [new]
        assert [unit for unit, _ in store.search_text(now, "汉堡", 5)] == [new]
        assert seen(store, now) == [new]
        page = store.page(ANN, session=None, kinds=None, before=None, limit=9, as_of=boot, include_past=False)
        assert [unit.id for unit in page.units] == [new]

    def test_what_begins_later_is_not_there_yet(self, store: Store) -> None:
        store.apply(ANN, [insert(fact("lives in Rome", "address", "Rome"), valid_from=after(days=2))], NOON)
        assert store.slot_units(scope(present=True), ["address"], None) == []

    def test_page_can_include_the_past_and_choose_session_and_kind(self, store: Store) -> None:
        past = insert(fact("old"), valid_until=after(seconds=1))
        mine, other = insert(fact("now"), session=MAIN), insert(episode("hello"), session=WORK)
        a, b, c = store.apply(ANN, [past, mine, other], NOON).added

        def ids(
            session: SessionId | None = None, kinds: frozenset[Kind] | None = None, past: bool = False
        ) -> list[UnitId]:
            page = store.page(
                ANN, session=session, kinds=kinds, before=None, limit=9, as_of=after(hours=1), include_past=past
            )
            return [unit.id for unit in page.units]

        assert ids() == [c, b]
        assert ids(past=True) == [c, b, a]
        assert ids(session=MAIN, past=True) == [b, a]
        assert ids(kinds=frozenset({Kind.EPISODE})) == [c]

    def test_slot_units_by_subject_newest_first(self, store: Store) -> None:
        mine = fact("my phone", "phone", "1")
        hers = Draft(Kind.FACT_REFERENCE, "sister's phone", subject="sister", slot="phone", value="2")
        a, b, c, d = add(store, mine, hers, fact("my second phone", "phone", "3"), fact("no slot"))
        assert [unit.id for unit in store.slot_units(scope(), ["phone", "email"], "self")] == [c, a]
        assert [unit.id for unit in store.slot_units(scope(), ["phone"], "sister")] == [b]
        assert [unit.id for unit in store.slot_units(scope(), ["phone"], None)] == [c, b, a]
        assert store.slot_units(scope(), ["email"], None) == []
        assert store.slot_units(scope(), [], None) == []
        assert d

    # --- full text ---

    @pytest.mark.parametrize(
        "query",
        ["猫", "小猫", "a2041", "2041", "A-2041", "Running", "订单", "cafe", "CAFÉ", "obrien", "ＰＨＯＮＥ"],
    )
    def test_full_text_finds(self, store: Store, query: str) -> None:
        _, unit = add(
            store,
            fact("nothing of the kind: 天气很好"),
            fact("我家小猫 has order A-2041, 订单; O'Brien runs the café by phone"),
        )
        assert found(store, query) == [unit]

    def test_full_text_finds_by_value_subject_and_entity(self, store: Store) -> None:
        draft = Draft(Kind.FACT_REFERENCE, "号码", subject="Marta", value="13800138000", entities=("Nokia",))
        (unit,) = add(store, draft)
        for query in ("138-0013-8000", "一三八零零一三八零零零", "marta", "nokia"):
            assert found(store, query) == [unit], query

    @pytest.mark.parametrize(
        "query",
        [
            *('"foo" OR NEAR( *', "a-b", "'; DROP TABLE units; --", "🙂", "\0", "\ud800", "", "   ", "^", "NOT", "{"),
            *("foo:", "foo*", "terms : foo", "x" * 100_000, "多" * 10_000, " ".join(f"w{n}" for n in range(3000))),
        ],
    )
    def test_any_query_is_plain_text(self, store: Store, query: str) -> None:
        (unit,) = add(store, fact("foo"))
        assert found(store, query) in ([], [unit])

    def test_syntax_in_a_query_is_searched_as_words(self, store: Store) -> None:
        foo, near, _ = add(store, fact("foo bar"), fact("it is near"), fact("else"))
        assert set(found(store, '"foo" OR NEAR( *')) == {foo, near}

    def test_a_symbol_is_found(self, store: Store) -> None:
        add(store, fact("likes pasta"))
        (pizza,) = add(store, fact("likes 🍕"))
        assert found(store, "🍕") == [pizza]

    def test_the_better_match_is_first_and_scores_are_positive(self, store: Store) -> None:
        add(store, *[fact(f"filler number {number}") for number in range(20)])
        one, both = add(store, fact("the router was replaced"), fact("the router needs a new battery"))
        matches = store.search_text(scope(), "router battery", 10)
        assert [unit for unit, _ in matches] == [both, one]
        assert matches[0][1] > matches[1][1] > 0
        assert store.search_text(scope(), "router battery", 1) == matches[:1]

    def test_full_text_keeps_to_the_scope(self, store: Store) -> None:
        add(store, fact("router"), session=WORK)
        add(store, fact("router"), owner=BOB)
        store.apply(ANN, [insert(fact("router"), valid_until=after(seconds=1))], NOON)
        assert found(store, "router") == []
        assert len(found(store, "router", session=WORK)) == 1

    def test_a_long_text_is_found_by_any_part_of_it(self, store: Store) -> None:
        words = " ".join(f"word{number}" for number in range(12_000))
        (unit,) = add(store, episode(words + " 结尾有只猫"))
        for query in ("word1", "word6000", "word11999", "结尾", "猫"):
            assert found(store, query) == [unit]

    # --- masks ---

    def test_the_present_is_seen_as_it_changes(self, store: Store) -> None:
        assert seen(store, scope(present=True)) == []
        tea, mine = add(store, fact("喜欢喝茶"))[0], add(store, fact("购物车里有三件"), session=MAIN)[0]
        assert seen(store, scope(present=True)) == [tea, mine]
        ended = insert(fact("今天停电"), valid_until=after(hours=2))
        begins = insert(fact("明天搬到汉堡"), valid_from=after(hours=3))
        (power, move) = store.apply(ANN, [ended, begins], NOON).added
        assert seen(store, scope(present=True)) == [tea, mine, power]
        assert seen(store, scope(present=True, session=WORK)) == [tea, power]
        assert seen(store, scope(present=True, as_of=after(hours=2))) == [tea, mine]
        assert seen(store, scope(present=True, as_of=after(hours=3))) == [tea, mine, move]
        assert seen(store, scope(present=True, as_of=after(hours=1))) == [tea, mine, power]
        (mate,) = store.apply(ANN, [insert(fact("喜欢马黛茶"), supersedes=(tea,))], NOON).added
        assert seen(store, scope(present=True)) == [mine, power, mate]
        store.forget(ANN, [mate])
        assert seen(store, scope(present=True)) == [mine, power]
        store.forget(ANN, [mine, power])
        assert seen(store, scope(present=True)) == []

    def test_a_mask_that_was_given_out_stays_what_it_was(self, store: Store) -> None:
        (tea,) = add(store, fact("喜欢喝茶"))
        for session in (None, MAIN):
            asked = scope(present=True, session=session)
            before = store.visible(asked)
            with pytest.raises(ValueError, match="read-only"):
                before[tea] = False
            add(store, fact("more"), session=session)
            assert np.flatnonzero(before).tolist()[0] == tea
            assert len(store.visible(asked)) > len(before)

    # --- embeddings ---

    def test_backlog_is_newest_first_and_shrinks(self, store: Store) -> None:
        a, b, c = add(store, fact("a"), fact("b"), fact("c"))
        assert store.missing_embeddings("mini/2", 2) == [(c, "c"), (b, "b")]
        store.save_embeddings("mini/2", [embedding(c), embedding(c, 1)])
        assert store.missing_embeddings("mini/2", 9) == [(b, "b"), (a, "a")]
        assert store.count_missing("mini/2") == 2
        (d,) = add(store, fact("d"))
        assert [unit for unit, _ in store.missing_embeddings("mini/2", 9)] == [d, b, a]

    def test_each_embedder_has_its_own_backlog(self, store: Store) -> None:
        a, b = add(store, fact("a"), fact("b"))
        store.save_embeddings("mini/2", [embedding(a), embedding(b)])
        assert store.count_missing("other/2") == 2
        assert [unit for unit, _ in store.missing_embeddings("other/2", 9)] == [b, a]
        store.save_embeddings("other/2", [embedding(b)])
        (c,) = add(store, fact("c"))
        assert store.missing_embeddings("mini/2", 9) == [(c, "c")]
        assert store.missing_embeddings("other/2", 9) == [(c, "c"), (a, "a")]
        assert (store.count_missing("mini/2"), store.count_missing("other/2")) == (1, 2)
        assert (kept(store), kept(store, "other/2")) == ([a, b], [b])

    def test_the_embedder_that_is_searched_is_named(self, store: Store) -> None:
        add(store, fact("a"))
        assert store.embedder() is None
        store.missing_embeddings("mini/2", 9)
        assert store.embedder() is None
        store.use_embedder("mini/2")
        store.missing_embeddings("other/2", 9)
        assert store.embedder() == "mini/2"
        store.use_embedder("other/2")
        assert store.embedder() == "other/2"

    def test_unembedded_is_counted_by_the_one_that_is_searched(self, store: Store) -> None:
        a, _ = add(store, fact("a"), fact("b"))
        add(store, fact("c"), owner=BOB)
        store.save_embeddings("mini/2", [embedding(a)])

        def unembedded() -> list[int]:
            return [store.counts(owner)["unembedded"] for owner in (ANN, BOB, None)]

        assert unembedded() == [2, 1, 3]
        store.use_embedder("mini/2")
        assert unembedded() == [1, 1, 2]
        store.use_embedder("other/2")
        assert unembedded() == [2, 1, 3]

    def test_saving_again_is_skipped(self, store: Store) -> None:
        (a,) = add(store, fact("a"))
        store.save_embeddings("mini/2", [embedding(a, 0, 0.5)])
        store.save_embeddings("mini/2", [embedding(a, 0, 0.25), embedding(a, 1, 0.25)])
        rows = store.vector_log.vectors_between("mini/2", 0, None, 9)
        assert (rows.units.tolist(), rows.vectors.tolist()) == ([a], [[0.5, 0.0]])

    def test_embedding_of_a_forgotten_unit_is_skipped(self, store: Store) -> None:
        a, b = add(store, fact("a"), fact("b"))
        store.forget(ANN, [a])
        store.save_embeddings("mini/2", [embedding(a), embedding(b)])
        assert kept(store) == [b]
        assert store.missing_embeddings("mini/2", 9) == []

    def test_vectors_of_another_dimension_do_not_mix(self, store: Store) -> None:
        a, b = add(store, fact("a"), fact("b"))
        store.save_embeddings("mini/2", [embedding(a)])
        longer = replace(embedding(b), vector=np.ones(3, dtype=np.float32))
        with pytest.raises(ValueError, match="dimensions"):
            store.save_embeddings("mini/2", [longer])
        assert kept(store) == [a]

    def test_a_retired_embedder_is_dropped_in_steps(self, store: Store) -> None:
        ids = add(store, fact("a"), fact("b"), fact("c"))
        store.use_embedder("mini/2")
        store.save_embeddings("mini/2", [embedding(unit) for unit in ids])
        store.vector_log.keep_mark("mini/2", "one")
        assert store.retired_embedders() == []
        store.use_embedder("other/2")
        assert store.retired_embedders() == ["mini/2"]
        with pytest.raises(ValueError, match="searched"):
            store.drop_embedder("other/2", 2)
        assert store.drop_embedder("mini/2", 2)
        assert kept(store) == ids[2:]
        assert not store.vector_log.has_mark("mini/2", "one")
        assert store.retired_embedders() == ["mini/2"]
        assert not store.drop_embedder("mini/2", 2)
        assert store.retired_embedders() == []
        assert (kept(store), store.vector_log.last_number("mini/2")) == ([], 0)
        add(store, fact("d"))
        assert store.retired_embedders() == []
        assert not store.drop_embedder("mini/2", 2)

    def test_one_that_is_only_waited_for_is_retired_too(self, store: Store) -> None:
        store.use_embedder("mini/2")
        add(store, fact("a"))
        store.missing_embeddings("other/2", 1)
        assert store.retired_embedders() == ["other/2"]
        assert not store.drop_embedder("other/2", 1)
        assert store.retired_embedders() == []

    def test_an_embedder_that_is_wanted_again_while_it_is_dropped_misses_nothing(self, store: Store) -> None:
        ids = add(store, fact("a"), fact("b"), fact("c"))
        store.save_embeddings("mini/2", [embedding(unit) for unit in ids[:2]])
        assert store.drop_embedder("mini/2", 1)
        (later,) = add(store, fact("以后再说"))
        assert store.count_missing("mini/2") == 3
        assert [unit for unit, _ in store.missing_embeddings("mini/2", 9)] == [later, ids[2], ids[0]]
        store.use_embedder("mini/2")
        store.save_embeddings("mini/2", [embedding(unit) for unit in (*ids, later)])
        assert kept(store) == [ids[1], ids[0], ids[2], later]
        assert store.count_missing("mini/2") == 0

    # --- what was told in the same words ---

    def test_words_end_with_the_fact_they_are_tied_to(self, store: Store) -> None:
        words, home, name = self._told_with_ties(store)
        moved = replace(fact("lives in Hamburg", "home", "hamburg"))
        later = store.apply(ANN, [insert(moved, supersedes=(home,), valid_from=after(hours=1))], after(hours=1))
        assert later.superseded == (home, words)
        ended = store.unit(ANN, words)
        assert (ended.superseded_by, ended.ended_why) == (later.added[0], Ending.NEWER)
        assert store.unit(ANN, name).superseded_by is None

    def test_words_stay_where_another_fact_ends_or_theirs_is_confirmed(self, store: Store) -> None:
        words, home, name = self._told_with_ties(store)
        other = insert(fact("is Bill", "name", "bill"), supersedes=(name,))
        surer = replace(insert(fact("surely lives in Berlin"), supersedes=(home,)), endings=(Ending.CONFIRMED,))
        assert store.apply(ANN, [other, surer], NOON).superseded == (name, home)
        assert store.unit(ANN, words).superseded_by is None

    def test_words_are_tied_to_a_fact_that_they_confirm(self, store: Store) -> None:
        (home,) = store.apply(ANN, [insert(fact("lives in Berlin", "home", "berlin"))], NOON).added
        told = replace(fact("Berlin, near the lake"), ties=(("home", "self"),))
        words = store.apply(ANN, [insert(told), Confirm(home)], NOON).added[0]
        moved = insert(fact("lives in Hamburg", "home", "hamburg"), supersedes=(home,))
        assert store.apply(ANN, [moved], NOON).superseded == (home, words)

    @pytest.mark.parametrize("which", [0, 1])
    def test_forgetting_words_or_their_fact_takes_both(self, store: Store, which: int) -> None:
        words, home, name = self._told_with_ties(store)
        assert store.forget(ANN, [(words, home)[which]]) == (words, home)
        assert store.forget(ANN, [name]) == (name,)

    @staticmethod
    def _told_with_ties(store: Store) -> tuple[UnitId, UnitId, UnitId]:
        told = replace(fact("柏林，湖边，两只猫"), ties=(("home", "self"),))
        drafts = [told, fact("lives in Berlin", "home", "berlin"), fact("is Will", "name", "will")]
        words, home, name = store.apply(ANN, [insert(draft) for draft in drafts], NOON).added
        return words, home, name

    # --- forgetting ---

    def test_forgotten_units_are_gone_everywhere(self, store: Store) -> None:
        a, b = add(store, fact("likes tea", "like", "tea"), fact("likes mate", "like", "mate"))
        store.save_embeddings("mini/2", [embedding(a), embedding(b)])
        assert store.forget(ANN, [a, UnitId(999)]) == (a,)
        assert found(store, "tea") == []
        assert seen(store, scope()) == [b]
        assert kept(store) == [b]
        assert [unit.id for unit in store.slot_units(scope(), ["like"], None)] == [b]
        with pytest.raises(MemoryNotFound):
            store.unit(ANN, a)

    def test_what_was_superseded_stays_ended_also_without_its_successor_and_with_another_clock(
        self, store: Store
    ) -> None:
        (berlin,) = add(store, fact("住在柏林", "address", "柏林"))
        change = insert(fact("住在汉堡", "address", "汉堡"), valid_from=after(hours=1), supersedes=(berlin,))
        (hamburg,) = store.apply(ANN, [change], after(hours=1)).added
        store.forget(ANN, [hamburg])
        now = scope(as_of=datetime(1970, 1, 1, tzinfo=UTC), present=True)
        assert seen(store, now) == []
        assert store.slot_units(now, ["address"], None) == []

    def test_an_id_is_never_used_again(self, store: Store) -> None:
        (a,) = add(store, fact("a"))
        store.forget(ANN, [a])
        assert add(store, fact("b"))[0] > a

    def test_forgetting_a_fact_takes_the_words_that_said_it(self, store: Store) -> None:
        message = "I am Zhang Wei and I like mangoes"
        name = insert(fact("name is Zhang Wei", "name", "Zhang Wei", quote="I am Zhang Wei"))
        likes = insert(fact("likes mangoes", "like", "mangoes", quote=message))
        spoken, asked = insert(episode(message)), insert(episode("Mangoes are sweet!", Source.ASSISTANT))
        begun = turn(store, message, [spoken, name, likes], "Mangoes are sweet!", [asked])
        words, zhang, mango = begun.added
        assert store.forget(ANN, [mango]) == (words, mango, UnitId(4))
        (kept,) = store.turns(ANN, MAIN, last=1)
        assert (kept.message, kept.reply) == ("", "")
        assert store.unit(ANN, zhang).content == "name is Zhang Wei"

    def test_a_reply_that_does_not_repeat_it_stays(self, store: Store) -> None:
        changes = [insert(episode("I like mangoes")), insert(fact("likes mangoes", "like", "mangoes"))]
        begun = turn(store, "I like mangoes", changes, "Noted.", [insert(episode("Noted.", Source.ASSISTANT))])
        assert store.forget(ANN, [begun.added[1]]) == begun.added
        (kept,) = store.turns(ANN, MAIN, last=1)
        assert (kept.message, kept.reply) == ("", "Noted.")

    def test_forgetting_a_fact_takes_the_words_that_confirmed_it(self, store: Store) -> None:
        likes = insert(fact("likes 芒果", "like", "芒果"))
        first = turn(store, "我喜欢芒果", [insert(episode("我喜欢芒果")), likes])
        again = turn(store, "没错，芒果", [insert(episode("没错，芒果")), Confirm(first.added[1])])
        assert store.forget(ANN, [first.added[1]]) == (*first.added, *again.added)
        assert [kept.message for kept in store.turns(ANN, MAIN, last=9)] == ["", ""]

    def test_forgetting_a_number_takes_it_from_all_turns_of_the_owner_only(self, store: Store) -> None:
        phone = insert(fact("phone is 13800138000", "phone", "13800138000"))
        told = turn(store, "call me on 138-0013-8000", [insert(episode("call me on 138-0013-8000")), phone])
        reply = "Your number is 138 0013 8000."
        asked = turn(
            store,
            "what is my number?",
            [insert(episode("what is my number?"))],
            reply,
            [insert(episode(reply, Source.ASSISTANT))],
            session=WORK,
        )
        turn(store, "call 13800138000", [insert(episode("call 13800138000"))], owner=BOB)
        gone = store.forget(ANN, [told.added[1]])
        assert gone == (*told.added, UnitId(asked.added[0] + 1))
        (kept,) = store.turns(ANN, WORK, last=1)
        assert (kept.message, kept.reply) == ("what is my number?", "")
        assert found(store, "13800138000") == []
        assert len(found(store, "13800138000", BOB)) == 1

    def test_forgetting_words_takes_what_was_drawn_from_them(self, store: Store) -> None:
        message = "我叫小王，订单号是 A-2041"
        changes = [insert(episode(message)), insert(fact("名字: 小王", "name", "小王"))]
        begun = turn(store, message, changes, "好的。", [insert(episode("好的。", Source.ASSISTANT))])
        assert store.forget(ANN, [begun.added[0]]) == begun.added
        (kept,) = store.turns(ANN, MAIN, last=1)
        assert (kept.message, kept.reply) == ("", "好的。")

    def test_forgetting_the_assistants_words_leaves_the_persons(self, store: Store) -> None:
        reply = "I recommend the mango cake."
        drawn = insert(said_by_assistant(fact("recommended mango cake")))
        begun = turn(
            store, "mango?", [insert(episode("mango?"))], reply, [insert(episode(reply, Source.ASSISTANT)), drawn]
        )
        assert store.forget(ANN, [UnitId(2)]) == (UnitId(2), UnitId(3))
        assert store.unit(ANN, begun.added[0]).content == "mango?"
        (kept,) = store.turns(ANN, MAIN, last=1)
        assert (kept.message, kept.reply) == ("mango?", "")

    def test_what_a_forgotten_unit_superseded_does_not_come_back(self, store: Store) -> None:
        (berlin,) = add(store, fact("lives in Berlin", "address", "Berlin"))
        change = insert(fact("lives in Hamburg", "address", "Hamburg"), valid_from=after(hours=1), supersedes=(berlin,))
        (hamburg,) = store.apply(ANN, [change], after(hours=1)).added
        assert store.forget(ANN, [hamburg]) == (hamburg,)
        assert store.slot_units(scope(as_of=after(days=1)), ["address"], None) == []
        assert (store.unit(ANN, berlin).valid_until, store.unit(ANN, berlin).superseded_by) == (after(hours=1), None)

    # --- what ranking reads ---

    def test_words_know_what_was_said_before_and_after_them(self, store: Store) -> None:
        first = turn(store, "我养了猫", [insert(episode("我养了猫")), insert(fact("pet 猫", "pet", "猫"))])
        turn(store, "elsewhere", [insert(episode("elsewhere"))], session=WORK)
        turn(store, "Bob's", [insert(episode("Bob's"))], owner=BOB)
        reply = [insert(episode("Nice.", Source.ASSISTANT))]
        second = turn(store, "It is black.", [insert(episode("It is black."))], "Nice.", reply)
        (plain,) = add(store, fact("no turn"))
        words, pet, black, nice = *first.added, second.added[0], UnitId(second.added[0] + 1)
        assert store.places(ANN, [words, pet, black, nice, plain]) == {
            words: Place(MAIN, None, black),
            pet: Place(MAIN, words, black),
            black: Place(MAIN, words, nice),
            nice: Place(MAIN, black, None),
        }
        assert store.places(BOB, [words, black]) == {}

    def test_codes_are_read_in_order_up_to_a_limit(self, store: Store) -> None:
        units = add(store, *(fact(f"fact {number}") for number in range(4)))
        rows = [EmbeddingRow(units[0], chunk, VECTOR, code) for chunk, code in enumerate((b"aa", b"bb"))]
        rows += [EmbeddingRow(unit, 0, VECTOR, b"cccc") for unit in units[1:3]]
        store.save_embeddings("e", rows)
        assert store.token_codes(ANN, "e", units, 100) == {
            units[0]: (b"aa", b"bb"), units[1]: (b"cccc",), units[2]: (b"cccc",),
        }  # fmt: skip
        assert list(store.token_codes(ANN, "e", units[::-1], 5)) == [units[2]]
        assert store.token_codes(ANN, "e", units, 3) == {}
        assert store.token_codes(ANN, "other", units, 100) == {}
        assert store.token_codes(BOB, "e", units, 100) == {}

    # --- counting ---

    def test_counts(self, store: Store) -> None:
        turn(store, "hello", [insert(episode("hello"))])
        turn(store, "hi", session=WORK)
        counts = store.counts(ANN)
        assert {name: counts[name] for name in ("units", "turns", "sessions", "unembedded")} == {
            "units": 1,
            "turns": 2,
            "sessions": 2,
            "unembedded": 1,
        }
        assert counts["bytes"] == len("hello") * 2 + len("hi") + 2 * len("Noted.")
        assert set(store.counts(BOB).values()) == {0}
        assert store.counts(None)["bytes"] > 0
