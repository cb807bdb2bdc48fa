"""Weighing whether a line tells something of a person: a noisy channel between two instructions.

A tiny model asked whether a note is worth keeping answers nearly by chance. The likelihood of the note itself tells it
better: how much more likely it is after an instruction to write a specific fact than after one to write an empty remark
(Min et al., "Noisy Channel Language Model Prompting for Few-Shot Text Classification", ACL 2022, section 3). The
instructions are the same tokens for every line, so they are evaluated once, and the lines of a batch side by side.
Nothing is written, so nothing of the instructions can get into memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from edge.memory.language import Language
from edge.prompt.composition import Composer, Encoder, Tokens

LEAST: dict[Language, float] = {"en": -1.5, "zh": 2.5}
"""Nats by which a line must be likelier as a specific fact. Measured on 54 English and 36 Chinese lines of real talks,
judged by hand, with the 0.5B model: 38 of the English ones pass, 30 of them rightly (34 there are), and 33 of the
Chinese, 30 of them rightly (32): in Chinese it weighs next to nothing, and what `lines_of` leaves out does the work."""

_SPECIFIC: dict[Language, str] = {
    "en": (
        "Write one specific fact about the user: an event with its place, a possession, a hobby, a job, a relative."
    ),
    "zh": "写一条关于用户的具体事实：有地点的事件、物品、爱好、工作、亲人。",
}
_EMPTY: dict[Language, str] = {
    "en": "Write one vague remark of the user: a mood, a thank-you, an intention to try something.",
    "zh": "写一句用户的空泛的话：心情、感谢、想试试什么。",
}


@dataclass(frozen=True, slots=True)
class Known:
    """Lines of which it is known what they tell, by which a model is tried before it weighs others."""

    telling: tuple[str, ...]
    empty: tuple[str, ...]


KNOWN: dict[Language, Known] = {
    "en": Known(
        (
            "The user repairs old bicycles in a rented garage.",
            "The user's sister works as a nurse at a children's hospital.",
            "The user bought a second-hand piano and plays it every evening.",
            "The user visited a glass museum in the mountains with a cousin.",
        ),
        (
            "The user will try to feel better.",
            "The user is thankful for everything.",
            "The user feels a bit down.",
            "The user wants to do something new.",
        ),
    ),
    "zh": Known(
        (
            "用户在租来的车库里修旧自行车。",
            "用户的姐姐在儿童医院当护士。",
            "用户买了一架二手钢琴，每天晚上弹。",
            "用户和表弟去山里参观了玻璃博物馆。",
        ),
        ("用户会好好努力的。", "用户觉得非常感谢。", "用户心情有点不好。", "用户想试试看。"),
    ),
}


class Weighing:
    """The prompts of one language as token ids."""

    def __init__(self, encoder: Encoder, language: Language) -> None:
        composer = Composer(encoder)
        self._composer = composer
        self.specific: Tokens = composer.head(_SPECIFIC[language], ()) + composer.open_reply
        """What a specific fact would follow."""
        self.empty: Tokens = composer.head(_EMPTY[language], ()) + composer.open_reply
        """What an empty remark would follow."""

    def candidates(self, lines: Sequence[str]) -> list[Tokens]:
        """The lines as what follows either."""
        return [self._composer.text(line) for line in lines]


def contrasts(candidates: Sequence[Tokens], specific: Sequence[float], empty: Sequence[float]) -> list[float]:
    """How much likelier each candidate is as a specific fact than as an empty remark, in nats, from the mean
    log-probabilities of its tokens. What is no finite number is minus infinity: nothing is known of it then."""
    pairs = zip(candidates, specific, empty, strict=True)
    found = [(fact - remark) * len(tokens) for tokens, fact, remark in pairs]
    return [contrast if math.isfinite(contrast) else -math.inf for contrast in found]
