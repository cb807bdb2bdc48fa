"""How good the model's answers are with what recall puts into its prompt, beside the newest and the nearest turns."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path
from statistics import fmean, median
from typing import TypeVar

import click

from edge.clock import SystemClock
from edge.daemon.parts import FileModels
from edge.engine.model_ports import LanguageModel, TextEmbedder
from edge.settings import Settings
from scripts.benchmarks.asking import METHODS, REPLY_TOKENS, Answer, Asker
from scripts.benchmarks.conversations import Conversation, Question
from scripts.benchmarks.memory import bench_memory, current_settings
from scripts.benchmarks.report import NOISE, Report, Table
from scripts.benchmarks.scoring import token_f1

T = TypeVar("T")
_SEED = 11
_COLUMNS = ("questions", "count", "method", "F1", "evidence shown", "prompt tokens", "median s", "by runtime")
_NOTE = (
    f"F1 in percent; evidence shown: the share of the known turns that stood in the prompt. Greedy, at most "
    f"{REPLY_TOKENS} tokens a reply; each question is a session's first, with the role text evaluated before. {NOISE}"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what one method made of it, and its F1 from 0 to 1."""

    conversation: str
    data: str
    question: Question
    method: str
    answer: Answer
    f1: float

    @property
    def share_shown(self) -> float:
        """Of the turns that hold the answer, how many stood in the prompt."""
        return len(self.question.evidence & self.answer.shown) / len(self.question.evidence)


@dataclass(frozen=True, slots=True)
class Models:
    """What answers and what embeds, and the settings that they run under."""

    language: LanguageModel
    embedder: TextEmbedder
    settings: Settings


@contextmanager
def real_models(model: str | None) -> Iterator[Models]:
    """The models of the settings, with another language model where one is named. Raises ModelMissing."""
    settings = current_settings()
    if model is not None:
        settings = replace(settings, model=replace(settings.model, id=model, file=""))
    files = FileModels(settings, SystemClock())
    language = files.load_language()
    try:
        yield Models(language, files.load_embedder(), settings)
    finally:
        language.close()


def measure_answers(
    conversations: Sequence[Conversation],
    count: int,
    models: Models,
    replies: Path | None = None,
    methods: Sequence[str] = METHODS,
) -> Report:
    """Ask `count` questions with each of the methods, one after the other; each answer is a line of the file `replies`.

    Interrupted (Ctrl-C), it reports the questions that all methods have answered.
    """
    chosen = spread_questions(conversations, count)
    asked: list[Asked] = []
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        lines = stack.enter_context(replies.open("w", encoding="utf-8")) if replies else None
        for answered in _ask_all(chosen, models, methods, stack):
            asked += answered
            _tell(len(asked) // len(answered), len(chosen), answered)
            if lines is not None:
                lines.writelines(map(_line, answered))
                lines.flush()
    return report_of(asked, conversations, len(chosen), methods)


def spread_questions(conversations: Sequence[Conversation], count: int) -> list[tuple[Conversation, Question]]:
    """`count` of the questions that have an answer and known evidence, the same each time: from each group as many as
    from the next, and in a group from each conversation, as far as there are; ordered so that any beginning of the
    list is spread as evenly."""
    groups: dict[tuple[str, str], list[list[tuple[Conversation, Question]]]] = defaultdict(list)
    for conversation in conversations:
        own: dict[str, list[tuple[Conversation, Question]]] = defaultdict(list)
        for question in conversation.questions:
            if _can_be_scored(question):
                own[question.group].append((conversation, question))
        for group, questions in own.items():
            random.Random(f"{_SEED} {conversation.name} {group}").shuffle(questions)
            groups[conversation.data, group].append(questions)
    return _in_turn([_in_turn(groups[group]) for group in sorted(groups)])[:count]


def _can_be_scored(question: Question) -> bool:
    return question.answerable and bool(question.evidence and question.answer)


def _in_turn(lists: Iterable[Sequence[T]]) -> list[T]:
    """One of each list, then the next of each, until all are empty."""
    missing = object()
    rounds = zip_longest(*lists, fillvalue=missing)
    return [item for round_ in rounds for item in round_ if item is not missing]  # type: ignore[misc]


def _ask_all(
    chosen: Sequence[tuple[Conversation, Question]], models: Models, methods: Sequence[str], stack: ExitStack
) -> Iterator[list[Asked]]:
    """Fill the memories, then put each question to every method, so that what disturbs the machine disturbs all.
    The methods take turns in being the first."""
    askers: dict[tuple[str, str, str], Asker] = {}
    for conversation, _ in chosen:
        key = _key(conversation)
        if key not in askers:
            click.echo(f"filling in {' '.join(key)}: {len(conversation.memories)} turns", err=True)
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            memory = stack.enter_context(bench_memory(Path(folder), models.embedder))
            askers[key] = Asker(memory, conversation, models.language, models.settings)
    for number, (conversation, question) in enumerate(chosen):
        asker = askers[_key(conversation)]
        first = number % len(methods)
        order = [*methods[first:], *methods[:first]]
        yield [_ask(asker, method, conversation, question) for method in order]


def _ask(asker: Asker, method: str, conversation: Conversation, question: Question) -> Asked:
    answer = asker.ask(method, question.text)
    f1 = token_f1(answer.reply, question.answer)
    return Asked(conversation.name, conversation.data, question, method, answer, f1)


def _key(conversation: Conversation) -> tuple[str, str, str]:
    return conversation.data, conversation.language, conversation.name


def _tell(number: int, count: int, answered: Sequence[Asked]) -> None:
    """Progress, on standard error: a question can take half a minute."""
    said = ", ".join(f"{asked.method} {100 * asked.f1:.0f} in {asked.answer.seconds:.1f} s" for asked in answered)
    click.echo(f"question {number} of {count}: F1 {said}", err=True)


def _line(asked: Asked) -> str:
    """An answer as a line of JSON, to be read by a person who wonders at a figure."""
    told = asdict(asked)
    told["question"]["evidence"] = sorted(asked.question.evidence)
    told["answer"]["shown"] = sorted(asked.answer.shown)
    return json.dumps(told, ensure_ascii=False) + "\n"


# --- the report --------------------------------------------------------------------------------------------------


def report_of(
    asked: Sequence[Asked], conversations: Sequence[Conversation], wanted: int, methods: Sequence[str] = METHODS
) -> Report:
    """Figures of the answers by data, group and method, and how edge compares with the others."""
    report = Report("answers")
    for data in sorted({one.data for one in asked}):
        own = [one for one in asked if one.data == data]
        rows = list(_rows(own, _sizes(conversations, data), methods))
        report.tables.append(Table(f"Answers to questions of {data}", _COLUMNS, rows, _NOTE))
        report.figures |= _compared(data, own, methods)
    report.figures["questions answered"] = f"{len(asked) // len(methods)} of {wanted}"
    return report


def _rows(asked: Sequence[Asked], sizes: Mapping[str, int], methods: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """By group and method; then over all that were asked; then as if each group had been asked as often as it is in
    the data."""
    groups = sorted({one.question.group for one in asked})
    of_group = {group: [one for one in asked if one.question.group == group] for group in groups}
    common = {group: sizes[group] / len(of_group[group]) for group in groups}
    for name, chosen, weights in (
        *((group, of_group[group], None) for group in groups),
        ("all asked", asked, None),
        ("all, weighted as the data", asked, common),
    ):
        for method in methods:
            yield _row(name, method, [one for one in chosen if one.method == method], weights)


def _row(name: str, method: str, asked: Sequence[Asked], weights: Mapping[str, float] | None) -> tuple[object, ...]:
    weight = [1.0 if weights is None else weights[one.question.group] for one in asked]
    return (
        name,
        len(asked),
        method,
        100 * fmean((one.f1 for one in asked), weight),
        fmean((one.share_shown for one in asked), weight),
        fmean((one.answer.prompt_tokens for one in asked), weight),
        median(one.answer.seconds for one in asked),
        fmean((one.answer.by_runtime for one in asked), weight),
    )


def _sizes(conversations: Sequence[Conversation], data: str) -> Counter[str]:
    """How many questions each group of the data has that could be asked."""
    return Counter(
        question.group
        for conversation in conversations
        if conversation.data == data
        for question in conversation.questions
        if _can_be_scored(question)
    )


def _compared(data: str, asked: Sequence[Asked], methods: Sequence[str]) -> dict[str, float]:
    """How the first of the methods compares with the others, over all and by group."""
    first, *others = methods
    figures: dict[str, float] = {}
    for name in ("", *sorted({one.question.group for one in asked})):
        own = [one for one in asked if name in ("", one.question.group)]
        f1 = {method: fmean(one.f1 for one in own if one.method == method) for method in methods}
        where = f"{data} {name}".rstrip()
        figures |= {f"{where}: F1 of {first} over {other}": f1[first] / f1[other] for other in others if f1[other]}
    tokens = fmean(one.answer.prompt_tokens for one in asked if one.method == first)
    return {**figures, f"{data}: prompt tokens of {first}, mean": tokens}
