"""The backlog: in steps, newest first, whole or not at all; and what cannot be embedded holds up nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from edge.engine.model_ports import Embedded
from edge.engine.vectors import Vectors, embedder_key
from edge.errors import EmbedderFailed
from edge.memory.units import UnitId
from tests.engine.making import ANN, MAIN, Desk
from tests.fakes.embedder import HashEmbedder

LONG = " ".join(f"On day {day} we walked along the river." for day in range(60))


class FailingEmbedder(HashEmbedder):
    """Fails when it is told to, or at a text with a word in it, and notes the sizes of its batches."""

    def __init__(self, poison: str = "毒药") -> None:
        super().__init__(limit=20)
        self.fails = False
        self.poison = poison
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        if self.fails or any(self.poison in text for text in texts):
            raise EmbedderFailed("The network broke off.")
        self.batches.append(len(texts))
        return super().embed(texts)


@pytest.fixture
def embedder() -> FailingEmbedder:
    return FailingEmbedder()


@pytest.fixture
def desk(embedder: FailingEmbedder) -> Desk:
    return Desk(embedder=embedder)


def tell(desk: Desk, *texts: str) -> list[UnitId]:
    """The texts as statements, not embedded yet."""
    return [unit for text in texts for unit in desk.remember.statement(ANN, None, text, desk.clock.now()).added]


def embedded(desk: Desk) -> list[int]:
    """The units of all embeddings, one entry a chunk, as they were kept."""
    serving = desk.vectors.serving
    assert serving is not None
    return [int(unit) for unit in desk.store.vector_log.vectors_between(serving.key, 0, None, 10_000).units]


def missing(desk: Desk) -> list[UnitId]:
    serving = desk.vectors.serving
    assert serving is not None
    return [unit for unit, _ in desk.store.missing_embeddings(serving.key, 10_000)]


def test_the_newest_come_first_and_are_found_at_once(desk: Desk) -> None:
    units = tell(desk, *(f"第{number}只飞艇" for number in range(6)))
    assert desk.remember.embed_backlog(4)
    assert sorted(embedded(desk)) == units[2:]
    assert desk.vectors.index is not None
    assert desk.vectors.index.state().vectors == 4
    desk.embed()
    assert sorted(embedded(desk)) == units


def test_a_long_text_is_embedded_in_steps_and_stored_whole(desk: Desk, embedder: FailingEmbedder) -> None:
    tell(desk, LONG)
    whole = len(embedder.split(LONG))
    while desk.remember.embed_backlog(4):
        assert len(embedded(desk)) in (0, whole)
    assert len(embedded(desk)) == whole > 4
    assert max(embedder.batches) <= 4


def test_a_failure_of_the_embedder_loses_no_chunk(desk: Desk, embedder: FailingEmbedder) -> None:
    tell(desk, LONG)
    for _ in range(3):
        assert desk.remember.embed_backlog(4)
    embedder.fails = True
    for _ in range(2):
        with pytest.raises(EmbedderFailed):
            desk.remember.embed_backlog(4)
    embedder.fails = False
    desk.embed()
    assert len(embedded(desk)) == len(embedder.split(LONG))


def test_a_text_that_is_forgotten_half_way_leaves_nothing(desk: Desk) -> None:
    tell(desk, LONG)
    for _ in range(3):
        assert desk.remember.embed_backlog(4)
    desk.forget(ANN, [unit.id for unit in desk.units()])
    desk.embed()
    assert embedded(desk) == []
    assert desk.vectors.index is not None
    assert desk.vectors.index.state().vectors == 0


@pytest.mark.parametrize("poison", ["毒药", LONG + "毒药"], ids=["short", "long"])
def test_a_text_that_always_fails_is_left_out_and_said_once(
    desk: Desk, poison: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = tell(desk, *(f"早先的第{number}句" for number in range(5)))
    (bad,) = tell(desk, poison)
    after = tell(desk, *(f"后来的第{number}句" for number in range(5)), LONG)
    desk.embed()
    assert set(embedded(desk)) == {*before, *after}
    assert missing(desk) == [bad]
    assert [str(bad) in record.getMessage() for record in caplog.records] == [True]
    later = tell(desk, "再后来")
    desk.embed()
    assert missing(desk) == [bad]
    assert later[0] in embedded(desk)
    assert len(caplog.records) == 1
    assert desk.vectors.serving is not None
    assert desk.vectors.serving.is_whole(desk.store)


def test_a_text_that_fails_once_is_embedded_after_all(desk: Desk, embedder: FailingEmbedder) -> None:
    units = tell(desk, "好的毒药", LONG + "毒药")
    for _ in range(2):
        assert desk.remember.embed_backlog(4)
    embedder.poison = "\0"
    desk.embed()
    assert set(embedded(desk)) == set(units)


def test_an_embedder_that_fails_at_everything_leaves_nothing_out(desk: Desk, embedder: FailingEmbedder) -> None:
    units = tell(desk, "一", "二", "三")
    embedder.fails = True
    for _ in range(5):
        with pytest.raises(EmbedderFailed):
            desk.remember.embed_backlog(1)
    embedder.fails = False
    desk.embed()
    assert set(embedded(desk)) == set(units)


def test_in_another_run_what_was_left_out_is_tried_again(desk: Desk) -> None:
    units = tell(desk, "毒药")
    desk.embed()
    assert embedded(desk) == []
    desk.attach(FailingEmbedder(poison="\0"))
    desk.embed()
    assert embedded(desk) == units


def test_what_is_forgotten_is_not_waited_for(desk: Desk) -> None:
    (bad,) = tell(desk, "毒药")
    desk.embed()
    desk.forget(ANN, [bad])
    tell(desk, "好的")
    desk.embed()
    assert missing(desk) == []


def test_without_an_embedder_there_is_no_backlog() -> None:
    vectors = Vectors()
    desk = Desk()
    desk.remember.begin_turn(ANN, MAIN, "Hello.", desk.clock.now())
    assert vectors.embedder is None
    assert not vectors.embed_backlog(desk.store, 4)
    assert not vectors.embed_coming(desk.store, 4)
    assert not vectors.tend_index()
    vectors.remove([UnitId(1)])


def test_the_key_of_an_embedder_names_its_dimension() -> None:
    assert embedder_key(HashEmbedder(32, model_id="a-b")) == "a-b/32"
