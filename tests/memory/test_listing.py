"""A list in which nothing stands twice, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.listing import Listing


def shown(pieces: Sequence[str], *, cut: bool = False) -> str:
    listing: Listing[int] = Listing()
    told = [text for at, piece in enumerate(pieces) for _, text in listing.add(at, piece)]
    return "".join([*told, *(text for _, text in listing.rest(cut=cut))])


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        (("hik", "ing", ",", " camp", "ing", ",", " hik", "ing", ",", " tea"), "hiking, camping, tea"),
        (("Kyle", ",", " Kyle", "."), "Kyle"),
        (('"Web', '",', ' "', "Web", '"'), '"Web"'),
        (('"Web', '",', ' "', "Web", '",', ' "', "Momo", '"'), '"Web", "Momo"'),
        (("1", ".", " Tea", "\n", "2", ".", " Milk", "\n", "3", ".", " Tea"), "1. Tea\n2. Milk"),
        (("-", " Tea", "\n-", " Milk", "\n-", " tea"), "- Tea\n- Milk"),
        (("tea", ",", " and", " tea"), "tea"),
        (("苹果", "、", "梨", "、", "苹果", "、", "桃子", "。"), "苹果、梨、桃子。"),
        (("苹果", "，", "和", "苹果"), "苹果"),
        (("tea", ","), "tea"),
    ],
)
def test_what_was_said_is_left_out_with_the_mark_before_it(pieces: Sequence[str], told: str) -> None:
    assert shown(pieces) == told


@pytest.mark.parametrize(
    "pieces",
    [
        ("hiking", ",", " hiking", " in the woods"),
        ("New", " York", ",", " New", " Orleans", "."),
        ("1", ",", "000", ",", " 2", "."),
        ("One", " thing", "."),
        ("苹果", "、", "苹果汁", "。"),
        (),
    ],
)
def test_what_only_begins_as_another_is_told(pieces: Sequence[str]) -> None:
    assert shown(pieces) == "".join(pieces)


def test_nothing_is_held_back_but_what_may_have_been_said() -> None:
    listing: Listing[str] = Listing()
    assert [text for _, text in listing.add("tea", "tea")] == ["tea"]
    assert [*listing.add(",", ","), *listing.add(" te", " te")] == []
    assert [text for _, text in listing.add("e", "e")] == [",", " te", "e"]


def test_where_it_was_cut_off_what_may_become_a_repeated_item_is_one() -> None:
    pieces = ("green tea", ",", " milk", ",", " green")
    assert shown(pieces, cut=True) == "green tea, milk"
    assert shown(pieces) == "green tea, milk, green"


def test_a_list_goes_round_when_twice_in_a_row_nothing_new_comes() -> None:
    listing: Listing[int] = Listing()
    went = [(list(listing.add(0, piece)), listing.goes_round)[1] for piece in ("tea", ",", "tea", ",", "tea", ",")]
    assert went == [False, False, False, False, False, True]


@given(st.lists(st.sampled_from(["tea", "milk", ", ", "\n", "、", "2", ". ", "and ", '"', " "])))
def test_what_is_told_stands_in_what_was_made_and_repeats_nothing(pieces: list[str]) -> None:
    listing: Listing[int] = Listing()
    told = [each for at, piece in enumerate(pieces) for each in listing.add(at, piece)]
    told += listing.rest(cut=False)
    numbers = [at for at, _ in told]
    assert numbers == sorted(set(numbers))
    assert all(text in pieces[at] for at, text in told)
