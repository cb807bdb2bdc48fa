"""What every VectorLog does, as the store that implements it fills it: the same tests for SQLite and for the fake."""

from __future__ import annotations

import numpy as np

from edge.engine.vector_ports import VectorRows
from edge.memory.units import UnitId
from tests.store.making import ANN, BOB, NOON, after, embedding, fact, insert
from tests.store.memory_store_contract import Store, add

MINI, OTHER = "mini/2", "other/2"


def three(store: Store) -> list[UnitId]:
    """Three units, the second with two chunks, embedded from the last to the first."""
    a, b, c = add(store, fact("喜欢喝茶"), fact("a long story 很长的故事"), fact("likes mate"))
    for rows in ([embedding(c, 0, 0.125)], [embedding(b, 1, 0.25), embedding(b, 0, 0.5)], [embedding(a, 0, 1.0)]):
        store.save_embeddings(MINI, rows)
    return [a, b, c]


def numbers(rows: VectorRows) -> list[int]:
    found: list[int] = rows.numbers.tolist()
    return found


def forgotten(store: Store, embedder: str, number: int) -> tuple[int, list[int]]:
    last, units = store.vector_log.forgotten_after(embedder, number)
    assert units.dtype == np.int64
    return last, units.tolist()


class VectorLogContract:
    """Subclasses give a fixture `store`."""

    def test_rows_come_in_the_order_in_which_they_were_kept(self, store: Store) -> None:
        a, b, c = three(store)
        rows = store.vector_log.vectors_between(MINI, 0, None, 99)
        assert rows.units.tolist() == [c, b, b, a]
        assert rows.vectors.tolist() == [[0.125, 0.0], [0.25, 0.0], [0.5, 0.0], [1.0, 0.0]]
        assert sorted(set(numbers(rows))) == numbers(rows)
        kinds = [part.dtype.name for part in (rows.numbers, rows.units, rows.vectors, rows.superseded)]
        assert kinds == ["int64", "int64", "float32", "bool"]
        assert store.vector_log.last_number(MINI) == rows.numbers[-1]

    def test_an_interval_is_open_below_and_closed_above(self, store: Store) -> None:
        three(store)
        one, two, three_, four = numbers(store.vector_log.vectors_between(MINI, 0, None, 99))
        assert numbers(store.vector_log.vectors_between(MINI, one, three_, 99)) == [two, three_]
        assert numbers(store.vector_log.vectors_between(MINI, one, None, 2)) == [two, three_]
        assert numbers(store.vector_log.vectors_between(MINI, four, None, 99)) == []
        assert numbers(store.vector_log.newest_between(MINI, one, four, 2)) == [four, three_]
        assert numbers(store.vector_log.newest_between(MINI, one, three_, 99)) == [three_, two]
        assert store.vector_log.vectors_between(MINI, 0, None, 0).vectors.shape == (0, 2)

    def test_nothing_is_there_before_something_is_kept(self, store: Store) -> None:
        assert store.vector_log.last_number(MINI) == 0
        for rows in (
            store.vector_log.vectors_between(MINI, 0, None, 9),
            store.vector_log.newest_between(MINI, 0, 9, 9),
            store.vector_log.vectors_of(MINI, np.array([1], dtype=np.int64)),
        ):
            assert (rows.numbers.shape, rows.units.shape, rows.superseded.shape) == ((0,), (0,), (0,))
            assert len(rows.vectors) == 0
        assert forgotten(store, MINI, 7) == (7, [])
        assert not store.vector_log.has_mark(MINI, "one")
        store.vector_log.prune(MINI, keep="one", forgotten=9)
        assert store.retired_embedders() == []

    def test_vectors_of_units(self, store: Store) -> None:
        a, b, c = three(store)
        rows = store.vector_log.vectors_of(MINI, np.array([c, 999, b], dtype=np.int64))
        assert rows.units.tolist() == [b, b, c]
        assert rows.vectors.tolist() == [[0.5, 0.0], [0.25, 0.0], [0.125, 0.0]]
        by_number = store.vector_log.vectors_between(MINI, 0, None, 99)
        assert {*zip(numbers(rows), rows.vectors[:, 0].tolist(), strict=True)} < {
            *zip(numbers(by_number), by_number.vectors[:, 0].tolist(), strict=True)
        }
        assert store.vector_log.vectors_of(MINI, np.zeros(0, dtype=np.int64)).vectors.shape == (0, 2)
        assert a

    def test_vectors_of_many_units(self, store: Store) -> None:
        ids = add(store, *[fact(f"第 {number} 条") for number in range(300)])
        store.save_embeddings(MINI, [embedding(unit, 0, float(unit)) for unit in ids])
        rows = store.vector_log.vectors_of(MINI, np.arange(16_384, dtype=np.int64))
        assert rows.units.tolist() == ids
        assert rows.vectors[:, 0].tolist() == [float(unit) for unit in ids]

    def test_embedders_are_apart(self, store: Store) -> None:
        a, b, c = three(store)
        store.save_embeddings(OTHER, [embedding(b)])
        assert store.vector_log.vectors_between(OTHER, 0, None, 9).units.tolist() == [b]
        assert store.vector_log.vectors_of(OTHER, np.array([a, b, c], dtype=np.int64)).units.tolist() == [b]
        assert len(store.vector_log.vectors_between(MINI, 0, None, 9).units) == 4
        assert store.vector_log.last_number(OTHER) != store.vector_log.last_number(MINI)
        store.forget(ANN, [a])
        assert forgotten(store, OTHER, 0)[1] == []

    def test_a_number_is_never_given_again(self, store: Store) -> None:
        a, b = add(store, fact("a"), fact("b"))
        store.save_embeddings(MINI, [embedding(a)])
        before = store.vector_log.last_number(MINI)
        store.forget(ANN, [a])
        assert store.vector_log.last_number(MINI) == 0
        store.save_embeddings(MINI, [embedding(b)])
        assert store.vector_log.last_number(MINI) > before

    def test_nor_after_the_embedder_was_dropped(self, store: Store) -> None:
        three(store)
        before = store.vector_log.last_number(MINI)
        assert not store.drop_embedder(MINI, 99)
        three(store)
        assert numbers(store.vector_log.vectors_between(MINI, 0, None, 1))[0] > before

    # --- superseded and ended ---

    def test_superseded_says_which_have_a_successor(self, store: Store) -> None:
        a, b, c = three(store)
        store.apply(ANN, [insert(fact("喜欢咖啡"), valid_from=after(hours=1), supersedes=(a,))], NOON)
        rows = store.vector_log.vectors_between(MINI, 0, None, 9)
        assert dict(zip(rows.units.tolist(), rows.superseded.tolist(), strict=True)) == {a: True, b: False, c: False}
        assert store.vector_log.vectors_of(MINI, np.array([a], dtype=np.int64)).superseded.tolist() == [True]
        last = store.vector_log.last_number(MINI)
        assert store.vector_log.newest_between(MINI, 0, last, 1).superseded.tolist() == [True]

    def test_superseded_stays_when_the_successor_is_forgotten(self, store: Store) -> None:
        a, *_ = three(store)
        (newer,) = store.apply(ANN, [insert(fact("喜欢咖啡"), supersedes=(a,))], NOON).added
        store.forget(ANN, [newer])
        assert store.vector_log.vectors_of(MINI, np.array([a], dtype=np.int64)).superseded.tolist() == [True]

    def test_what_ended_by_itself_is_not_superseded(self, store: Store) -> None:
        (unit,) = store.apply(ANN, [insert(fact("今天停电"), valid_until=after(hours=1))], NOON).added
        store.save_embeddings(MINI, [embedding(unit)])
        assert store.vector_log.vectors_between(MINI, 0, None, 9).superseded.tolist() == [False]

    def test_all_superseded_units(self, store: Store) -> None:
        a, b, c = three(store)
        assert store.vector_log.superseded(MINI).tolist() == []
        unseen, ended = add(store, fact("never embedded"), fact("今天停电"))
        store.save_embeddings(OTHER, [embedding(c), embedding(ended)])
        for old in (c, b, unseen):
            store.apply(ANN, [insert(fact("newer"), supersedes=(old,))], NOON)
        assert store.vector_log.superseded(MINI).tolist() == [b, c]
        assert store.vector_log.superseded(OTHER).tolist() == [c]
        assert store.vector_log.superseded(MINI).dtype == np.int64
        store.forget(ANN, [b])
        assert store.vector_log.superseded(MINI).tolist() == [c]
        assert a

    # --- forgotten ---

    def test_what_is_forgotten_is_told_once_to_each_embedder_that_had_it(self, store: Store) -> None:
        a, b, c = three(store)
        store.save_embeddings(OTHER, [embedding(c)])
        (unseen,) = add(store, fact("never embedded"))
        store.forget(ANN, [b])
        first, units = forgotten(store, MINI, 0)
        assert units == [b]
        store.forget(ANN, [unseen])
        assert forgotten(store, MINI, first) == (first, [])
        store.forget(ANN, [a, c])
        last, units = forgotten(store, MINI, first)
        assert (last > first, units) == (True, [a, c])
        assert forgotten(store, MINI, 0)[1] == [b, a, c]
        assert forgotten(store, OTHER, 0)[1] == [c]
        assert forgotten(store, MINI, last)[1] == []

    def test_only_an_owner_forgets(self, store: Store) -> None:
        a, *_ = three(store)
        store.forget(BOB, [a])
        assert forgotten(store, MINI, 0) == (0, [])

    def test_pruning_keeps_what_came_later_and_numbers_go_on(self, store: Store) -> None:
        a, b, c = three(store)
        store.save_embeddings(OTHER, [embedding(a)])
        store.forget(ANN, [a])
        first, _ = forgotten(store, MINI, 0)
        store.forget(ANN, [b])
        store.vector_log.prune(MINI, keep="one", forgotten=first)
        last, units = forgotten(store, MINI, 0)
        assert units == [b]
        store.vector_log.prune(MINI, keep="one", forgotten=last)
        assert forgotten(store, MINI, 0) == (0, [])
        assert forgotten(store, OTHER, 0)[1] == [a]
        store.forget(ANN, [c])
        assert forgotten(store, MINI, last)[1] == [c]

    # --- marks ---

    def test_marks_are_kept_until_they_are_pruned(self, store: Store) -> None:
        for mark in ("one", "two", "two"):
            store.vector_log.keep_mark(MINI, mark)
        store.vector_log.keep_mark(OTHER, "one")
        assert store.vector_log.has_mark(MINI, "one")
        assert store.vector_log.has_mark(MINI, "two")
        assert not store.vector_log.has_mark(OTHER, "two")
        store.vector_log.prune(MINI, keep="two", forgotten=0)
        assert not store.vector_log.has_mark(MINI, "one")
        assert store.vector_log.has_mark(MINI, "two")
        assert store.vector_log.has_mark(OTHER, "one")
