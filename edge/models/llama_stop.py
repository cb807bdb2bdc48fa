"""Stopping llama.cpp in the middle of a computation, without calling back into Python.

llama.cpp asks a `bool (*)(void *)` before each node of its graph whether to abort, some 800 times a token. A Python
callback would take the interpreter's lock each time, and needs memory that is written and executed, which a hardened
service forbids. The C library's `strlen` has the fitting shape: its result's low byte, read as a bool, is 0 for an
empty string and 1 for a string of one byte. So the data is a string, and asking to stop is writing its first byte.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp.llama_cpp as lib


class LlamaStop:
    """A StopSignal: one string of its own, so that setting an old one late stops nothing newer."""

    __slots__ = ("_flag",)

    def __init__(self) -> None:
        self._flag = ctypes.create_string_buffer(2)

    def set(self) -> None:
        self._flag[0] = b"\1"

    def is_set(self) -> bool:
        return self._flag.raw[0] == 1

    @property
    def address(self) -> int:
        """Where the string is, for as long as this object lives."""
        return ctypes.addressof(self._flag)


def abort_callback() -> Any:
    """`strlen` as llama.cpp's abort callback. Raises RuntimeError where it does not answer as it must."""
    strlen = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p)
    callback = lib.ggml_abort_callback(strlen.value or 0)
    signal = LlamaStop()
    before = callback(signal.address)
    signal.set()
    if before or not callback(signal.address):
        raise RuntimeError("strlen of this C library cannot serve as an abort callback")
    return callback
