"""From a turn to what an OpenAI client reads: completions, their chunks, usage, models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from edge import __version__
from edge.engine.events import Usage
from edge.engine.model_ports import Finish
from edge.memory.units import TurnId

Wire = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Completion:
    """What all of one completion has in common. Its id is the turn's, by which the daemon knows it."""

    turn: TurnId
    model: str
    created: int
    includes_usage: bool = False
    """Whether a stream ends with the usage."""

    def whole(self, reply: str, finish: Finish, usage: Usage) -> Wire:
        """The answer in one piece."""
        message: Wire = {"role": "assistant", "content": reply, "refusal": None, "annotations": []}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish.value}
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage_wire(usage)}

    def opening(self) -> Wire:
        """The first chunk: who speaks."""
        return self._chunk({"role": "assistant", "content": "", "refusal": None})

    def piece(self, text: str) -> Wire:
        """The next piece of the reply."""
        return self._chunk({"content": text})

    def endings(self, finish: Finish, usage: Usage) -> list[Wire]:
        """The last chunks: why it ends, and where it is wanted the usage, with no choice."""
        ending = self._chunk({}, finish.value)
        if not self.includes_usage:
            return [ending]
        return [ending, {**self._head("chat.completion.chunk"), "choices": [], "usage": usage_wire(usage)}]

    def _chunk(self, delta: Wire, finish: str | None = None) -> Wire:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        unused = {"usage": None} if self.includes_usage else {}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **unused}

    def _head(self, kind: str) -> Wire:
        return {
            "id": f"chatcmpl-{self.turn}",
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": f"edge-{__version__}",
        }


def usage_wire(usage: Usage) -> Wire:
    """The tokens of a turn; `cached_tokens` are those of the prompt that were not evaluated again."""
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.reused, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def model_wire(model: str, created: int) -> Wire:
    """A model. `created` is when the daemon began to serve it."""
    return {"id": model, "object": "model", "created": created, "owned_by": "edge"}
