"""Times as a question means them: dates as they are named, and periods of days; and how near to them something was
said.

What happened on a day is mostly told on it or in the week after, so nearness is not symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Named:
    """A date as it is named: "7 July 2023", "June", "2023年". What is not said is None; a day has a month."""

    year: int | None
    month: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """Days from the first to the last, both included."""

    first: date
    last: date


Time = Named | Period


def nearness(times: Sequence[Time], day: date) -> float:
    """How well something said on a day fits the times, from 0 to 1; 0 where there are none."""
    return max((_near(time, day) for time in times), default=0.0)


def back(day: date, days: int) -> date:
    """Some days before, as far back as there are dates."""
    return day - timedelta(days=min(days, day.toordinal() - 1))


def forth(day: date, days: int) -> date:
    """Some days after, as far as there are dates."""
    return day + timedelta(days=min(days, date.max.toordinal() - day.toordinal()))


def date_or_none(year: int, month: int, day: int) -> date | None:
    """None for a day that no calendar has."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def period_of(named: Named, today: date) -> Period | None:
    """The days of a named date; where it names no year, the latest that has begun. None for a day that never was."""
    if named.year is not None:
        return _in_year(named, named.year)
    past = (_in_year(named, year) for year in range(today.year, max(0, today.year - 5), -1))
    return next((period for period in past if period is not None and period.first <= today), None)


def _in_year(named: Named, year: int) -> Period | None:
    first = date_or_none(year, named.month or 1, named.day or 1)
    if first is None:
        return None
    if named.day is not None:
        return Period(first, first)
    return Period(first, _last_of_month(year, named.month or 12))


def _last_of_month(year: int, month: int) -> date:
    following = date_or_none(year + month // 12, month % 12 + 1, 1)
    return date.max if following is None else back(following, 1)


def _near(time: Time, day: date) -> float:
    if isinstance(time, Period):
        after = (day - time.last).days
        return 1.0 if day >= time.first and after <= 1 else 0.5 if day >= time.first and after <= 7 else 0.0
    if time.month is None:
        return 0.3 if day.year == time.year else 0.0
    if time.day is None:
        return _near_month(time.year, time.month, day)
    return _near_day(time.year, time.month, time.day, day)


def _near_month(year: int | None, month: int, day: date) -> float:
    months = ((day.year - year) * 12 if year else 0) + day.month - month
    months = months if year else months % 12
    return {0: 1.0, 1: 0.3}.get(months, 0.0)


def _near_day(year: int | None, month: int, number: int, day: date) -> float:
    """Told on the day or the next: 1; within a week: 0.7; within a month: 0.3."""
    named = [
        date_or_none(other, month, number) for other in ([year] if year else [day.year - 1, day.year, day.year + 1])
    ]
    after = min(((day - moment).days for moment in named if moment), key=abs, default=999)
    if 0 <= after <= 1:
        return 1.0
    return 0.7 if -1 <= after <= 8 else 0.3 if -2 <= after <= 31 else 0.0
