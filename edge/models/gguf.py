"""The header of a GGUF file, read and checked in Python before llama.cpp sees the file.

llama.cpp trusts much of what a header says and may end the process on nonsense, so what it would divide by, index
with or map is checked here. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from edge.errors import ModelDamaged, ModelMissing, ModelUnfit

ARCHITECTURE = "qwen2"

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_MAX_KEYS, _MAX_TENSORS, _MAX_KEY_BYTES = 4096, 65536, 65535

_TYPE_SIZES = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""ggml's tensor types: values in a block, bytes of a block."""

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """An array of the header: its elements' type, how many, and where in the file they start."""

    kind: int
    length: int
    start: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's shape, and which bytes of the data part it takes."""

    shape: tuple[int, ...]
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says of itself. `data_start` is where the tensors' data begins."""

    values: dict[str, Scalar | ArrayInfo]
    tensors: dict[str, Tensor]
    data_start: int
    file_bytes: int

    def integer(self, key: str, default: int | None = None) -> int:
        """A whole number of the model's own section. Raises ModelDamaged where it is missing or no number."""
        value = self.values.get(f"{ARCHITECTURE}.{key}", default)
        if type(value) is not int:
            raise ModelDamaged(f"The model file's header has no number for {ARCHITECTURE}.{key}.")
        return value

    @property
    def kv_values_per_token(self) -> int:
        """Numbers that the KV cache keeps for one token, keys and values of all layers together."""
        heads = self.integer("attention.head_count")
        kv_heads = self.integer("attention.head_count_kv", heads)
        return 2 * self.integer("block_count") * kv_heads * (self.integer("embedding_length") // heads)


def read_header(path: Path) -> Header:
    """Read a model file's header and check it and the file's length. Touches nothing but the header's pages.

    Raises ModelMissing, ModelDamaged (cut, or nonsense in it) or ModelUnfit (whole, but not a Qwen2 model).
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            header = _parse(data, path)
            _check_fit(header, data, path)
            return header
    except FileNotFoundError:
        raise ModelMissing(f"There is no model file {path}.", file=str(path)) from None
    except (IsADirectoryError, PermissionError, OSError) as error:
        raise ModelUnfit(f"The model file {path} cannot be read: {error.strerror}.", file=str(path)) from None
    except ValueError:  # mmap of an empty file
        _damaged(path, "it is empty")


def _damaged(path: Path, why: str) -> NoReturn:
    raise ModelDamaged(f"The model file {path.name} is damaged: {why}.", file=str(path))


class _Cursor:
    """Reads values one after another; running over the end is a damaged file."""

    def __init__(self, data: mmap.mmap, path: Path) -> None:
        self.data, self.path, self.at = data, path, 0

    def scalar(self, kind: int) -> int | float | bool:
        layout = _SCALARS.get(kind)
        if layout is None:
            _damaged(self.path, f"its header has a value of unknown type {kind}")
        start = self.skip(struct.calcsize(layout))
        value: int | float | bool = struct.unpack_from(layout, self.data, start)[0]
        return value

    def count(self, kind: int = 10) -> int:
        return int(self.scalar(kind))

    def skip(self, size: int) -> int:
        """Step over `size` bytes; returns where they start."""
        start = self.at
        if size > len(self.data) - start:
            _damaged(self.path, "it ends inside its header")
        self.at += size
        return start

    def text(self, most: int) -> str:
        size = self.count()
        if size > most:
            _damaged(self.path, "a name in its header is too long")
        start = self.skip(size)
        try:
            return self.data[start : start + size].decode("utf-8")
        except UnicodeDecodeError:
            _damaged(self.path, "a name in its header is not text")

    def array(self) -> ArrayInfo:
        kind, length = self.count(4), self.count()
        start = self.at
        if kind == _STRING:
            self._skip_texts(length)
        elif kind in _SCALARS:
            self.skip(length * struct.calcsize(_SCALARS[kind]))
        else:
            _damaged(self.path, f"its header has an array of unknown type {kind}")
        return ArrayInfo(kind, length, start)

    def _skip_texts(self, length: int) -> None:
        data, at, end = self.data, self.at, len(self.data)
        read = struct.Struct("<Q").unpack_from
        for _ in range(length):  # some 300,000 in a Qwen file: kept free of calls
            if at + 8 > end:
                break
            at += 8 + read(data, at)[0]
        if at > end or (length and at == self.at):
            _damaged(self.path, "it ends inside its header")
        self.at = at


def _parse(data: mmap.mmap, path: Path) -> Header:
    cursor = _Cursor(data, path)
    if len(data) < 24 or data[:4] != b"GGUF":
        _damaged(path, "it is not a GGUF file")
    cursor.skip(4)
    version = cursor.count(4)
    if version not in (2, 3):
        raise ModelUnfit(f"The model file {path.name} is GGUF version {version}; 2 and 3 are read.", file=str(path))
    tensors, keys = cursor.count(), cursor.count()
    if tensors > _MAX_TENSORS or keys > _MAX_KEYS:
        _damaged(path, "the counts in its header are out of range")
    values = _parse_values(cursor, keys)
    found = _parse_tensors(cursor, tensors)
    alignment = values.get("general.alignment", 32)
    if type(alignment) is not int or alignment <= 0 or alignment & (alignment - 1):
        _damaged(path, "its alignment is not a power of two")
    data_start = -(-cursor.at // alignment) * alignment
    for name, tensor in found.items():
        if tensor.offset % alignment:
            _damaged(path, f"the tensor {name} is not aligned")
    return Header(values, found, data_start, len(data))


def _parse_values(cursor: _Cursor, keys: int) -> dict[str, Scalar | ArrayInfo]:
    values: dict[str, Scalar | ArrayInfo] = {}
    for _ in range(keys):
        key = cursor.text(_MAX_KEY_BYTES)
        kind = cursor.count(4)
        if key in values:
            _damaged(cursor.path, f"its header says {key} twice")
        if kind == _STRING:
            values[key] = cursor.text(len(cursor.data))
        elif kind == _ARRAY:
            values[key] = cursor.array()
        else:
            values[key] = cursor.scalar(kind)
    return values


def _parse_tensors(cursor: _Cursor, count: int) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    for _ in range(count):
        name = cursor.text(63)
        dimensions = cursor.count(4)
        if not 1 <= dimensions <= 4 or name in tensors:
            _damaged(cursor.path, f"the tensor {name} is described wrongly")
        shape = tuple(cursor.count() for _ in range(dimensions))
        kind, offset = cursor.count(4), cursor.count()
        tensors[name] = Tensor(shape, offset, _tensor_bytes(cursor.path, name, shape, kind))
    return tensors


def _tensor_bytes(path: Path, name: str, shape: tuple[int, ...], kind: int) -> int:
    if kind not in _TYPE_SIZES:
        raise ModelUnfit(f"The model file {path.name} has a tensor of unknown type {kind} ({name}).", file=str(path))
    block, size = _TYPE_SIZES[kind]
    if min(shape) < 1 or shape[0] % block:
        _damaged(path, f"the tensor {name} has an impossible shape")
    return math.prod(shape) // block * size


def _check_fit(header: Header, data: mmap.mmap, path: Path) -> None:
    architecture = header.values.get("general.architecture")
    if not isinstance(architecture, str):
        _damaged(path, "its header names no architecture")
    if architecture != ARCHITECTURE:
        raise ModelUnfit(
            f"The model file {path.name} is a {architecture[:40]!r} model; only {ARCHITECTURE} (Qwen2.5) can be used.",
            file=str(path),
            architecture=architecture[:40],
        )
    end = header.data_start + max((t.offset + t.size for t in header.tensors.values()), default=0)
    if not header.tensors or end > header.file_bytes:
        _damaged(path, f"it has {header.file_bytes:,} bytes where its header needs {end:,}")
    _check_shape(header, path)
    _check_vocabulary(header, data, path)


def _check_shape(header: Header, path: Path) -> None:
    layers, width = header.integer("block_count"), header.integer("embedding_length")
    heads = header.integer("attention.head_count")
    kv_heads = header.integer("attention.head_count_kv", heads)
    numbers = (layers, width, heads, kv_heads, header.integer("feed_forward_length"), header.integer("context_length"))
    if not all(0 < number < 1 << 24 for number in numbers) or layers > 512:
        _damaged(path, "its sizes are out of range")
    if width % heads or heads % kv_heads or width // heads % 2:
        _damaged(path, "its sizes do not fit together")
    for key in ("rope.freq_base", "attention.layer_norm_rms_epsilon"):
        value = header.values.get(f"{ARCHITECTURE}.{key}", 1e-6)
        if not isinstance(value, float) or not math.isfinite(value) or value <= 0:
            _damaged(path, f"{ARCHITECTURE}.{key} is out of range")


def _are_distinct(texts: ArrayInfo, data: mmap.mmap) -> bool:
    seen, empty, at = set[bytes](), 0, texts.start
    read = struct.Struct("<Q").unpack_from
    for _ in range(texts.length):
        end = at + 8 + read(data, at)[0]
        seen.add(data[at + 8 : end])
        empty += end == at + 8  # llama.cpp numbers these
        at = end
    return len(seen) + max(empty - 1, 0) == texts.length


def _check_vocabulary(header: Header, data: mmap.mmap, path: Path) -> None:
    tokens, types = (header.values.get(f"tokenizer.ggml.{key}") for key in ("tokens", "token_type"))
    embedding = header.tensors.get("token_embd.weight")
    if not isinstance(tokens, ArrayInfo) or tokens.kind != _STRING or embedding is None:
        _damaged(path, "it has no vocabulary")
    if embedding.shape != (header.integer("embedding_length"), tokens.length):
        _damaged(path, "its vocabulary does not fit its embeddings")
    if not _are_distinct(tokens, data):
        _damaged(path, "its vocabulary has a token twice")
    if not isinstance(types, ArrayInfo) or types.length != tokens.length or types.kind not in (4, 5):
        _damaged(path, "its vocabulary has no token types")
    raw = data[types.start : types.start + 4 * types.length]
    if not set(struct.unpack(f"<{types.length}i", raw)) <= set(range(1, 7)):
        _damaged(path, "its token types are out of range")
    for key, value in header.values.items():
        if key.endswith("_token_id") and not (type(value) is int and 0 <= value < tokens.length):
            _damaged(path, f"{key} is not in its vocabulary")
