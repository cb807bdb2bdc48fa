"""What a tiny model is asked when notes are gathered under topics: likelihoods of given words, and one short line.

A note's topic is asked once, and three things are read from it: how likely each of some given words is as the answer
(what notes are compared by), how likely the key of each cluster is, and, of several notes, a name in free words. The
answer in one word that is not read as a word is after PromptEOL (Jiang et al., "Scaling Sentence Embeddings with Large
Language Models", 2023, section 3); choosing among the nearest clusters by their profiles is the router of CLAG (arXiv
2603.15421, agentic routing). No example stands in a prompt, so none can leak into a name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from edge.memory.language import Language, language_of
from edge.prompt.composition import Encoder, Tokens
from edge.prompt.probes import CHINESE, ENGLISH

NOTE_CHARACTERS = 400
"""Of a note that the model sees: a topic shows at its beginning."""
NAME_TOKENS = 14
_NAMED_CHARACTERS = 120
_BEFORE = "Note:"
_TOPIC = "\nTopic:"
_FULLER = "A person's notes are kept by topic. Each note has one topic, in a few words.\nNote:"
_SIMPLER: dict[Language, str] = {"en": "\nThis is about", "zh": "\n这是关于"}
_NAMING: dict[Language, tuple[str, str, str]] = {
    "en": (
        "You name groups of notes by what they have in common. Answer with a title of two to four words.",
        "Notes:",
        "Title:",
    ),
    "zh": ("你给成组的笔记起一个概括的标题。只用四到八个字回答标题。", "笔记：", "标题："),
}

KNOWN: dict[Language, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "en": (
        ("The dog limps and will not touch its bowl.", ("pet", "dog", "animal")),
        ("A fever since yesterday, two tablets every six hours.", ("medicine", "health", "doctor")),
        ("New strings for the guitar before the concert.", ("music", "song")),
        ("The plane leaves at seven and the hotel has a pool.", ("flight", "travel", "trip", "hotel")),
        ("The program crashes when it is compiled.", ("computer", "software", "code")),
        ("Two instalments of the loan are still due.", ("bank", "money", "payment")),
    ),
    "zh": (
        ("小狗走路一瘸一拐，碗里的东西也不吃", ("宠物", "狗", "动物")),
        ("从昨天开始发烧，每六小时吃两片药", ("药物", "健康", "医疗", "医生")),
        ("演唱会之前要给吉他换新弦", ("音乐", "歌曲")),
        ("飞机七点起飞，酒店有泳池", ("航班", "旅行", "旅游", "酒店")),
        ("程序一编译就崩溃", ("电脑", "软件", "代码")),
        ("贷款还有两期没有还", ("银行", "金钱", "费用", "付款")),
    ),
}
"""Notes of which it is known which words they are about: a model that reads these wrongly reads no others."""


class Choosing:
    """Writes the questions as token ids. A note is always plain text, whatever it looks like."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def topic(self, note: str, *, fuller: bool = False) -> Tokens:
        """What is asked of a note: words and keys follow it."""
        return self._asked(_FULLER if fuller else _BEFORE, note, _TOPIC)

    def simpler(self, note: str, language: Language) -> Tokens:
        """The other question, by which a choice is checked."""
        return self._asked("", note, _SIMPLER[language])

    def answer(self, key: str) -> Tokens:
        """A key as it follows a question."""
        return self._text(key if language_of(key) == "zh" else f" {key}")

    def probes(self) -> list[tuple[str, Tokens]]:
        """The words that a reading is made of, those that are one token of this model."""
        found: dict[Tokens, str] = {}
        for word in (*ENGLISH, *CHINESE):
            tokens = self.answer(word.capitalize())
            if len(tokens) == 1:
                found.setdefault(tokens, word)
        return [(word, tokens) for tokens, word in found.items()]

    def naming(self, notes: Sequence[str], language: Language) -> Tokens:
        """Asks for a name of several notes: one short line follows."""
        system, before, title = _NAMING[language]
        listed = "".join(f"\n- {_line(note, _NAMED_CHARACTERS)}" for note in notes)
        start, end = self._encoder.special("<|im_start|>"), self._encoder.special("<|im_end|>")
        return (
            *(start, *self._text(f"system\n{system}"), end, *self._text("\n")),
            *(start, *self._text("user\n"), *self._text(before + listed), end, *self._text("\n")),
            *(start, *self._text("assistant\n"), *self._text(title)),
        )

    def _asked(self, before: str, note: str, after: str) -> Tokens:
        words = _line(note, NOTE_CHARACTERS)
        return (*self._text(before), *self._text(f" {words}" if before else words), *self._text(after))

    def _text(self, text: str) -> Tokens:
        return tuple(self._encoder.encode(text)) if text else ()


def prompts_hash() -> str:
    """A short hash of all that is asked: what was read with other prompts is not comparable."""
    asked = repr((_BEFORE, _TOPIC, _FULLER, _SIMPLER, _NAMING, NOTE_CHARACTERS, ENGLISH, CHINESE))
    return hashlib.sha256(asked.encode()).hexdigest()[:12]


def _line(note: str, limit: int) -> str:
    return " ".join(note[: 4 * limit].split())[:limit]
