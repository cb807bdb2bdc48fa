"""A reply that lists what there is says nothing twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edge.engine.kv_ports import shared
from edge.engine.model_ports import Finish, Generation, Piece, StopSignal
from edge.memory.listing import Listing

Item = Piece | Generation


def each_once(items: Iterator[Item], stop: StopSignal) -> Iterator[Item]:
    """What a model makes, without what its list repeats; one that goes round is stopped, and has come to its end.

    The Generation's tokens are those of what is let through.
    """
    listing: Listing[Piece] = Listing()
    made: list[int] = []
    kept: list[int] = []
    is_over = False
    for item in items:
        if isinstance(item, Generation):
            cut = is_over or item.finish is not Finish.STOP
            yield from _let_through(listing.rest(cut=cut), kept)
            yield _counted(replace(item, finish=Finish.STOP if is_over else item.finish), made, kept)
            return
        if is_over:
            continue
        made += item.tokens
        yield from _let_through(listing.add(item, item.text), kept)
        is_over = listing.goes_round and not stop.is_set()
        if is_over:
            stop.set()


def _let_through(shown: Iterator[tuple[Piece, str]], kept: list[int]) -> Iterator[Piece]:
    for piece, text in shown:
        kept += piece.tokens
        yield replace(piece, text=text)


def _counted(generation: Generation, made: Sequence[int], kept: Sequence[int]) -> Generation:
    return replace(generation, tokens=tuple(kept), behind=len(kept) - shared(made, kept))
