"""Audits prompts: no secret anywhere, nothing of a tool's in the conversation channel.

For scenarios and benchmarks: `messages_of` reads a prompt's tokens, `audit` says in sentences what is wrong with it,
and nothing where all is well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from edge.engine.model_ports import Tokenizer
from edge.prompt.structured import EXECUTION_FIELDS, EXECUTION_MARK
from edge.prompt.texts import LANGUAGES

_START, _END = "<|im_start|>", "<|im_end|>"
_SUMMARIES = tuple(texts.summary for texts in LANGUAGES.values())
_SHORTEST_LINE = 5
"""Shorter lines of a secret of several lines say nothing."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt as the model reads it."""

    role: str
    text: str

    @property
    def is_execution(self) -> bool:
        """Whether it belongs to the channel of the execution context."""
        return self.role == "system" and self.text.startswith(EXECUTION_MARK)

    @property
    def is_summary(self) -> bool:
        return self.role == "system" and self.text.startswith(_SUMMARIES)


def messages_of(tokens: Sequence[int], tokenizer: Tokenizer) -> list[Message]:
    """The messages of a prompt, the opened reply too. Only special tokens part them: what a person wrote never does."""
    start, end = tokenizer.special(_START), tokenizer.special(_END)
    messages, begin = [], None
    for at, token in enumerate([*tokens, end]):
        if token == start:
            begin = at + 1
        elif token == end and begin is not None:
            role, _, text = tokenizer.decode(tokens[begin:at]).decode(errors="replace").partition("\n")
            messages.append(Message(role, text))
            begin = None
    return messages


def audit(
    prompt: Iterable[Message],
    *,
    units: Iterable[str] = (),
    log: Iterable[str] = (),
    secrets: Collection[str],
    kept: Collection[str] = (),
    context: Mapping[str, object] | None = None,
    values: Collection[str] = (),
) -> list[str]:
    """What stands where it must not.

    `secrets` may stand nowhere, but those `kept`, which their person asked to remember, in words and units, not in a
    summary or a log line. Names of the execution context's fields, of the keys in `context`, and `values` of a tool's
    that nobody said may stand in the execution channel only.
    """
    messages = list(prompt)
    found: list[str] = []
    for secret in secrets:
        lenient = secret in kept
        found += [
            f"the secret {secret[:12]!r} stands in a message of the {message.role}"
            for message in messages
            if _holds(message.text, secret) and (not lenient or message.is_summary or message.is_execution)
        ]
        found += [
            f"the secret {secret[:12]!r} stands in a unit" for unit in units if not lenient and _holds(unit, secret)
        ]
        found += [f"the secret {secret[:12]!r} stands in the log" for line in log if _holds(line, secret)]
    telling = [message for message in messages if not message.is_execution]
    for name in sorted({EXECUTION_MARK, *EXECUTION_FIELDS, *_names(context or {}), *values}):
        found += [
            f"{name!r} of a tool stands in a message of the {message.role}"
            for message in telling
            if name in message.text
        ]
    return found


def _holds(text: str, secret: str) -> bool:
    lines = [line for line in secret.splitlines() if len(line) >= _SHORTEST_LINE and "-----" not in line]
    return any(line in text for line in lines) if len(lines) > 1 else secret in text


def _names(value: object) -> Iterator[str]:
    """The keys that no person would write: those with an underscore or a capital inside."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if "_" in str(key) or str(key) != str(key).lower():
                yield str(key)
            yield from _names(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _names(inner)
