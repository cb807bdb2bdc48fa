"""Conversations with questions whose evidence is known: LoCoMo and MemoryBank folders as one shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

_EVIDENCE = re.compile(r"D\d+:\d+")
_CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open", 4: "4 single-hop", 5: "5 adversarial"}
_LANGUAGES = {"en": "en", "cn": "zh"}
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Memory:
    """One turn of a conversation, which becomes one unit. `speaker` is whose words it holds, the owner's where empty;
    `session` names the talk that it belongs to."""

    id: str
    text: str
    at: datetime
    speaker: str = ""
    session: str = "bench"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the turns that answer it, whether the conversation holds an answer at all, and which."""

    text: str
    evidence: frozenset[str]
    group: str
    answerable: bool
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one store holds, and what is asked of it. `speakers` are named in the questions, where they are."""

    name: str
    data: str
    language: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]
    speakers: tuple[str, ...] = ()


def read_folder(folder: Path) -> list[Conversation]:
    """All conversations of a folder in LoCoMo's form (`N.json`) or MemoryBank's (`cn.json`, `en.json`).

    Raises click.ClickException for a folder that holds neither.
    """
    if any((folder / f"{language}_questions.jsonl").is_file() for language in _LANGUAGES):
        return list(_memorybank(folder))
    files = sorted(folder.glob("*.json"))
    if not files:
        raise click.ClickException(f"{folder} holds neither LoCoMo's nor MemoryBank's files.")
    return [_locomo(path) for path in files]


def unrelated(conversations: list[Conversation], asked: Conversation) -> list[str]:
    """Questions of the other conversations of the same data and language, with their people's names replaced by those
    of `asked`, so that not the name alone tells that they are about something else."""
    others = [
        other for other in conversations if other is not asked and (other.data, other.language) == _kind_of(asked)
    ]
    return [
        _renamed(question.text, other.speakers, asked.speakers)
        for other in others
        for question in other.questions
        if question.answerable
    ]


def cut(conversation: Conversation, turns: int) -> list[Conversation]:
    """A conversation in small ones of so many turns in a row, each with the questions whose evidence lies in it."""
    return [
        small
        for first in range(0, len(conversation.memories), turns)
        if (small := _part(conversation, conversation.memories[first : first + turns], first // turns)).questions
    ]


def _part(conversation: Conversation, memories: tuple[Memory, ...], number: int) -> Conversation:
    held = {memory.id for memory in memories}
    asked = tuple(question for question in conversation.questions if question.evidence and question.evidence <= held)
    return replace(conversation, name=f"{conversation.name} #{number}", memories=memories, questions=asked)


def _kind_of(conversation: Conversation) -> tuple[str, str]:
    return conversation.data, conversation.language


def _renamed(text: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    for name, replacement in zip(old, new, strict=False):
        text = re.sub(rf"\b{re.escape(name)}\b", replacement, text)
    return text


# --- LoCoMo ------------------------------------------------------------------------------------------------------


def _locomo(path: Path) -> Conversation:
    told = json.loads(path.read_text(encoding="utf-8"))
    turns = tuple(_locomo_turns(told))
    known = frozenset(turn.id for turn in turns)
    return Conversation(
        name=path.stem,
        data="locomo",
        language="en",
        memories=turns,
        questions=tuple(_locomo_question(entry, known) for entry in told["qa"]),
        speakers=tuple(sorted({turn.speaker for turn in turns})),
    )


def _locomo_turns(told: Mapping[str, Any]) -> Iterator[Memory]:
    session = 1
    while f"session_{session}_date_time" in told:
        at = _spoken_time(told[f"session_{session}_date_time"])
        for number, turn in enumerate(told.get(f"session_{session}") or ()):
            shown = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"{turn['speaker']}: {turn['text']}{shown}"
            yield Memory(turn["dia_id"], text, at + number * _SECOND, turn["speaker"], f"session {session}")
        session += 1


def _locomo_question(entry: Mapping[str, Any], known: frozenset[str]) -> Question:
    evidence = frozenset(_EVIDENCE.findall(" ".join(entry.get("evidence") or ()))) & known
    category = entry["category"]
    answer = str(entry.get("answer", ""))  # some are numbers, such as a year
    return Question(entry["question"], evidence, _CATEGORIES[category], category != 5, answer)


def _spoken_time(words: str) -> datetime:
    """ "1:56 pm on 8 May, 2023", taken as UTC."""
    return datetime.strptime(words, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


# --- MemoryBank --------------------------------------------------------------------------------------------------


def _memorybank(folder: Path) -> Iterator[Conversation]:
    for name, language in _LANGUAGES.items():
        people = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        lines = (folder / f"{name}_questions.jsonl").read_text(encoding="utf-8").splitlines()
        asked = [json.loads(line) for line in lines if line.strip()]
        for person, days in people.items():
            memories = tuple(_memorybank_turns(days))
            known = frozenset(memory.id for memory in memories)
            own = [entry for entry in asked if entry["person"].strip() == person.strip()]
            questions = tuple(_memorybank_question(entry, language, known) for entry in own)
            yield Conversation(person, "memorybank", language, memories, questions)


def _memorybank_turns(days: Mapping[str, Any]) -> Iterator[Memory]:
    for day, exchanges in days.items():
        for number, exchange in enumerate(exchanges):
            at = datetime.fromisoformat(day).replace(tzinfo=UTC) + number * _SECOND
            text = f"{exchange['query']} {exchange['response']}"
            yield Memory(f"{day}#{number}", text, at, session=day)


def _memorybank_question(entry: Mapping[str, Any], language: str, known: frozenset[str]) -> Question:
    evidence = frozenset(entry["evidence"]) & known
    return Question(entry["question"], evidence, language, bool(entry["answerable"]), str(entry.get("answer", "")))
