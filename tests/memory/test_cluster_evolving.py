"""What a cluster is called once it grew: its members' own words, and only where they fit clearly better."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.cluster_evolving import Evolution, evolved
from edge.memory.cluster_naming import line_of
from edge.memory.clusters import Coarse, NamedBy, Profile, check_key, checked

BREAD = [
    "The starter doubled in five hours.",
    "The loaf is dense, the starter is weak.",
    "Fed the starter with rye.",
    "The oven is too cold for the loaf.",
]
DOUGH = ["面团还是太黏", "面团发酵了五个小时", "烤箱里的面团没有张开", "烤箱不够热"]
BOILER = ["The boiler shows E133.", "He looks at the boiler on Tuesday.", "The rent goes up."]
STOVE = ["锅炉坏了", "房东派人来修锅炉", "房租涨了"]
LANGUAGES = pytest.mark.parametrize(
    ("members", "others", "old", "words"),
    [
        (BREAD, BOILER, Profile("rye bread", "Bought rye.", ("flour",)), {"starter", "loaf"}),
        (DOUGH, STOVE, Profile("黑麦 面包", "买了黑麦", ("面粉",)), {"面团", "烤箱"}),
    ],
)


@LANGUAGES
def test_a_key_of_words_that_names_few_members_becomes_one_that_names_most(
    members: list[str], others: list[str], old: Profile, words: set[str]
) -> None:
    after = evolved(replace(old, coarse=Coarse.PERSON), members, others, ())
    assert set(after.profile.key.split()) & words
    assert words <= set(after.profile.tags)
    assert after.profile.description == members[0]
    assert (after.profile.named_by, after.profile.coarse) == (NamedBy.WORDS, Coarse.PERSON)
    assert f"4 of {len(members)} members" in after.why
    assert evolved(after.profile, members, others, ()) == Evolution(after.profile)


@LANGUAGES
@pytest.mark.parametrize("by", [NamedBy.MODEL, NamedBy.PERSON])
def test_a_key_that_a_model_or_the_person_gave_stays(
    members: list[str], others: list[str], old: Profile, words: set[str], by: NamedBy
) -> None:
    after = evolved(replace(old, named_by=by), members, others, ()).profile
    assert (after.key, after.named_by) == (old.key, by)
    assert words <= set(after.tags)


@LANGUAGES
def test_what_still_names_its_members_stays(
    members: list[str], others: list[str], old: Profile, words: set[str]
) -> None:
    fits = Profile(" ".join(sorted(words)), members[2], tuple(words))
    assert evolved(fits, members, others, ()) == Evolution(fits)
    assert evolved(fits, list(reversed(members)), others, ()) == Evolution(fits)
    little_better = [*members, *others[:1]]
    assert evolved(fits, little_better, others[1:], ()) == Evolution(fits)


@LANGUAGES
def test_a_line_that_no_member_says_any_more_is_another_s(
    members: list[str], others: list[str], old: Profile, words: set[str]
) -> None:
    told = Profile(" ".join(sorted(words)), old.description, tuple(words))
    after = evolved(told, members, others, ())
    assert after == Evolution(replace(told, description=members[0]), "no member says its line")
    assert evolved(replace(told, description=""), members, others, ()).why == "it had no line"


@LANGUAGES
def test_a_key_is_not_alike_one_that_is_taken(
    members: list[str], others: list[str], old: Profile, words: set[str]
) -> None:
    free = evolved(old, members, others, ()).profile.key
    taken = evolved(old, members, others, [free]).profile.key
    assert free not in (old.key, taken)


def test_the_name_in_the_other_language_stays_the_first_tag() -> None:
    old = Profile("Bread baking", BREAD[0], ("面包烘焙", "rye"), NamedBy.MODEL)
    after = evolved(old, BREAD[:3], BOILER, ()).profile
    assert after.tags[0] == "面包烘焙"
    assert "starter" in after.tags
    assert "rye" not in after.tags


def test_a_cluster_that_grows_in_another_language_gets_words_in_it() -> None:
    old = Profile("starter loaf", BREAD[0], ("starter", "loaf"), NamedBy.MODEL)
    after = evolved(old, [*BREAD, *DOUGH], [*BOILER, *STOVE], ()).profile
    assert {"starter", "面团"} <= set(after.tags)
    assert after.tags[0] == "starter"
    few = evolved(old, [*BREAD, *BREAD, *DOUGH[:1]], [*BOILER, *STOVE], ()).profile
    assert few == old


@pytest.mark.parametrize(
    ("members", "tags"),
    [
        (["Fed the starter.", "The starter is weak.", "Bought a tin."], ("starter",)),
        (["面团太黏", "面团发了", "买了面粉"], ("面团",)),
    ],
)
def test_a_word_that_one_member_says_is_no_tag(members: list[str], tags: tuple[str, ...]) -> None:
    assert evolved(Profile("topic 7"), members, (), ()).profile.tags == tags
    apart = Profile("topic 7", members[1])
    assert evolved(replace(apart, named_by=NamedBy.MODEL), members[1:], (), ()) == Evolution(
        replace(apart, named_by=NamedBy.MODEL)
    )


def test_for_one_member_s_sake_no_key_is_another() -> None:
    old = Profile("oven heat", BREAD[0], ("starter", "loaf"))
    few = ["Too much heat.", "Heat of the oven.", "The loaf sank."]
    assert evolved(replace(old, description=few[0]), few, (), ()).profile.key == old.key
    few = ["Too much heat.", "The loaf sank.", "A loaf again."]
    assert evolved(replace(old, description=few[0]), few, (), ()).profile.key != old.key


def test_words_that_all_notes_say_are_no_better_than_those_of_a_few() -> None:
    camping = [
        "Camping with the children in May.",
        "A sunny day with the children.",
        "The children sang, how sunny.",
        "Camping again.",
    ]
    old = Profile("camping may", camping[0], ("camping",), NamedBy.MODEL)
    others = ["Children with Ann.", "A sunny offer.", "All children now.", "Nothing sunny."]
    assert evolved(old, camping, others, ()) == Evolution(old)
    assert "children" in evolved(old, camping, ["The boiler is cold."] * 9, ()).profile.tags


@pytest.mark.parametrize("note", ["a" * 79 + " and more", "面" * 79 + " 团还有", "  of two\n lines "])
def test_a_line_is_known_again_however_it_is_cut(note: str) -> None:
    told = checked(Profile("rye bread", line_of(note)))
    assert evolved(told, [note, *STOVE[:1]], BOILER, ()) == Evolution(told)


def test_of_no_members_nothing_is_said() -> None:
    old = Profile("rye bread", "Bought rye.", ("flour",))
    assert evolved(old, [], BOILER, ()) == Evolution(old)


def test_members_that_say_nothing_change_no_word() -> None:
    for members in (["7", "no", "12"], ["三", "是", "十二"]):
        old = Profile("rye bread", members[0], ("flour",))
        assert evolved(old, members, BOILER, ()) == Evolution(old)


@given(st.lists(st.sampled_from([*BREAD, *DOUGH, "", "ok", "嗯嗯", "x" * 900]) | st.text(max_size=40), max_size=9))
def test_whatever_members_say_it_is_a_profile_and_settles_at_once(members: list[str]) -> None:
    old = Profile("topic 7")
    after = evolved(old, members, [*BOILER, *STOVE], ()).profile
    assert check_key(after.key) == after.key
    assert evolved(after, members, [*BOILER, *STOVE], ()) == Evolution(after)


THANKS = ["Thanks, Gina! Means a lot.", "Wow, that is amazing!", "So proud of you!", "Congrats, John!", "Bye, see you!"]
DANKE = ["谢谢你的建议", "好的，谢谢朋友", "你好，今天我又来聊天了", "嗯，加油！", "太棒了，恭喜你"]
SMALL = pytest.mark.parametrize(
    ("members", "others", "key"), [(THANKS, BOILER, "small talk"), (DANKE, STOVE, "闲聊")], ids=["English", "Chinese"]
)


@SMALL
@pytest.mark.parametrize("by", [NamedBy.MODEL, NamedBy.WORDS])
def test_what_became_small_talk_is_called_so(members: list[str], others: list[str], key: str, by: NamedBy) -> None:
    old = Profile("Share computer", "Share it.", ("share",), by, Coarse.TECHNICAL)
    after = evolved(old, members, others, ())
    assert after.profile == Profile(key, members[0], (), NamedBy.WORDS, Coarse.SMALL_TALK)
    assert after.why
    assert evolved(after.profile, members, others, ()) == Evolution(after.profile)
    second = evolved(old, members, others, [key]).profile
    assert second.key != key
    assert second.coarse is Coarse.SMALL_TALK


@SMALL
def test_small_talk_that_lost_its_name_gets_one(members: list[str], others: list[str], key: str) -> None:
    after = evolved(Profile("topic 7", coarse=Coarse.SMALL_TALK), members, others, ()).profile
    assert (after.key, after.coarse) == (key, Coarse.SMALL_TALK)


@SMALL
def test_small_talk_that_the_person_named_stays(members: list[str], others: list[str], key: str) -> None:
    old = Profile("Kind words", members[0], (), NamedBy.PERSON)
    assert evolved(old, members, others, ()) == Evolution(old)


@pytest.mark.parametrize(("members", "others"), [(BREAD, BOILER), (DOUGH, STOVE)])
def test_small_talk_that_came_to_a_subject_is_called_by_it(members: list[str], others: list[str]) -> None:
    after = evolved(Profile("small talk", "", (), NamedBy.WORDS, Coarse.SMALL_TALK), members, others, ()).profile
    assert after.coarse is Coarse.PERSON
    assert set(after.key.split()) & {"starter", "loaf", "面团", "烤箱"}
