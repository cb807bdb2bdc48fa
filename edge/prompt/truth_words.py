"""What the runtime itself says about how things were, and where two statements contradict each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from edge.prompt.manner import Doubt
from edge.prompt.texts import LANGUAGES, spoken_date, spoken_day, to_the_person

_PAST_TENSE = {
    "is": "was", "are": "were", "has": "had", "have": "had", "does": "did", "do": "did", "goes": "went", "go": "went",
    "comes": "came", "come": "came", "pays": "paid", "pay": "paid", "speaks": "spoke", "speak": "spoke",
    "lives": "lived", "live": "lived", "likes": "liked", "like": "liked", "prefers": "preferred",
    "prefer": "preferred", "works": "worked", "work": "worked", "wants": "wanted", "want": "wanted",
    "orders": "ordered", "order": "ordered", "asks": "asked", "ask": "asked", "uses": "used", "use": "used",
}  # fmt: skip
_TO_BE = {"is": "was", "are": "were"}
_VERB_WITHIN = 12
"""Words of a sentence among which its verb is; what follows belongs to the value."""
_OWNED = re.compile(r"^(?:Your|The) |'s? ")
_WORD = re.compile(r"[A-Za-z]+")
_ZH_THEN = re.compile("的?(?:时候|那时候?|期间|那会儿?)$")
_DECAPITAL = re.compile(r"^(?:You|Your|The)(?= )")

_DOUBT = {
    "en": "You told me earlier that {older}. Is it {newer} now?",
    "zh": "你之前说{older}，现在是{newer}了吗？",
}
_DOUBT_BARE = {
    "en": "You told me something else earlier: {older}. Has that changed?",
    "zh": "你之前说{older}，现在变了吗？",
}
_BOTH = {
    "en": "You told me two different things: {older} ({said}), and {newer} ({again}). You have not said which holds.",
    "zh": "你说过两种：{older}（{said}），{newer}（{again}），还没说哪个对。",
}
_EARLIER = {"en": "Earlier", "zh": "以前"}
_NOT_KNOWN_THEN = {
    "en": "I don't know how it was {when}. What I know since {day}: {sentence}.",
    "zh": "{when}的情况我不知道。从{day}起我知道：{sentence}。",
}
_NONE_EARLIER = {
    "en": "I don't know of an earlier one. What I know: {sentence}.",
    "zh": "更早的我不知道。我知道的是：{sentence}。",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What was so: its distilled sentence in the language of the reply, and from when until when; `until` None: it
    still is."""

    sentence: str
    since: datetime
    until: datetime | None


def both_told(doubt: Doubt, language: str, today: date) -> str:
    """The reply to a question for a value that is in doubt: both statements, each with its day."""
    texts = LANGUAGES[language]
    older, newer = (_inside(to_the_person(each).rstrip(" .。"), language) for each in (doubt.older, doubt.newer))
    said, again = (spoken_day(day, texts, today) for day in (doubt.said, doubt.again))
    return _BOTH[language].format(older=older, newer=newer, said=said, again=again)


def doubt_question(older: str, newer: str | None, language: str) -> str:
    """The question which of two statements holds: the older sentence, and the newer value as it is shown."""
    said = _inside(to_the_person(older), language)
    if language == "zh":
        said = re.sub("^你的?", "", said)
    if newer is None:
        return _DOUBT_BARE[language].format(older=said)
    return _DOUBT[language].format(older=said, newer=newer)


def joined(reply: str, question: str, language: str) -> str:
    """A question as it follows on a reply: with a space before it where the language has spaces."""
    if not reply or reply[-1].isspace() or (language == "zh" and not reply[-1].isascii()):
        return question
    return " " + question


def past_reply(
    told: Sequence[Told], when: str, first: date | None, language: str, now: datetime, zone: tzinfo | None
) -> str:
    """What was so at a time (`when`, as the person said it, of which `first` is the first day), or before now where no
    time was named."""
    opening = when[:1].upper() + when[1:] if when else _EARLIER[language]
    sentences = []
    for number, each in enumerate(told):
        present = to_the_person(each.sentence)
        sentence = _in_the_past(present) if language == "en" else present
        dates = _dates(each, first, language, now, zone)
        if number == 0:
            link = "" if language == "zh" else ": " if sentence == present else " "
            sentence = opening + link + _inside(sentence, language)
        sentences.append(sentence.rstrip(".。") + dates + ("." if language == "en" else "。"))
    return (" " if language == "en" else "").join(sentences)


def not_known_then(known: Told, when: str, language: str, now: datetime, zone: tzinfo | None) -> str:
    """The reply where what memory knows begins after the time that was asked for; `known` is what it knows first."""
    day = spoken_date(known.since, LANGUAGES[language], now, zone)
    sentence = _inside(to_the_person(known.sentence), language)
    asked = _ZH_THEN.sub("", when) if language == "zh" else when[:1].lower() + when[1:]
    return _NOT_KNOWN_THEN[language].format(when=asked, day=day, sentence=sentence)


def none_earlier(current: str, language: str) -> str:
    """The reply to a question for an earlier value where only the present one is known."""
    return _NONE_EARLIER[language].format(sentence=_inside(to_the_person(current), language))


def _inside(sentence: str, language: str) -> str:
    """A sentence as it stands inside another: no capital where it begins with none of its own, no final stop."""
    sentence = sentence.rstrip(" .。")
    if language == "zh":
        return sentence
    return _DECAPITAL.sub(lambda found: found[0].lower(), sentence)


def _dates(told: Told, first: date | None, language: str, now: datetime, zone: tzinfo | None) -> str:
    """From when and until when it was so, in brackets: the beginning only where it lies in the time asked for."""
    texts = LANGUAGES[language]
    began = first is not None and told.since.astimezone(zone).date() > first
    since = spoken_date(told.since, texts, now, zone)
    if told.until is None or told.until > now:
        if language == "zh":
            return f"（{since}起，现在也是）" if began else "（现在也是）"
        return f" (from {since}, still so)" if began else " (still so)"
    until = spoken_date(told.until, texts, now, zone)
    if language == "zh":
        return f"（{since}到{until}）" if began else f"（到{until}）"
    return f" (from {since} until {until})" if began else f" (until {until})"


def _in_the_past(sentence: str) -> str:
    """A distilled sentence in the past tense: "You live in Berlin." is "You lived in Berlin."; as it is where its verb
    is not known."""
    verbs = _TO_BE if _OWNED.search(sentence) else _PAST_TENSE
    for found in list(_WORD.finditer(sentence))[1:_VERB_WITHIN]:
        if found[0] in verbs:
            return sentence[: found.start()] + verbs[found[0]] + sentence[found.end() :]
    return sentence
