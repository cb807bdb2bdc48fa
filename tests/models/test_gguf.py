"""Headers that are right, cut, foreign or nonsense: told apart in Python, before llama.cpp sees the file."""

from __future__ import annotations

import contextlib
import os
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edge.clock import SystemClock
from edge.errors import ModelDamaged, ModelMissing, ModelUnfit
from edge.models.gguf import read_header
from edge.models.llama_loading import LlamaOptions, load_llama
from tests.models.real_llama import real_file

Value = int | float | str | list[str] | list[int]

NUMBERS: dict[str, Value] = {
    "block_count": 2,
    "embedding_length": 64,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "feed_forward_length": 96,
    "context_length": 512,
    "rope.freq_base": 1e6,
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key: str, value: Value) -> bytes:
    match value:
        case str():
            return text(key) + struct.pack("<I", 8) + text(value)
        case float():
            return text(key) + struct.pack("<If", 6, value)
        case int():
            return text(key) + struct.pack("<II", 4, value)
        case _ if value and isinstance(value[0], str):
            return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(str(item)) for item in value)
        case _:
            return text(key) + struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)


def gguf(architecture: str = "qwen2", *, shape: tuple[int, ...] = (64, 5), kind: int = 0, **changes: Value) -> bytes:
    """A small GGUF file with one tensor, the embeddings; a change names a key with `__` for `.`."""
    values: dict[str, Value] = {"general.architecture": architecture}
    values |= {f"qwen2.{key}": value for key, value in NUMBERS.items()}
    values |= {"tokenizer.ggml.tokens": list("abcde"), "tokenizer.ggml.token_type": [1, 1, 1, 3, 4]}
    values |= {key.replace("__", "."): value for key, value in changes.items()}
    entries = b"".join(entry(key, value) for key, value in values.items() if value != "")
    count = sum(value != "" for value in values.values())
    tensor = text("token_embd.weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, count) + entries + tensor
    return head + bytes(-len(head) % 32) + bytes(64 * 5 * 4)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def test_a_right_header_is_read(file: Path) -> None:
    file.write_bytes(gguf())
    header = read_header(file)
    assert header.values["general.architecture"] == "qwen2"
    assert header.tensors["token_embd.weight"].size == 64 * 5 * 4
    assert header.kv_values_per_token == 2 * 2 * 2 * 16
    assert header.data_start + 64 * 5 * 4 == header.file_bytes


def test_empty_tokens_may_repeat(file: Path) -> None:
    file.write_bytes(gguf(tokenizer__ggml__tokens=["", "a", "", "b", ""]))
    assert read_header(file).file_bytes == len(file.read_bytes())


def test_a_missing_file_is_missing(file: Path) -> None:
    with pytest.raises(ModelMissing, match=r"model\.gguf"):
        read_header(file)


def test_a_folder_is_unfit(tmp_path: Path) -> None:
    with pytest.raises(ModelUnfit, match="cannot be read"):
        read_header(tmp_path)


def test_another_architecture_is_named(file: Path) -> None:
    file.write_bytes(gguf("llama"))
    with pytest.raises(ModelUnfit, match="'llama'") as caught:
        read_header(file)
    assert caught.value.details["architecture"] == "llama"


@pytest.mark.parametrize("data", [b"", b"GG", b"GGUF", b"GGML" + bytes(100), b"\0" * 4096, b"PK\3\4" * 99])
def test_what_is_no_gguf_is_damaged(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(ModelDamaged, match="damaged"):
        read_header(file)


def test_an_unknown_version_is_unfit(file: Path) -> None:
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 9, 0, 0) + bytes(99))
    with pytest.raises(ModelUnfit, match="version 9"):
        read_header(file)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_is_damaged(file: Path, data: st.DataObject) -> None:
    whole = gguf()
    file.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(ModelDamaged):
        read_header(file)


@pytest.mark.parametrize(
    "changes",
    [
        {"qwen2__attention__head_count": 0},
        {"qwen2__attention__head_count": 5},
        {"qwen2__attention__head_count_kv": 3},
        {"qwen2__block_count": 100000},
        {"qwen2__embedding_length": ""},
        {"qwen2__context_length": "long"},
        {"qwen2__rope__freq_base": float("nan")},
        {"general__alignment": 33},
        {"tokenizer__ggml__tokens": ["a"]},
        {"tokenizer__ggml__token_type": [1, 1, 1, 1, 77]},
        {"tokenizer__ggml__tokens": list("abcdb")},
        {"tokenizer__ggml__eos_token_id": 5},
        {"shape": (64, 0)},
        {"shape": (64, 6)},
        {"shape": (1 << 62, 1 << 62, 4, 4)},
        {"kind": 12},
    ],
)
def test_nonsense_in_the_header_is_damaged(file: Path, changes: dict[str, Value]) -> None:
    file.write_bytes(gguf(**changes))  # type: ignore[arg-type]
    with pytest.raises(ModelDamaged):
        read_header(file)


def test_an_unknown_tensor_type_is_unfit(file: Path) -> None:
    file.write_bytes(gguf(kind=199))
    with pytest.raises(ModelUnfit, match="199"):
        read_header(file)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
def test_flipped_bytes_are_read_or_refused(file: Path, data: st.DataObject) -> None:
    changed = bytearray(gguf())
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(changed)
    with contextlib.suppress(ModelDamaged, ModelUnfit):
        assert read_header(file).file_bytes == len(changed)


@given(st.binary(max_size=400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbage_behind_the_magic_is_refused(file: Path, data: bytes) -> None:
    file.write_bytes(b"GGUF" + struct.pack("<I", 3) + data)
    with pytest.raises((ModelDamaged, ModelUnfit)):
        read_header(file)


def test_a_header_alone_is_refused_by_llama_cpp_with_its_reason(file: Path) -> None:
    file.write_bytes(gguf(tokenizer__ggml__model="gpt2"))
    with pytest.raises(ModelUnfit, match=r"llama\.cpp refuses .*model\.gguf: .*\w"):
        load_llama(file, LlamaOptions(context=512), model_id="x", clock=SystemClock())


LOAD_FLIPPED = """
import random, sys
from pathlib import Path
from edge.clock import SystemClock
from edge.errors import ModelDamaged, ModelUnfit
from edge.models.llama_loading import LlamaOptions, load_llama
file, spots, seeds = Path(sys.argv[1]), eval(sys.argv[2]), sys.argv[3:]
original = file.open("rb").read(max(spots[-1][1], 1))
for seed in seeds:
    choose = random.Random(seed)
    with file.open("r+b") as changed:
        for _ in range(choose.randint(1, 3)):
            changed.seek(choose.randrange(*choose.choice(spots)))
            changed.write(bytes([choose.randrange(256)]))
    print(seed, flush=True)
    try:
        load_llama(file, LlamaOptions(context=512), model_id="x", clock=SystemClock()).close()
    except (ModelDamaged, ModelUnfit) as error:
        assert error.message
    with file.open("r+b") as changed:
        changed.write(original)
print("survived", flush=True)
"""


@pytest.mark.models
def test_a_flipped_real_header_never_ends_the_process(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The real header before zeros (a sparse file), bytes of it changed; most where numbers and shapes stand."""
    source, file = real_file(), tmp_path / "flipped.gguf"
    header = read_header(source)
    with source.open("rb") as real, file.open("wb") as copy:
        copy.write(real.read(header.data_start))
    os.truncate(file, header.file_bytes)
    spots = [(0, 1200), (header.data_start - 20000, header.data_start), (0, header.data_start)]
    rounds = 24
    choose = random.Random(7)
    seeds = [str(choose.randrange(10**6)) for _ in range(rounds)]
    done = subprocess.run(
        [sys.executable, "-c", LOAD_FLIPPED, str(file), repr(spots), *seeds], capture_output=True, text=True
    )
    assert done.stdout.endswith("survived\n"), f"{done.returncode}: {done.stdout[-200:]} {done.stderr[-2000:]}"


@pytest.mark.models
def test_the_real_file_cut_short_is_damaged(tmp_path: Path) -> None:
    source, file = real_file(), tmp_path / "cut.gguf"
    header = read_header(source)
    with source.open("rb") as real, file.open("wb") as copy:
        copy.write(real.read(header.data_start))
    os.truncate(file, header.file_bytes - 4096)
    with pytest.raises(ModelDamaged, match=f"{header.file_bytes - 4096:,} bytes"):
        read_header(file)
