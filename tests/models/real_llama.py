"""The default language model, from where its file is on this machine."""

from pathlib import Path

from edge.clock import SystemClock
from edge.models.llama import LlamaModel
from edge.models.llama_loading import LlamaOptions, load_llama
from tests.folders import MODEL_FOLDERS

MODEL = "qwen2.5-coder-0.5b-instruct-q4_k_m"


def real_file() -> Path:
    """The GGUF file. Raises StopIteration where it was not fetched."""
    files = [folder / MODEL / f"{MODEL}.gguf" for folder in MODEL_FOLDERS]
    return next(file for file in files if file.is_file())


def real_llama(context: int = 4096, resident: int = 2048) -> LlamaModel:
    options = LlamaOptions(context=context, resident_tokens=resident)
    return load_llama(real_file(), options, model_id=MODEL, clock=SystemClock())
