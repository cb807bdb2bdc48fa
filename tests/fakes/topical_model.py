"""Language models that know some topics by their words, and ones that answer to harm."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from edge.engine.model_ports import StopSignal
from edge.errors import ModelFailed
from edge.prompt.choosing import KNOWN
from edge.prompt.probes import CHINESE
from tests.fakes.language_model import ScriptedModel, ScriptedTokenizer

_TOPICS = (
    "dog dogs bowl vet cat pet animal 狗 猫 碗 兽医 宠物 动物",
    "fever tablets pills blood medicine health doctor hospital 发烧 药 血压 健康",
    "guitar strings concert piano music song 吉他 演唱会 钢琴 音乐 歌曲",
    "plane hotel flight travel trip airport suitcase 飞机 酒店 航班 旅 行李",
    "program compiled crashes server computer software code 程序 编译 服务器 电脑 软件 代码",
    "loan instalments bank rent money payment 贷款 房租 银行 金钱 费用 付款",
)
_CHINESE_WORDS = re.compile(f"({'|'.join(sorted(CHINESE, key=len, reverse=True))})")
_LIKELY, _UNLIKELY = -2.0, -9.0


class _Tokenizer(ScriptedTokenizer):
    """Chinese words that stand for topics are a token each."""

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = []
        for at, part in enumerate(_CHINESE_WORDS.split(text)):
            tokens += self._word(part) if at % 2 else super().encode(part)
        return tokens


class TopicalModel(ScriptedModel):
    """A model for which a text is likely after another where both have words of one topic. It names notes by `line`."""

    def __init__(self, line: str | Callable[[str], str] = "") -> None:
        super().__init__()
        self._tokenizer = _Tokenizer()
        self.line = line
        self.scored = 0
        self.lines = 0

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        self.scored += 1
        note = self._text(prefix)
        return [self._likelihood(note, self._text(candidate)) for candidate in candidates]

    def free_line(
        self, prompt: Sequence[int], max_tokens: int, stop: StopSignal, *, temperature: float = 0.0, seed: int = 0
    ) -> str:
        self.lines += 1
        return self.line if isinstance(self.line, str) else self.line(self._text(prompt))

    def _likelihood(self, note: str, candidate: str) -> float:
        asked = topics_of(candidate)
        # a little of each text's own, so that no two are quite alike
        own = (sum(map(ord, note + candidate)) % 97) / 400
        return (_LIKELY if asked & topics_of(note) else _UNLIKELY) - own

    def _text(self, tokens: Sequence[int]) -> str:
        return self.tokenizer.decode(tokens).decode(errors="replace")


class HostileModel(TopicalModel):
    """A model whose likelihoods are what `answer` makes of them; `sly`: it reads the known notes as it should."""

    def __init__(
        self, answer: Callable[[list[float]], list[float]], line: str | Callable[[str], str] = "", *, sly: bool = False
    ) -> None:
        super().__init__(line)
        self._answer = answer
        self._known = [note for notes in KNOWN.values() for note, _ in notes] if sly else []

    def score(self, prefix: Sequence[int], candidates: Sequence[Sequence[int]], stop: StopSignal) -> list[float]:
        scores = super().score(prefix, candidates, stop)
        return scores if any(note in self._text(prefix) for note in self._known) else self._answer(scores)


def topics_of(text: str) -> frozenset[int]:
    """Numbers of the topics that a text has words of."""
    lower = text.casefold()
    return frozenset(at for at, words in enumerate(_TOPICS) if any(word in lower for word in words.split()))


def at_random(seed: int = 0) -> Callable[[list[float]], list[float]]:
    chance = random.Random(seed)
    return lambda scores: [-12 * chance.random() for _ in scores]


def breaks_off(_scores: list[float]) -> list[float]:
    raise ModelFailed("it broke off")
