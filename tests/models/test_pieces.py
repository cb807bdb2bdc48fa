"""Text leaves in whole characters, whatever the tokens cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edge.models.pieces import PieceBuilder


def build(parts: list[bytes]) -> tuple[str, tuple[int, ...]]:
    builder = PieceBuilder()
    pieces = [builder.add(token, part) for token, part in enumerate(parts)] + [builder.rest()]
    kept = [piece for piece in pieces if piece is not None]
    for piece in kept:
        piece.text.encode("utf-8")
    return "".join(piece.text for piece in kept), tuple(token for piece in kept for token in piece.tokens)


@given(st.text(), st.integers(1, 3))
def test_any_cut_of_a_text_gives_the_text_and_every_token_once(text: str, size: int) -> None:
    data = text.encode()
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    assert build(parts) == (text, tuple(range(len(parts))))


@given(st.lists(st.binary(max_size=6)))
def test_bytes_that_are_no_text_lose_no_token(parts: list[bytes]) -> None:
    assert build(parts)[1] == tuple(range(len(parts)))


def test_a_piece_waits_for_the_whole_character() -> None:
    builder = PieceBuilder()
    first, second = "猫".encode()[:2], "猫".encode()[2:]
    assert builder.add(7, first) is None
    piece = builder.add(8, second)
    assert piece is not None
    assert (piece.text, piece.tokens) == ("猫", (7, 8))


def test_an_unfinished_character_is_left_out_at_the_end() -> None:
    assert build([b"a", "😀".encode()[:3]]) == ("a", (0, 1))
