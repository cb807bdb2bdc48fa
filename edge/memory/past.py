"""Questions for how things were: "where did I live in March?", "my old phone number", 我以前的电话.

Such a question is read as a time, or only "before", and the same question put for now, which the rules understand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from edge.memory.periods import Named, Period, Time, period_of
from edge.memory.time_words import (
    COUNT,
    COUNT_ZH,
    MONTH,
    SEASON,
    SEASON_ZH,
    UNIT,
    UNIT_ZH,
    VAGUE,
    WEEK_ZH,
    WEEKDAYS,
    WEEKDAYS_ZH,
    YEAR,
)
from edge.memory.times import times_in
from edge.memory.units import Ending, Unit

_LONGEST = 160
_DAYS, _DAYS_ZH = "|".join(WEEKDAYS), "".join(WEEKDAYS_ZH)
_YEAR = rf"(?:,? ?(?:of )?(?:{YEAR}|last year|this year))?"
_AT = r"(?:back )?(?:in|on|during|since|until|by|before|after|around|over)(?: the)?(?: early| late| mid)?"
_EN_TIME = (
    rf"(?:{_AT} )?(?:(?:last|this|early|late|mid) )?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}(?!\w){_YEAR}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b{_YEAR}"
    rf"|(?:(?<=in )|(?<=last )|(?<=of )|(?<=during )|(?<=since )|(?<=until )|(?<=before )|(?<=after )|(?<=early )"
    rf"|(?<=late )){MONTH}(?!\w){_YEAR}|(?<=in ){YEAR}|(?<=during ){YEAR}"
    rf"|{YEAR}-\d\d?-\d\d?"
    rf"|(?:{COUNT}|{VAGUE}) (?:{UNIT})s? ago|half a year ago"
    rf"|(?<=last )(?:week|month|year|night|{SEASON}|{_DAYS})"
    rf"|(?:(?<=in )|(?<=during )|(?<=the ))(?:{SEASON}){_YEAR}"
    rf"|(?:the day before )?yesterday|(?:at |before |after |over )?(?:christmas|easter|new year)(?: {YEAR})?)"
)
_ZH_NUMBER = rf"(?:{COUNT_ZH}|几)"
_ZH_TIME = (
    r"(?:在)?(?:"
    rf"(?:(?:{YEAR}年|去年|前年|今年)的?)?{_ZH_NUMBER}月份?(?:{_ZH_NUMBER}[日号])?(?:(?:之|以)[前后])?"
    rf"|{YEAR}年|(?:去年|前年)的?(?:{SEASON_ZH}[天季])?|上个?月|上个?(?:{WEEK_ZH})[{_DAYS_ZH}]?"
    rf"|昨天|前天|{_ZH_NUMBER}个?(?:{UNIT_ZH})(?:之|以)?前|半年(?:之|以)?前|(?:春节|国庆|中秋|圣诞节?|五一|元旦)"
    r")(?:的?时候|的?那时候?|期间|那会儿?|里|初|底|中旬)?"
)
_TIME = re.compile(rf"(?<![\w']){_EN_TIME}(?![\w])|{_ZH_TIME}", re.IGNORECASE)

_OLD = re.compile(
    r"(?P<keep>\b(?:my|our|his|her|their|[a-z]+'s) )(?:(?:very )?old|previous|former|prior|earlier)(?= [a-z])"
    r"|以前的|之前的|原来的|原先的|从前的|过去的|先前的|旧的?(?=[\u3400-\u9fff])|老的?(?=电话|手机|号码|地址|邮箱|住址|单位|公司|工作|车牌)"
    r"|(?:上|前)(?:一[个份家]|个)(?!月|周|星期|礼拜|季|世纪|人|学期)(?:的)?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r",? ?\b(?:before(?: (?:that|this|now|then))?(?=[ ?.!,]*$)|previously|formerly|in the past|back then"
    r"|at (?:that|the) time|originally)\b"
    r"|以前|之前|原来|原先|从前|过去|曾经|当时|那时候?|先前|当初",
    re.IGNORECASE,
)
_USED_TO = re.compile(r"\b(?:did )?(?P<who>i|we|my [a-z]+|he|she) used? to\b", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:tell|told|say|said|mention(?:ed)?|gave|give|remember(?:ed)?|call(?:ed)? me|recommend\w*|talk\w*|ask\w*)\b"
    r"|告诉|说过?|讲过?|提过?|记得|聊|推荐|问过?",
    re.IGNORECASE,
)
_NOW = (
    (re.compile(r"\bdid (i|you|we|they)\b", re.IGNORECASE), r"do \1"),
    (re.compile(r"\bdid (?=\w)", re.IGNORECASE), "does "),
    (re.compile(r"\bwas i (?:living|staying)\b", re.IGNORECASE), "do i live"),
    (re.compile(r"\bwas i working\b", re.IGNORECASE), "do i work"),
    (re.compile(r"\bwas\b", re.IGNORECASE), "is"),
    (re.compile(r"\bwere\b", re.IGNORECASE), "are"),
    (re.compile(r"\blived\b", re.IGNORECASE), "live"),
    (re.compile(r"\bworked\b", re.IGNORECASE), "work"),
    (re.compile(r"\bliked\b", re.IGNORECASE), "like"),
    (re.compile(r"\bhad\b", re.IGNORECASE), "have"),
    (re.compile(r"(?<=[住用叫喝吃做])过"), ""),
)
_PAST_TENSE = re.compile(r"\b(?:did|was|were|had|lived|worked|liked|used to|been)\b", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_NO_CHANGE = (Ending.CORRECTED, Ending.SETTLED, Ending.OUTRANKED, Ending.CONFIRMED, Ending.SAME)
"""What ended for one of these did not change: it never was so, or still is."""
HAVE_TIMES = frozenset(
    {"plan", "trip", "appointment", "routine", "flight", "train", "birthday", "order_id", "ticket_id", "booking_code"}
    | {"tracking_number", "invoice_number", "cart", "step", "offer", "later", "instruction"}
)
"""Slots whose values belong to a time themselves: "my appointment in March" is no question for what was so in March."""


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """What is asked of the past. `now` is the question put for now, `when` the words for the time as they were said;
    `period` is None where only what came before is asked for."""

    now: str
    period: Period | None
    when: str


@dataclass(frozen=True, slots=True)
class Version:
    """What a unit says, and from when to when it was so, as far as memory knows; `until` None: it still is."""

    unit: Unit
    since: datetime
    until: datetime | None


def past_question(text: str, today: date) -> PastQuestion | None:
    """The question for the past that a message is; None for one that asks for now, or for anything else."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    timed = _timed(text, today)
    if timed is not None:
        return timed
    return _before(text)


def _timed(text: str, today: date) -> PastQuestion | None:
    times = times_in(text, today)
    period = _days(times[0], today) if len(times) == 1 else None
    found = _TIME.search(text)
    if period is None or found is None or period.first >= today:
        return None
    if period.last >= today and not (isinstance(times[0], Named) and times[0].month):
        return None  # "this year" and "since May" ask for now as well
    if text.isascii() and not _PAST_TENSE.search(text):
        return None
    rest = text[: found.start()] + " " + text[found.end() :]
    if times_in(rest, today):
        return None
    return PastQuestion(_for_now(rest), period, found[0].strip().removesuffix("的"))


def _days(time: Time, today: date) -> Period | None:
    return period_of(time, today) if isinstance(time, Named) else time


def _before(text: str) -> PastQuestion | None:
    old = _OLD.search(text)
    if old is not None:
        return PastQuestion(_for_now(_OLD.sub(lambda found: found["keep"] or "", text, count=1)), None, "")
    if _TOLD.search(text):
        return None  # "what did I tell you before" asks for what holds, told then
    used = _USED_TO.search(text)
    if used is not None:
        subject = used["who"]
        verb = "do" if subject.lower() in ("i", "we") else "does"
        asks = "did" in used[0].lower()
        return PastQuestion(_for_now(_USED_TO.sub(f"{verb} {subject}" if asks else subject, text)), None, "")
    found = _BEFORE.search(text)
    if found is None or (text.isascii() and not _PAST_TENSE.search(text)):
        return None
    return PastQuestion(_for_now(text[: found.start()] + text[found.end() :]), None, "")


def _for_now(text: str) -> str:
    for pattern, present in _NOW:
        text = pattern.sub(present, text)
    text = _SPACES.sub(" ", text).strip(" ,，")
    return re.sub(r" (?=[?？.,，])|(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])|^[的，, ]+", "", text)


# --- what was so ---


def true_versions(units: Sequence[Unit]) -> list[Version]:
    """What was so and when, oldest first, of all that ever filled a slot (oldest first).

    A slip that was corrected was never so: what it was corrected to takes its time.
    """
    begins = {unit.id: unit.valid_from for unit in units}
    for unit in units:
        by = unit.superseded_by
        if unit.ended_why in _NO_CHANGE and by in begins and by is not None:
            begins[by] = min(begins[by], begins[unit.id])
    kept = [unit for unit in units if unit.ended_why not in _NO_CHANGE]
    return _joined([Version(unit, begins[unit.id], unit.valid_until) for unit in kept])


def _joined(versions: Sequence[Version]) -> list[Version]:
    """The same, where one value followed itself as one version."""
    joined: list[Version] = []
    for version in versions:
        last = next((each for each in reversed(joined) if each.unit.value == version.unit.value), None)
        if (
            last is not None
            and last.until is not None
            and version.unit.value is not None
            and version.since <= last.until
        ):
            joined[joined.index(last)] = replace(last, until=version.until)
        else:
            joined.append(version)
    return joined


def versions_in(versions: Sequence[Version], period: Period, zone: tzinfo | None) -> list[Version]:
    """Those that were so on a day of the period, in the person's time zone."""
    return [
        version
        for version in versions
        if version.since.astimezone(zone).date() <= period.last
        if version.until is None
        or version.until.astimezone(zone).date() > period.first
        or version.since.astimezone(zone).date() >= period.first
    ]


def versions_before(versions: Sequence[Version], now: datetime) -> list[Version]:
    """Those that are not so any more, the last one first."""
    ended = [version for version in versions if version.until is not None and version.until <= now]
    return sorted(ended, key=lambda version: (version.until or now, version.unit.id), reverse=True)
