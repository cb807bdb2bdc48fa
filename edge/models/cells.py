"""The account of a KV cache: which tokens each of its sequences holds, and in how many cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, count


class Cells:
    """Tokens by sequence. Sequences that begin as a copy share the cells of what was copied.

    A cell is named by a number of its own, not by its place: what counts is how many there are.
    """

    def __init__(self, sequences: Collection[int]) -> None:
        self._tokens: dict[int, list[int]] = {sequence: [] for sequence in sequences}
        self._cells: dict[int, list[int]] = {sequence: [] for sequence in sequences}
        self._numbers = count()

    @property
    def sequences(self) -> tuple[int, ...]:
        return tuple(self._tokens)

    def tokens(self, sequence: int) -> Sequence[int]:
        """What the sequence holds, in order."""
        return self._tokens[sequence]

    def used(self, sequences: Collection[int]) -> int:
        """Cells that the sequences take together; a shared one counts once."""
        return len(set(chain.from_iterable(self._cells[sequence] for sequence in sequences)))

    def append(self, sequence: int, tokens: Sequence[int]) -> None:
        """Tokens that were evaluated behind the others."""
        self._tokens[sequence].extend(tokens)
        self._cells[sequence].extend(next(self._numbers) for _ in tokens)

    def trim(self, sequence: int, length: int) -> None:
        """Keep the first `length` tokens."""
        del self._tokens[sequence][length:]
        del self._cells[sequence][length:]

    def copy(self, source: int, target: int, length: int) -> None:
        """Let the target begin with the first `length` tokens of the source, in the same cells, in place of all that it
        holds."""
        self._tokens[target] = self._tokens[source][:length]
        self._cells[target] = self._cells[source][:length]

    def clear(self) -> None:
        """Empty all."""
        for sequence in self._tokens:
            self.trim(sequence, 0)
