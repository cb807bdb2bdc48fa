"""A turn in words: what it was taken for, what of its prompt was new, how long it took, and what had no room."""

from __future__ import annotations

from collections.abc import Iterator

from edge.cli.terminal import print_out, table
from edge.wire import DoneEvent, GaveWayWire, IntentWire, UsageWire

_PIECES = {
    "memories": ("memory", "memories"),
    "turns": ("earlier turn", "earlier turns"),
    "summary": ("the summary", "the summary"),
    "last_tool_result": ("the last tool result", "the last tool result"),
    "current_tool": ("the current tool", "the current tool"),
}
_COUNTED = ("memories", "turns")


def print_explained(done: DoneEvent) -> None:
    """Print how a turn came about, behind its reply."""
    for line in table(_rows(done)):
        print_out(line)


def _rows(done: DoneEvent) -> Iterator[tuple[str, str]]:
    yield "intent", _intent(done["intent"])
    yield "prompt", _prompt(done["usage"])
    for each in done["usage"]["gave_way"]:
        yield "gave way", _gave_way(each)
    timings = done["timings"]
    first = timings["first_token_ms"]
    begun = "no token" if first is None else f"first token after {first / 1000:.2f} s"
    yield "time", f"recall {timings['recall_ms']:.0f} ms, {begun}, {timings['total_ms'] / 1000:.2f} s in all"


def _intent(intent: IntentWire) -> str:
    told = f"{_words(intent['label'])}, {_words(intent['move'])}: {intent['why']} ({intent['confidence']:.2f})"
    return told if intent["sure"] else f"{told}, not sure enough: treated as general"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _prompt(usage: UsageWire) -> str:
    told = f"{usage['prompt_tokens']} tokens, {usage['evaluated_tokens']} of them evaluated now"
    if usage["in_time_tokens"] is not None:
        told += f", time for {usage['in_time_tokens']}"
    return told + (", built anew" if usage["compacted"] else "")


def _gave_way(each: GaveWayWire) -> str:
    one, several = _PIECES[each["section"]]
    what = one if each["count"] == 1 else several
    counted = f"{each['count']} {what}" if each["section"] in _COUNTED else what
    tokens = "1 token" if each["tokens"] == 1 else f"{each['tokens']} tokens"
    limit = "time" if each["because"] == "seconds" else "room"
    return f"{counted} ({tokens}), for want of {limit}"
