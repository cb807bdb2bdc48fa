"""The parameters of a chat completion: what each may be, and which are ignored or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edge.daemon.openai_refusals import (
    empty,
    missing,
    out_of_range,
    shown,
    unknown,
    unsuitable,
    unsupported,
    unsupported_parameter,
    wrong_type,
)

_READ = frozenset(
    (
        "model", "messages", "stream", "stream_options", "max_tokens", "max_completion_tokens", "stop",
        "session", "metadata", "user", "safety_identifier",
    )
)  # fmt: skip
_TUNED = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
}
"""What only tunes sampling, with its range: checked and ignored; the daemon's own settings say how replies are made."""
_IGNORED = frozenset(
    (
        "seed", "parallel_tool_calls", "prediction", "prompt_cache_key", "prompt_cache_options",
        "prompt_cache_retention", "reasoning_effort", "service_tier", "store", "verbosity",
        "top_k", "min_p", "typical_p", "repeat_penalty", "repetition_penalty",
    )
)  # fmt: skip
"""Of no consequence here. The last five are other servers' ways to tune sampling."""
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
    "moderation": (),
    "web_search_options": (),
}
"""What would make another answer of it: taken where it says what is so anyway."""
KNOWN = _READ | _IGNORED | _TUNED.keys() | _NEUTRAL.keys()
_MOST_STOPS = 4
_LONGEST_STOP = 256


def check_others(body: Mapping[str, Any]) -> None:
    """Refuse what nobody knows, and what would make another answer of it. Raises RequestInvalid."""
    for name, value in body.items():
        if name in _READ or name in _IGNORED:
            continue
        if name not in KNOWN:
            raise unknown(shown(name))
        if value is None:
            continue
        if name in _TUNED:
            number(body, name, *_TUNED[name])
        elif not any(_same(value, neutral) for neutral in _NEUTRAL[name]):
            plain = value if isinstance(value, str | int | float) else None
            raise unsupported_parameter(name) if plain is None else unsupported(name, f"'{shown(str(plain))}'")


def _same(value: object, neutral: object) -> bool:
    return type(value) is type(neutral) and value == neutral


def text(body: Mapping[str, Any], name: str, param: str = "") -> str:
    """A text that has to be there."""
    value = optional_text(body, name, param)
    if value is None:
        raise missing(param or name)
    return value


def optional_text(body: Mapping[str, Any], name: str, param: str = "") -> str | None:
    """A text; None where it is missing or null."""
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise wrong_type(param or name, "a string", value)
    return value


def flag(body: Mapping[str, Any], name: str, param: str = "") -> bool:
    """True or false; false where it is missing or null."""
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise wrong_type(param or name, "a boolean", value)
    return bool(value)


def number(body: Mapping[str, Any], name: str, low: int, high: int) -> None:
    """Check that a number is in its range."""
    value = body[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(name, "a number", value)
    if value < low:
        raise out_of_range(name, value, "decimal_below_min", low)
    if value > high:
        raise out_of_range(name, value, "decimal_above_max", high)


def tokens(body: Mapping[str, Any], name: str) -> int | None:
    """A number of tokens; None where it is missing or null."""
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(name, "an integer", value)
    if value < 1:
        raise out_of_range(name, value, "integer_below_min", 1)
    return value


def mapping(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object; an empty one where it is missing or null."""
    value = body.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_type(name, "an object", value)
    return value


def array(body: Mapping[str, Any], name: str) -> list[Any]:
    """An array of at least one item."""
    if body.get(name) is None:
        raise missing(name)
    value = body[name]
    if not isinstance(value, list):
        raise wrong_type(name, "an array", value)
    if not value:
        raise empty(name)
    return value


def stop_sequences(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of `stop`: one, or a list of at most four."""
    value = body.get("stop")
    if value is None:
        return ()
    stops = [value] if isinstance(value, str) else value
    if not isinstance(stops, list):
        raise wrong_type("stop", "a string or an array of strings", value)
    if len(stops) > _MOST_STOPS:
        raise unsuitable("stop", f"there are {len(stops)} stop sequences; at most {_MOST_STOPS} are taken.")
    for at, stop in enumerate(stops):
        if not isinstance(stop, str):
            raise wrong_type(f"stop[{at}]", "a string", stop)
        if not 0 < len(stop) <= _LONGEST_STOP:
            raise unsuitable("stop", f"a stop sequence has 1 to {_LONGEST_STOP} characters.")
    return tuple(stops)
