import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from edge.errors import EdgeError, EmbedderFailed, ModelDamaged, ModelMissing, ModelUnfit
from edge.models.minilm import BATCH_TEXTS, BATCH_TOKENS, MiniLm, load_minilm
from tests.models.real_embedder import MODEL, real_embedder, real_files

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "fish", "."]


class Session:
    """An onnxruntime session that answers each token with the same numbers, and keeps the shapes it was given."""

    def __init__(self, value: float = 1.0, error: Exception | None = None) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self._value = value
        self._error = error

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in ("input_ids", "attention_mask")]

    def run(self, _: None, given: dict[str, Any]) -> list[Any]:
        if self._error is not None:
            raise self._error
        assert sorted(given) == ["attention_mask", "input_ids"]
        self.shapes.append(given["input_ids"].shape)
        return [np.full((*given["input_ids"].shape, 8), self._value, dtype=np.float32)]


def tokenizer() -> Tokenizer:
    made = Tokenizer(WordPiece({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = BertPreTokenizer()
    made.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def minilm(session: Session) -> MiniLm:
    return MiniLm(session, tokenizer(), model_id="small", dimension=8)


def files(folder: Path, model: bytes = b"no model", words: str | None = None) -> tuple[Path, Path]:
    (folder / "model.onnx").write_bytes(model)
    (folder / "tokenizer.json").write_text(tokenizer().to_str() if words is None else words, encoding="utf-8")
    return folder / "model.onnx", folder / "tokenizer.json"


def load_error(paths: tuple[Path, Path], kind: type[EdgeError], dimension: int = 384) -> str:
    with pytest.raises(kind) as caught:
        load_minilm(*paths, model_id="small", dimension=dimension)
    assert caught.value.details["model"] == "small"
    return caught.value.message


def test_batches_are_bounded_in_texts_and_in_padded_tokens() -> None:
    session = Session()
    minilm(session).embed(["cat"] * 50 + ["fish " * 250] * 5 + ["cat . " * 20] * 30)
    assert sum(texts for texts, _ in session.shapes) == 85
    assert all(texts <= BATCH_TEXTS and texts * tokens <= BATCH_TOKENS for texts, tokens in session.shapes)
    assert len(session.shapes) < 20


def test_long_texts_are_cut_between_their_sentences() -> None:
    text = ("cat " * 100 + ". ") * 4
    parts = minilm(Session()).chunks(text)
    assert [text[part.start : part.end] for part in parts] == [("cat " * 100 + ". ") * 2] * 2


def test_a_failure_of_the_library_is_the_embedders() -> None:
    embedder = minilm(Session(error=ort_errors.RuntimeException("out of memory")))
    with pytest.raises(EmbedderFailed, match="out of memory"):
        embedder.embed(["cat"])
    with pytest.raises(EmbedderFailed):
        embedder.embed_query("cat")


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(EmbedderFailed):
        minilm(Session(value=float("nan"))).embed(["cat"])


def test_missing_files_are_named(tmp_path: Path) -> None:
    model, words = files(tmp_path)
    model.unlink()
    assert "model.onnx" in load_error((model, words), ModelMissing)
    assert "none.json" in load_error((words, tmp_path / "none.json"), ModelMissing)


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x08\x07" * 400])
def test_a_file_that_is_no_model_is_damaged(tmp_path: Path, content: bytes) -> None:
    assert "model.onnx" in load_error(files(tmp_path, content), ModelDamaged)


@pytest.mark.parametrize("content", ["", "garbage", "[]", "{}", '{"model": 3}'])
def test_a_file_that_is_no_tokenizer_is_damaged(tmp_path: Path, content: str) -> None:
    assert "tokenizer.json" in load_error(files(tmp_path, words=content), ModelDamaged)


def test_a_tokenizer_of_another_kind_is_unfit(tmp_path: Path) -> None:
    assert "BPE" in load_error(files(tmp_path, words='{"model": {"type": "BPE"}}'), ModelUnfit)


@pytest.mark.models
def test_a_cut_model_is_damaged(tmp_path: Path) -> None:
    whole = real_files()[0].read_bytes()
    for length in (1000, len(whole) // 2, len(whole) - 10):
        load_error(files(tmp_path, whole[:length]), ModelDamaged)


@pytest.mark.models
def test_a_model_of_another_dimension_is_unfit() -> None:
    assert "not 512" in load_error(real_files(), ModelUnfit, dimension=512)


@pytest.mark.models
def test_vectors_are_those_of_the_published_model() -> None:
    embedder = real_embedder()
    assert (embedder.id, embedder.dimension) == (MODEL, 384)
    pairs = [
        ("That is a happy person", "That is a happy dog", 0.70),
        ("That is a happy person", "That is a very happy person", 0.94),
        ("That is a happy person", "Today is a sunny day", 0.26),
    ]
    for one, other, expected in pairs:
        assert embedder.embed_query(one) @ embedder.embed_query(other) == pytest.approx(expected, abs=0.04)


@pytest.mark.models
def test_a_pasted_book_is_found_by_any_part_of_it() -> None:
    embedder = real_embedder()
    filler = "We walked along the river and talked about the weather. " * 60
    text = filler + "The spare key hangs behind the blue door. " + filler
    (embedded,) = embedder.embed([text])
    part = embedder.chunks(text)[int((embedded.vectors @ embedder.embed_query("Where is the key?")).argmax())]
    assert "spare key" in text[part.start : part.end]


@pytest.mark.models
def test_special_tokens_in_a_text_are_plain_text() -> None:
    spans = real_embedder().read_query("[SEP] cat").spans
    assert spans[:3] == ((0, 1), (1, 4), (4, 5))


@pytest.mark.models
@pytest.mark.parametrize("take", ["embed", "read_query"])
def test_a_long_text_leaves_no_memory_behind(take: str) -> None:
    network, tokenizer_file = real_files()
    command = [sys.executable, "-c", LONG_TEXT, str(network), str(tokenizer_file), take]
    measured = subprocess.run(command, capture_output=True, check=True)
    assert int(measured.stdout) < 25_000_000


LONG_TEXT = """
import sys
from pathlib import Path
from edge.daemon.resident import resident_bytes
from edge.models.minilm import load_minilm
network, tokenizer, take = sys.argv[1:]
embedder = load_minilm(Path(network), Path(tokenizer), model_id="x", dimension=384)
embedder.embed_query("lamp")
before = resident_bytes()
text = "lamp garden 花园 river " * 45
embedder.embed([text]) if take == "embed" else embedder.read_query(text)
print(resident_bytes() - before)
"""
