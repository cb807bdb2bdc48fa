"""Choosing the next token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import llama_cpp.llama_cpp as lib
import numpy as np

from edge.engine.model_ports import Sampling
from edge.models.llama_context import LlamaContext, Row

_PENALTY_WINDOW = 64


@contextmanager
def sampler(context: LlamaContext, sampling: Sampling, vocabulary_size: int) -> Iterator[Callable[[], int]]:
    """A function that chooses from the context's last row. Temperature 0 takes the likeliest token.

    Otherwise: repeat penalty over the last 64 tokens of the reply (the prompt's names and numbers may be repeated),
    then top_p, then temperature, then a draw by the seed. The first choice is never one of `sampling.not_first`.
    """
    if sampling.not_first:
        context.row(-1)[list(sampling.not_first)] = -np.inf  # the row lies where llama.cpp's samplers read it
    if sampling.temperature <= 0:
        yield lambda: int(np.argmax(context.row(-1)))
        return
    chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
    try:
        penalties = lib.llama_sampler_init_penalties(
            vocabulary_size, _PENALTY_WINDOW, sampling.repeat_penalty, 0.0, 0.0
        )
        for part in (
            penalties,
            lib.llama_sampler_init_top_p(sampling.top_p, 1),
            lib.llama_sampler_init_temp(sampling.temperature),
            lib.llama_sampler_init_dist(sampling.seed & 0xFFFFFFFF),
        ):
            lib.llama_sampler_chain_add(chain, part)
        yield lambda: _draw(context, chain)
    finally:
        lib.llama_sampler_free(chain)


def _draw(context: LlamaContext, chain: object) -> int:
    context.row(-1)  # no sampler of llama.cpp may see what is not a number
    return context.sample(chain)


def log_probability(row: Row, token: int) -> float:
    """The token's log-probability under a row of logits."""
    return log_probabilities(row, (token,))[0]


def log_probabilities(row: Row, tokens: Sequence[int]) -> list[float]:
    """Those of several tokens: what all of them share is reckoned once."""
    top = row.max()
    usual = top + np.log(np.exp(row - top).sum())
    return [float(row[token] - usual) for token in tokens]
