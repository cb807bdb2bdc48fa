"""How far slow work is: a bar on a terminal, else a line for each tenth."""

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
        self._shown: tuple[str, int] | None = None
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_line()

    def report(self, progress: Progress) -> None:
        """Show a step of work on model files."""
        if progress.phase not in VERBS:
            self._say(progress)
            return
        if progress.phase is Phase.CHECKING and progress.total < SLOW_CHECK_BYTES:
            return
        self.show(f"{VERBS[progress.phase]} {progress.file}", progress.done, progress.total, size(progress.total))

    def show(self, text: str, done: int, total: int, whole: str) -> None:
        """Show how much of something is done, unless it would look like the step before. `whole` is all of it, in
        words."""
        percent = 100 * done // max(total, 1)
        step = (text, percent if self._rewrites else percent // 10)
        if step == self._shown:
            return
        if self._shown is not None and text != self._shown[0]:
            self._end_line()
        self._shown = step
        self._draw(on_one_line(text), percent, whole)

    def _draw(self, text: str, percent: int, whole: str) -> None:
        amount = f"{percent:3}% of {whole}"
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
