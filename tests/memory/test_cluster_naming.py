"""Names of clusters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import ClusterKeyInvalid
from edge.memory.cluster_naming import (
    alike,
    as_said,
    clean_key,
    coverage,
    main_language,
    tags_of,
    telling_words,
    word_key,
)
from edge.memory.clusters import check_key
from edge.memory.language import Language

BREAD = ["The starter doubled in five hours.", "The loaf is dense, the starter is weak.", "Fed the starter with rye."]
BOILER = ["The boiler shows E133.", "He looks at the boiler on Tuesday.", "The rent goes up."]
DOUGH = ["面团还是太黏", "面团发酵了五个小时", "烤箱里的面团没有张开"]
STOVE = ["锅炉坏了", "房东派人来修锅炉"]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("Sourdough Baking", "Sourdough Baking"),
        ('"Sourdough Baking."', "Sourdough Baking"),
        ("**Title: Sourdough Starter Care**", "Sourdough Starter Care"),
        ("- Bread: rye starter", "Bread rye starter"),
    ],
)
def test_a_name_is_taken_out_of_its_wrapping(line: str, key: str) -> None:
    assert clean_key(line, BREAD, "en") == key


def test_a_chinese_name_is_taken_out_of_its_wrapping() -> None:
    assert clean_key("标题：《面团发酵》", DOUGH, "zh") == "面团发酵"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "7",
        "0.4217 0.9931",
        "Bread",
        "The notes are about a person who bakes bread and feeds a starter",
        "notes title topic",
        "面团发酵",
        "хлеб и тесто",
        "パンの発酵",
        "Bread since 1987",
        "bread bread bread",
        "<|im_start|>system You name groups",
        "You name groups of notes by what they have in common. Answer with a title of two to four words.",
        "a" * 4000,
    ],
)
def test_what_is_no_name_gives_none(line: str) -> None:
    assert clean_key(line, BREAD, "en") is None


@given(st.text(max_size=80))
def test_whatever_a_model_writes_gives_a_key_or_none(line: str) -> None:
    asked: tuple[tuple[list[str], Language], ...] = ((BREAD, "en"), (DOUGH, "zh"))
    for notes, language in asked:
        key = clean_key(line, notes, language)
        assert key is None or check_key(key) == key


def test_the_words_of_the_members_make_a_key() -> None:
    assert telling_words(BREAD, BOILER, "en")[0] == "starter"
    key = word_key(BREAD, BOILER, "en", ())
    assert key is not None
    assert key.startswith("starter ")
    assert telling_words(DOUGH, STOVE, "zh")[0] == "面团"


def test_a_key_of_words_is_not_alike_one_that_is_taken() -> None:
    first = word_key(BREAD, BOILER, "en", ())
    assert first is not None
    second = word_key(BREAD, BOILER, "en", [first])
    assert second is not None
    assert not alike(first, second)


@pytest.mark.parametrize(
    ("members", "language", "barred"),
    [(BREAD, "en", "starter"), (["my espresso machine leaks"], "en", "espresso"), (DOUGH, "zh", "面团")],
)
def test_what_is_barred_stands_in_no_key(members: list[str], language: Language, barred: str) -> None:
    free = word_key(members, (), language, ())
    assert free is not None
    assert barred in free
    assert barred not in (word_key(members, (), language, (), lambda key: barred in key) or "")


def test_a_word_said_often_by_one_counts_once() -> None:
    members = ["tea tea tea tea", "espresso machine", "espresso machine"]
    assert word_key(members, (), "en", ()) == "espresso machine"


def test_members_with_nothing_to_tell_have_no_key() -> None:
    assert word_key(["ok", "yes", "嗯"], [], "en", ()) is None
    assert word_key(["嗯", "好的"], [], "zh", ()) is None


@given(st.lists(st.text(max_size=30), max_size=5))
def test_a_key_of_words_is_a_key(members: list[str]) -> None:
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        key = word_key(members, BOILER, language, ())
        if key is not None:
            try:
                check_key(key)
            except ClusterKeyInvalid as error:  # pragma: no cover
                raise AssertionError(key) from error


def test_tags_do_not_repeat_one_another() -> None:
    assert len(tags_of(DOUGH, STOVE, "zh")) <= 5
    assert "面团" in tags_of(DOUGH, STOVE, "zh")
    assert "团还" not in tags_of(DOUGH, STOVE, "zh")


def test_only_pairs_of_characters_overlap_in_one() -> None:
    assert telling_words(["红烧肉"], [], "zh") == ["烧肉"]
    assert telling_words(["espresso machine", "tomato and tomatoes"], [], "en") == ["espresso", "machine", "tomato"]


def test_a_pair_of_characters_of_one_note_is_no_tag() -> None:
    assert tags_of(DOUGH, STOVE, "zh") == ("面团",)
    assert tags_of(["锅炉坏了"], [], "zh") == ()
    assert tags_of(["The boiler is cold."], [], "en")


def test_keys_that_say_the_same_are_alike() -> None:
    assert alike("Sourdough baking", "Baking sourdough")
    assert alike("面团发酵", "面团 发酵")
    assert not alike("Sourdough baking", "Boiler repair")


def test_the_language_of_most_counts() -> None:
    assert main_language([*BREAD, *DOUGH[:2]]) == "en"
    assert main_language([*DOUGH, *BREAD[:1]]) == "zh"


def test_whom_a_talk_speaks_to_is_no_word_of_its_subject() -> None:
    members = ["Thanks, Maria! The kiln is hot.", "Hey Maria, another bowl of clay.", "Wow, Maria, clay on my sleeves!"]
    others = ["Maria, the bus is late.", "See you, Maria!", "The bus again."]
    assert "maria" not in telling_words(members, others, "en")
    assert word_key(members, others, "en", ()) == "clay bowl"


def test_a_name_that_is_told_of_stays_a_word() -> None:
    members = ["Marco owes me 23 euros.", "Paid Marco back for the pizza.", "Marco forgot the pizza again."]
    assert "marco" in telling_words(members, ["The bus is late."], "en")


def test_a_word_is_bare_of_its_ending_and_what_is_shortened_is_none() -> None:
    words = telling_words(["The store's sign won't light.", "They're at the store's door."], ["x"], "en")
    assert words[0] == "store"
    assert not {"store's", "won't", "they're"} & set(words)


@pytest.mark.parametrize(
    ("first", "second", "texts", "said"),
    [
        ("health", "mental", ["A talk on mental health.", "My mental health."], "mental health"),
        ("pottery", "class", ["The pottery class.", "a class of pottery"], "pottery class"),
        ("房租", "水电", ["水电房租都交了"], "水电 房租"),
    ],
)
def test_two_words_stand_in_the_order_they_are_said_in(first: str, second: str, texts: list[str], said: str) -> None:
    assert as_said(first, second, texts) == said


def test_a_key_covers_the_share_of_texts_with_its_words() -> None:
    texts = ["The dance studio opens.", "We dance again.", "A piano.", "The bus."]
    assert coverage(["dance studio", "tax data"], texts) == pytest.approx([(2 + 1) / 8, 0])
    assert coverage(["房租 水电"], ["房租交了", "水电费"]) == pytest.approx([0.5])
    assert coverage(["dance studio"], []) == [0]
