"""An English sentence in which a person says something of themselves, told of "the user".

Only the person is put in another way, word by word; everything else stays as it was said. What could come to mean
something else so is not told at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from edge.memory.compression import LIMIT
from edge.memory.distilling_words import ADVERBS, GENERAL, NO_ADVERBS, NO_VERBS
from edge.memory.text import telling_terms
from edge.memory.verbs import PAST_FORMS, third_person

_CONDITION = re.compile(
    r"\b(?:if|unless|whether|in case|as long as|provided|otherwise|as though|dream\w*|imagin\w+|pretend\w*|suppos\w+"
    r"|jok(?:e|ed|ing)|kidding|lie[ds]?|lying|wish\w*|as if|would(?:n't)? have|could have|should have)\b",
    re.IGNORECASE,
)
"""Hypotheses, and what holds nothing for true: such a sentence is told as a whole or not at all."""
_CUT = re.compile(
    r"((?:,? (?:and|but|so|then|plus|though|while)|[,;])(?: (?:now|then|also|so))? "
    r"(?=(?:I|we|it|that|this|these|those|they|he|she|you|there|who knows)\b(?!-))"
    r"| ?[–—-]+ |, (?=(?:take a look|check|can't wait|you know|right|huh|isn't|don't|see you|haha|lol)\b)"
    r"|(?<=etc)\. (?=[A-Z]))",
)
_SAYS = re.compile(
    r"\b(?:sa(?:id|ys)|told \w+|wr(?:ote|ites)|asked|replied|answered|texted|goes|was like)$", re.IGNORECASE
)
"""Behind it somebody else speaks."""
_HOPES = re.compile(
    r"\b(?:hopefully|ideally|possibly|perhaps|maybe|supposedly|allegedly|apparently|theoretically|in theory"
    r"|fingers crossed|(?:knock on|touch) wood|god willing|with (?:(?:any|some|a bit of|a little) )?luck|who knows"
    r"|let's hope)$",
    re.IGNORECASE,
)
"""What stands behind it is hoped or guessed."""
_NOUNS = re.compile(r"^(?!(?:I|we|you|he|she|it|they|this|that|there)\b)[\w' ]{1,40}$", re.IGNORECASE)
_HANGS_ON = re.compile(
    r"^(?:when|whenever|while|although|though|as|once|until|before|after|since|because|even|every time|except|given)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r",? (?:(?:but|and|so) )?(?:due to|because of|thanks to|despite|in spite of|according to)\b[^,]*$"
    r"|,? (?:but|and|so)(?: (?:hopefully|maybe|perhaps|possibly))?$",
    re.IGNORECASE,
)
"""What belongs to the clause that was cut off behind it."""
_AIM = re.compile(r"^I (?:can|could|will|would|may|might)\b|^I'(?:ll|d)\b", re.IGNORECASE)
"""What something is done for, behind "so": nobody says that it holds."""
_COUNTED = re.compile(r"\b(?:a few|a couple|some|several|any|many|more|most)$", re.IGNORECASE)
"""Where the line ends with it, what is counted was named elsewhere."""
_CALLED = re.compile(r"(?<=[a-z]), [A-Z][a-z]+$")
_LEAD_IN = re.compile(
    r"^(?:(?:and|but|so|also|plus|well|oh|yeah|yes|yep|no|nope|actually|honestly|luckily|anyway|hey|hi|hello|wow|thanks"
    r"|personally|right|sure|okay|ok|of course|as for me|for me|in fact|by the way|btw|haha|friend|my friend|dear)\b"
    r"[,.!]? ?|[A-Z][a-z]+, (?=I\b))+",
    re.IGNORECASE,
)
_TIME = (
    r"yesterday|today|tonight|sometimes|often|usually"
    r"|recently|lately|currently|nowadays|these days|right now|now|once|this time|at the moment"
    r"|(?:last|this|next|every|one|the other) (?:night|day|week|weekend|month|year|morning|afternoon|evening|spring"
    r"|summer|fall|autumn|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april"
    r"|may|june|july|august|september|october|november|december)"
    r"|(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d+|a few|a couple of|several) "
    r"(?:days?|weeks?|months?|years?) ago|(?:in|since) (?:\d{4}|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_TIME_FIRST = re.compile(rf"^({_TIME}),? +(?=I\b|my\b)", re.IGNORECASE)
_PAUSE = re.compile(
    r"(?i:(?<=yesterday)|(?<=today)|(?<=ago)|(?<=recently)|(?<=lately)|(?<=week)|(?<=month)|(?<=year)"
    r"|(?<=weekend)|(?<=days)|(?<=night)|(?<=morning)|(?<=day)),(?= (?:I\b|my\b))"
)
"""A comma between a time and what happened then parts no clauses."""
_PAST = re.compile(r"\b(?:yesterday|last|ago|once|earlier|used to)\b|\bin (?:19|20)\d\d\b", re.IGNORECASE)

_OTHERS = re.compile(
    r"\b(?:I|we|us|our|ours|ourselves|you|your|yours|yourself|let's|myself|mine|the user)\b|\bI'", re.I
)
"""Whom a sentence also speaks of, or to: it cannot be told of the user alone."""
_MY = re.compile(r"\bmy\b", re.IGNORECASE)
_ME = re.compile(r"\bme\b(?!-)", re.IGNORECASE)
_POINTING = re.compile(
    r"\b(?:it|its|it's|they|them|their|theirs|he|him|his|she|her|hers|there|here|one|ones|so|both|the same"
    r"|that's|th(?:is|at|ese|ose)(?! (?:week|weekend|month|year|morning|afternoon|evening|spring|summer|fall|autumn"
    r"|winter|time)s?\b))\b",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"^I (?:(?:do|did|can|could|would|will|must|should|totally|also|always|never|really|just|completely|definitely"
    r"|truly|still|have to) )*(?:not |never )?(?:thank|appreciate|hope|agree|disagree|understand|see|know|think"
    r"|guess|bet|mean|believe|promise|swear|wonder|ask|tell|say|said|recommend|suggest|apologi[sz]e|hear|heard|get"
    r"|got it|look forward|admire|doubt|figure|figured|thought|knew|relate|imagine|remember|noticed|care|consider)\b"
    r"|^I (?:will|would|can|could|should|must) (?:\w+ly |also |not |never )?(?:try|keep|check|give|let|follow|wait"
    r"|send|show|share|consider|take|do|look|make|remember)\b"
    r"|^I (?:am|was) (?:so |very |really |always |also |just |truly |not )*(?:glad|sure|sorry|afraid|curious|here"
    r"|with|happy (?:to|for|that|about)|delighted|proud of|excited (?:for|to hear)|looking forward|listening|sending"
    r"|asking|saying|wondering|grateful|thankful|honou?red|fine|good|great|okay|ok|kidding)\b"
    r"|^I (?:can not|cannot|can) (?:wait|believe|relate|agree)\b|^I had no idea\b|^I (?:feel|felt) (?:that|like)\b",
    re.IGNORECASE,
)
_SHORT = (
    (re.compile(r"\bI[’']m\b"), "I am"),
    (re.compile(r"\bI[’']ve\b"), "I have"),
    (re.compile(r"\bI[’']ll\b"), "I will"),
    (re.compile(r"\bI[’']d (?=(?:like|love|prefer|rather|hate|want)\b)"), "I would "),
    (re.compile(r"\bI[’']d (?=(?:been|seen|gone|never|always|already|had|made|done)\b)"), "I had "),
)
_FINITE = re.compile(
    r"\b(?:is|was|are|were|has|have|had|will|can|could|must|should|would|might|may|does|did|do|isn't|wasn't|aren't"
    r"|weren't|doesn't|didn't|won't|can't|[a-z]{2,}(?:ed|[^s\W]s))\b"
)
_WORDS = re.compile(r"[A-Za-z']+")
_FEWEST_TERMS = 2
"""Of those that tell more than a mood."""


def told_in_english(sentence: str) -> Iterator[tuple[str, str]]:
    """What a sentence says of the person, as lines about the user, each with the words that it is made of."""
    plain = _PAUSE.sub(" ", sentence.replace("’", "'"))
    for clause in map(str.strip, _clauses(plain)):
        line = _told(clause)
        if line is not None:
            begin = plain.index(clause)
            yield line, sentence[begin : begin + len(clause)]


def _clauses(sentence: str) -> list[str]:
    """The parts that can be told apart; what hangs on a condition or a time stays with it."""
    if _CONDITION.search(sentence):
        return [sentence]
    parts = _CUT.split(sentence)  # a clause, what parts it from the next, a clause, ...
    clauses = [_DANGLING.sub("", clause) for clause in parts[:-2:2]] + parts[-1:]
    if _HANGS_ON.match(_LEAD_IN.sub("", clauses[0], count=1)):
        return clauses[:1]
    joined = zip(parts[0::2], parts[1::2], strict=False)
    return clauses[:1] + [
        clause
        for clause, (before, parting) in zip(clauses[1:], joined, strict=True)
        if not _SAYS.search(before)
        and not _HOPES.search(before)
        and not (parting == " and " and _is_subject(before))
        and not ("so" in parting.split() and _AIM.match(clause))
    ]


def _is_subject(words: str) -> bool:
    """Whether words before "and I" are who did it too: "my friend and I went out"."""
    words = _LEAD_IN.sub("", words.strip(" ,"), count=1)
    return _NOUNS.match(words) is not None and not _has_verb(words)


def _told(clause: str) -> str | None:
    clause = _LEAD_IN.sub("", clause.strip(" ,;:–—-"), count=1).rstrip(" .!,;:–—-")
    clause = _CALLED.sub("", clause)
    if _CONDITION.search(clause) or ('"' in clause and _OTHERS.search(_quoted(clause))):
        return None
    clause = _time_last(clause)
    for pattern, full in _SHORT:
        clause = pattern.sub(full, clause)
    if clause.startswith("I "):
        line = _of_the_person(clause)
    elif clause.lower().startswith("my "):
        line = _of_what_is_theirs(clause)
    else:
        return None
    if line is None or _COUNTED.search(line) or len(line) + 1 > LIMIT or _told_terms(line) < _FEWEST_TERMS:
        return None
    return f"{line}."


def _told_terms(line: str) -> int:
    return sum(1 for term in telling_terms(line) if term not in GENERAL)


def _quoted(clause: str) -> str:
    return " ".join(clause.split('"')[1::2])


def _time_last(clause: str) -> str:
    """ "Yesterday I went out" as "I went out yesterday"."""
    found = _TIME_FIRST.match(clause)
    if found is None:
        return clause
    time = found[1] if found[1][:3].lower() in ("on ", "in ") and found[1][0].islower() else _lowered(found[1])
    return f"{clause[found.end() :]} {time}"


def _lowered(words: str) -> str:
    return words[:1].lower() + words[1:]


def _of_the_person(clause: str) -> str | None:
    """ "I love my job" as "The user loves the user's job"."""
    if _SAYS_NOTHING.match(clause):
        return None
    adverbs, verb, rest = _verb(clause[2:])
    if verb is None or _OTHERS.search(rest) or _points_out(rest):
        return None
    agreeing = third_person(verb, past=_PAST.search(rest) is not None)
    return None if agreeing is None else f"The user {' '.join([*adverbs, agreeing])}{_of_theirs(rest)}"


def _of_what_is_theirs(clause: str) -> str | None:
    """ "My sister lives in Rome" as "The user's sister lives in Rome"."""
    if _OTHERS.search(clause) or _points_out(clause) or not _has_verb(clause):
        return None
    line = _of_theirs(clause)
    return line[:1].upper() + line[1:]


def _has_verb(clause: str) -> bool:
    return _FINITE.search(clause) is not None or not PAST_FORMS.isdisjoint(clause.lower().split())


def _verb(words: str) -> tuple[list[str], str | None, str]:
    """Adverbs, the verb in lower case, and what follows it."""
    adverbs: list[str] = []
    while True:
        found = _WORDS.match(words)
        if found is None:
            return adverbs, None, ""
        word, rest = found[0], words[found.end() :]
        lower = word.lower()
        if not (lower in ADVERBS or (lower.endswith("ly") and lower not in NO_ADVERBS)):
            return adverbs, None if lower in NO_VERBS - {"am"} else lower, rest
        adverbs.append(lower)
        words = rest.lstrip(" ")


def _points_out(words: str) -> bool:
    """Whether it points at something that it does not name."""
    found = _POINTING.search(words)
    return found is not None and len(telling_terms(words[: found.start()])) < 2


def _of_theirs(words: str) -> str:
    return _ME.sub("the user", _MY.sub("the user's", words))
