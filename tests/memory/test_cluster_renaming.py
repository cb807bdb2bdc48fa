from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_renaming import key_from_words
from edge.memory.clusters import check_key


def key(members: Sequence[str], barred: Collection[str] = (), taken: Collection[str] = ()) -> str | None:
    return key_from_words(members, lambda text: any(word in text for word in barred), taken)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (["My espresso machine leaks", "the espresso is bitter", "a new machine"], "espresso machine"),
        (["我喜欢喝咖啡", "咖啡豆在厨房", "厨房的咖啡机坏了"], "咖啡厨房"),
        (["Python 脚本坏了", "写一个 Python 脚本"], "脚本 python"),
        (["espresso"], None),
        (["the of and"], None),
        ([], None),
    ],
)
def test_a_key_is_made_of_the_words_of_most(members: list[str], expected: str | None) -> None:
    assert key(members) == expected


def test_a_word_said_often_by_one_counts_once() -> None:
    assert key(["tea tea tea tea", "espresso machine", "espresso machine"]) == "espresso machine"


def test_plurals_are_one_word() -> None:
    assert key(["cats and dogs", "cat food", "a cat"]) == "cat dogs food"


def test_what_is_barred_is_not_in_it() -> None:
    assert key(["espresso machine leaks"] * 2, barred=["machine"]) == "espresso leaks"
    assert key(["咖啡厨房"], barred=["咖啡"]) == "厨房"


def test_what_is_taken_is_not_taken_again() -> None:
    assert key(["espresso machine leaks"], taken=["leaks of espresso machines"]) == "espresso machine"
    assert key(["espresso machine"], taken=["machine espresso"]) is None


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=0x9FFF), max_size=30), max_size=5))
def test_it_is_a_key(members: list[str]) -> None:
    found = key(members)
    assert found is None or check_key(found) == found
