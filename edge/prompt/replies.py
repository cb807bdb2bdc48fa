"""Replies that the runtime gives itself, where a model would only make something up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from edge.memory.units import Source, Unit
from edge.prompt.texts import LANGUAGES, to_the_person, when_and_words

_UNKNOWN = {
    "en": "I don't know your {label} yet. Would you tell me?",
    "zh": "我还不知道你的{label}，可以告诉我吗？",
}
_UNKNOWN_OF_OTHERS = {
    "en": "I don't know that yet ({label}). Would you tell me?",
    "zh": "这个我还不知道（{label}），可以告诉我吗？",
}


_NOTHING_KNOWN = {
    "en": "I don't know that yet. Would you tell me?",
    "zh": "这个我还不知道，可以告诉我吗？",
}
_NOTED = {"en": "Got it.", "zh": "好的，记下了。"}
_HEARD = {"en": "All right.", "zh": "好的。"}
ACKNOWLEDGEMENTS = (*_NOTED.values(), *_HEARD.values())
"""Replies that only take note of a statement."""
_QUOTED = {
    "en": {
        Source.USER: "You said{when}: {words}",
        Source.TOOL: "A tool found{when}: {words}",
        Source.ASSISTANT: "I said{when}: {words}",
        Source.IMPORT: "Imported{when}: {words}",
    },
    "zh": {
        Source.USER: "你{when}说过：{words}",
        Source.TOOL: "工具{when}查到：{words}",
        Source.ASSISTANT: "我{when}说过：{words}",
        Source.IMPORT: "{when}导入：{words}",
    },
}


def acknowledged(language: str, *, remembered: bool) -> str:
    """The reply to a statement to which a model has nothing to say; `remembered`: a fact was found in it."""
    return (_NOTED if remembered else _HEARD)[language]


def quoted(unit: Unit, language: str, now: datetime, zone: tzinfo | None) -> str:
    """A memory as a reply, in the words of its note: "You said on 3 May: You like tea."."""
    texts = LANGUAGES[language]
    when, words = when_and_words(unit, texts, now, zone)
    if when and language == "en":
        when = f" {when}" if when in (texts.today, texts.yesterday) else f" on {when}"
    return _QUOTED[language][unit.source].format(when=when, words=words)


def nothing_known(language: str) -> str:
    """The reply to a question that only memory could answer, where it has nothing reliable."""
    return _NOTHING_KNOWN[language]


def unknown_slot(label: str, language: str, *, own: bool) -> str:
    """The reply to a question for a slot that nothing fills; `own` where it is the person's own."""
    return (_UNKNOWN if own else _UNKNOWN_OF_OTHERS)[language].format(label=label)


def from_memory(sentences: Sequence[str], language: str) -> str:
    """The reply to a question that memory answers: the distilled sentences, turned to the person."""
    return ("" if language == "zh" else " ").join(map(to_the_person, sentences))
