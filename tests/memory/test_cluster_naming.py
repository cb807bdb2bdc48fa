"""Names of clusters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import ClusterKeyInvalid
from edge.memory.cluster_naming import (
    alike,
    best_lead,
    clean_key,
    is_told,
    key_lead,
    main_language,
    set_apart,
    tags_of,
    word_key,
    word_keys,
)
from edge.memory.cluster_words import said_by
from edge.memory.clusters import check_key
from edge.memory.language import Language

BREAD = ["The starter doubled in five hours.", "The loaf is dense, the starter is weak.", "Fed the starter with rye."]
BOILER = ["The boiler shows E133.", "He looks at the boiler on Tuesday.", "The rent goes up."]
DOUGH = ["面团还是太黏", "面团发酵了五个小时", "烤箱里的面团没有张开"]
STOVE = ["锅炉坏了", "房东派人来修锅炉"]


def telling_words(members: list[str], others: list[str], language: Language) -> list[str]:
    """Most telling first."""
    return list(said_by(members, others, language).words)


def tags(members: list[str], others: list[str], language: Language) -> tuple[str, ...]:
    return tags_of(said_by(members, others, language), language)


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
    assert len(tags(DOUGH, STOVE, "zh")) <= 5
    assert "面团" in tags(DOUGH, STOVE, "zh")
    assert "团还" not in tags(DOUGH, STOVE, "zh")


def test_only_pairs_of_characters_overlap_in_one() -> None:
    assert telling_words(["红烧肉"], [], "zh") == ["烧肉"]
    assert telling_words(["espresso machine", "tomato and tomatoes"], [], "en") == ["espresso", "machine", "tomato"]


def test_a_pair_of_characters_of_one_note_is_no_tag() -> None:
    assert tags(DOUGH, STOVE, "zh") == ("面团",)
    assert tags(["锅炉坏了"], [], "zh") == ()
    assert tags(["The boiler is cold."], [], "en")


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
    assert "maria" not in (word_key(members, others, "en", ()) or "maria")


def test_a_name_that_is_told_of_stays_a_word() -> None:
    members = ["Marco owes me 23 euros.", "Paid Marco back for the pizza.", "Marco forgot the pizza again."]
    assert "marco" in telling_words(members, ["The bus is late."], "en")


def test_a_word_is_bare_of_its_ending_and_what_is_shortened_is_none() -> None:
    words = telling_words(["The store's sign won't light.", "They're at the store's door."], ["x"], "en")
    assert words[0] == "store"
    assert not {"store's", "won't", "they're"} & set(words)


@pytest.mark.parametrize(
    ("members", "others", "language", "key"),
    [
        (
            ["The dance studio opens.", "Our dance studio.", "We dance again.", "A dance for two."],
            ["The bus is late.", "A dentist."],
            "en",
            "dance studio",
        ),
        (
            [
                "Our mental health.",
                "A talk on mental health.",
                "Mental health counts.",
                "Support me.",
                "Support, please.",
            ],
            ["Insurance is due.", "The bus."],
            "en",
            "mental health support",
        ),
        (
            ["Yoga at six.", "Yoga in the park.", "Running again.", "Running shoes.", "A dance.", "A dance class."],
            ["The bus.", "A dentist."],
            "en",
            "dance running yoga",
        ),
        (["房租涨了", "房租交了", "水电也交了", "水电太贵"], ["锅炉坏了", "面团太黏"], "zh", "房租 水电"),
    ],
)
def test_a_key_is_of_the_words_that_set_most_members_apart(
    members: list[str], others: list[str], language: Language, key: str
) -> None:
    assert word_key(members, others, language, ()) == key


def test_a_word_that_others_have_as_often_is_in_no_key() -> None:
    members = ["Paint on a photo.", "A photo of paint.", "Paint, canvas.", "Canvas again."]
    others = ["A photo.", "The photo.", "Bus photo.", "Dentist."]
    assert word_key(members, others, "en", ()) == "paint canvas"


def test_one_chinese_word_is_a_key_where_a_second_adds_nothing() -> None:
    members = ["昨天看了电影", "电影院在哪", "电影的主题", "这部电影的主题", "电影票"]
    assert word_key(members, ["锅炉坏了"], "zh", ()) == "电影"
    assert word_key(["买了菜谱", "菜谱在这", "糖醋鱼"], ["锅炉坏了"], "zh", ()) == "菜谱"


def test_keys_are_ranked_and_made_of_two_or_three_words() -> None:
    keys = word_keys(said_by(BREAD, BOILER, "en"), BREAD)
    assert len(set(keys)) == len(keys)
    assert all(2 <= len(key.split()) <= 3 for key in keys)


def test_as_many_as_chance_sets_apart_is_not_told() -> None:
    assert best_lead(said_by(BREAD, BOILER, "en")) == pytest.approx(1)
    assert best_lead(said_by([], BOILER, "en")) == 0
    assert best_lead(said_by(["买了菜谱", "菜谱在这", "糖醋鱼"], STOVE, "zh")) == pytest.approx(2 / 3)
    assert is_told(0.7, 4)
    assert not is_told(0.6, 4)
    assert is_told(0.3, 100)
    assert not is_told(0.2, 100)


def test_how_far_a_key_sets_members_apart_counts_its_words_together_and_each() -> None:
    members = ["The dance studio opens.", "We dance again.", "A piano.", "The bus."]
    others = ["Dance.", "A train."]
    dance, tax = set_apart(["dance studio", "tax data"], members, others)
    assert dance == pytest.approx((2 / 4 - 1 / 2) + 0.5 * ((2 / 4 - 1 / 2) + 1 / 4) / 2)
    assert tax == 0
    assert set_apart(["房租 水电"], ["房租交了", "水电费"], ()) == pytest.approx([1 + 0.5 * 0.5])
    assert set_apart(["dance studio"], (), ()) == [0]


@pytest.mark.parametrize(
    ("subject", "rare", "others", "language"),
    [("The kiln and clay.", "The kiln producers.", ["The bus."], "en"), ("窑炉与陶土", "窑炉滑轮", ["锅子坏了"], "zh")],
)
def test_words_that_few_members_have_are_in_no_key(
    subject: str, rare: str, others: list[str], language: Language
) -> None:
    members = [subject] * 14 + [rare] * 2
    key = word_key(members, others, language, ())
    assert key is not None
    assert not {"producers", "滑轮"} & set(key.split())


FILM = ["We watched it twice.", "The plot is slow.", "Such a cast.", "A long film.", "The film again."]


@pytest.mark.parametrize(
    ("members", "others", "reads", "language", "word"),
    [
        (FILM, BOILER, "film", "en", "film"),
        (["看了《活着》", "情节很慢", "演员很棒", "电影很长", "又看电影"], STOVE, "电影", "zh", "电影"),
    ],
)
def test_a_word_that_the_model_reads_in_members_names_them(
    members: list[str], others: list[str], reads: str, language: Language, word: str
) -> None:
    said = said_by(members, others, language, [{reads}] * len(members))
    assert said.count((word,)) == len(members)
    assert said.is_heard(word_keys(said, members)[0])
    assert not said.is_heard("dance studio")


def test_what_is_read_and_nobody_says_names_many_members_only() -> None:
    few = said_by(FILM, BOILER, "en", [{"server"}] * 5)
    assert "server" not in few.words
    some = said_by([*FILM, *FILM], BOILER, "en", [{"server"}] * 6 + [frozenset[str]()] * 4)
    assert "server" not in some.words
    many = said_by([*FILM, *FILM], BOILER, "en", [{"server"}] * 9)
    assert "server" in many.words


def test_what_is_read_in_others_too_sets_nobody_apart() -> None:
    said = said_by(FILM, BOILER, "en", [{"film"}] * (len(FILM) + len(BOILER)))
    assert said.lead(["film"]) == 0


@pytest.mark.parametrize(
    ("members", "named", "unnamed"),
    [
        (
            ["We keep spreading kindness.", "Spreading kindness helps kids.", "The kids. Keep spreading.", "My kids."],
            {"kids"},
            {"spreading"},
        ),
        (
            ["So motivated by the studio.", "I feel motivated.", "The studio. Very motivated.", "A dance."],
            {"studio"},
            {"motivated"},
        ),
    ],
)
def test_what_is_no_thing_is_in_no_key(members: list[str], named: set[str], unnamed: set[str]) -> None:
    key = word_key(members, ["The bus.", "A dentist."], "en", ())
    assert key is not None
    assert named <= set(key.split())
    assert not unnamed & set(key.split())


def test_one_thing_alone_is_called_talk_of_it() -> None:
    members = ["We keep dreaming of dreams.", "So brave, these dreams.", "Very brave! My dreams."]
    assert word_key(members, ["The bus.", "A dentist."], "en", ()) == "talk of dreams"


def test_what_describes_the_next_word_stands_in_a_key_with_it() -> None:
    members = ["A dairy-free recipe.", "The dairy-free recipe again.", "My dairy-free recipe, and milk.", "A recipe."]
    assert word_key(members, ["The bus.", "A dentist."], "en", ()) == "dairy-free recipe"


def test_two_chinese_words_that_say_the_same_are_in_no_key_together() -> None:
    members = ["旅游去海边", "旅行的酒店", "旅游和旅行", "订酒店去旅游"]
    key = word_key(members, STOVE, "zh", ())
    assert key is not None
    assert not {"旅游", "旅行"} <= set(key.split())


def test_a_word_of_most_members_goes_before_two_of_some() -> None:
    members = ["瑜伽课开始了", "瑜伽课和理论", "瑜伽课的练习", "理论与练习"]
    assert "瑜伽课" in (word_key(members, STOVE, "zh", ()) or "")


@pytest.mark.parametrize("word", ["小说", "天气", "旅行", "电视"])
def test_a_chinese_word_with_a_character_that_says_nothing_is_a_word(word: str) -> None:
    assert word in said_by([f"看{word}", f"好{word}"], STOVE, "zh").words


def test_a_chinese_word_put_together_of_what_names_nothing_is_none() -> None:
    words = said_by(["提高自己技巧", "要提高自己技巧", "提高自己技巧吧"], STOVE, "zh").words
    assert not any("自己" in word or "提高" in word for word in words)


def test_a_key_that_somebody_gave_is_weighed_by_its_words() -> None:
    said = said_by(BREAD, BOILER, "en")
    assert key_lead(said, "starter care") == pytest.approx(1.0)
    assert key_lead(said, "boiler repair") == 0
