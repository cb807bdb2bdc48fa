"""What sets the members of a cluster apart in words: which words they have that other notes have not."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from edge.memory.cluster_nouns import things
from edge.memory.language import Language
from edge.memory.stopwords import CHINESE_FUNCTION_CHARACTERS, CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from edge.memory.text import search_terms, telling_terms
from edge.memory.topic_stopwords import NAME_NOTHING, NAMES_ALL_THE_SAME, SAY_NOTHING_CHARACTERS

HAN_RUN = re.compile("[\u3400-\u9fff]+")
_NO_PART = CHINESE_FUNCTION_CHARACTERS | frozenset("一些以次每该此其第如何非越更将所各件恩嗨啦常")
_SILENT_CHARACTERS = _NO_PART | SAY_NOTHING_CHARACTERS
_WORD = re.compile(r"[^\W\d_](?:[^\W_]|['’-](?=\w))+")
_POSSESSIVE = re.compile("['’]s$")
_SHORTENED = re.compile("['’]")
_CALLS = re.compile(
    r"(?:^|[.!?,]\s*|\b(?:[Hh]ey|[Hh]i|[Tt]hanks|[Ww]ow|[Yy]eah|[Yy]es),?\s+)([A-Z][a-z]+)(?=[,!])|,\s([A-Z][a-z]+)(?=[.!?])"
)
_SPEAKER = re.compile(r"^\s*[A-Z][a-z]+:\s")
"""Who speaks, before what is said: "Maria: The kiln is hot."."""
_REMARK = re.compile(r"\s*\[[^\[\]]*\]\s*$")
"""What an import adds to someone's words: "[shares a photo of a man]"."""
_ASSISTANT = re.compile("(?i:ai)\\s?(?:伴侣|助手|助理|朋友|机器人|模型)|人工智能(?:助手|助理|程序|模型)?")
"""What an assistant is called in Chinese, and calls itself, whatever the talk is about."""
_COUNTED = re.compile(
    "(?<=[一二两三四五六七八九十几这那每哪某])[本部首场道节篇张幅条家座款门间份顿杯只件位](?=[\u3400-\u9fff])"
)
"""A measure word, which is no part of what it counts: 这本书, 一家餐厅."""
_WHEREIN = frozenset("中里上下内外时后前")
"""With these a longer word does not end, but tells where: 自然环境中."""
_IN_A_PLACE = re.compile("^(?!高中|初中|集中|公里|邻里).[中里]$")
"""A pair that ends in where something is, which is no word: 境中."""
_ONE_WORD = 0.8
"""Of the times that a pair of Chinese characters stands in the members, how often the next one does beside it, where
they are one word: 羽毛球."""
_LONGEST = 6
_READ = 0.2
"""Share of the members in which a word is read that may name them, and two at the least."""
_MOSTLY = 2 / 3
"""The same of a word that they do not say."""
_FEW = 5
"""So many members are too few for a word that none of them says."""
_FEWEST = 3
"""Of more members, two must say it."""
_HEARD = 3
_WIDENED = 30
"""The most telling pairs, which are looked at for this: it reads all members for each."""


@dataclass(frozen=True, slots=True)
class TellingWords:
    """The words of some members, most telling first, and which of the members and of other notes have each of them;
    `called` are the names by which they speak to somebody."""

    words: tuple[str, ...]
    called: frozenset[str]
    members: int
    others: int
    _inside: Mapping[str, frozenset[int]]
    _outside: Mapping[str, frozenset[int]]
    _things: Mapping[str, float]
    _heard: frozenset[str]

    def is_heard(self, key: str) -> bool:
        """Whether a key has a word that a model read in the members."""
        return not self._heard.isdisjoint(key.split())

    def thing(self, word: str) -> float:
        """How far a word is one for a thing, which a topic is: 0 to 1. In Chinese, which does not show it, 1."""
        return self._things.get(word, 1.0)

    def count(self, words: Iterable[str]) -> int:
        """How many members have one of the words."""
        return len(frozenset[int]().union(*(self._inside[word] for word in words)))

    def lead(self, words: Collection[str]) -> float:
        """How much oftener the members have one of the words than others do, as shares of them: -1 to 1."""
        beside = len(frozenset[int]().union(*(self._outside[word] for word in words)))
        return self.count(words) / max(1, self.members) - beside / max(1, self.others)


def said_by(
    members: Sequence[str], others: Sequence[str], language: Language, read: Sequence[Collection[str]] = ()
) -> TellingWords:
    """What members say beside others. Of the inflected forms of a word it has the one that is written most; a pair of
    Chinese characters that is a part of one word is that word. `read` are the words that a model reads in each of the
    members and then of the others, if it was asked: a note has them too."""
    members, others = [own_words(text) for text in members], [own_words(text) for text in others]
    texts = [*members, *others]
    words = [frozenset(words_of(text, language)) for text in texts]
    heard = _heard(words[: len(members)], read)
    words = [own | (heard & frozenset(more)) for own, more in zip_longest(words, read, fillvalue=frozenset[str]())]
    called = called_in(texts, words) if language == "en" else frozenset[str]()
    stems = {word: _stem(word) for own in words for word in own - called}
    inside, outside = _having(words[: len(members)], stems), _having(words[len(members) :], stems)

    def lead(word: str) -> float:
        stem = stems[word]
        return len(inside[stem]) / len(members) - len(outside.get(stem, ())) / max(1, len(others))

    forms = _forms(words[: len(members)], stems)
    whole = _as_whole(_apart(sorted(forms, key=lambda word: (-lead(word), word))), members, language)
    by_word = things(texts, whole) if language == "en" and len(members) > 1 else {}
    ranked = [*reversed(whole)]  # of those that are part of one word the best counts
    return TellingWords(
        tuple(dict.fromkeys(whole.values())),
        called,
        len(members),
        len(others),
        {whole[word]: inside[stems[word]] for word in ranked},
        {whole[word]: outside.get(stems[word], frozenset()) for word in ranked},
        {whole[word]: 1.0 if word in heard else by_word.get(word, 1.0) for word in ranked},
        frozenset(whole[word] for word in heard if word in whole),
    )


def _stem(word: str) -> str:
    return " ".join(sorted(set(search_terms(word))))


def _forms(words: Iterable[Collection[str]], stems: Mapping[str, str]) -> list[str]:
    """Of each stem the form that is written most."""
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for own in words:
        for word in own:
            if word in stems:
                written[stems[word]][word] += 1
    return [min(forms, key=lambda word: (-forms[word], word)) for forms in written.values()]


def _as_whole(ranked: Sequence[str], members: Sequence[str], language: Language) -> dict[str, str]:
    """Of each word the one that it is a part of, most telling first; none that is put together of what names
    nothing."""
    if language == "en":
        return {word: word for word in ranked}
    whole = {word: _whole(word, members) for word in ranked[:_WIDENED]}
    return {word: whole.get(word, word) for word in ranked if not _holds_nothing(whole.get(word, word))}


def _heard(words: Sequence[Collection[str]], read: Sequence[Collection[str]]) -> frozenset[str]:
    """The words read in most of the members, as far as they may name them. What a model reads in one note is a guess:
    several must say a word too, or it must be read in most of many."""
    counts = Counter(word for _, own in zip(words, read, strict=False) for word in own if len(word) > 1)
    said = Counter(stem for own in words for stem in {_stem(word) for word in own})
    saying = 2 if len(words) > _FEWEST else 1

    def is_known(word: str) -> bool:
        return said[_stem(word)] >= saying or (len(words) > _FEW and counts[word] >= _MOSTLY * len(words))

    least = max(2, _READ * len(words))
    return frozenset([word for word, count in counts.most_common() if count >= least and is_known(word)][:_HEARD])


def as_said(first: str, second: str, texts: Sequence[str]) -> str:
    """Two words in the order in which more of the texts have them in a row: "mental health", whichever tells more."""
    forward, backward = in_a_row(first, second, texts), in_a_row(second, first, texts)
    return f"{second} {first}" if backward > forward else f"{first} {second}"


def in_a_row(first: str, second: str, texts: Sequence[str]) -> int:
    """How many of the texts have one word right before the other."""
    between = "" if HAN_RUN.match(first) and HAN_RUN.match(second) else " "
    return sum(f"{first}{between}{second}" in text.casefold() for text in texts)


def own_words(text: str) -> str:
    """A text without what an import adds to it, if it has any words besides, and without what the assistant is
    called."""
    bare = _REMARK.sub("", text)
    return _ASSISTANT.sub(" ", bare if bare.strip() else text)


def without_speaker(text: str) -> str:
    """A text without the name of who speaks before it: "Maria: The kiln is hot."."""
    return _SPEAKER.sub("", text)


def called_by_name(text: str) -> frozenset[str]:
    """Whom a text speaks to by name: "Thanks, Maria!"."""
    return frozenset(name.casefold() for pair in _CALLS.findall(text) for name in pair if name and _tells_en(name))


def called_in(texts: Collection[str], words: Iterable[Collection[str]]) -> frozenset[str]:
    """Whom several of the texts, which have these words, speak to by name: such a name stands in talk of any
    subject."""
    spoken_to = Counter(name for text in texts for name in called_by_name(text))
    said = Counter(word for own in words for word in own)
    said.subtract(label.group().strip().rstrip(":").casefold() for text in texts if (label := _SPEAKER.match(text)))
    return frozenset(name for name, count in spoken_to.items() if count > 1 and 4 * count >= said[name])


def words_of(text: str, language: Language) -> Iterator[str]:
    """The words of a text that may tell what it is about, as they are written: in Chinese pairs of characters."""
    if language == "zh":
        for run in HAN_RUN.findall(_COUNTED.sub(" ", text)):
            yield from (pair for pair in (run[at : at + 2] for at in range(len(run) - 1)) if _tells_zh(pair))
        return
    for word in _WORD.findall(text):
        bare = _POSSESSIVE.sub("", word).casefold()
        if len(bare) > 2 and bare.isascii() and not _SHORTENED.search(bare) and _tells_en(bare):
            yield bare


def _tells_zh(pair: str) -> bool:
    if pair in NAMES_ALL_THE_SAME:
        return True
    silent = any(char in _SILENT_CHARACTERS for char in pair)
    silent = silent or _IN_A_PLACE.match(pair) is not None
    return not silent and pair not in CHINESE_STOP_WORDS and pair not in NAME_NOTHING


def _tells_en(word: str) -> bool:
    return word not in ENGLISH_STOP_WORDS and not set(telling_terms(word)) <= NAME_NOTHING


def _holds_nothing(word: str) -> bool:
    """Whether a longer Chinese word is put together with one that names nothing: 提高自己技巧."""
    return len(word) > 2 and any(word[at : at + 2] in NAME_NOTHING for at in range(len(word) - 1))


def _having(words: Sequence[Collection[str]], stems: Mapping[str, str]) -> dict[str, frozenset[int]]:
    """Of each stem the texts that have a word of it."""
    found: dict[str, set[int]] = defaultdict(set)
    for at, own in enumerate(words):
        for word in own:
            if word in stems:
                found[stems[word]].add(at)
    return {stem: frozenset(having) for stem, having in found.items()}


def _apart(ranked: Sequence[str]) -> list[str]:
    """Without what overlaps a better one: 红烧 and 烧肉, self-care and care."""
    kept: list[str] = []
    terms, firsts, lasts = set[str](), set[str](), set[str]()
    for word in ranked:
        own = search_terms(word)
        is_cut = bool(HAN_RUN.match(word)) and (word[0] in lasts or word[-1] in firsts)
        if not is_cut and terms.isdisjoint(own):
            kept.append(word)
            terms.update(own)
            firsts.add(word[0])
            lasts.add(word[-1])
    return kept


def _whole(pair: str, texts: Sequence[str]) -> str:
    """A pair of characters with those that nearly always stand beside it."""
    word = pair
    while len(word) < _LONGEST:
        wider = [_beside(word, texts, after=after) for after in (True, False)]
        found = max(wider, key=lambda one: one[1])
        if found[1] < 2 or found[1] < _ONE_WORD * sum(text.count(word) for text in texts):
            break
        word = found[0]
    return word


def _beside(word: str, texts: Sequence[str], *, after: bool) -> tuple[str, int]:
    """The word with the character that stands most often after it, or before it, and how often. A character that says
    nothing in a pair may be a part of a longer word: 演唱会."""
    pattern = re.compile(f"{word}([\u3400-\u9fff])" if after else f"([\u3400-\u9fff]){word}")
    no_part = _NO_PART | _WHEREIN if after else _NO_PART
    counts = Counter(char for text in texts for char in pattern.findall(text) if char not in no_part)
    char, count = min(counts.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    return (f"{word}{char}" if after else f"{char}{word}"), count
