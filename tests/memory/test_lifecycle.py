"""What a write changes: once, superseded, opposed, outranked, bound to a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.engine.ports import Scope
from edge.memory.lifecycle import Known, Lifespans, key_of, newest_answers, plan_changes, slots_touched
from edge.memory.units import (
    SELF,
    Confirm,
    Draft,
    Insert,
    Kind,
    OwnerId,
    SessionId,
    Source,
    Unit,
)
from tests.fakes.clock import NOON
from tests.fakes.memory_store import FakeMemoryStore
from tests.memory.test_rules import RULES

ANN = OwnerId("uid:1000")
MAIN = SessionId("main")
OTHER = SessionId("other")
MANY = frozenset(name for name, slot in RULES.slots.items() if slot.many)
SLOTS = tuple(RULES.slots)


class Memory:
    """A store that is written to by the rules and the lifecycle, a minute at a time."""

    def __init__(self, lifespans: Lifespans | None = None) -> None:
        self.store = FakeMemoryStore()
        self.at = NOON
        self._lifespans = lifespans or Lifespans()

    def say(self, text: str, session: SessionId = MAIN) -> None:
        self.take(RULES.find_facts(text), session)

    def take(self, drafts: Sequence[Draft], session: SessionId | None = MAIN) -> None:
        self.at += timedelta(minutes=1)
        scope = Scope(ANN, session, self.at)
        touched = slots_touched(drafts)
        known = Known(
            self.store.known(scope, [key_of(draft) for draft in drafts]),
            self.store.slot_units(scope, touched, None) if touched else [],
        )
        changes = plan_changes(drafts, session, self.at, known, MANY, self._lifespans)
        self.store.apply(ANN, changes, self.at)

    def current(self, *slots: str, session: SessionId | None = MAIN, subject: str | None = SELF) -> list[str | None]:
        """Values in the slots now, oldest first."""
        found = self.store.slot_units(Scope(ANN, session, self.at), slots or SLOTS, subject)
        return [unit.value for unit in reversed(found)]

    def units(self, *, past: bool = False) -> list[Unit]:
        page = self.store.page(
            ANN, session=None, kinds=None, before=None, limit=10**6, as_of=self.at, include_past=past
        )
        return list(reversed(page.units))


@pytest.fixture
def memory() -> Memory:
    return Memory()


# --- the cases of the field ---


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("My name is Will.", "My name is Will"),
        ("My name is Will.", "I'm called Will."),
        ("我叫小王。", "我的名字是小王。"),
        ("I like coffee.", "I love coffee."),
        ("我喜欢咖啡。", "我很喜欢咖啡。"),
        ("My order number is ABC123.", "我的 order number 是 ABC123"),
    ],
)
def test_the_same_told_twice_is_one_unit(memory: Memory, first: str, again: str) -> None:
    memory.say(first)
    before = memory.units(past=True)
    memory.say(again)
    memory.say(first)
    after = memory.units(past=True)
    assert [unit.id for unit in after] == [unit.id for unit in before]
    assert after[0].valid_until is None
    assert after[0].access_count == 2


@pytest.mark.parametrize(
    ("before", "after", "values"),
    [
        ("I live in Berlin.", "I live in Hamburg now.", ["Berlin", "Hamburg"]),
        ("我住在北京。", "我现在住在上海。", ["北京", "上海"]),
    ],
)
def test_a_new_home_supersedes_the_old_one(memory: Memory, before: str, after: str, values: list[str]) -> None:
    memory.say(before)
    moved_in = memory.at
    memory.say(after)
    old, new = memory.units(past=True)
    assert [unit.content.count(value) for unit, value in zip((old, new), values, strict=True)] == [1, 1]
    assert memory.units() == [new]
    assert (old.superseded_by, old.valid_from, old.valid_until) == (new.id, moved_in, memory.at)
    then = memory.store.slot_units(Scope(ANN, None, moved_in), ["city"], SELF) or memory.store.slot_units(
        Scope(ANN, None, moved_in), SLOTS, SELF
    )
    assert [unit.id for unit in then] == [old.id]


@pytest.mark.parametrize(
    ("liking", "ending"),
    [("I like coffee.", "I don't like coffee any more."), ("我喜欢喝咖啡。", "我不再喜欢喝咖啡了。")],
)
def test_a_liking_that_ends_is_superseded_and_its_negation_kept(memory: Memory, liking: str, ending: str) -> None:
    for _ in range(3):
        memory.say(liking)
        assert len(memory.current("likes")) == 1
        memory.say(ending)
        assert memory.current("likes") == []
    last = memory.units()[-1]
    assert "no longer" in last.content or "不再" in last.content
    assert last.slot is None


@pytest.mark.parametrize(("one", "other"), [("I like coffee.", "I hate coffee."), ("我喜欢咖啡。", "我讨厌咖啡。")])
def test_opposites_never_stand_side_by_side(memory: Memory, one: str, other: str) -> None:
    for text in (one, other, one, other, other):
        memory.say(text)
        assert len(memory.current("likes", "dislikes")) == 1
    assert len(memory.current("dislikes")) == 1


def test_of_opposites_in_one_message_the_last_stands(memory: Memory) -> None:
    likes = Draft(Kind.USER_PROFILE, "The user likes coffee.", slot="likes", value="coffee")
    hates = Draft(Kind.USER_PROFILE, "The user does not like coffee.", slot="dislikes", value="coffee")
    memory.take([likes, hates])
    assert [memory.current("likes"), memory.current("dislikes")] == [[], ["coffee"]]


def test_the_same_in_two_ways_in_one_message_is_one_unit(memory: Memory) -> None:
    first = Draft(Kind.USER_PROFILE, "The user likes coffee.", slot="likes", value="coffee")
    memory.take([first, replace(first, content="The user really likes coffee.")])
    assert memory.current("likes") == ["coffee"]


def test_confirming_five_times_changes_neither_standing_nor_life(memory: Memory) -> None:
    memory.say("My phone number is 0151 2345678.")
    before = memory.units()
    for text in ("That's right, that number.", "对，就是那个号码。") * 5:
        memory.say(text)
    assert memory.units() == before


@pytest.mark.parametrize(
    ("hers", "mine"),
    [
        ("My sister's phone number is 0151 2345678.", "My phone number is 0171 7654321."),
        ("我姐姐的电话是13800138000。", "我的电话是13900139000。"),
    ],
)
def test_my_sisters_number_is_hers(memory: Memory, hers: str, mine: str) -> None:
    memory.say(hers)
    assert memory.current("phone") == []
    memory.say(mine)
    assert len(memory.current("phone")) == 1
    assert len(memory.current("phone", subject=None)) == 2
    assert len(memory.units(past=True)) == 2


# --- authority ---


def city(value: str, source: Source = Source.USER) -> Draft:
    return Draft(Kind.USER_PROFILE, f"The user lives in {value}.", source=source, slot="city", value=value)


@pytest.mark.parametrize(
    ("first", "second", "stands"),
    [
        (Source.USER, Source.ASSISTANT, "Berlin"),
        (Source.USER, Source.TOOL, "Berlin"),
        (Source.TOOL, Source.ASSISTANT, "Berlin"),
        (Source.ASSISTANT, Source.USER, "Hamburg"),
        (Source.TOOL, Source.USER, "Hamburg"),
        (Source.TOOL, Source.TOOL, "Hamburg"),
        (Source.IMPORT, Source.USER, "Hamburg"),
        (Source.USER, Source.IMPORT, "Hamburg"),
    ],
)
def test_authority_goes_before_age(memory: Memory, first: Source, second: Source, stands: str) -> None:
    memory.take([city("Berlin", first)])
    memory.take([city("Hamburg", second)])
    assert memory.current("city") == [stands]
    assert len(memory.units(past=True)) == 2


def test_what_is_outranked_is_kept_once(memory: Memory) -> None:
    memory.take([city("Berlin")])
    for _ in range(5):
        memory.take([city("Hamburg", Source.ASSISTANT)])
    assert memory.current("city") == ["Berlin"]
    assert len(memory.units()) == 2


def test_a_guess_that_the_person_confirms_becomes_the_persons_word(memory: Memory) -> None:
    memory.take([city("Berlin", Source.ASSISTANT)])
    memory.take([city("Berlin")])
    memory.take([city("Hamburg", Source.TOOL)])
    assert memory.current("city") == ["Berlin"]


# --- sessions and lives ---


def test_what_concerns_a_talk_ends_nothing_outside_it(memory: Memory) -> None:
    memory.take([city("Berlin")])
    memory.take([replace(city("Rome"), session_only=True)])
    assert memory.current("city", session=OTHER) == ["Berlin"]
    assert memory.current("city") == ["Berlin", "Rome"]
    memory.take([replace(city("Oslo"), session_only=True)])
    assert memory.current("city") == ["Berlin", "Oslo"]


def test_a_session_bound_draft_needs_a_session() -> None:
    draft = Draft(Kind.SESSION_STATE, "The cart holds a lamp.")
    with pytest.raises(ValueError, match="belongs to a session"):
        plan_changes([draft], None, NOON, Known({}, []), MANY, Lifespans())
    bound, free = plan_changes(
        [draft, Draft(Kind.FACT_REFERENCE, "A lamp shines.")], MAIN, NOON, Known({}, []), MANY, Lifespans()
    )
    assert isinstance(bound, Insert)
    assert isinstance(free, Insert)
    assert (bound.session, free.session) == (MAIN, None)


@pytest.mark.parametrize("kind", list(Kind))
def test_kinds_live_as_long_as_the_settings_say(kind: Kind) -> None:
    lives = Lifespans(session_state=timedelta(hours=2), tool_result=timedelta(hours=3))
    (change,) = plan_changes([Draft(kind, "x")], MAIN, NOON, Known({}, []), MANY, lives)
    assert isinstance(change, Insert)
    hours = {Kind.SESSION_STATE: 2, Kind.TOOL_RESULT: 3}.get(kind)
    assert change.valid_until == (None if hours is None else NOON + timedelta(hours=hours))


def test_a_life_that_is_given_goes_before_that_of_the_kind() -> None:
    end = NOON + timedelta(days=3)
    draft = Draft(Kind.SESSION_STATE, "x", valid_until=end)
    (change,) = plan_changes([draft], MAIN, NOON, Known({}, []), MANY, Lifespans())
    assert isinstance(change, Insert)
    assert change.valid_until == end


def test_repeating_does_not_lengthen_a_life() -> None:
    memory = Memory()
    draft = Draft(Kind.SESSION_STATE, "The cart holds a lamp.")
    memory.take([draft])
    end = memory.units()[0].valid_until
    for _ in range(100):
        memory.take([draft])
    (unit,) = memory.units()
    assert unit.valid_until == end
    memory.at = NOON + timedelta(hours=24, minutes=1)
    assert memory.units() == []
    memory.take([draft])
    assert len(memory.units()) == 1
    assert len(memory.units(past=True)) == 2


# --- against a model: a dictionary of what stands ---

VALUES = st.sampled_from(["Berlin", "Hamburg", "上海", "猫"])
SUBJECTS = st.sampled_from([SELF, "sister"])
SOURCES = st.sampled_from(list(Source))
RANK = {Source.ASSISTANT: 0, Source.TOOL: 1, Source.USER: 2, Source.IMPORT: 2}


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    slot = draw(st.sampled_from(["city", "likes", "dislikes"]))
    value, subject, source = draw(VALUES), draw(SUBJECTS), draw(SOURCES)
    retracts = slot != "city" and draw(st.booleans())
    content = f"{subject} {'no longer ' if retracts else ''}{slot} {value}"
    return Draft(Kind.USER_PROFILE, content, source=source, subject=subject, slot=slot, value=value, retracts=retracts)


Held = dict[tuple[str, str, str], int]
"""Slot, subject and value to the authority it is held with."""


def model(held: Held, draft: Draft) -> Held:
    """What should stand after one draft."""
    assert draft.slot is not None
    assert draft.value is not None
    place = (draft.slot, draft.subject, draft.value)
    opposite = {"likes": "dislikes", "dislikes": "likes"}.get(draft.slot, "")
    if draft.retracts:
        rivals = [place] if place in held else []
    elif draft.slot == "city":
        rivals = [key for key in held if key[:2] == place[:2] and key != place]
    else:
        rivals = [key for key in held if key == (opposite, draft.subject, draft.value)]
    rank = RANK[draft.source]
    beaten = [rival for rival in rivals if held[rival] <= rank]
    left = {key: value for key, value in held.items() if key not in beaten}
    if draft.retracts or (rivals and not beaten):
        return left
    return {**left, place: max(rank, left.get(place, 0))}


@given(st.lists(drafts(), max_size=12))
def test_what_stands_is_what_a_plain_model_says(told: list[Draft]) -> None:
    memory, held = Memory(), Held()
    for draft in told:
        memory.take([draft])
        held = model(held, draft)
        found = memory.store.slot_units(Scope(ANN, MAIN, memory.at), ["city", "likes", "dislikes"], None)
        stands = {(unit.slot, unit.subject, unit.value): RANK[unit.source] for unit in found}
        assert stands == held
        assert len(found) == len(stands)
    assert len(memory.units(past=True)) <= len(told)


@given(drafts(), st.integers(2, 4))
def test_one_draft_again_and_again_is_one_unit(draft: Draft, times: int) -> None:
    memory = Memory()
    for _ in range(times):
        memory.take([draft])
    assert len(memory.units(past=True)) == 1


def test_a_known_key_is_confirmed() -> None:
    draft = Draft(Kind.FACT_REFERENCE, "The moon is far.")
    memory = Memory()
    memory.take([draft])
    known = Known({key_of(draft): memory.units()[0].id}, [])
    assert plan_changes([draft], MAIN, NOON, known, MANY, Lifespans()) == (Confirm(memory.units()[0].id),)


def test_of_several_orders_the_newest_answers(memory: Memory) -> None:
    for text in (
        "My order number is A-20391.",
        "我的订单号是B-7788。",
        "My sister's order number is C-55012.",
        "I like tea.",
    ):
        memory.say(text)
    memory.say("I like plums.")
    scope = Scope(ANN, MAIN, memory.at)
    units = memory.store.slot_units(scope, ["order_id", "likes"], None)
    answers = newest_answers(units, frozenset({"order_id"}))
    assert [unit.value for unit in answers] == ["plums", "tea", "C-55012", "B-7788"]


# --- corrections of one of several -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("replaces", "left"),
    [
        ("A-201", ["A-202", "A-203"]),
        ("A-202", ["A-201", "A-203"]),
        (None, ["A-201", "A-203"]),
        ("A-209", ["A-201", "A-202", "A-203"]),
    ],
)
def test_a_correction_ends_the_one_of_several_that_it_corrects(replaces: str | None, left: list[str]) -> None:
    memory = Memory()
    memory.say("My order number is A-201.")
    memory.say("My order number is A-202.")
    (draft,) = RULES.find_facts("My order number is A-203.")
    memory.take([replace(draft, corrects=True, replaces=replaces)])
    assert memory.current("order_id") == left


@pytest.mark.parametrize(
    ("told", "corrected", "left"),
    [
        ("My order number is A-201.", "My order number isn't A-201, it's A-202.", ["A-202"]),
        ("我的订单号是A-201。", "我的订单号不是A-201，是A-202。", ["A-202"]),
        ("My order number is A-201.", "I have a new order number, it's A-202.", ["A-201", "A-202"]),
    ],
)
def test_what_is_said_not_to_be_it_is_ended(told: str, corrected: str, left: list[str]) -> None:
    memory = Memory()
    memory.say(told)
    memory.say(corrected)
    assert memory.current("order_id") == left


# --- why units end ---


def endings(memory: Memory) -> list[tuple[str, str]]:
    """What ended, oldest first, and why."""
    return [(unit.content, unit.ended_why.value) for unit in memory.units(past=True) if unit.ended_why is not None]


@pytest.mark.parametrize(
    ("messages", "ended"),
    [
        (["I live in Berlin.", "I live in Hamburg now."], [("The user lives in Berlin.", "newer")]),
        (["我住在柏林。", "我现在住在汉堡。"], [("用户住在柏林。", "newer")]),
        (["I like coffee.", "I hate coffee."], [("The user likes coffee.", "opposite")]),
        (["我喜欢咖啡。", "我讨厌咖啡。"], [("用户喜欢咖啡。", "opposite")]),
        (["I like coffee.", "I don't like coffee any more."], [("The user likes coffee.", "taken back")]),
        (["我喜欢咖啡。", "我不再喜欢咖啡了。"], [("用户喜欢咖啡。", "taken back")]),
    ],
)
def test_what_ends_says_why(memory: Memory, messages: Sequence[str], ended: list[tuple[str, str]]) -> None:
    for message in messages:
        memory.say(message)
    assert endings(memory) == ended


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (Draft(Kind.USER_PROFILE, "a", source=Source.TOOL, slot="home", value="berlin"),
         Draft(Kind.USER_PROFILE, "b", slot="home", value="hamburg"), "outranked"),
        (Draft(Kind.USER_PROFILE, "a", source=Source.ASSISTANT, slot="home", value="berlin"),
         Draft(Kind.USER_PROFILE, "b", slot="home", value="berlin"), "confirmed by the person"),
        (Draft(Kind.USER_PROFILE, "a", slot="home", value="berlin"),
         Draft(Kind.USER_PROFILE, "b", slot="home", value="hamburg", corrects=True), "corrected"),
        (Draft(Kind.USER_PROFILE, "a", source=Source.TOOL, slot="home", value="berlin"),
         Draft(Kind.USER_PROFILE, "b", source=Source.TOOL, slot="home", value="hamburg"), "newer"),
    ],
)  # fmt: skip
def test_authority_and_corrections_say_why(memory: Memory, first: Draft, second: Draft, why: str) -> None:
    memory.take([first])
    memory.take([second])
    assert endings(memory) == [("a", why)]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("My birthday is 4 March.", "My birthday is March 4th."),
        ("My birthday is 4 March.", "我的生日是3月4日。"),
        ("我的生日是三月四号。", "我的生日是3月4日。"),
        ("我的电话是一三八零零一三八零零零。", "My phone number is 138-0013-8000."),
        ("My phone number is １３８００１３８０００.", "我的电话是13800138000。"),
        ("My rent is 900 euros.", "My rent is €900."),
        ("My rent is 900 euros.", "房租是九百欧。"),
        ("I take my pills at 3 pm.", "I take my pills at 15:00."),
        ("I take my pills every day at 3 pm.", "我每天下午三点吃药。"),
    ],
)
def test_one_value_in_other_digits_and_words_is_one_unit(memory: Memory, first: str, again: str) -> None:
    memory.say(first)
    memory.say(again)
    units = memory.units(past=True)
    assert len(units) == 1
    assert units[0].access_count == 1
