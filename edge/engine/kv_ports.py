"""What the engine needs to keep sessions' evaluated windows across time: lanes of a model's KV cache, and their files.

A lane belongs to the model thread, as the model does. Files are used from several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NewType, Protocol

Lane = NewType("Lane", str)
"""The key of a session's window in a model's cache: opaque, as long as it lives the same for the same session."""
NO_SESSION = Lane("")
"""The lane of what belongs to no session."""

WORTHWHILE = 16
"""Fewer evaluated tokens than this are sooner evaluated again than kept and read back."""

Held = Callable[[Lane, Sequence[int]], int]
"""How many tokens at the beginning of a prompt for a lane the model need not evaluate: those in its cache, or in a file
that is of use. Called on the memory thread."""


class Lanes(Protocol):
    """Windows of several sessions in one KV cache. Who came last stays longest."""

    @property
    def names(self) -> tuple[Lane, ...]:
        """Lanes that are there, the least recently used first."""

    def held(self, lane: Lane) -> Sequence[int]:
        """The tokens of a lane that are in the cache; none of one that is not there."""

    def leaving(self, lane: Lane, cells: int) -> list[Lane]:
        """Who will leave when the lane is to come to that many tokens."""

    def drop(self, lane: Lane) -> None:
        """Let go of a lane, if it is there."""

    def save(self, lane: Lane, tokens: int, path: str) -> None:
        """Write its first `tokens` tokens, with their keys and values, over the file; what stood behind them leaves the
        lane. Raises StoreFailed; then nothing of use is in the file."""

    def restore(self, lane: Lane, tokens: Sequence[int], path: str) -> bool:
        """Bring back what `save` wrote of these tokens, in place of what the lane holds. Others may have to leave.
        False where the file is of no use; then the lane is not there."""


class LaneFiles(Protocol):
    """Files with lanes, each with a header that is read without the rest. Guarded by checksums: what is not whole is
    removed and said in the log."""

    def write(
        self, lane: Lane, head: Callable[[], bytes | None], body: Callable[[str], None], *, durable: bool
    ) -> bool:
        """Put a file in the place of the lane's, where `head` gives one; `body` writes the rest over the file that is
        named. No `remove` comes between the two. Whether it is there now; a failure is said in the log."""

    def head(self, lane: Lane) -> bytes | None:
        """The header of the lane's file, if there is one that is not cut."""

    def body(self, lane: Lane) -> str | None:
        """The lane's file for `restore`, after all of it was checked."""

    def discard(self, lane: Lane, why: str) -> None:
        """Remove a file that is of no use, and say so."""

    def remove(self, owner: str) -> None:
        """Remove all files whose lanes begin with `owner`, for good. Raises StoreReadOnly or StoreFailed where
        that fails."""


def shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))
