"""What the memory thread does beside requests: all gets its turn, and what fails waits for the next write."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from edge.engine.model_ports import Embedded
from edge.errors import DiskFull, EmbedderFailed, StoreFailed
from tests.daemon.making import Life, NamedModels
from tests.engine.making import ANN, MAIN
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex


class MoodyEmbedder(HashEmbedder):
    """Fails as long as it is told to."""

    broken = True

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        if self.broken:
            raise EmbedderFailed("It broke off.")
        return super().embed(texts)


@pytest.fixture
def embedder() -> MoodyEmbedder:
    return MoodyEmbedder()


@pytest.fixture
def life(tmp_path: Path, embedder: MoodyEmbedder) -> Life:
    life = Life(tmp_path / "index", NamedModels("hash", embedder))
    life.start()
    return life


def index_of(life: Life) -> ExactIndex:
    return life.indexes["hash/64"]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert not any(record.exc_info for record in found)
    return [record.getMessage() for record in found]


def test_what_cannot_be_embedded_now_waits_for_the_next_write(
    life: Life, embedder: MoodyEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    life.desk.remember.begin_turn(ANN, MAIN, "我的猫叫咪咪", life.desk.clock.now())
    assert life.idle() == 0
    assert life.memory.step() is False
    assert errors(caplog) == ["the backlog waits: It broke off. Run `edge models verify`."]
    embedder.broken = False
    assert life.memory.step() is False
    life.idle()
    assert life.desk.store.count_missing("hash/64") == 0
    embedder.broken = True
    life.desk.remember.begin_turn(ANN, MAIN, "我的狗叫旺财", life.desk.clock.now())
    life.idle()
    assert len(errors(caplog)) == 2


def test_what_fails_is_said_once_and_holds_up_nothing_else(
    life: Life, embedder: MoodyEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    life.desk.remember.begin_turn(ANN, MAIN, "我的猫叫咪咪", life.desk.clock.now())
    index_of(life).due = 3
    for _ in range(3):
        life.idle()
    assert index_of(life).due == 0
    assert len(errors(caplog)) == 1
    assert list(life.memory.waiting) == ["backlog"]
    embedder.broken = False
    index_of(life).due, index_of(life).failure = 2, DiskFull("The disk is full.")
    life.idle()
    assert life.desk.store.count_missing("hash/64") == 0
    assert list(life.memory.waiting) == ["index"]
    index_of(life).failure = None
    life.idle()
    assert (index_of(life).due, life.memory.waiting) == (0, {})


def test_new_words_are_embedded_before_anything_else(life: Life, embedder: MoodyEmbedder) -> None:
    embedder.broken = False
    index_of(life).due = 1000
    life.idle(3)
    life.desk.remember.begin_turn(ANN, MAIN, "我的猫叫咪咪", life.desk.clock.now())
    life.idle(1)
    assert life.desk.store.count_missing("hash/64") == 0


def test_a_long_backlog_does_not_keep_an_index_from_its_work(life: Life, embedder: MoodyEmbedder) -> None:
    embedder.broken = False
    for number in range(40):
        life.desk.remember.statement(ANN, None, f"第{number}只飞艇", life.desk.clock.now())
    index_of(life).due = 4
    assert life.idle() >= 10 + 3
    index_of(life).due = 4
    for number in range(40):
        life.desk.remember.statement(ANN, None, f"第{number}只热气球", life.desk.clock.now())
    life.idle(8)
    assert index_of(life).due == 0
    assert life.desk.store.count_missing("hash/64") > 0


def test_the_rules_are_compiled_when_nobody_waits(life: Life, embedder: MoodyEmbedder) -> None:
    embedder.broken = False
    rules = life.memory.rules
    steps = 0
    while life.memory.compile_rules():
        steps += 1
    assert steps == len(list(rules.compiling())) > 300


def test_units_are_read_ahead_a_few_at_a_time(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def read_ahead(limit: int) -> bool:
        asked.append(limit)
        if len(asked) == 3:
            raise StoreFailed("The disk is gone.")
        return True

    monkeypatch.setattr(life.memory.store, "read_ahead", read_ahead)
    assert [life.memory.read_ahead() for _ in range(4)] == [True, True, False, False]
    assert asked == [asked[0]] * 3
    assert "reading ahead" in life.memory.waiting


def test_a_step_of_sealing_tells_the_index_and_lets_it_work(life: Life) -> None:
    assert life.memory.seal() is False
    assert index_of(life).seals == 1


def test_the_end_lets_go_of_the_index(life: Life) -> None:
    closed: list[bool] = []
    life.memory._close_store = lambda: closed.append(index_of(life).closed)
    life.memory.finish()
    assert closed == [True]


def test_traces_of_a_row_of_forgettings_are_removed_at_the_next_look(
    life: Life, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []

    def remove() -> bool:
        looks.append(True)
        if len(looks) == 2:
            raise StoreFailed("坏了")
        return True

    monkeypatch.setattr(life.desk.store, "tidy", remove)
    assert [life.memory.tidy() for _ in range(4)] == [False] * 4
    assert len(looks) == 2
    assert len(errors(caplog)) == 1
    life.memory.wake()
    assert life.memory.tidy() is False
    assert len(looks) == 3
