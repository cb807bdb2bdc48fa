"""What serves is counted and gains standing; what is merely found does not; what misled loses it."""

from __future__ import annotations

import pytest

from edge.engine.ports import Scope, Written
from edge.engine.serving import Given
from edge.memory.archive import Why
from edge.memory.units import Draft, Kind, Unit, UnitId
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk

TEA = "The user's favourite tea is Lapsang."


@pytest.fixture
def desk() -> Desk:
    return Desk()


def keep(desk: Desk, content: str = TEA, value: str | None = "Lapsang", kind: Kind = Kind.FACT_REFERENCE) -> UnitId:
    desk.remember.drafts(ANN, MAIN, [Draft(kind, content, value=value)], desk.clock.now())
    return desk.units()[-1].id


def now(desk: Desk, session: object = MAIN) -> Scope:
    return Scope(ANN, session, desk.clock.now(), present=True)  # type: ignore[arg-type]


def reply(desk: Desk, text: str, *ids: UnitId, message: str = "And tea?") -> None:
    recalled = [desk.store.unit(ANN, unit) for unit in ids]
    desk.serving.replied(now(desk), message, text, Given((), recalled))


def say(desk: Desk, message: str) -> Written:
    desk.clock.pass_by(minutes=1)
    written = desk.remember.begin_turn(ANN, MAIN, message, desk.clock.now())
    desk.serving.heard(ANN, MAIN, message, written)
    return written


def unit(desk: Desk, number: UnitId) -> Unit:
    return desk.store.unit(ANN, number)


@pytest.mark.parametrize("kind", [Kind.SESSION_STATE, Kind.TOOL_RESULT, Kind.FACT_REFERENCE])
def test_recalled_a_hundred_times_it_is_what_it_was(desk: Desk, kind: Kind) -> None:
    before = unit(desk, keep(desk, kind=kind))
    desk.embed()
    for _ in range(100):
        assert desk.recall.find(now(desk), "What is the user's favourite tea?").recalled
        reply(desk, "I would rather not say.", before.id)
    assert unit(desk, before.id) == before


def test_what_served_is_counted_and_its_life_stays(desk: Desk) -> None:
    tea = keep(desk, kind=Kind.SESSION_STATE)
    until = unit(desk, tea).valid_until
    desk.clock.pass_by(minutes=5)
    reply(desk, "Lapsang, of course.", tea)
    served = unit(desk, tea)
    assert (served.access_count, served.last_accessed, served.relevance) == (1, desk.clock.now(), 1.1)
    assert served.valid_until == until


def test_what_stood_in_the_window_serves_too(desk: Desk) -> None:
    tea, other = keep(desk), keep(desk, "The shed is red.", None)
    desk.serving.replied(now(desk), "And tea?", "Lapsang!", Given((tea, other), ()))
    assert (unit(desk, tea).access_count, unit(desk, other).access_count) == (1, 0)


def test_what_a_rule_answered_from_served_whatever_its_words(desk: Desk) -> None:
    tea = keep(desk)
    desk.serving.replied(now(desk), "茶呢？", "正山小种。", Given((), [unit(desk, tea)], (tea,)))
    assert unit(desk, tea).relevance == 1.1


@pytest.mark.parametrize("message", ["No, that's wrong.", "that's old", "不对", "你记错了"])
def test_what_misled_loses_standing(desk: Desk, message: str) -> None:
    tea, bystander = keep(desk), keep(desk, "The shed is red.", None)
    reply(desk, "Lapsang, of course.", tea, bystander)
    say(desk, message)
    assert (unit(desk, tea).relevance, unit(desk, bystander).relevance) == (0.8, 1.0)
    say(desk, message)
    assert unit(desk, tea).relevance == 0.8


@pytest.mark.parametrize("message", ["Don't use that any more.", "别再用这个了"])
def test_what_is_not_to_be_used_loses_standing(desk: Desk, message: str) -> None:
    tea = keep(desk)
    reply(desk, "Lapsang, of course.", tea)
    say(desk, message)
    assert unit(desk, tea).relevance == 0.8


@pytest.mark.parametrize("message", ["That's right, that number.", "对，就是这个号码。"])
def test_confirmed_five_times_it_keeps_its_standing(desk: Desk, message: str) -> None:
    written = say(desk, "My phone number is 13800138000.")
    phone = next(each for each in written.added if unit(desk, each).slot == "phone")
    before = unit(desk, phone)
    for _ in range(5):
        reply(desk, "Your number is 13800138000.", phone, message="What is my number?")
        say(desk, message)
    held = unit(desk, phone)
    assert held.relevance == 2.0
    assert (held.valid_until, held.superseded_by, held.content) == (before.valid_until, None, before.content)
    assert [each.value for each in desk.store.slot_units(now(desk), ["phone"], None)] == ["13800138000"]


def test_a_correction_replaces_and_lowers_what_repeats_the_old(desk: Desk) -> None:
    written = say(desk, "My phone number is 13800138000.")
    words = next(each for each in written.added if unit(desk, each).kind is Kind.EPISODE)
    phone = next(each for each in written.added if unit(desk, each).slot == "phone")
    reply(desk, "Your number is 13800138000.", phone, words, message="What is my number?")
    say(desk, "My phone number is 13900139000.")
    assert unit(desk, phone).superseded_by is not None
    assert unit(desk, words).relevance == 0.8


def test_another_session_judges_nothing(desk: Desk) -> None:
    tea = keep(desk)
    reply(desk, "Lapsang, of course.", tea)
    desk.serving.heard(ANN, OTHER, "No, that's wrong.", Written())
    desk.serving.heard(BOB, MAIN, "No, that's wrong.", Written())
    assert unit(desk, tea).relevance == 1.1


def test_what_is_forgotten_in_between_is_passed_over(desk: Desk) -> None:
    tea = keep(desk)
    reply(desk, "Lapsang, of course.", tea)
    desk.forget(ANN, [tea])
    say(desk, "不对")
    assert tea not in {each.id for each in desk.units()}


def test_what_serves_from_the_archive_is_active_again(desk: Desk) -> None:
    tea, shed = keep(desk), keep(desk, "The shed is red.", None)
    desk.archive.put_away(ANN, [tea, shed], Why.DECAYED, desk.clock.now())
    reply(desk, "Lapsang, of course.", tea, shed)
    assert unit(desk, tea).archived_at is None
    assert unit(desk, shed).archived_at is not None
    assert tea in desk.store.units(now(desk), [tea])


def test_only_so_many_sessions_are_kept_in_mind(desk: Desk) -> None:
    tea = keep(desk)
    reply(desk, "Lapsang, of course.", tea)
    for number in range(300):
        scope = Scope(BOB, type(MAIN)(f"s{number}"), desk.clock.now(), present=True)
        desk.serving.replied(scope, "hello", "hi", Given((), ()))
    say(desk, "不对")
    assert unit(desk, tea).relevance == 1.1
