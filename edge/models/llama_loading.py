"""Loading a GGUF file into llama.cpp with the options that fit the device."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import llama_cpp
import llama_cpp.llama_cpp as lib

from edge.clock import Clock
from edge.errors import ModelUnfit, SettingsInvalid
from edge.models.device import BATCH, physical_cores, usable_cpus
from edge.models.gguf import Header, read_header
from edge.models.llama import LlamaModel
from edge.models.llama_context import BRANCHES, LANES, ROWS, SCRATCH, LlamaContext
from edge.models.llama_log import LoadLog
from edge.models.llama_tokenizer import LlamaTokenizer, LlamaWeights

_KV_TYPES = {"f16": (lib.GGML_TYPE_F16, 2.0), "q8_0": (lib.GGML_TYPE_Q8_0, 34 / 32)}
"""ggml type and bytes of a value."""
ASIDE_TOKENS = 1024
"""Cells of the cache for what is asked beside a window, so that neither ever costs the other: 12 MiB with the 0.5B
model, 28 with 1.5B, 36 with 3B."""

_SEEN_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LlamaOptions:
    """How to run a model; the fields mean what the settings of the same names in section `model` mean."""

    context: int = 4096
    resident_tokens: int = 0
    threads: int = 0
    prefill_threads: int = 0
    batch: int = 0
    kv_type: Literal["f16", "q8_0"] = "f16"
    flash_attention: bool = True
    rope_scale: float = 1.0

    def for_device(self) -> LlamaOptions:
        """The same with every 0 replaced by what fits this machine."""
        cpus = usable_cpus()
        return replace(
            self,
            threads=self.threads or physical_cores(cpus),
            prefill_threads=self.prefill_threads or len(cpus),
            batch=min(self.batch or BATCH, self.context),
        )


def load_llama(path: Path, options: LlamaOptions, *, model_id: str, clock: Clock) -> LlamaModel:
    """Map a model file and make a context for it.

    Raises ModelMissing, ModelDamaged or ModelUnfit for the file, SettingsInvalid for options that exclude each other,
    ModelUnfit too where there is no memory for the context.
    """
    if options.kv_type == "q8_0" and not options.flash_attention:
        raise SettingsInvalid("model.kv_type q8_0 needs model.flash_attention = true.", field="model.kv_type")
    options = options.for_device()
    header = read_header(path)
    with LoadLog() as log:
        weights = LlamaWeights(_load_weights(path, log))
        tokenizer = LlamaTokenizer(weights)
        context = _make_context(weights, options, tokenizer, path, log)
        _page_in(context, tokenizer)
        memory = {
            "weights": header.file_bytes,
            "kv": _kv_bytes(header, options),
            "compute": log.compute_bytes(),
        }
    return LlamaModel(
        model_id,
        context,
        tokenizer,
        fingerprint=_fingerprint(path, options),
        context_tokens=options.context,
        resident_tokens=options.resident_tokens,
        aside_tokens=ASIDE_TOKENS,
        memory=memory,
        clock=clock,
    )


def _page_in(context: LlamaContext, tokenizer: LlamaTokenizer) -> None:
    """Use all weights once, for mapped pages come in on first use. Measured without it: 0.93 s for the 76 tokens of the
    first turn, where the library with its weights in the heap takes 0.24 s."""
    context.evaluate(SCRATCH, tokenizer.encode("a"))
    context.clear()


def _kv_bytes(header: Header, options: LlamaOptions) -> int:
    return int(_cells(options) * header.kv_values_per_token * _KV_TYPES[options.kv_type][1])


def _cells(options: LlamaOptions) -> int:
    return options.context + options.resident_tokens + ASIDE_TOKENS


def _fingerprint(path: Path, options: LlamaOptions) -> str:
    """What the keys and values of a window depend on: the file, as far as that can be told without reading all of it,
    how it is run, and the library."""
    told, size = path.stat(), _SEEN_BYTES
    with path.open("rb") as file:
        seen = hashlib.blake2b(file.read(size), digest_size=16)
        file.seek(max(0, told.st_size - size))
        seen.update(file.read(size))
    run = (options.kv_type, options.flash_attention, options.rope_scale, llama_cpp.__version__)
    return f"{told.st_size} {told.st_mtime_ns} {seen.hexdigest()} {run}"


def _load_weights(path: Path, log: LoadLog) -> Any:
    params = lib.llama_model_default_params()
    params.n_gpu_layers = 0
    # No second copy of weights in an order that suits the CPU: faster prefill for Q4_0 and Q4_K on ARM, at the cost of
    # that memory (28 MB for the 0.5B model, nearly the whole file's size for larger ones).
    params.use_extra_bufts = False
    pointer = lib.llama_model_load_from_file(os.fsencode(path), params)
    if not pointer:
        raise ModelUnfit(f"llama.cpp refuses the model file {path.name}: {log.reason()}.", file=str(path))
    return pointer


def _make_context(
    weights: LlamaWeights, options: LlamaOptions, tokenizer: LlamaTokenizer, path: Path, log: LoadLog
) -> LlamaContext:
    try:
        return LlamaContext(weights, _context_params(options), tokenizer.size)
    except MemoryError:
        raise ModelUnfit(
            f"llama.cpp makes no context of {options.context} tokens for {path.name}: {log.reason()}.",
            hint="Lower model.context in the settings, or choose a smaller model.",
            file=str(path),
        ) from None


def _context_params(options: LlamaOptions) -> Any:
    params = lib.llama_context_default_params()
    params.n_ctx = _cells(options)
    params.n_batch = params.n_ubatch = options.batch
    params.n_seq_max = 1 + len(BRANCHES) + len(LANES)
    params.kv_unified = True  # one pool of cells: a sequence may take all of it, and branches share their prefix
    params.n_outputs_max = ROWS  # the default reserves logits for a whole batch
    params.n_threads = options.threads
    params.n_threads_batch = options.prefill_threads
    params.flash_attn_type = int(options.flash_attention)
    params.type_k = params.type_v = _KV_TYPES[options.kv_type][0]
    params.no_perf = True
    if options.rope_scale > 1:
        params.rope_scaling_type = lib.LLAMA_ROPE_SCALING_TYPE_LINEAR
        params.rope_freq_scale = 1 / options.rope_scale
    return params
