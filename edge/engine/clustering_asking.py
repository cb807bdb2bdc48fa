"""What clustering asks of the language model, and what it takes for an answer.

Nothing that a model says is taken on trust: likelihoods must be log-probabilities, a model reads an owner's notes only
in a language in which it has read known ones rightly, and a name must pass the checks of a key.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edge.engine.offpeak import AsideModel
from edge.engine.ports import Vector
from edge.errors import ModelFailed
from edge.memory.cluster_signals import right_words, usable
from edge.memory.language import Language
from edge.prompt.choosing import KNOWN, NAME_TOKENS, Choosing, prompts_hash

_RIGHT = 0.8
"""Of the known notes in a language, the share that a model must read rightly before it reads others. One that answers
by chance reads a sixth of them rightly, and as many as this once in 1,500 times."""
_PLAIN = 3
"""Words that a note is read for at most."""
_PLAINLY = 2.0
"""Nats by which a word is likelier after a note than usually, beside the other words of its language."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Asking:
    """One model, asked about topics. All raise Cancelled when a turn arrives."""

    def __init__(self, model: AsideModel, usual: dict[tuple[str, Language], Vector]) -> None:
        """`usual` keeps what readers read where there is no note: it belongs to who asks again and again."""
        self._model = model
        self._usual = usual
        self._choosing = Choosing(model.tokenizer)
        self._probes = self._choosing.probes()

    @property
    def reader(self) -> str:
        """Names whose readings can be compared: the model's, with these prompts."""
        return f"{self._model.id}/{prompts_hash()}"

    @property
    def model_id(self) -> str:
        return self._model.id

    async def fit_for(self) -> frozenset[Language]:
        """The languages in which the model reads known notes rightly."""
        return frozenset([language for language in LANGUAGES if await self._reads(language)])

    async def read(self, note: str) -> Vector | None:
        """How likely each of the words is as the note's topic; None where the answer is no use."""
        return await self._read(self._choosing.topic(note))

    async def read_again(self, note: str, language: Language) -> Vector | None:
        """The same by the simpler question."""
        return await self._read(self._choosing.simpler(note, language))

    async def usual_again(self, language: Language) -> Vector | None:
        """What the simpler question gives where there is no note; a model is asked it once."""
        known = self._usual.get((self.reader, language))
        if known is None and (known := await self.read_again("", language)) is not None:
            self._usual[self.reader, language] = known
        return known

    async def _read(self, prompt: Sequence[int]) -> Vector | None:
        if not self._probes:
            return None
        scores = await self._score(prompt, [tokens for _, tokens in self._probes])
        return None if scores is None else np.array(scores, dtype=np.float32)

    async def keys(self, note: str, keys: Sequence[str], *, fuller: bool = False) -> list[float] | None:
        """How likely each key is as the note's topic; None where the answer is no use."""
        return await self._score(self._choosing.topic(note, fuller=fuller), [*map(self._choosing.answer, keys)])

    async def name(self, notes: Sequence[str], language: Language, *, seed: int) -> str:
        """A line of free words for several notes; may be empty or anything."""
        prompt = self._choosing.naming(notes, language)
        if len(prompt) + NAME_TOKENS > self._model.context_tokens:
            return ""
        try:
            return await self._model.line(prompt, NAME_TOKENS, seed=seed)
        except ModelFailed:
            return ""

    def likeliest_words(self, reading: Vector, language: Language, count: int) -> list[str]:
        """The words of a language that a reading, taken beside others', is likest for."""
        ranked = (self._probes[int(at)][0] for at in np.argsort(-reading, kind="stable"))
        own = [word for word in ranked if word.isascii() == (language == "en")]
        return own[:count]

    def words_read(self, reading: Vector, language: Language) -> frozenset[str]:
        """The few words of a language that a reading, taken beside what is usual, is plainly for; none of one
        character, which stands in many words."""
        own = [
            at for at, (word, _) in enumerate(self._probes) if word.isascii() == (language == "en") and len(word) > 1
        ]
        more = reading[own] - reading[own].mean()
        return frozenset(self._probes[own[int(at)]][0] for at in np.argsort(-more)[:_PLAIN] if more[at] >= _PLAINLY)

    def columns(self, words: frozenset[str]) -> list[int]:
        """Where in a reading some of the words are."""
        return [at for at, (word, _) in enumerate(self._probes) if word in words]

    async def _reads(self, language: Language) -> bool:
        known = KNOWN[language]
        groups = [self.columns(frozenset(words)) for _, words in known]
        readings = [await self.read(note) for note, _ in known]
        usual = [reading for reading in readings if reading is not None]
        if len(usual) < len(known) or not all(groups):
            return False
        return right_words(np.stack(usual), groups) >= _RIGHT * len(known)

    async def _score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]]) -> list[float] | None:
        if not candidates or len(prefix) + max(map(len, candidates)) > self._model.context_tokens:
            return None
        try:
            scores = await self._model.score(prefix, candidates)
        except ModelFailed:
            return None
        return scores if usable(scores, len(candidates)) else None
