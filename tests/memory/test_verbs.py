"""Verbs behind "I" as they stand behind "the user"."""

from __future__ import annotations

import pytest

from edge.memory.verbs import third_person


@pytest.mark.parametrize(
    ("verb", "third"),
    [
        ("love", "loves"), ("watch", "watches"), ("study", "studies"), ("play", "plays"), ("go", "goes"),
        ("pass", "passes"), ("am", "is"), ("have", "has"), ("don't", "doesn't"), ("went", "went"), ("was", "was"),
        ("painted", "painted"), ("need", "needs"), ("might", "might"), ("put", None), ("running", None),
        ("loves", None),
    ],
)  # fmt: skip
def test_a_verb_agrees(verb: str, third: str | None) -> None:
    assert third_person(verb, past=False) == third


def test_one_whose_past_looks_like_its_present_is_known_by_the_time() -> None:
    assert third_person("put", past=True) == "put"
