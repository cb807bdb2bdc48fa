"""MiniLM sentence embeddings on onnxruntime: vectors and token codes from one pass.

Vectors are the mean of the last hidden state over the mask, L2-normalised (Reimers and Gurevych 2019, Sentence-BERT,
section 3). Token codes are the signs of the token vectors, for late interaction (Khattab and Zaharia 2020, ColBERT)
with one bit a dimension.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from tokenizers import Encoding, Tokenizer

from edge.allocator import give_back_freed
from edge.engine.model_ports import Embedded, QueryEmbedding
from edge.engine.ports import Vector
from edge.errors import EmbedderFailed, ModelDamaged, ModelMissing, ModelUnfit
from edge.memory.chunks import Chunk, chunk

MAX_TOKENS = 256
"""Longest input of the model, `[CLS]` and `[SEP]` included."""
BATCH_TEXTS = 32
_LONG_PASS = 96
"""Tokens from which on a pass leaves memory behind that is worth giving back."""
BATCH_TOKENS = 512
"""Padded tokens in one batch. Measured: two texts of 256 tokens at once are as fast as thirty-two, at a tenth of the
memory."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKENIZERS = ("WordPiece", "Unigram")
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_UNREADABLE = (
    ort_errors.InvalidProtobuf,
    ort_errors.InvalidArgument,
    ort_errors.NoModel,
    ort_errors.RuntimeException,
)
_REFUSED = (ort_errors.InvalidGraph, ort_errors.NotImplemented, ort_errors.Fail)
_BROKE_OFF = (*_UNREADABLE, *_REFUSED, ort_errors.EPFail, ort_errors.EngineError)

_Hidden = npt.NDArray[np.float32]


def load_minilm(model_path: Path, tokenizer_path: Path, *, model_id: str, dimension: int, threads: int = 1) -> MiniLm:
    """Load the model and its tokenizer.

    `dimension` is what the manifest promises, a multiple of 8. Raises ModelMissing, ModelDamaged for a file that is
    cut or no such file at all, ModelUnfit for a whole model of another kind.
    """
    for path in (model_path, tokenizer_path):
        if not path.is_file():
            raise ModelMissing(f"The embedder's file {path} is not there.", model=model_id, file=str(path))
    tokenizer = _load_tokenizer(tokenizer_path, model_id)
    session = _load_session(model_path, model_id, threads)
    _check_shape(session, model_path, model_id, dimension)
    _give_back_freed_memory(MAX_TOKENS)
    return MiniLm(session, tokenizer, model_id=model_id, dimension=dimension)


class MiniLm:
    """A `TextEmbedder`. One thread owns it.

    A text without any token (empty, white space, control characters) gets one vector, that of an empty sentence, and
    no codes. Characters that cannot be UTF-8 (lone surrogates) count as unknown ones. Words such as `[SEP]` in a text
    are plain text.
    """

    def __init__(self, session: Any, tokenizer: Tokenizer, *, model_id: str, dimension: int) -> None:
        self._session = session
        self._inputs = frozenset(entry.name for entry in session.get_inputs())
        self._tokenizer = tokenizer
        self._id = model_id
        self._dimension = dimension
        self._begin, self._end = tokenizer.encode("", add_special_tokens=True).ids

    @property
    def id(self) -> str:
        return self._id

    @property
    def dimension(self) -> int:
        return self._dimension

    def chunks(self, text: str) -> list[Chunk]:
        """The chunks that `embed` makes of a text, in the order of its vectors."""
        return _chunks(text, self._encode(text))

    def split(self, text: str) -> list[str]:
        return [text[part.start : part.end] for part in self.chunks(text)]

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed each text, in chunks where it is over 256 tokens. Raises EmbedderFailed.

        A code is dimension / 8 bytes a token, without the model's own `[CLS]` and `[SEP]`: bit 1 where the component
        is positive, highest bit first.
        """
        pieces = [self._pieces(text) for text in texts]
        vectors, codes = self._embed_pieces([piece for of_text in pieces for piece in of_text])
        ends = np.cumsum([len(of_text) for of_text in pieces], dtype=np.int64).tolist()
        return [
            Embedded(vectors=vectors[end - len(of_text) : end], codes=tuple(codes[end - len(of_text) : end]))
            for of_text, end in zip(pieces, ends, strict=True)
        ]

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,), from the first 256 tokens. Raises EmbedderFailed."""
        return self.read_query(text).vector

    def read_query(self, text: str) -> QueryEmbedding:
        """The vector of a question and those of its tokens, from its first 256 tokens. Raises EmbedderFailed."""
        encoding = self._encode(text)
        ids = encoding.ids[: MAX_TOKENS - 2]
        hidden, mask = self._run([ids])
        _give_back_freed_memory(len(ids))
        return QueryEmbedding(
            vector=_means(hidden, mask)[0],
            tokens=_normalised(hidden[0, 1 : 1 + len(ids)]),
            spans=tuple(encoding.offsets[: len(ids)]),
        )

    def _encode(self, text: str) -> Encoding:
        return self._tokenizer.encode(_utf8_safe(text), add_special_tokens=False)

    def _pieces(self, text: str) -> list[list[int]]:
        """Token ids of each chunk of a text."""
        encoding = self._encode(text)
        return [encoding.ids[part.first : part.last] for part in _chunks(text, encoding)]

    def _embed_pieces(self, pieces: Sequence[Sequence[int]]) -> tuple[Vector, list[bytes]]:
        vectors = np.empty((len(pieces), self._dimension), dtype=np.float32)
        codes = [b""] * len(pieces)
        batches = list(_batches([len(piece) + 2 for piece in pieces]))
        for batch in batches:
            hidden, mask = self._run([pieces[number] for number in batch])
            vectors[batch] = _means(hidden, mask)
            for row, number in enumerate(batch):
                codes[number] = np.packbits(hidden[row, 1 : 1 + len(pieces[number])] > 0, axis=1).tobytes()
        _give_back_freed_memory(sum(len(piece) for piece in pieces))
        return vectors, codes

    def _run(self, pieces: Sequence[Sequence[int]]) -> tuple[_Hidden, npt.NDArray[np.int64]]:
        """Last hidden state (pieces, tokens, dimension) and mask (pieces, tokens) of one padded batch."""
        shape = (len(pieces), max(len(piece) for piece in pieces) + 2)
        ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, piece in enumerate(pieces):
            ids[row, : len(piece) + 2] = [self._begin, *piece, self._end]
            mask[row, : len(piece) + 2] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden: _Hidden = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        except _BROKE_OFF as error:
            raise EmbedderFailed(f"The embedder broke off: {error}", model=self._id) from error
        if not np.isfinite(hidden).all():
            raise EmbedderFailed("The embedder gave numbers that are none.", model=self._id)
        return hidden, mask


def _load_tokenizer(path: Path, model: str) -> Tokenizer:
    """The library raises a bare Exception for a file it cannot read, so the file is looked at before."""
    try:
        content = path.read_text(encoding="utf-8")
        kind = json.loads(content)["model"]["type"]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelDamaged(f"{path} is not a tokenizer.", model=model, file=str(path)) from error
    if kind not in _TOKENIZERS:
        raise ModelUnfit(f"{path} is a {kind} tokenizer, no sentence embedder's.", model=model, file=str(path))
    tokenizer = Tokenizer.from_str(content)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _load_session(path: Path, model: str, threads: int) -> Any:
    ort.set_default_logger_severity(3)  # "GPU device discovery failed" is no news on a board without one
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except _UNREADABLE as error:
        raise ModelDamaged(f"{path} is cut or no ONNX file: {error}", model=model, file=str(path)) from error
    except _REFUSED as error:
        if "does not have a graph" in str(error):  # what 1.28 says of an empty file
            raise ModelDamaged(f"{path} is cut or no ONNX file: {error}", model=model, file=str(path)) from error
        raise ModelUnfit(f"onnxruntime refuses {path}: {error}", model=model, file=str(path)) from error


def _check_shape(session: Any, path: Path, model: str, dimension: int) -> None:
    inputs = {entry.name for entry in session.get_inputs()}
    if not {"input_ids", "attention_mask"} <= inputs <= _INPUTS:
        raise ModelUnfit(f"{path} takes {sorted(inputs)}: no sentence embedder.", model=model, file=str(path))
    shape = session.get_outputs()[0].shape
    if len(shape) != 3 or shape[-1] != dimension or dimension % 8:
        raise ModelUnfit(f"{path} gives {shape}, not {dimension} numbers a token.", model=model, file=str(path))


def _give_back_freed_memory(tokens: int) -> None:
    """glibc keeps what loading and long passes freed: measured, 50 to 85 MB beside the 107 MB in use. After a short
    pass it is left, which frees little."""
    if tokens >= _LONG_PASS:
        give_back_freed()


def _utf8_safe(text: str) -> str:
    """Lone surrogates become U+FFFD, one for one, so that positions stay."""
    return _SURROGATE.sub("\ufffd", text)


def _chunks(text: str, encoding: Encoding) -> list[Chunk]:
    return chunk(text, encoding.offsets, MAX_TOKENS - 2)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of pieces, longest together: a batch pads all to its longest."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda piece: -lengths[piece]):
        if len(batch) == BATCH_TEXTS or (batch and (len(batch) + 1) * lengths[batch[0]] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _means(hidden: _Hidden, mask: npt.NDArray[np.int64]) -> Vector:
    weights = mask[:, :, None].astype(np.float32)
    return _normalised((hidden * weights).sum(axis=1) / weights.sum(axis=1))


def _normalised(rows: npt.NDArray[np.float32]) -> Vector:
    normalised: Vector = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
    return normalised
