"""What of a turn has room, in tokens and in the time to the first token, and what gave way."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edge.engine.entry import Entries, Entry
from edge.prompt.budget import GaveWay, Wanted, allot
from edge.prompt.composition import Composer
from edge.prompt.structured import IDLE, Execution
from edge.prompt.window import Window


@dataclass(frozen=True, slots=True)
class Fitted:
    """An entry with what of its execution context has room, how many of its memories do, and whether a summary does."""

    entry: Entry
    memories: int
    summary: bool
    gave_way: tuple[GaveWay, ...]


@dataclass(frozen=True, slots=True)
class Fitting:
    """Fits entries into windows."""

    composer: Composer
    entries: Entries

    def grown(self, window: Window, entry: Entry, held: int, in_time: int | None) -> Fitted:
        """The entry behind a window of which the model holds the first `held` tokens, with all that it wants to say."""
        whole = len(window.tokens) + len(self.entries.tokens(entry, len(entry.notes)))
        return self.fitted(window, entry, whole, held, in_time)

    def fitted(
        self, window: Window, entry: Entry, room: int, held: int, in_time: int | None, *, summary: int = 0
    ) -> Fitted:
        """The entry behind a window of which the model holds the first `held` tokens, in a prompt of at most `room`
        tokens, together with a summary of so many. Raises PromptTooLong where the words alone do not fit."""
        call, result = self._execution(entry)
        wanted = Wanted(
            fixed=len(window.tokens) + self.bare(entry),
            summary=summary,
            tool_result=result,
            tool_call=call,
            memories=self.entries.note_sizes(entry),
            held=held,
            certain=entry.certain,
            asked=entry.asked,
        )
        granted = allot(room, wanted, in_time)
        executing = entry.execution.only(call=granted.tool_call, result=granted.tool_result)
        gave_way = (*entry.gave_way, *granted.gave_way)
        return Fitted(replace(entry, execution=executing), granted.memories, granted.summary, gave_way)

    def bare(self, entry: Entry) -> int:
        """Tokens of what gives way to nothing: the words, instructions, and what is said of the subject and of memory
        as a whole."""
        return len(self.entries.tokens(replace(entry, execution=IDLE), 0))

    def adds(self, entry: Entry) -> int:
        """Tokens of what may give way."""
        return sum(self.entries.note_sizes(entry)) + sum(self._execution(entry))

    def _execution(self, entry: Entry) -> tuple[int, int]:
        """Tokens of the call and of the result."""
        executing = entry.execution
        parts = Execution(call=executing.call), Execution(result=executing.result)
        call, result = (len(self.composer.execution(part)) for part in parts)
        return call, result
