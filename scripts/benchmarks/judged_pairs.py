"""Pairs of notes and of turns of conversations that were judged by hand, and how rightly clusters hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edge.memory.cluster_maths import Vectors, group
from scripts.benchmarks.conversations import Conversation, Memory
from scripts.benchmarks.report import Table

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
NOTE_PAIRS = _DATA / "topic_pairs"
CONVERSATION_PAIRS = _DATA / "conversation_pairs"
_STARTS = 8
"""Seeds over which plain k-means is averaged."""

Shares = npt.NDArray[np.float64]
"""One for each of some pairs."""
Chosen = npt.NDArray[np.bool_]
"""Which of some pairs are of a kind."""


@dataclass(frozen=True, slots=True)
class JudgedNote:
    """A note of the judged pairs."""

    id: str
    half: str
    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two notes or turns, and whether they are about one topic."""

    one: str
    two: str
    same: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """How rightly clusters hold each of some pairs: 1 or 0, and for as many clusters of plain k-means the mean over its
    seeds."""

    clusters: int
    unplaced: int
    edge: Shares
    plain: Shares


@dataclass(frozen=True, slots=True)
class JudgedConversation:
    """A conversation whose pairs are judged, of which `within` are of one session."""

    name: str
    language: str
    pairs: Sequence[JudgedPair]
    within: Chosen
    judgement: Judgement


def read_notes(folder: Path = NOTE_PAIRS) -> list[JudgedNote]:
    """The judged notes."""
    return [JudgedNote(*line.split("\t")) for line in _lines(folder / "notes.tsv")]


def read_pairs(folder: Path = NOTE_PAIRS) -> list[JudgedPair]:
    """The judged pairs of notes."""
    return [_pair(*line.split("\t")) for line in _lines(folder / "pairs.tsv")]


def read_conversation_pairs(folder: Path = CONVERSATION_PAIRS) -> dict[tuple[str, str], list[JudgedPair]]:
    """The judged pairs of turns, by the data and the name of their conversation."""
    pairs: dict[tuple[str, str], list[JudgedPair]] = {}
    for line in _lines(folder / "pairs.tsv"):
        data, name, *judged = line.split("\t")
        pairs.setdefault((data, name), []).append(_pair(*judged))
    return pairs


def is_right(homes: Mapping[str, int | None], pair: JudgedPair) -> bool:
    """Whether two notes are in one cluster and are to be, or neither; an unplaced note is with no other."""
    one, two = homes[pair.one], homes[pair.two]
    return (one is not None and one == two) == pair.same


def judge(pairs: Sequence[JudgedPair], homes: Mapping[str, int | None], vectors: Vectors) -> Judgement:
    """Compare the clusters of all that was clustered with plain k-means over its vectors, which are in its order."""
    placed = [home for home in homes.values() if home is not None]
    count = len(set(placed))
    groups = [group(vectors, max(count, 2), seed).labels.tolist() for seed in range(_STARTS)]
    plain = [dict(zip(homes, labels, strict=True)) for labels in groups]
    return Judgement(count, len(homes) - len(placed), _rightness([homes], pairs), _rightness(plain, pairs))


def shares(right: Shares, kinds: Sequence[Chosen]) -> list[float | None]:
    """The share of the pairs of each kind that is right; None where there is no such pair."""
    return [float(right[kind].mean()) if kind.any() else None for kind in kinds]


def are_same(pairs: Sequence[JudgedPair]) -> Chosen:
    """Which pairs are about one topic."""
    return np.array([pair.same for pair in pairs], dtype=bool)


def of_told(pairs: Sequence[JudgedPair], told: Sequence[Memory]) -> list[JudgedPair]:
    """The pairs of which both turns were told."""
    known = {turn.id for turn in told}
    return [pair for pair in pairs if pair.one in known and pair.two in known]


def judge_conversation(
    conversation: Conversation, pairs: Sequence[JudgedPair], homes: Mapping[str, int | None], vectors: Vectors
) -> JudgedConversation:
    """Judge clusters of a conversation's turns, by pairs of those that were clustered. The vectors are in the order of
    the turns in `homes`."""
    sessions = {turn.id: turn.session for turn in conversation.memories}
    within = np.array([sessions[pair.one] == sessions[pair.two] for pair in pairs], dtype=bool)
    return JudgedConversation(conversation.name, conversation.language, pairs, within, judge(pairs, homes, vectors))


def conversations_table(judged: Sequence[JudgedConversation]) -> Table:
    """The shares that are right, of each conversation and of all their pairs."""
    rows = [row for each in judged for row in _rows(each.name, [each])]
    return Table(
        "Judged pairs of conversations",
        (
            "conversation",
            "method",
            "clusters",
            "unplaced",
            "pairs",
            "right",
            "English",
            "Chinese",
            "same",
            "different",
            "same session",
            "two sessions",
        ),
        [*rows, *_rows("all", judged)],
        "Share of the pairs that are in one cluster, and are to be, or in two.",
    )


def _rows(name: str, judged: Sequence[JudgedConversation]) -> list[tuple[object, ...]]:
    languages = np.array([each.language for each in judged for _ in each.pairs])
    same = np.concatenate([are_same(each.pairs) for each in judged])
    within = np.concatenate([each.within for each in judged])
    kinds = [np.ones_like(same), languages == "en", languages == "zh", same, ~same, within, ~within]
    clusters = sum(each.judgement.clusters for each in judged)
    unplaced = sum(each.judgement.unplaced for each in judged)
    edge = np.concatenate([each.judgement.edge for each in judged])
    plain = np.concatenate([each.judgement.plain for each in judged])
    return [
        (name, "edge", clusters, unplaced, len(same), *shares(edge, kinds)),
        (name, "k-means", clusters, 0, len(same), *shares(plain, kinds)),
    ]


def _rightness(homes: Sequence[Mapping[str, int | None]], pairs: Sequence[JudgedPair]) -> Shares:
    """Of each pair, the share of the clusterings that hold it rightly."""
    right = np.array([[is_right(home, pair) for pair in pairs] for home in homes], dtype=np.float64)
    return np.asarray(right.mean(axis=0), dtype=np.float64)


def _pair(one: str, two: str, judged: str) -> JudgedPair:
    return JudgedPair(one, two, judged == "same")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
