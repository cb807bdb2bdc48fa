"""What the memory thread does beside requests: the backlog, and what stands in its way."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from edge.daemon.memory import Memory
from edge.engine.ports import Embedded
from edge.errors import EmbedderFailed
from tests.engine.making import ANN, MAIN, Desk
from tests.fakes.embedder import HashEmbedder
from tests.memory.test_rules import RULES


class MoodyEmbedder(HashEmbedder):
    """Fails as long as it is told to."""

    broken = True

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        if self.broken:
            raise EmbedderFailed("It broke off.")
        return super().embed(texts)


def memory_of(desk: Desk) -> Memory:
    return Memory(
        store=desk.store,
        rules=RULES,
        vectors=desk.vectors,
        recall=desk.recall,
        remember=desk.remember,
        attach=lambda: None,
        close_store=lambda: None,
    )


def test_what_cannot_be_embedded_now_waits_for_the_next_write(caplog: pytest.LogCaptureFixture) -> None:
    embedder = MoodyEmbedder()
    desk = Desk(embedder=embedder)
    desk.remember.begin_turn(ANN, MAIN, "我的猫叫咪咪", desk.clock.now())
    memory = memory_of(desk)
    assert memory.step() is False
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("ERROR", None)]
    embedder.broken = False
    while memory.step():
        pass
    assert desk.store.missing_embeddings(embedder.id, 10) == []
