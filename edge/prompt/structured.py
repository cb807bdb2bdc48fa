"""Structured data for the model: compact JSON, and nothing that is not JSON.

Execution context is one of the two channels of a prompt; it stands behind its own mark and never mixes with the
conversation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

from edge.errors import RequestInvalid

EXECUTION_MARK = "<|execution_context|>"
"""Plain text to the model (not one of its tokens): one line of JSON follows."""
_CALL_FIELDS = ("current_tool", "tool_args", "session_variables")
_RESULT_FIELDS = ("last_tool_result",)
EXECUTION_FIELDS = frozenset(_CALL_FIELDS + _RESULT_FIELDS)
_NO_CALL = "{}"
_NO_RESULT = '{"last_tool_result":null}'
_DEEPEST = 16
_LONGEST_NUMBER = 4300
"""Digits of a whole number: Python writes and reads no longer one (sys.set_int_max_str_digits)."""
_NUMBERS_END = 10**_LONGEST_NUMBER


def compact_json(value: object, field: str) -> str:
    """JSON without spaces, with non-ASCII characters kept.

    Raises RequestInvalid naming the place in `field` for what JSON has no form for: a datetime, an object, NaN, a key
    that is no text, a number of over 4,300 digits; never prints it as something else.
    """
    _check(value, field, 0)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _check(value: object, field: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise RequestInvalid(f"{field} is nested over {_DEEPEST} levels deep.", field=field)
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise RequestInvalid(f"{field} has a key that is not a text: {type(key).__name__}.", field=field)
            _check(inner, f"{field}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            _check(inner, f"{field}[{number}]", depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise RequestInvalid(f"{field} is {value}, which JSON has no form for.", field=field)
    elif isinstance(value, int) and not -_NUMBERS_END < value < _NUMBERS_END:
        raise RequestInvalid(f"{field} is a number of over {_LONGEST_NUMBER} digits.", field=field)
    elif not isinstance(value, str | int | float | None):
        raise RequestInvalid(f"{field} is a {type(value).__name__}; only JSON values are taken.", field=field)


@dataclass(frozen=True, slots=True)
class Execution:
    """What an agent is doing, as JSON texts; an empty one is left out.

    `call` is the tool and its arguments with the session's variables, `result` what the last tool returned. Where
    there is no room for both, the result gives way first.
    """

    call: str = ""
    result: str = ""

    def changed_since(self, before: Execution) -> Execution:
        """What is different from before; nothing where it is the same. What was told before and holds no more is told
        as an empty object or a missing result."""
        return Execution(
            call=_changed(self.call, before.call, _NO_CALL), result=_changed(self.result, before.result, _NO_RESULT)
        )

    def only(self, *, call: bool, result: bool) -> Execution:
        """Those parts."""
        return Execution(self.call if call else "", self.result if result else "")

    def over(self, before: Execution) -> Execution:
        """What holds after this was told on top of what was told before."""
        return Execution(self.call or before.call, self.result or before.result)


def _changed(now: str, before: str, none: str) -> str:
    now, before = now or none, before or none
    return now if now != before else ""


IDLE = Execution()
"""Nothing is being done."""


def execution_of(context: Mapping[str, object], field: str) -> Execution:
    """The execution context of a turn from its fields current_tool, tool_args, session_variables, last_tool_result.

    Raises RequestInvalid for what is not JSON.
    """
    call = {key: context[key] for key in _CALL_FIELDS if key in context}
    result = {key: context[key] for key in _RESULT_FIELDS if key in context}
    return Execution(
        call=compact_json(call, field) if call else "", result=compact_json(result, field) if result else ""
    )
