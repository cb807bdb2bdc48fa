"""Forgetting everything of an owner, in steps between which turns of others come. Lives on the memory thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edge.engine.forgetting import Copies
from edge.engine.owner_ports import Gone, Holdings, OwnerStore
from edge.errors import ForgettingChanged
from edge.memory.units import OwnerId


@dataclass(frozen=True, slots=True)
class ForgettingAll:
    """Shows how much there is, and removes it. One that broke off is begun again, and goes on."""

    owners: OwnerStore
    copies: Copies

    def preview(self, owner: OwnerId) -> Holdings:
        """What would go now."""
        return self.owners.holdings(owner)

    def forget(self, owner: OwnerId, token: str | None) -> Iterator[Gone]:
        """Remove it, step by step. With a token only what the preview of that token showed: raises ForgettingChanged
        before anything is removed."""
        if token is not None and token != self.owners.holdings(owner).token:
            raise ForgettingChanged("There is no longer as much as was shown.")
        self.copies.kept(owner)
        self.owners.forget_beside(owner)
        while (gone := self.owners.forget_some(owner)) != Gone((), 0):
            self.copies.kept(owner)
            self.copies.clear(owner, gone.units)
            yield gone
        self.copies.clear(owner, ())
