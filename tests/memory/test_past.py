"""Questions for how things were: what they ask, and what was so."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.past import past_question, true_versions, versions_before, versions_in
from edge.memory.periods import Period
from edge.memory.units import SELF, Ending, Kind, OwnerId, Source, Unit, UnitId
from tests.memory.test_rules import RULES

TODAY = date(2025, 6, 1)
NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "slot", "first", "last", "when"),
    [
        ("where did I live in March?", "home", "2025-03-01", "2025-03-31", "in March"),
        ("三月的时候我住哪？", "home", "2025-03-01", "2025-03-31", "三月的时候"),
        ("我3月住在哪儿？", "home", "2025-03-01", "2025-03-31", "3月"),
        ("Where did I live on 5 March 2025?", "home", "2025-03-05", "2025-03-05", "on 5 March 2025"),
        ("where was I living in May 2024?", "home", "2024-05-01", "2024-05-31", "in May 2024"),
        ("what was my phone number last year?", "phone", "2024-01-01", "2024-12-31", "last year"),
        ("去年我的电话是多少？", "phone", "2024-01-01", "2024-12-31", "去年"),
        ("上个月我住在哪？", "home", "2025-05-01", "2025-05-31", "上个月"),
        ("我去年的工资是多少", "salary", "2024-01-01", "2024-12-31", "去年"),
        ("Where did I work in 2024?", "workplace", "2024-01-01", "2024-12-31", "in 2024"),
        ("2024年我在哪里上班？", "workplace", "2024-01-01", "2024-12-31", "2024年"),
        ("What did I like in March?", "likes", "2025-03-01", "2025-03-31", "in March"),
        ("where did my sister live in March?", "home", "2025-03-01", "2025-03-31", "in March"),
        ("两个月前我住哪里？", "home", "2025-03-26", "2025-04-09", "两个月前"),
        ("where did I live twelve months ago?", "home", "2024-05-30", "2024-06-13", "twelve months ago"),
        ("十二个月前我住哪里？", "home", "2024-05-30", "2024-06-13", "十二个月前"),
    ],
)
def test_a_time_that_is_over(question: str, slot: str, first: str, last: str, when: str) -> None:
    asked = past_question(question, TODAY)
    assert asked is not None
    assert asked.period == Period(date.fromisoformat(first), date.fromisoformat(last))
    assert asked.when == when
    found = RULES.find_question(asked.now)
    assert found is not None
    assert slot in found.slots[:2]
    assert found.certain


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("what was my old phone number?", "phone"),
        ("我以前的电话是多少？", "phone"),
        ("我以前的电话是多少", "phone"),
        ("我的旧电话号码是多少？", "phone"),
        ("我上一个电话号码是什么", "phone"),
        ("Where did I live before?", "home"),
        ("Where did I use to live?", "home"),
        ("我原来住哪", "home"),
        ("我以前住在哪里？", "home"),
        ("What was my previous address?", "address"),
        ("我的老地址是什么", "address"),
        ("what's my former workplace?", "workplace"),
        ("我之前在哪工作？", "workplace"),
        ("what was my name before?", "name"),
        ("我妈以前的电话是多少？", "phone"),
    ],
)
def test_what_came_before(question: str, slot: str) -> None:
    asked = past_question(question, TODAY)
    assert asked is not None
    assert (asked.period, asked.when) == (None, "")
    found = RULES.find_question(asked.now)
    assert found is not None
    assert slot in found.slots[:2]


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?", "我住哪",
        "What's my phone number?", "what was my phone number?", "我的电话是多少？",
        "How old am I?",
        "What did I tell you before?", "我之前告诉你的电话是多少？", "what number did I give you earlier?",
        "Where do I live this year?", "我下个月住哪", "When is my appointment in March?", "我今年多大", "", "Hello!",
        "In March I lived in Berlin and in June I will move, " * 5,
    ],
)  # fmt: skip
def test_a_question_for_now_stays_one(question: str) -> None:
    assert past_question(question, TODAY) is None


def unit(
    number: int, value: str, since: float, until: float | None = None, why: Ending | None = None, by: int | None = None
) -> Unit:
    return Unit(
        UnitId(number), OwnerId("ann"), None, Kind.USER_PROFILE, f"The user lives in {value}.", SELF, "home", value, (),
        Source.USER, None, 1.0, 0.5, None, NOON, at(since), None if until is None else at(until),
        superseded_by=None if by is None else UnitId(by), ended_why=why,
    )  # fmt: skip


def at(day: float) -> datetime:
    return NOON + timedelta(days=day)


def told(units: list[Unit]) -> list[tuple[str | None, datetime, datetime | None]]:
    return [(version.unit.value, version.since, version.until) for version in true_versions(units)]


def test_a_move_leaves_two_versions() -> None:
    units = [unit(1, "berlin", 0, 10, Ending.NEWER, 2), unit(2, "hamburg", 10)]
    assert told(units) == [("berlin", at(0), at(10)), ("hamburg", at(10), None)]


@pytest.mark.parametrize("why", [Ending.CORRECTED, Ending.OUTRANKED, Ending.CONFIRMED])
def test_a_slip_was_never_so(why: Ending) -> None:
    units = [unit(1, "berlin", 0, 1, why, 2), unit(2, "hamburg", 1)]
    assert told(units) == [("hamburg", at(0), None)]


def test_what_was_settled_was_so_all_the_time() -> None:
    units = [
        unit(1, "berlin", 0, 5, Ending.NEWER, 2),
        unit(2, "hamburg", 5, 6, Ending.SETTLED, 3),
        unit(3, "berlin", 6),
    ]
    assert told(units) == [("berlin", at(0), None)]


def test_there_and_back_are_three() -> None:
    units = [
        unit(1, "berlin", 0, 5, Ending.NEWER, 2),
        unit(2, "hamburg", 5, 9, Ending.NEWER, 3),
        unit(3, "berlin", 9),
    ]
    assert [value for value, _, _ in told(units)] == ["berlin", "hamburg", "berlin"]


def test_those_in_a_period_and_those_before() -> None:
    units = [
        unit(1, "berlin", 0, 10, Ending.NEWER, 2),
        unit(2, "hamburg", 10, 40, Ending.NEWER, 3),
        unit(3, "munich", 40),
    ]
    versions = true_versions(units)

    def within(first: int, last: int) -> list[str | None]:
        period = Period(at(first).date(), at(last).date())
        return [version.unit.value for version in versions_in(versions, period, UTC)]

    assert within(-9, -1) == []
    assert within(0, 9) == ["berlin"]
    assert within(0, 10) == ["berlin", "hamburg"]
    assert within(11, 30) == ["hamburg"]
    assert within(50, 60) == ["munich"]
    assert [version.unit.value for version in versions_before(versions, at(60))] == ["hamburg", "berlin"]
    assert versions_before(true_versions([unit(1, "berlin", 0)]), at(60)) == []


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from([Ending.NEWER, Ending.CORRECTED])), min_size=1, max_size=8
    )
)
def test_versions_never_overlap_and_have_no_gap(history: list[tuple[str, Ending]]) -> None:
    last = len(history) - 1
    units = [
        unit(n + 1, value, n, None if n == last else n + 1, None if n == last else why, None if n == last else n + 2)
        for n, (value, why) in enumerate(history)
    ]
    versions = true_versions(units)
    assert versions[0].since == at(0)
    assert versions[-1].until is None
    assert all(one.until == other.since for one, other in pairwise(versions))


@given(st.text(max_size=40), st.dates(date(1990, 1, 1), date(2100, 1, 1)))
def test_any_text_is_read(text: str, today: date) -> None:
    asked = past_question(text, today)
    assert asked is None or asked.period is None or asked.period.first <= today
