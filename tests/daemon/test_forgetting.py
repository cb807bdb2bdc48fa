"""What is forgotten leaves the files of every index, also of one whose embedder is not on the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.errors import MemoryNotFound
from edge.memory.units import UnitId
from tests.daemon.making import Life, NamedModels
from tests.engine.making import ANN, BOB, Desk
from tests.fakes.embedder import HashEmbedder


def told(folder: Path, words: str) -> tuple[Desk, UnitId]:
    """A first life of the embedder a, of which an index is left; and a half-made one of b."""
    first = Life(folder, NamedModels("a", HashEmbedder(model_id="a")))
    first.start()
    first.desk.say(words)
    first.idle()
    (folder / "b-64").mkdir()
    return first.desk, first.desk.units()[0].id


def forget_in_a_life(folder: Path, desk: Desk, unit: UnitId, models: NamedModels) -> set[str]:
    """The indexes that are left."""
    life = Life(folder, models, desk)
    life.start()
    life.idle()
    assert life.folders() == {"a-64", "b-64"}
    life.forgetting.forget_unit(ANN, unit)
    return life.folders()


@pytest.mark.parametrize("words", ["My locker is number 4711.", "我的储物柜是四七一一号。"])
def test_indexes_that_cannot_be_opened_are_removed(tmp_path: Path, words: str) -> None:
    desk, unit = told(tmp_path, words)
    assert forget_in_a_life(tmp_path, desk, unit, NamedModels("a")) == set()


def test_one_that_serves_while_another_is_not_there_stays(tmp_path: Path) -> None:
    desk, unit = told(tmp_path, "My locker is number 4711.")
    models = NamedModels("b", HashEmbedder(model_id="a"))
    assert forget_in_a_life(tmp_path, desk, unit, models) == {"a-64"}


def test_nothing_is_removed_while_the_embedder_is_still_being_loaded(tmp_path: Path) -> None:
    desk, unit = told(tmp_path, "My locker is number 4711.")
    life = Life(tmp_path, NamedModels("a", HashEmbedder(model_id="a")), desk)
    life.forgetting.forget_unit(ANN, unit)
    assert life.folders() == {"a-64", "b-64"}


@pytest.mark.parametrize("told", ["My phone number is 0151 2345678.", "我的手机号是13900001111。"])
def test_one_unit_takes_all_that_says_it_and_its_copies(tmp_path: Path, told: str) -> None:
    life = Life(tmp_path, NamedModels("a", HashEmbedder(model_id="a")))
    life.start()
    life.desk.say(told)
    life.idle()
    words, phone = (unit.id for unit in life.desk.units())
    with pytest.raises(MemoryNotFound):
        life.forgetting.forget_unit(BOB, phone)
    assert (life.windows_of, life.vectors()) == ([], {words, phone})
    assert life.forgetting.forget_unit(ANN, phone) == (words, phone)
    assert (life.windows_of, life.vectors(), life.desk.units()) == ([ANN], set(), [])
    with pytest.raises(MemoryNotFound):
        life.forgetting.forget_unit(ANN, phone)
