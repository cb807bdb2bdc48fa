"""llama.cpp's own log, sent to Python's logging instead of the terminal."""

from __future__ import annotations

import logging
import re
from types import TracebackType
from typing import Any

import llama_cpp.llama_cpp as lib

logger = logging.getLogger("edge.models.llama_cpp")

_LEVELS = {3: logging.INFO, 4: logging.WARNING}
"""Of ggml_log_level: 1 debug, 2 info, 3 warn (to those who make model files), 4 error, 5 continues a line."""
_ABORTED = re.compile(r"failed with error 1$|compute status: 1$|ret = 2$")
"""A stop that was asked for, which llama.cpp reports as an error."""
_COMPUTE_BUFFER = re.compile(r"compute buffer size\s*=\s*([\d.]+) MiB")


@lib.llama_log_callback  # type: ignore[untyped-decorator]
def _forward(level: int, text: bytes, _: Any) -> None:
    _log(level, text.decode("utf-8", errors="replace"))


def _log(level: int, text: str) -> None:
    line = text.rstrip()
    if line.strip("."):  # progress is printed as dots
        logger.log(logging.DEBUG if _ABORTED.search(line) else _LEVELS.get(level, logging.DEBUG), line)


class LoadLog:
    """Listens while a model is loaded, for the reason of a refusal and the sizes of buffers.

    llama.cpp has one log for the whole process: leaving the block hands it to a function that lives as long.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._callback = lib.llama_log_callback(self._listen)

    def __enter__(self) -> LoadLog:
        lib.llama_log_set(self._callback, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lib.llama_log_set(_forward, None)

    def _listen(self, level: int, text: bytes, _: Any) -> None:
        line = text.decode("utf-8", errors="replace")
        _log(level, line)
        self._lines.append(line)

    def reason(self) -> str:
        """What llama.cpp last said about a failure, or nothing."""
        said = [line.strip() for line in self._lines if "error" in line or "failed" in line]
        return said[0] if said else "llama.cpp gives no reason"

    def compute_bytes(self) -> int:
        """Bytes that llama.cpp reserved for its computations."""
        return int(sum(float(found) for found in _COMPUTE_BUFFER.findall("".join(self._lines))) * 1024 * 1024)
