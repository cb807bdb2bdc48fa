"""One llama.cpp context and an exact account of which tokens its KV cache holds."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import llama_cpp.llama_cpp as lib
import numpy as np
import numpy.typing as npt

from edge.engine.kv_ports import shared
from edge.errors import ModelFailed, StoreFailed
from edge.models.cells import Cells
from edge.models.llama_stop import LlamaStop, abort_callback
from edge.models.llama_tokenizer import LlamaWeights

SCRATCH = 0
"""The sequence of everything that is asked beside the sessions' windows."""
BRANCHES = tuple(range(1, 9))
"""Sequences that continue SCRATCH in several ways at once."""
LANES = tuple(range(9, 16))
"""Sequences of the sessions' windows."""
ROWS = 16
"""Most tokens of one step whose logits are wanted; a row is 0.6 MB with Qwen's vocabulary, in several buffers. As many
sequences there may be: llama.cpp takes a row for each."""

Row = npt.NDArray[np.float32]


class Stopped(Exception):
    """The signal was set; what is accounted for in the cache stays valid."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A token to evaluate at a position of a sequence, and whether its logits are wanted."""

    token: int
    position: int
    sequence: int
    wanted: bool


class LlamaContext:
    """Evaluates tokens. `cells` are the tokens whose keys and values are surely in the cache.

    They are one pool for all sequences. Who uses it sees to it that SCRATCH and the lanes keep to their room.
    """

    def __init__(self, weights: LlamaWeights, params: Any, vocabulary_size: int) -> None:
        """Raises MemoryError where llama.cpp makes no context of the parameters."""
        self._weights = weights
        self._vocabulary_size = vocabulary_size
        self._pointer = lib.llama_init_from_model(weights.pointer, params)
        if not self._pointer:
            raise MemoryError("llama.cpp made no context")
        self._memory = lib.llama_get_memory(self._pointer)
        self._size: int = params.n_ctx
        self._step: int = params.n_batch
        self._batch = lib.llama_batch_init(self._step, 0, 1)
        self._abort = abort_callback()
        self._idle = LlamaStop()
        self._stop = self._idle
        self._cells = Cells((SCRATCH, *LANES))

    def close(self) -> None:
        """Free the cache and the buffers. The object must not be used any more."""
        lib.llama_batch_free(self._batch)
        lib.llama_free(self._pointer)

    @property
    def cells(self) -> Cells:
        """The account of the cache."""
        return self._cells

    @property
    def step(self) -> int:
        """Most tokens of one step."""
        return self._step

    @contextmanager
    def stoppable(self, stop: LlamaStop) -> Iterator[None]:
        """Let a signal stop what is evaluated inside the block."""
        self._listen(stop)
        try:
            yield
        finally:
            self._listen(self._idle)

    def _listen(self, stop: LlamaStop) -> None:
        lib.llama_set_abort_callback(self._pointer, self._abort, stop.address)
        self._stop = stop

    def held(self, sequence: int) -> int:
        """How many tokens of the sequence are in the cache."""
        return len(self._cells.tokens(sequence))

    def reuse(self, sequence: int, prompt: Sequence[int]) -> int:
        """Keep what the cache has of the prompt's beginning, remove the rest; returns how many tokens were kept.

        The prompt's last token is never kept: its logits are needed, and the cache holds none.
        """
        kept = shared(self._cells.tokens(sequence), prompt[:-1])
        self.trim(sequence, kept)
        return kept

    def evaluate(self, sequence: int, tokens: Sequence[int]) -> None:
        """Append tokens to a sequence; afterwards `row(-1)` has the logits behind the last one.

        Raises Stopped (the steps before stay in the cache) or ModelFailed (the cache is empty then).
        """
        for start in range(0, len(tokens), self._step):
            part, held = tokens[start : start + self._step], self.held(sequence)
            last = start + len(part) == len(tokens)
            self.decode([Cell(t, held + i, sequence, last and i == len(part) - 1) for i, t in enumerate(part)])
            self._cells.append(sequence, part)

    def decode(self, cells: Sequence[Cell]) -> None:
        """One step of at most `batch` tokens, all or nothing. Raises Stopped or ModelFailed."""
        if self._stop.is_set():
            raise Stopped
        self._fill(cells)
        code = lib.llama_decode(self._pointer, self._batch)
        if code == 2:
            for sequence in self._cells.sequences:  # cells of the step in flight may be half written
                self.trim(sequence, self.held(sequence))
            raise Stopped
        if code != 0:
            used = self._cells.used(self._cells.sequences)
            self.clear()
            raise ModelFailed(
                f"llama.cpp could not evaluate {len(cells)} tokens (code {code}, {used} of {self._size} cells used).",
                llama_code=code,
                tokens=len(cells),
                cells_used=used,
                cells=self._size,
            )

    def row(self, index: int) -> Row:
        """Logits of the last step's `index`-th token, float32, (vocabulary,). A view: valid until the next step.

        Raises ModelFailed where they are no numbers, as with damaged weights.
        """
        pointer = lib.llama_get_logits_ith(self._pointer, index)
        row = np.ctypeslib.as_array(pointer, shape=(self._vocabulary_size,))
        if not np.isfinite(row.max()):
            self.clear()
            raise ModelFailed("The model's output holds no numbers; its file may be damaged.")
        return row

    def sample(self, chain: Any) -> int:
        """Let a llama.cpp sampler choose from the last row."""
        return int(lib.llama_sampler_sample(chain, self._pointer, -1))

    def branch(self, branch: int) -> None:
        """Make a branch that starts as a copy of SCRATCH; the cells are shared."""
        lib.llama_memory_seq_cp(self._memory, SCRATCH, branch, -1, -1)

    def drop_branches(self) -> None:
        for branch in BRANCHES:
            lib.llama_memory_seq_rm(self._memory, branch, -1, -1)

    def clear(self) -> None:
        """Empty the cache."""
        lib.llama_memory_clear(self._memory, False)
        self._cells.clear()

    def trim(self, sequence: int, length: int) -> None:
        """Keep the first `length` tokens of a sequence."""
        lib.llama_memory_seq_rm(self._memory, sequence, length, -1)
        self._cells.trim(sequence, length)

    def copy(self, source: int, target: int, length: int) -> None:
        """Let a sequence begin as another does, in the same cells, in place of what it holds."""
        self.trim(target, 0)
        lib.llama_memory_seq_cp(self._memory, source, target, 0, length)
        self._cells.copy(source, target, length)

    def save(self, sequence: int, path: str) -> None:
        """Write a sequence over a file. Raises StoreFailed."""
        held = self._cells.tokens(sequence)
        tokens = (lib.llama_token * len(held))(*held)
        written = lib.llama_state_seq_save_file(self._pointer, os.fsencode(path), sequence, tokens, len(held))
        if written == 0 or os.path.getsize(path) != written:  # what a full disk refuses on closing goes unsaid
            raise StoreFailed(f"llama.cpp could not write {len(held)} tokens.")

    def restore(self, sequence: int, tokens: Sequence[int], path: str) -> bool:
        """Read an empty sequence from a file that holds just these tokens. The file must be whole: llama.cpp may end
        the process over one that is not. False where it holds others, or there is no room; the sequence is empty
        then."""
        read, count = (lib.llama_token * len(tokens))(), ctypes.c_size_t()
        taken = lib.llama_state_seq_load_file(
            self._pointer, os.fsencode(path), sequence, read, len(tokens), ctypes.byref(count)
        )
        if taken == 0 or count.value != len(tokens) or list(read) != list(tokens):
            self.trim(sequence, 0)
            return False
        self._cells.append(sequence, tokens)
        return True

    def _fill(self, cells: Sequence[Cell]) -> None:
        batch = self._batch
        batch.n_tokens = len(cells)
        for i, cell in enumerate(cells):
            batch.token[i] = cell.token
            batch.pos[i] = cell.position
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = cell.sequence
            batch.logits[i] = cell.wanted
