"""Replies that the runtime gives itself, where a model would only make something up."""

from __future__ import annotations

from collections.abc import Sequence

from edge.prompt.texts import to_the_person

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


def nothing_known(language: str) -> str:
    """The reply to a question that only memory could answer, where it has nothing reliable."""
    return _NOTHING_KNOWN[language]


def unknown_slot(label: str, language: str, *, own: bool) -> str:
    """The reply to a question for a slot that nothing fills; `own` where it is the person's own."""
    return (_UNKNOWN if own else _UNKNOWN_OF_OTHERS)[language].format(label=label)


def from_memory(sentences: Sequence[str], language: str) -> str:
    """The reply to a question that memory answers: the distilled sentences, turned to the person."""
    return ("" if language == "zh" else " ").join(map(to_the_person, sentences))
