"""`edge daemon` with the default models, as the tests with the real models run it, and its model's tokenizer."""

from __future__ import annotations

import os
from pathlib import Path

import llama_cpp.llama_cpp as lib

from edge.models.llama_tokenizer import LlamaTokenizer, LlamaWeights
from tests.e2e.running import REAL, DaemonProcess
from tests.folders import MODEL_FOLDERS
from tests.models.real_llama import real_file


def real_daemon(folder: Path, *before: str, **more: str) -> DaemonProcess:
    """With default settings and the models of the user who runs the tests. `before` is a command that runs it."""
    models = next(place for place in MODEL_FOLDERS if place.is_dir())
    return DaemonProcess(folder, (*before, *REAL), EDGE_MODELS_DIR=str(models), **more)


def real_tokenizer() -> LlamaTokenizer:
    """The tokenizer of the default model, without its weights."""
    params = lib.llama_model_default_params()
    params.vocab_only = True
    return LlamaTokenizer(LlamaWeights(lib.llama_model_load_from_file(os.fsencode(real_file()), params)))
