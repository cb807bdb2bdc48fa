"""Scores candidates for a question: a weighted sum of what speaks for each, and that sum as a probability.

The weights belong to a language and are fitted on conversations whose evidence is known (`scripts/bench tune`), as is
the logistic curve that turns the best sum, and whose words matched, into a share: of the questions whose best unit
scores 0.7, memory could answer about seven in ten.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

CONTRAST_LIMIT = 6.0
_TALK_BEST = 3
_AS_GOOD = 1.5
"""What a text may match less than the best and still be a time at which the same was said."""
_SUREST = 3.0
"""The logit of the best score there is, 0.95, so that what is behind the best is seen to be."""
_DECLINE = 1.0
"""What a logit loses for each unit of a sum behind the best: with the settings' share for companions, units up to
about 2.7 behind are told with it."""

_DECLINE_AMONG_PEOPLE = 0.3
"""The same where several people are remembered, in whose long talks the evidence lies further behind: units up to about
nine behind are told. On LoCoMo the evidence is the same to 0.3, and less from 0.35 on."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts in one language.

    `late` to `dense` weigh what a text shares with the question: late interaction (a cosine), BM25 as a share of the
    best, the share of the question's words, the cosine of the whole. `neighbour` and `talk` pass that on: from the
    better of the words said before and after, and from the best three units of the same talk. Then: `subject` for the
    words of who is asked about, `time` for a named time, `sought` for
    holding what "when" and "how many" ask for, `question` against units that end as a question, `assistant`
    against what the assistant said, `asks` against what the owner only asked, unless that is asked for; `order` for the
    first or the last of what is about as good, where a question asks for it; `cluster` for lying in a cluster that the
    question agrees with, `company` for lying in one with what matches well in other talks.

    `late_floor` and `late_span` estimate late interaction from the share of words where there are no codes.
    `match_late` and `match_words` make the match that decides whose words it is; `bias`, `slope` and `contrast` are
    the logistic curve where several people are remembered and one is asked about. Else it is `plain_bias`,
    `plain_slope` of the best unit's own text, which means the same in a small memory as in a large one, and
    `plain_words` of its words.
    """

    late: float
    bm25: float
    words: float
    dense: float
    neighbour: float
    talk: float
    subject: float
    time: float
    sought: float
    question: float
    assistant: float
    asks: float
    order: float
    cluster: float
    company: float
    late_floor: float
    late_span: float
    match_late: float
    match_words: float
    bias: float
    slope: float
    contrast: float
    plain_bias: float
    plain_slope: float
    plain_words: float


WEIGHT_NAMES = tuple(field.name for field in fields(Weights))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of each candidate for one question; all arrays have one entry a candidate.

    `late` is NaN where there are no token codes. `bm25` is a share of the best. `before` and `after` are rows of the
    words said next to it, -1 where they are no candidates; `talk` is equal for units of one talk. `order` grows towards
    what was said first or last, as the question asks, and is 0 for all where it does not. `cluster` is how well the
    question agrees with each one's cluster, 0 for what is in none; `home` is equal for units of one cluster, and -1 for
    what is in none. `replies` are the assistant's where its words are asked for: such a one answers what was said
    before it, and matches as well as that does. `own` and `others` say whom a unit is about where one of several people
    is asked about, `match_late` and `match_words` are late interaction and words without that person's name.
    """

    late: Floats
    bm25: Floats
    words: Floats
    dense: Floats
    before: Ints
    after: Ints
    talk: Ints
    subject: Floats
    time: Floats
    sought: Floats
    order: Floats
    cluster: Floats
    home: Ints
    question: Flags
    asks: Flags
    assistant: Flags
    replies: Flags
    own: Flags
    others: Flags
    match_late: Floats
    match_words: Floats


def content(evidence: Evidence, weights: Weights) -> Floats:
    """How well each text matches the question by itself; a reply that is asked for, with what it replied to."""
    late = np.where(np.isnan(evidence.late), weights.late_floor + weights.late_span * evidence.words, evidence.late)
    sums: Floats = (
        weights.late * late
        + weights.bm25 * evidence.bm25
        + weights.words * evidence.words
        + weights.dense * evidence.dense
    ).astype(np.float32)
    return with_message(evidence, sums)


def with_message(evidence: Evidence, values: Floats) -> Floats:
    """The values, where a reply is asked for the larger of its own and that of the message before it."""
    messages = np.where(evidence.replies & (evidence.before >= 0), evidence.before, np.arange(len(values)))
    larger: Floats = np.maximum(values, values[messages])
    return larger


def sums(evidence: Evidence, weights: Weights) -> Floats:
    """The weighted sum for each candidate: higher is better.

    Clusters count against those of what would be best without them, so that they change the order and leave the best
    sum, from which it is told whether memory can answer, about where it was.
    """
    own = content(evidence, weights)
    total: Floats = (
        own
        + weights.neighbour * neighbours(evidence, own)
        + weights.talk * talk_means(evidence.talk, own)
        + weights.subject * evidence.subject
        + weights.time * evidence.time
        + weights.sought * evidence.sought
        + weights.order * in_order(evidence, own)
        - weights.question * evidence.question
        - weights.assistant * evidence.assistant
        - weights.asks * evidence.asks
    ).astype(np.float32)
    gathered = np.float32(weights.cluster) * evidence.cluster
    if weights.company:
        gathered = gathered + np.float32(weights.company) * company(evidence, total)
    if gathered.any():
        total += gathered - gathered[total.argmax()]
    return total


def company(evidence: Evidence, total: Floats) -> Floats:
    """For each candidate the share of all that matches, by the softmax of the sums, that lies in its cluster and was
    said in other talks, from 0 to 1; what was said in its own talk speaks for it already. 0 for what is in no cluster.

    That relevant texts lie together is the cluster hypothesis (van Rijsbergen, Information Retrieval, 1979, chapter 3);
    which cluster that is, the best candidates tell, as in pseudo relevance feedback.
    """
    shares = np.zeros(len(total), dtype=np.float32)
    known = evidence.home >= 0
    if not known.any():
        return shares
    mass = np.exp(total - total.max())
    mass /= mass.sum()
    _, home = np.unique(evidence.home[known], return_inverse=True)
    _, talk = np.unique(evidence.talk[known], return_inverse=True)
    _, both = np.unique(home * len(mass) + talk, return_inverse=True)
    within, beside = (np.bincount(groups, weights=mass[known])[groups] for groups in (home, both))
    shares[known] = np.maximum(within - beside, 0)
    return shares


def in_order(evidence: Evidence, own: Floats) -> Floats:
    """Of the texts that match about as well as the best that does not only ask, the place in the order that is asked
    for, from near 0 to 1; 0 for the others."""
    places = np.zeros(len(own), dtype=np.float32)
    if not evidence.order.any():
        return places
    tells = ~(evidence.question | evidence.asks)
    if not tells.any():
        return places
    close = tells & (own >= own[tells].max() - _AS_GOOD)
    places[close] = (np.argsort(np.argsort(evidence.order[close], kind="stable")) + 1) / close.sum()
    return places


def neighbours(evidence: Evidence, own: Floats) -> Floats:
    """The better of the words before and after; as little as the least of all where they are no candidates."""
    least = own.min(initial=np.inf)
    before = np.where(evidence.before >= 0, own[evidence.before], least)
    after = np.where(evidence.after >= 0, own[evidence.after], least)
    return np.maximum(before, after)


def talk_means(talk: Ints, own: Floats) -> Floats:
    """The mean of the best three of each candidate's talk; one with fewer is filled up with the least of all."""
    if not len(own):
        return own
    order = np.lexsort((-own, talk))
    sorted_talk = talk[order]
    starts = np.flatnonzero(np.concatenate([[True], sorted_talk[1:] != sorted_talk[:-1]]))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff([*starts, len(order)]))
    among = order[rank < _TALK_BEST]
    names, place = np.unique(talk, return_inverse=True)
    total = np.bincount(place[among], weights=own[among], minlength=len(names))
    count = np.bincount(place[among], minlength=len(names))
    means: Floats = ((total + (_TALK_BEST - count) * own.min()) / _TALK_BEST)[place].astype(np.float32)
    return means


def contrast(evidence: Evidence, weights: Weights) -> float | None:
    """How much more of what matches is about who is asked than about others: a logarithm of odds, within ±6.

    None where not both are among the candidates: then there is nobody to be mistaken for. Questions of others count
    a fifth: they ask what the answer tells.
    """
    if not (evidence.own.any() and evidence.others.any()):
        return None
    match = weights.match_late * np.nan_to_num(evidence.match_late) + weights.match_words * evidence.match_words
    mass = np.exp(match - match.max())
    mass = np.where(evidence.question & evidence.others, 0.2 * mass, mass)
    odds = np.log(mass[evidence.own].sum() + 1e-9) - np.log(mass[evidence.others].sum() + 1e-9)
    return float(np.clip(odds, -CONTRAST_LIMIT, CONTRAST_LIMIT))


def calibrated(evidence: Evidence, raw: Floats, odds: float | None, weights: Weights) -> Floats:
    """Sums (at least one) as scores from 0 to 1, in the same order; `odds` as `contrast` gives them."""
    best = int(raw.argmax())
    if odds is None:
        text, words = content(evidence, weights)[best], with_message(evidence, evidence.words)[best]
        top = weights.plain_bias + weights.plain_slope * text + weights.plain_words * words
        logits = min(float(top), _SUREST) + _DECLINE * (raw - raw[best])
    else:
        top = weights.bias + weights.slope * float(raw[best]) + weights.contrast * odds
        logits = min(top, _SUREST) + _DECLINE_AMONG_PEOPLE * (raw - raw[best])
    scores: Floats = (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
    return scores
