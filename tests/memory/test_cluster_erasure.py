"""What of a cluster's words goes. Whole forgettings are tested with the stores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_erasure import (
    cleaned,
    emptied,
    fallback_key,
    holds_lost,
    lost_words,
    new_key,
    note_without,
    still_lost,
    texts_in,
)
from edge.memory.clusters import Coarse, NamedBy, Profile, check_key
from edge.memory.leftovers import Gone
from edge.memory.text import telling_terms
from edge.memory.units import ClusterId, Kind

WORDS = st.sampled_from(["espresso", "zabaglione", "nginx", "cats", "咖啡豆", "拿铁", "A-20417"])
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


def gone(*contents: str, value: str | None = None) -> list[Gone]:
    return [Gone(Kind.USER_PROFILE, content, value) for content in contents]


def test_a_word_that_a_member_says_is_not_lost() -> None:
    lost = still_lost(lost_words(gone("Zabaglione with coffee")), ["coffee and zabaglione"], ["my coffees"])
    assert lost.is_in("the zabagliones")
    assert not lost.is_in("coffee with milk")


@pytest.mark.parametrize(
    ("text", "there"), [("拿铁咖啡", True), ("咖啡拿铁", True), ("咖啡豆", False), ("铁拿", False)]
)
def test_so_it_is_in_chinese(text: str, there: bool) -> None:
    assert still_lost(lost_words(gone("我喝拿铁")), ["拿铁咖啡"], ["咖啡豆"]).is_in(text) is there


def test_a_number_is_lost_however_it_is_spaced() -> None:
    lost = still_lost(lost_words(gone("my phone", value="13800138000")), [], ["138-0013-8000"])
    assert lost.is_in("call 138 0013 8000")
    assert not lost.is_in("call 138 0013")


def test_stop_words_are_nobodys() -> None:
    assert not lost_words(gone("what of the coffee")).is_in("of the what")


def test_a_profile_without_lost_words_loses_its_description_alone() -> None:
    profile = Profile("coffee at home", "Ann likes it.", ("beans",), NamedBy.PERSON, Coarse.PERSON)
    lost = lost_words(gone("zabaglione"))
    assert not holds_lost(profile, lost)
    assert cleaned(profile, lost, "other words") == Profile(
        "coffee at home", "", ("beans",), NamedBy.PERSON, Coarse.PERSON
    )


def test_a_key_and_tags_with_lost_words_go() -> None:
    profile = Profile("zabaglione at home", "", ("zabaglione", "beans"), NamedBy.PERSON)
    lost = lost_words(gone("zabaglione"))
    assert holds_lost(profile, lost)
    assert cleaned(profile, lost, "coffee beans") == Profile("coffee beans", "", ("beans",), NamedBy.WORDS)


def test_a_key_that_says_nothing_is_a_key() -> None:
    key = fallback_key(ClusterId(7))
    assert check_key(key) == key == new_key(ClusterId(7), [], lost_words([]), [])
    assert emptied(Profile("a b", "c", ("d",), NamedBy.MODEL, Coarse.TECHNICAL), ClusterId(7)) == Profile(
        key, coarse=Coarse.TECHNICAL
    )


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ('{"last": "zabaglione"}', "{}"),
        ('{"a": [{"zabagliones": 1}]}', "{}"),
        ('{"last": 7, "phase": "split"}', '{"last": 7, "phase": "split"}'),
    ],
)
def test_a_note_goes_whole(note: str, kept: str) -> None:
    assert note_without(note, lost_words(gone("zabaglione"))) == kept


@given(key=TEXTS, tags=st.lists(WORDS, max_size=3), forgotten=TEXTS, members=st.lists(TEXTS, max_size=3))
def test_no_word_of_the_forgotten_alone_is_left(key: str, tags: list[str], forgotten: str, members: list[str]) -> None:
    profile = Profile(key, f"about {forgotten}", tuple(tags))
    lost = still_lost(lost_words(gone(forgotten)), texts_in(profile), members)
    after = cleaned(profile, lost, new_key(ClusterId(1), members, lost, []))
    theirs = {term for member in members for term in telling_terms(member)}
    only = set(telling_terms(forgotten)) - theirs
    assert only.isdisjoint(term for text in texts_in(after) for term in telling_terms(text))
