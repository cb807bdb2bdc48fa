"""Late interaction: how well each token of a question is met by the tokens of a text, from one-bit codes.

Khattab and Zaharia 2020, ColBERT, section 3.2, with the texts' token vectors kept as signs: measured on LoCoMo that
loses nothing. A question's tokens are weighed by how far their best match stands out among the candidates, which
needs no count of words and holds in every language: measured, it finds more than inverse document frequency does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_BLOCK = 4096
"""Tokens that are unpacked at a time: 6 MB."""
_NEAR_BEST = 0.7
_LEAST_GAP, _LEAST_RARITY = 1e-3, 0.01


def best_matches(tokens: Floats, codes: Sequence[bytes]) -> Floats:
    """For each token of a question and each text, the best cosine over the text's tokens: (tokens, texts).

    `tokens` are unit vectors (n, dimension), `codes` the signs of a text's token vectors, dimension / 8 bytes a token;
    a text without any has cosine 0.
    """
    width = tokens.shape[1] // 8
    counts = np.array([len(code) // width for code in codes], dtype=np.int64)
    best = np.zeros((len(tokens), len(codes)), dtype=np.float32)
    total, scale = tokens.sum(axis=1, keepdims=True), np.float32(np.sqrt(tokens.shape[1]))
    for texts in _blocks(np.flatnonzero(counts), counts):
        packed = np.frombuffer(b"".join([codes[text] for text in texts]), dtype=np.uint8).reshape(-1, width)
        bits = np.unpackbits(packed, axis=1).astype(np.float32)
        cosines = (2 * (tokens @ bits.T) - total) / scale
        starts = np.concatenate([[0], np.cumsum(counts[texts])[:-1]])
        best[:, texts] = np.maximum.reduceat(cosines, starts, axis=1)
    return best


def _blocks(texts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
    """Texts in runs of about a block's tokens; a longer text is a run of its own."""
    ends = np.cumsum(counts[texts])
    first = 0
    while first < len(texts):
        before = ends[first] - counts[texts[first]]
        last = max(first + 1, int(np.searchsorted(ends, before + _BLOCK, side="right")))
        yield texts[first:last]
        first = last


def token_weights(matches: Floats) -> Floats:
    """What each token of a question tells, (tokens,): how far its best match lies over its mean, times the logarithm
    of how few texts come near that best. `matches` as `best_matches` gives them, of one text or more."""
    best = matches.max(axis=1)
    gap = np.maximum(best - matches.mean(axis=1), _LEAST_GAP)
    near = (matches >= _NEAR_BEST * best[:, None]).sum(axis=1)
    rarity = np.maximum(np.log(1 + (matches.shape[1] - near + 0.5) / (near + 0.5)), _LEAST_RARITY)
    weights: Floats = (gap * rarity).astype(np.float32)
    return weights


def weighted(matches: Floats, weights: Floats) -> Floats:
    """The weighted mean over the tokens, for each text; 0 where no token weighs anything."""
    total = float(weights.sum())
    if not total:
        return np.zeros(matches.shape[1], dtype=np.float32)
    mean: Floats = (weights @ matches) / np.float32(total)
    return mean


def best_by_unit(values: Floats, owners: npt.NDArray[np.int64], units: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Of a value for each chunk, the best for each unit and which chunk of it that is; NaN and -1 where it has none.

    `owners` says which unit a chunk belongs to, ascending; the chunks of a unit are in order.
    """
    best = np.full(units, np.nan, dtype=np.float32)
    place = np.full(units, -1, dtype=np.int64)
    for row, owner in enumerate(owners.tolist()):
        if place[owner] < 0 or values[row] > best[owner]:
            best[owner], place[owner] = values[row], row
    firsts = np.searchsorted(owners, np.arange(units))
    return best, np.where(place < 0, -1, place - firsts)
