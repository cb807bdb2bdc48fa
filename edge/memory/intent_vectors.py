"""The vector of intent: what the last turns of a thread were for and about, how sure that is, and what agrees with it.

It has two parts. `labels` are the shares of the ten labels. `subject` is where the words of the turns lie: each term
that tells adds its rarity, with a sign, to one of 256 places by its hash (feature hashing, Weinberger et al., "Feature
Hashing for Large Scale Multitask Learning", 2009). Both are smoothed exponentially: each turn counts 0.6 of the one
after it.

Why words and no embedding: measured on real talks, words tell which units are of a session's subject as well as MiniLM
does (BENCHMARKS.md), they do so in Chinese, where its cosines say nothing, and neither another embedder nor none
changes what they mean. Why rarity: a name that stands in every second turn says nothing of what a session is about.

How sure it is, is read from the vector itself. The mean of unit vectors is the shorter the less they agree (the mean
resultant length, Mardia and Jupp, "Directional Statistics", 2000, chapter 2): what several turns have in common is an
intent, what one said, or several of nothing in common, is none. A question that says much and shares nothing with it
comes from somewhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edge.memory.intents import Intent, Label
from edge.memory.interaction import Floats
from edge.memory.language import Language

DIMENSION = 256
WEIGHT = 0.3
"""Of a score, what agreement with the intent counts where that is sure; the rest is what search says."""
SMOOTHING = 0.6
"""What the turns before count of the mean."""
_LABELS = tuple(Label)
_COHERENT = 0.25
"""The mean cosine of turns from which they are taken to be about one thing. In 90 of 100 cases questions that have
nothing to do with one another have 0.07 or less, turns of one talk that follow one another 0.07 in the middle."""
_FITTING = 0.2
"""The cosine of a question and the turns before it from which it is taken to go on with them."""
_TELLS_ENOUGH: dict[Language, int] = {"en": 3, "zh": 4}
"""Terms from which on a question that shares none with the turns before it is about something else: words, or pairs of
characters."""
_FORM = 1
_HEAD = 2
_LENGTH = _HEAD + len(_LABELS) + DIMENSION
_MOST_TURNS = 255
_SHARES, _PLACES = 255.0, 127.0


@dataclass(frozen=True, slots=True)
class IntentVector:
    """`labels` (10,): shares, in the order of Label, that sum to 1. `subject` (256,): the mean of what turns are about,
    each of length 1; all 0 where none told. `turns`: how many told."""

    labels: Floats
    subject: Floats
    turns: int

    @property
    def label(self) -> Label:
        """What the last turns were for, mostly."""
        return _LABELS[int(self.labels.argmax())]


def of_turn(intent: Intent, rarities: Mapping[str, float]) -> IntentVector:
    """A turn's own: what it is for, and its telling terms with what each is worth."""
    labels = np.full(len(_LABELS), (1 - intent.confidence) / (len(_LABELS) - 1), dtype=np.float32)
    labels[_LABELS.index(intent.label)] = intent.confidence
    subject = np.zeros(DIMENSION, dtype=np.float32)
    for term, worth in rarities.items():
        place, sign = _place(term)
        subject[place] += sign * worth
    length = float(np.linalg.norm(subject))
    return IntentVector(labels, subject / length if length else subject, 1 if length else 0)


def followed(before: IntentVector | None, turn: IntentVector) -> IntentVector:
    """The vector of a thread with another turn. A turn without telling words leaves the subject as it is."""
    if before is None:
        return turn
    labels = SMOOTHING * before.labels + (1 - SMOOTHING) * turn.labels
    if not (before.turns and turn.turns):
        told = before if before.turns else turn
        return IntentVector(labels, told.subject, told.turns)
    subject = SMOOTHING * before.subject + (1 - SMOOTHING) * turn.subject
    return IntentVector(labels, subject, min(before.turns + 1, _MOST_TURNS))


def coherence(vector: IntentVector) -> float:
    """The mean cosine of the turns behind a vector with one another, weighted as they are in it; 0 for one."""
    if vector.turns < 2:
        return 0.0
    first = SMOOTHING ** (vector.turns - 1)
    rest = (1 - SMOOTHING) ** 2 * (1 - first**2) / (1 - SMOOTHING**2)
    themselves = first**2 + rest
    return (float(vector.subject @ vector.subject) - themselves) / (1 - themselves)


def confidence(before: IntentVector | None, turn: IntentVector, terms: int, language: Language) -> float:
    """How sure it is, from 0 to 1, that a turn with so many telling terms is said with the intent of those before."""
    if before is None:
        return 0.0
    sure = _share(coherence(before), _COHERENT)
    return sure if terms < _TELLS_ENOUGH[language] else sure * _share(_cosine(before.subject, turn.subject), _FITTING)


def agreement(vector: IntentVector, other: IntentVector) -> float:
    """How much two are about the same, from 0 to 1. Labels have no say: that something was told in a turn for one thing
    does not make it an answer to a question for the same (they tell evidence from other candidates as a coin does)."""
    return max(0.0, _cosine(vector.subject, other.subject))


def led(scores: Sequence[float], agreements: Sequence[float | None], sure: float) -> tuple[list[int], list[float]]:
    """Scores with agreement weighed in: the order, best first, and for each place in it the score.

    The order is that of (1 - w) score + w agreement, w being 0.3 where the intent is sure and less where it is not.
    What is not known to agree or not agrees as much as the others in the mean. The best keeps the score of what was
    best without it, and where all agree alike nothing changes: whether memory can answer is told by the search alone.
    """
    weight = WEIGHT * min(max(sure, 0.0), 1.0)
    known = [value for value in agreements if value is not None]
    mean = sum(known) / len(known) if known else 0.0
    agreed = [mean if value is None else value for value in agreements]
    if not scores:
        return [], []
    best = max(range(len(scores)), key=lambda row: scores[row])
    lift = weight / (1 - weight)
    moved = [score + lift * (value - agreed[best]) for score, value in zip(scores, agreed, strict=True)]
    order = sorted(range(len(moved)), key=lambda row: -moved[row])
    return order, [min(scores[best], max(0.0, moved[row])) for row in order]


def packed(vector: IntentVector) -> bytes:
    """A vector in 268 bytes, as it is stored."""
    labels = np.rint(np.clip(vector.labels, 0, 1) * _SHARES).astype(np.uint8)
    subject = np.rint(np.clip(vector.subject, -1, 1) * _PLACES).astype(np.int8)
    return b"".join((bytes((_FORM, vector.turns)), labels.tobytes(), subject.tobytes()))


def unpacked(stored: bytes | None) -> IntentVector | None:
    """A vector that was stored; None for one of another form."""
    if stored is None or len(stored) != _LENGTH or stored[0] != _FORM:
        return None
    labels = np.frombuffer(stored, np.uint8, len(_LABELS), _HEAD).astype(np.float32)
    subject = np.frombuffer(stored, np.int8, DIMENSION, _HEAD + len(_LABELS)).astype(np.float32) / np.float32(_PLACES)
    return IntentVector(labels / max(float(labels.sum()), 1.0), subject, stored[1])


def _place(term: str) -> tuple[int, int]:
    digest = hashlib.blake2b(term.encode(), digest_size=2).digest()
    return digest[0], 1 if digest[1] & 1 else -1


def _cosine(one: Floats, other: Floats) -> float:
    length = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return float(one @ other) / length if length else 0.0


def _share(value: float, whole: float) -> float:
    return min(1.0, max(0.0, value / whole))
