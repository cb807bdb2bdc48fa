"""Two pairs of embedder and index: one serves, one may be coming; neither hurts the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from edge.engine.model_ports import Embedded
from edge.engine.ports import Scope
from edge.engine.vectors import Vectors, embedder_key
from edge.errors import DiskFull, EmbedderFailed, StoreFailed
from tests.engine.making import ANN, MAIN, Desk
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex


class LameEmbedder(HashEmbedder):
    """Cannot embed what is stored."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        raise EmbedderFailed("It broke off.")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def prepare(desk: Desk, embedder: HashEmbedder) -> ExactIndex:
    index = ExactIndex(desk.store.vector_log, embedder_key(embedder), embedder.dimension)
    desk.vectors.prepare(embedder, index)
    return index


def serving(desk: Desk) -> ExactIndex:
    index = desk.vectors.index
    assert isinstance(index, ExactIndex)
    return index


def embed_coming(desk: Desk) -> None:
    while desk.vectors.embed_coming(desk.store, 4):
        pass


def nearest(desk: Desk, query: str) -> list[int]:
    allowed = desk.store.visible(Scope(ANN, MAIN, desk.clock.now(), present=True))
    assert desk.vectors.embedder is not None
    return list(desk.vectors.nearest(desk.vectors.embedder.embed_query(query), 1, allowed))


def test_a_coming_embedder_does_not_answer_until_it_serves(desk: Desk) -> None:
    desk.say("飞艇九点起飞。")
    desk.say("The bread is in the oven.")
    coming = prepare(desk, HashEmbedder(32, model_id="other"))
    assert nearest(desk, "飞艇几点起飞？") == [1]
    assert desk.vectors.coming is not None
    assert not desk.vectors.coming.is_whole(desk.store)
    embed_coming(desk)
    assert (coming.state().vectors, coming is desk.vectors.index) == (2, False)
    assert desk.vectors.coming.is_whole(desk.store)
    former = desk.vectors.switch()
    assert former.key == "hash/64"
    assert desk.vectors.index is coming
    assert nearest(desk, "飞艇几点起飞？") == [1]
    with pytest.raises(ValueError, match="take over"):
        desk.vectors.switch()


def test_a_coming_index_that_lacks_vectors_is_not_whole(desk: Desk) -> None:
    desk.say("飞艇九点起飞。")
    coming = prepare(desk, HashEmbedder(32, model_id="other"))
    embed_coming(desk)
    coming.lost = 1
    assert desk.vectors.coming is not None
    assert not desk.vectors.coming.is_whole(desk.store)


def test_what_is_forgotten_is_gone_from_both(desk: Desk) -> None:
    desk.say("飞艇九点起飞。")
    coming = prepare(desk, HashEmbedder(32, model_id="other"))
    embed_coming(desk)
    desk.forget(ANN, [1])  # type: ignore[list-item]
    assert (serving(desk).state().vectors, coming.state().vectors) == (0, 0)


def test_a_coming_embedder_that_fails_leaves_the_other_alone(desk: Desk) -> None:
    desk.say("飞艇九点起飞。")
    prepare(desk, LameEmbedder(32, model_id="other"))
    with pytest.raises(EmbedderFailed):
        desk.vectors.embed_coming(desk.store, 4)
    desk.say("The bread is in the oven.")
    assert nearest(desk, "bread in the oven") == [2]
    assert desk.vectors.degraded == ()


def test_an_index_that_cannot_follow_keeps_nobody_from_forgetting(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk.say("飞艇九点起飞。")

    def fail() -> None:
        raise StoreFailed("The disk is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(serving(desk), "follow", fail)
        assert desk.forget(ANN, [1])  # type: ignore[list-item]
    assert nearest(desk, "飞艇九点起飞。") == []
    assert "The disk is gone." in caplog.text


def test_indexes_are_tended_one_after_the_other(desk: Desk) -> None:
    coming = prepare(desk, HashEmbedder(32, model_id="other"))
    serving(desk).due, coming.due = 2, 2
    seen = []
    while desk.vectors.tend_index():
        seen.append((serving(desk).due, coming.due))
    assert seen == [(1, 2), (0, 1)]
    serving(desk).due, serving(desk).failure = 1, DiskFull("The disk is full.")
    with pytest.raises(DiskFull):
        desk.vectors.tend_index()


def test_a_rebuild_is_begun_once_and_ends(desk: Desk) -> None:
    pair = desk.vectors.serving
    assert pair is not None
    assert not pair.is_rebuilding
    pair.rebuild()
    pair.rebuild()
    assert serving(desk).rebuilds == 1
    while desk.vectors.tend_index():
        assert pair.is_rebuilding
    assert not pair.is_rebuilding
    pair.rebuild()
    assert serving(desk).rebuilds == 2


def test_what_is_missing_is_being_rebuilt(desk: Desk) -> None:
    pair = desk.vectors.serving
    assert pair is not None
    serving(desk).lost = 1
    assert pair.is_rebuilding
    assert desk.vectors.degraded == ("index",)


def test_both_seal_when_the_time_is_good(desk: Desk) -> None:
    coming = prepare(desk, HashEmbedder(32, model_id="other"))
    desk.vectors.seal()
    assert (serving(desk).seals, coming.seals) == (1, 1)
    Vectors().seal()


def test_closing_lets_go_of_both(desk: Desk) -> None:
    coming = prepare(desk, HashEmbedder(32, model_id="other"))
    desk.vectors.close()
    assert serving(desk).closed
    assert coming.closed


def test_where_nothing_serves_a_search_fails_and_does_not_find_nothing() -> None:
    with pytest.raises(EmbedderFailed):
        Vectors().nearest(HashEmbedder().embed_query("咪咪"), 1, np.ones(2, dtype=np.bool_))
