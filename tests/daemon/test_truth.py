"""What is told of how a memory came to be, and what was so at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.daemon.memory import Memory
from edge.daemon.truth import TruthRoutes, why_answer
from edge.memory.units import Kind
from tests.daemon.making import Life, NamedModels
from tests.daemon.test_memories import page
from tests.engine.making import ANN, Desk
from tests.fakes.embedder import HashEmbedder


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def memory(desk: Desk, tmp_path: Path) -> Memory:
    life = Life(tmp_path, NamedModels("hash", HashEmbedder()), desk)
    life.start()
    return life.memory


def test_the_words_of_a_memory_and_its_quote(desk: Desk) -> None:
    desk.say("Hello! I live in Berlin.")
    (home,) = (unit for unit in desk.units() if unit.slot == "home")
    answer = why_answer(desk.store.truth.provenance(ANN, home.id))
    assert answer["said"] is not None
    assert (answer["quote"], answer["said"]["words"]) == ("I live in Berlin.", "Hello! I live in Berlin.")
    assert (answer["memory"]["id"], answer["confirmed"]) == (home.id, [])


def test_what_was_said_again_is_told(desk: Desk) -> None:
    desk.say("我住在柏林。")
    desk.say("对了，我住在柏林。")
    (home,) = (unit for unit in desk.units() if unit.slot == "home")
    answer = why_answer(desk.store.truth.provenance(ANN, home.id))
    assert [words["words"] for words in answer["confirmed"]] == ["对了，我住在柏林。"]


def test_forgotten_words_are_null_and_their_quote_too(desk: Desk) -> None:
    desk.say("My name is Will and I live in Berlin.")
    units = {unit.slot: unit for unit in desk.units() if unit.kind is not Kind.EPISODE}
    desk.forget(ANN, [units["name"].id])
    answer = why_answer(desk.store.truth.provenance(ANN, units["home"].id))
    assert answer["said"] is not None
    assert (answer["said"]["words"], answer["quote"]) == (None, None)


def test_the_routes() -> None:
    desk = Desk()
    paths = [route.path for route in TruthRoutes(desk.store.truth, worker=None).table()]  # type: ignore[arg-type]
    assert paths == ["/v1/memories/{id}/history", "/v1/memories/{id}/why"]


def test_a_list_of_what_was_so_then(memory: Memory, desk: Desk) -> None:
    desk.say("I live in Berlin.")
    then = desk.clock.now().isoformat()
    desk.clock.pass_by(hours=48)
    desk.say("I live in Hamburg now.")
    homes = {int(unit.id): unit.value for unit in desk.units() if unit.slot == "home"}

    def listed(**query: str) -> list[str | None]:
        return [homes[unit] for unit in page(memory, desk, ANN, **query)[0] if unit in homes]

    assert listed() == ["hamburg"]
    assert listed(as_of=then) == ["berlin"]
    assert listed(as_of="2020-01-01T00:00:00Z") == []
