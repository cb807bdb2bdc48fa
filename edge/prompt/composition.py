"""ChatML in token ids: pieces are tokenised once and joined as ids, so that what was said never shifts a boundary.

The template's marks are special tokens that only this module writes; everything else, above all a person's words, is
tokenised as plain text. So a message that holds `<|im_start|>` stays a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from edge.prompt.structured import EXECUTION_MARK, Execution
from edge.prompt.texts import ANCHOR_MARK, INSTRUCTIONS_MARK, RESET_MARK, Shift, Texts


class Encoder(Protocol):
    """The part of the model's tokenizer that composition needs."""

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text, without special tokens."""

    def special(self, name: str) -> int:
        """The id of a special token."""


Tokens = tuple[int, ...]


class Composer:
    """Writes the pieces of a window as token ids."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._start = encoder.special("<|im_start|>")
        self._end = encoder.special("<|im_end|>")
        self._newline = self.text("\n")
        self._headers = {role: self.text(f"{role}\n") for role in ("system", "user", "assistant")}

    def text(self, text: str) -> Tokens:
        """Plain text, whatever it looks like."""
        return tuple(self._encoder.encode(text))

    def head(self, role_text: str, anchors: Sequence[str]) -> Tokens:
        """The system message: who the assistant is, and the core facts of the owner behind their mark."""
        body = self.text(role_text)
        if anchors:
            body += self.text(f"\n{ANCHOR_MARK}\n" + "\n".join(f"- {line}" for line in anchors))
        return self._message("system", body)

    def note_line(self, note: str) -> Tokens:
        """One memory, as a line of the notes."""
        return self.text(f"- {note}\n")

    def notes_header(self, texts: Texts) -> Tokens:
        """The line above the notes."""
        return self.text(f"{texts.notes}\n")

    def execution(self, execution: Execution) -> Tokens:
        """The execution context, each part a message of its own behind its mark, apart from the conversation."""
        parts = (part for part in (execution.call, execution.result) if part)
        return tuple(token for part in parts for token in self._message("system", self.text(EXECUTION_MARK + part)))

    def instructions(self, instructions: str, before: str, texts: Texts) -> Tokens:
        """A client's instructions, a message of their own behind their mark, and that they take the place of those
        `before`; where there are none any more, that those hold no longer. Nothing where they are the same."""
        if instructions == before:
            return ()
        instead = "" if not before else texts.other_instructions if instructions else texts.no_instructions
        told = "\n".join(filter(None, (INSTRUCTIONS_MARK, instead, instructions)))
        return self._message("system", self.text(told))

    def summary(self, summary: str) -> Tokens:
        """What earlier turns told, a message of its own; nothing for an empty one."""
        return self._message("system", self.text(summary)) if summary else ()

    def reset(self, shift: Shift, texts: Texts) -> Tokens:
        """That the subject changed, a message of its own behind its mark."""
        return self._message("system", self.text(f"{RESET_MARK}\n{texts.shifts[shift]}"))

    def user(self, notes: Sequence[Tokens], words: Tokens) -> Tokens:
        """The person's turn: notes in front of their own words."""
        body = tuple(token for line in notes for token in line)
        if body:
            body += self._newline
        return self._message("user", body + words)

    @property
    def open_reply(self) -> Tokens:
        """What the model continues from."""
        return (self._start, *self._headers["assistant"])

    @property
    def close_reply(self) -> Tokens:
        """The end mark of a reply and the line break the template puts behind it."""
        return (self._end, *self._newline)

    def turn(self, message: str, reply: str) -> Tokens:
        """An earlier turn, word for word."""
        return self.user((), self.text(message)) + self.open_reply + self.text(reply) + self.close_reply

    def _message(self, role: str, body: Tokens) -> Tokens:
        return (self._start, *self._headers[role], *body, self._end, *self._newline)
