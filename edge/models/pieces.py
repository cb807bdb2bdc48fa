"""From sampled tokens to text that can be sent: whole characters only."""

from __future__ import annotations

import codecs

from edge.engine.model_ports import Piece


class PieceBuilder:
    """Holds tokens back until their bytes end at a character's end. Bytes that can never become one turn to U+FFFD."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._tokens: list[int] = []

    def add(self, token: int, data: bytes) -> Piece | None:
        """The piece that this token completes, if it does."""
        self._tokens.append(token)
        text = self._decoder.decode(data)
        return self._take(text) if text else None

    def rest(self) -> Piece | None:
        """The tokens still held back. The bytes of a character that was never finished are left out of the text."""
        return self._take("") if self._tokens else None

    def _take(self, text: str) -> Piece:
        tokens, self._tokens = tuple(self._tokens), []
        return Piece(text, tokens)
