"""Which of two statements a message says to hold, some turns after the question: "It's Kiel, by the way."

Right behind the question a single word answers it. Later the same word may be of anything, so that the whole message
must be such an answer: it names one of the two values, and says of it that it holds or does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from edge.memory.contradictions import value_in
from edge.memory.courtesies import without_courtesies
from edge.memory.questions import may_ask
from edge.memory.units import Outcome

_LONGEST = 120
_ONE, _OTHER = "\ue001", "\ue002"
"""Stand for the value that a message is thought to settle on, and the other."""

_LEAD = (
    r"(?:(?:yes|yeah|no|nope|ok|okay|oh|ah|well|so|and|actually|by the way|btw|sorry|to answer your question|about that"
    r"|as for your question|i(?:'ve)? (?:just )?checked|as i said|still|of course)[\s,.:;!-]+)*"
)
_IS = (
    r"(?:it(?:'s| is|'s still| is still| should be| must be)|that(?:'s| is| would be)|the (?:right|correct|true) \w+ is"
    r"|the answer is|right is|correct is|i mean|i meant|(?:please )?(?:keep|take|use|go with)"
    r"|i (?:still )?(?:live|work|am) (?:in|at)"
    r"|they (?:live|work) (?:in|at)|(?:he|she) (?:lives|works) (?:in|at))"
)
_HOLDS = (
    r"(?:is|was)(?: the)?(?: right| correct| true| current| valid)(?: one| answer| now)?(?: now)?"
    r"|is (?:what|the one that) (?:holds|counts|is right)|holds|it is|still"
)
_TAIL = r"(?:[\s,.!-]+(?:now|of course|definitely|for sure|then|after all|please|by the way|btw))*"
_NOT = rf"(?:[\s,;-]+(?:and )?(?:not|no longer|no more)(?: (?:in|at))? {_OTHER}(?: any ?more)?)?"
_POSITIVE = re.compile(
    rf"{_LEAD}(?:not {_OTHER}[\s,;]+(?:but )?)?(?:{_IS} (?:in |at )?(?:the )?{_ONE}{_NOT}|{_ONE} (?:{_HOLDS}){_NOT}"
    rf"|{_ONE}[\s,;]+not {_OTHER})(?: one)?{_TAIL}[\s.!]*",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    rf"{_LEAD}(?:(?:it(?:'s| is)|that(?:'s| is))(?: not|n't) (?:in |at )?{_OTHER}"
    rf"|(?:it|that) (?:isn't|is not|wasn't) (?:in |at )?{_OTHER}"
    rf"|{_OTHER} (?:is|was)(?: not|n't)?(?: the)? (?:wrong|false|outdated|old|right|correct|true)(?: one| answer)?)"
    rf"(?: any ?more)?{_TAIL}[\s.!]*",
    re.IGNORECASE,
)
_DENIES = re.compile(rf"{_OTHER} (?:is|was)(?: the)? (?:right|correct|true)", re.IGNORECASE)

_LEAD_ZH = (
    "(?:(?:嗯|对了?|是的?|不是?|哦|啊|其实|那个|好吧|顺便说一下|关于刚才的问题|回答你(?:刚才)?的问题|刚才(?:那个|你问的|的)问题"
    "|你刚才问的|我查了一下|我确认了)[，,。：: ]+)*"
)
_WAY_ZH = "(?:(?:应该|就|还|确实|肯定|当然|现在|正确的|对的|答案|住的|叫的)*(?:是|住在|在|叫)|以|用|按)(?:的)?"
_HOLDS_ZH = "(?:才?(?:是)?(?:对|正确|准确)(?:的)?|没错|为准|才算(?:数)?)"
_TAIL_ZH = "[吧的啊呢了哦呀]*"
_NOT_ZH = f"(?:[，, ]*(?:而)?(?:不是|不在|不叫|不住){_OTHER}了?)?"
_POSITIVE_ZH = re.compile(
    f"{_LEAD_ZH}(?:(?:不是|不在|不叫){_OTHER}[，, ]*(?:而)?)?"
    f"(?:我?{_WAY_ZH}{_ONE}(?:为准)?{_TAIL_ZH}{_NOT_ZH}|{_ONE}{_HOLDS_ZH}{_TAIL_ZH}{_NOT_ZH}|{_ONE}[，, ]*不是{_OTHER})"
    "[。.！! ]*"
)
_NEGATIVE_ZH = re.compile(
    f"{_LEAD_ZH}(?:我?(?:已经)?不(?:是|在|叫|住在?){_OTHER}了?|{_OTHER}(?:是错的|不对|错了|是旧的)){_TAIL_ZH}[。.！! ]*"
)


def read_late_answer(message: str, older: Collection[str], newer: Collection[str]) -> Outcome | None:
    """Which of two statements a message settles on; None where it does not clearly say so. `older` and `newer` are ways
    to say the two values. No question settles anything, nor a mere mention."""
    text = " ".join(without_courtesies(message).replace("’", "'").split())
    if not text or len(text) > _LONGEST or may_ask(text):
        return None
    if _settles_on(text, newer, older):
        return Outcome.NEWER
    return Outcome.OLDER if _settles_on(text, older, newer) else None


def _settles_on(text: str, one: Collection[str], other: Collection[str]) -> bool:
    signed = _signed(_signed(text, other, _OTHER), one, _ONE)
    if _ONE in signed and (_POSITIVE.fullmatch(signed) or _POSITIVE_ZH.fullmatch(signed)):
        return True
    if _OTHER not in signed or _DENIES.search(signed):
        return False
    return _ONE not in signed and bool(_NEGATIVE.fullmatch(signed) or _NEGATIVE_ZH.fullmatch(signed))


def _signed(text: str, values: Collection[str], sign: str) -> str:
    """The text with a value as one sign."""
    for value in sorted(values, key=len, reverse=True):
        found = value_in(text, value)
        if found is not None:
            return f"{text[: found.start()]}{sign}{text[found.end() :]}"
    return text
