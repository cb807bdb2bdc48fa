"""What is still known from turn 50 on: a session of the daemon, beside the same talk as a prompt, whole or its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import click

from edge.prompt.composition import Composer, Tokens
from edge.prompt.texts import LANGUAGES
from scripts.benchmarks.bare import BareTalk, model_file
from scripts.benchmarks.daemon import OwnDaemon, own_daemon
from scripts.benchmarks.report import NOISE, Report, Table
from scripts.benchmarks.retention_script import TALKS, Asked, Talk
from scripts.benchmarks.turns import ask

NEWEST = 20
_REPLY_TOKENS = 48
_WHOLE_CONTEXT = 8192
_EDGE, _WORDED, _WHOLE, _NEWEST = "edge", "edge, worded by the model", "full history", f"last {NEWEST} turns"
_METHODS = (_EDGE, _WORDED, _WHOLE, _NEWEST)
_COLUMNS = ("language", "method", "right", "of", "first token ms", "the same from nothing ms", "prompt tokens")
_NOTE = (
    "Right where the reply holds the fact. Medians over the questions: milliseconds to the first token where the model "
    "still holds what the turn before left it, and where the whole prompt must be evaluated, as for a client that "
    "keeps no state. The talk is that of the first edge, its replies included, in a context of "
    f"{_WHOLE_CONTEXT} tokens. {NOISE}"
)
Said = tuple[str, str]
"""A message and its reply."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and what one method made of it: its reply, the milliseconds to the first token with what it holds
    between turns and from nothing, and the tokens of its prompt."""

    language: str
    method: str
    asked: Asked
    reply: str
    first_ms: float
    whole_ms: float | None
    prompt_tokens: int

    @property
    def is_right(self) -> bool:
        """Whether the reply holds the fact."""
        return any(text.casefold() in self.reply.casefold() for text in self.asked.accepted)


def measure_retention(model: str | None) -> Report:
    """Play both talks and ask; then put the same questions to the bare model with the talk as its prompt."""
    answered: list[Answered] = []
    for talk in TALKS:
        said, by_edge = _by_edge(model, talk, _EDGE)
        answered += by_edge
        answered += _by_edge(model, talk, _WORDED, EDGE_RECALL_FAST_ANSWERS="false")[1]
        bare = BareTalk(model_file(model), _WHOLE_CONTEXT)
        try:
            answered += _by_prompt(bare, talk, _WHOLE, said, slides=False)
            answered += _by_prompt(bare, talk, _NEWEST, said[-NEWEST:], slides=True)
        finally:
            bare.close()
    return report_of(answered)


def _by_edge(model: str | None, talk: Talk, method: str, **settings: str) -> tuple[list[Said], list[Answered]]:
    """The talk up to turn 49 as it went, and the answers from turn 50 on."""
    with own_daemon(model, **settings) as daemon:
        said = []
        for message in (*talk.told, *talk.between):
            said.append((message, _turn(daemon, message)[0]))
            click.echo(f"{talk.language}, {method}: turn {len(said)}", err=True)
        return said, [_told(_edge_answer(daemon, talk, method, asked)) for asked in talk.asked]


def _edge_answer(daemon: OwnDaemon, talk: Talk, method: str, asked: Asked) -> Answered:
    reply, first_ms, tokens = _turn(daemon, asked.question)
    return Answered(talk.language, method, asked, reply, first_ms, None, tokens)


def _turn(daemon: OwnDaemon, message: str) -> tuple[str, float, int]:
    """The reply, milliseconds to the first token, and the prompt's tokens."""
    daemon.wait_until_quiet()
    done, seen = ask(daemon.client, message, _REPLY_TOKENS)
    return done["reply"], seen or 0.0, done["usage"]["prompt_tokens"]


def _by_prompt(bare: BareTalk, talk: Talk, method: str, said: Sequence[Said], *, slides: bool) -> list[Answered]:
    """The answers of the bare model to each question after the talk. A window that slides begins elsewhere in each
    turn, so that nothing of it is held."""
    composer = Composer(bare)
    role = composer.head(LANGUAGES[talk.language].role, ())
    history: Tokens = role + tuple(token for turn in said for token in composer.turn(*turn))
    answers = []
    for asked in talk.asked:
        prompt = history + composer.user((), composer.text(asked.question)) + composer.open_reply
        _, whole_ms = bare.reply((), prompt, _REPLY_TOKENS)
        reply, kept_ms = bare.reply(history, prompt, _REPLY_TOKENS)
        first_ms = whole_ms if slides else kept_ms
        answers.append(_told(Answered(talk.language, method, asked, reply, first_ms, whole_ms, len(prompt))))
    return answers


def _told(answered: Answered) -> Answered:
    """Progress, on standard error, so that a person can read what was said."""
    verdict = "right" if answered.is_right else "wrong"
    click.echo(f"{answered.method}: {answered.asked.question} - {answered.reply} - {verdict}", err=True)
    return answered


# --- the report --------------------------------------------------------------------------------------------------


def report_of(answered: Sequence[Answered]) -> Report:
    """How many are right by language and method, and edge beside the full history."""
    report = Report("retention")
    languages = sorted({one.language for one in answered})
    rows = [_row(language, method, answered) for language in languages for method in _METHODS]
    report.tables.append(Table("Facts of turns 1 to 10, asked from turn 50 on", _COLUMNS, rows, _NOTE))
    for language in languages:
        edge, whole = (_of(language, method, answered) for method in (_EDGE, _WHOLE))
        right, theirs = (sum(one.is_right for one in group) for group in (edge, whole))
        ceiling = right == len(edge)
        ours, kept = (median(one.first_ms for one in group) for group in (edge, whole))
        from_nothing = median(one.whole_ms or 0.0 for one in whole)
        report.figures |= {
            f"{language}: right (target: at least 11 of 12)": f"{right} of {len(edge)}",
            f"{language}: right over full history (target: 1.68, or all)": right / theirs if theirs else float(right),
            f"{language}: all are right": ceiling,
            f"{language}: first token over full history, prefix kept (target: 0.58)": ours / kept,
            f"{language}: first token over full history, evaluated whole": ours / from_nothing,
        }
    return report


def _row(language: str, method: str, answered: Sequence[Answered]) -> tuple[object, ...]:
    own = _of(language, method, answered)
    whole = [one.whole_ms for one in own if one.whole_ms is not None]
    return (
        language,
        method,
        sum(one.is_right for one in own),
        len(own),
        median(one.first_ms for one in own),
        median(whole) if whole else "-",
        median(one.prompt_tokens for one in own),
    )


def _of(language: str, method: str, answered: Sequence[Answered]) -> list[Answered]:
    return [one for one in answered if (one.language, one.method) == (language, method)]
