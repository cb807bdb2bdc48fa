"""How far the slow work on model files is: a bar on a terminal, else a line for each tenth."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from edge.cli.terminal import has_cursor, on_one_line, print_err, size
from edge.models.progress import Phase, Progress

BAR_CELLS = 24
SLOW_CHECK_BYTES = 64 * 1024 * 1024
"""Checking less than this takes no time worth a word."""
VERBS = {
    Phase.CHECKING: "checking",
    Phase.FETCHING: "fetching",
    Phase.COPYING: "copying",
}


class ProgressLine:
    """Shows the reports it is given on standard error."""

    def __init__(self) -> None:
        self._rewrites = has_cursor(sys.stderr)
        self._shown: tuple[Phase, str, int] | None = None
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_line()

    def report(self, progress: Progress) -> None:
        """Show a step, unless it would look like the one before."""
        if progress.phase not in VERBS:
            self._say(progress)
            return
        if progress.phase is Phase.CHECKING and progress.total < SLOW_CHECK_BYTES:
            return
        percent = 100 * progress.done // max(progress.total, 1)
        step = (progress.phase, progress.file, percent if self._rewrites else percent // 10)
        if step == self._shown:
            return
        if self._shown is not None and step[:2] != self._shown[:2]:
            self._end_line()
        self._shown = step
        self._draw(progress, percent)

    def _draw(self, progress: Progress, percent: int) -> None:
        text = f"{VERBS[progress.phase]} {on_one_line(progress.file)}"
        amount = f"{percent:3}% of {size(progress.total)}"
        if not self._rewrites:
            print_err(f"{text}  {amount}")
            return
        filled = BAR_CELLS * min(percent, 100) // 100
        print_err(f"\r\x1b[K{text}  [{'#' * filled}{'.' * (BAR_CELLS - filled)}] {amount}", end="")
        self._open = True

    def _say(self, progress: Progress) -> None:
        self._end_line()
        if progress.phase is Phase.WAITING:
            print_err(f"Waiting for {on_one_line(progress.source)} ...")
        else:
            print_err(f"Discarded: {on_one_line(progress.source)}.")

    def _end_line(self) -> None:
        if self._open:
            print_err("")
            self._open = False
