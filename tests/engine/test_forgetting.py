"""The order in which forgetting goes: what outlasts the process first, so that no crash leaves words behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from edge.engine.forgetting import Copies, Forgetting, Wanted
from edge.engine.forgetting_ports import ForgettingStore, Leaving
from edge.engine.ports import MemoryStore
from edge.engine.recall import Recall
from edge.engine.vectors import Vectors
from edge.errors import StoreReadOnly
from edge.memory.units import OwnerId, UnitId
from tests.engine.making import ANN
from tests.fakes.clock import NOON


class Ledger:
    """A store, and copies of its words; `done` says what was asked of them, in order. `refused` is what fails."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.refused = ""

    def note(self, what: str) -> None:
        if what == self.refused:
            raise StoreReadOnly(f"{what} cannot be changed.")
        self.done.append(what)

    def noting(self, what: str) -> Callable[..., None]:
        return lambda *_: self.note(what)

    def forget(self, owner: OwnerId, ids: list[UnitId]) -> tuple[UnitId, ...]:
        self.note("store")
        return tuple(ids)

    def forget_selection(self, *_: object) -> Leaving:
        self.note("store")
        return Leaving((UnitId(7),), 1, (), "token")

    def forgetting(self) -> Forgetting:
        copies = Copies(self.noting("files"), self.noting("windows"), Vectors(), self.noting("indexes"))
        return Forgetting(cast(MemoryStore, self), cast(ForgettingStore, self), cast(Recall, None), copies)


WAYS: list[Callable[[Forgetting], object]] = [
    lambda forgetting: forgetting.forget_unit(ANN, UnitId(7)),
    lambda forgetting: forgetting.forget(ANN, Wanted(ids=(UnitId(7),)), None, NOON),
]


@pytest.mark.parametrize("way", WAYS)
def test_files_of_windows_go_before_the_store_forgets_and_the_rest_after(way: Callable[[Forgetting], object]) -> None:
    ledger = Ledger()
    way(ledger.forgetting())
    assert ledger.done == ["files", "store", "windows", "indexes"]


@pytest.mark.parametrize("way", WAYS)
def test_where_files_of_windows_cannot_go_nothing_is_forgotten(way: Callable[[Forgetting], object]) -> None:
    ledger = Ledger()
    ledger.refused = "files"
    with pytest.raises(StoreReadOnly, match="files"):
        way(ledger.forgetting())
    assert ledger.done == []
