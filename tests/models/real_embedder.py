"""The real embedder, from where its files are on this machine."""

from pathlib import Path

from edge.models.minilm import MiniLm, load_minilm
from tests.folders import MODEL_FOLDERS

MODEL = "all-minilm-l6-v2-int8"


def real_files() -> tuple[Path, Path]:
    """The model and its tokenizer. Raises StopIteration where they were not fetched."""
    folders = [folder / MODEL for folder in MODEL_FOLDERS]
    folder = next(folder for folder in folders if folder.is_dir())
    return folder / "model.onnx", folder / "tokenizer.json"


def real_embedder() -> MiniLm:
    return load_minilm(*real_files(), model_id=MODEL, dimension=384)
