import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.index.head import Head
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import EMBEDDER, check_exact, exact, filled, mask_of, more

QUERY = clustered(1, 8, seed=2)[0]


def of(log: VectorLog, start: int = 0) -> Head:
    head = Head(log.dimension, start)
    head.append(log.vectors_between(EMBEDDER, start, None, 10_000))
    return head


def found(head: Head, wanted: int = 1000) -> dict[int, float]:
    part = head.search(QUERY, wanted, None)
    return dict(zip(part.units.tolist(), part.cosines.tolist(), strict=True))


def test_it_is_searched_exactly() -> None:
    log = filled(500)
    part = of(log).search(QUERY, 20, None)
    check_exact(list(zip(part.units.tolist(), part.cosines.tolist(), strict=True)), exact(log, QUERY), 20)
    assert part.more
    assert not of(log).search(QUERY, 500, None).more


def test_a_filter_costs_no_answer() -> None:
    log = filled(500)
    allowed = mask_of([4, 77, 300], 501)
    assert list(of(log).search(QUERY, 2, allowed).units) == list(exact(log, QUERY, allowed))[:2]
    assert not of(log).search(QUERY, 3, allowed).more
    assert len(of(log).search(QUERY, 3, mask_of([], 501)).units) == 0


def test_one_without_rows() -> None:
    head = Head(8, 5)
    assert (len(head), head.start, head.last, head.greatest_unit(), head.nbytes) == (0, 5, 5, 0, 0)
    assert len(head.search(QUERY, 3, None).units) == 0
    assert len(head.search(QUERY, 3, mask_of([1])).units) == 0


def test_rows_of_a_store_that_knows_no_dimension_yet() -> None:
    head = of(VectorLog(8))
    assert (len(head), head.last) == (0, 0)


def test_it_grows_batch_by_batch() -> None:
    log, head = VectorLog(8), Head(8, 0)
    for batch in range(30):
        more(log, 40, first=1 + 40 * batch, seed=batch)
        head.append(log.vectors_between(EMBEDDER, head.last, None, 10_000))
        assert len(head) == 40 * (batch + 1)
        assert head.last == log.last_number(EMBEDDER)
    assert found(head, 2000) == pytest.approx(exact(log, QUERY), abs=1e-6)


@given(
    actions=st.lists(
        st.tuples(st.sampled_from(["append", "remove", "drop"]), st.integers(0, 60), st.integers(0, 10)), max_size=20
    )
)
def test_any_order_of_what_it_does(actions: list[tuple[str, int, int]]) -> None:
    log, head, next_unit, dropped = VectorLog(8), Head(8, 0), 1, 0
    for action, number, size in actions:
        if action == "append":
            log.keep([next_unit + place // 2 for place in range(size)], clustered(size, 8, seed=number))
            next_unit += size
            head.append(log.vectors_between(EMBEDDER, head.last, None, 100))
        elif action == "remove":
            log.forget(range(number, number + size))
            head.remove(np.arange(number, number + size))
        else:
            head.drop_through(number)
            dropped = max(dropped, number)
            assert head.start == dropped
        left = VectorLog(8)
        kept = log.vectors_between(EMBEDDER, dropped, head.last, 10_000)
        left.keep(kept.units.tolist(), kept.vectors.reshape(-1, 8))
        truth = exact(left, QUERY)
        part = head.search(QUERY, 10_000, None)
        best: dict[int, float] = {}
        for unit, cosine in zip(part.units.tolist(), part.cosines.tolist(), strict=True):
            best.setdefault(unit, cosine)
        assert best == pytest.approx(truth, abs=1e-6)
        assert (len(head), head.greatest_unit()) == (len(kept.units), max(kept.units.tolist(), default=0))


def test_what_is_taken_out_is_not_in_memory_any_more() -> None:
    head = of(filled(500))
    before = head.nbytes
    head.remove(np.arange(1, 500))
    assert head.nbytes < before / 100
    head.drop_through(10_000)
    assert head.nbytes == 0
    assert (head.start, head.last) == (10_000, 10_000)


def test_numbers_that_were_dropped_may_be_ahead_of_those_that_follow() -> None:
    head = Head(8, 0)
    head.drop_through(7)
    log = filled(20)
    head.append(log.vectors_between(EMBEDDER, head.last, None, 100))
    assert sorted(found(head)) == list(range(8, 21))
