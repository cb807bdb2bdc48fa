"""Scenarios as text: what is said and done, line by line, and what must be seen after it.

    # The first line says what the scenario shows.
    zone: Asia/Shanghai             settings of the scenario: zone, start (local time), embedder (hash or real),
    start: 2026-03-01 09:00         models, and any setting, as `recall.threshold: 0.4`
    models: scripted, real, worded  it is run with each of these, see `models`; scripted alone where that is not given

    > My name is Zhang Wei.         a person's turn
    < Nice to meet you.             what the model says in it; without it a scripted one says "I see.", a real one what
                                    it thinks
    remembered: name = Zhang Wei    what must be seen after it; see `CHECKS`
    + 26 hours                      time passes
    = 2026-03-29 01:30              the clock is set, as NTP does, also back
    @ session work                  who speaks, and where; `@ owner bob`
    ! restart                       something else happens; see `ACTIONS`
    ! context {"current_tool": "search"}   what each action takes is told in `play`

What must be seen refers to the turn or the action before it. `not` in front of a value turns it round:
`reply: not Berlin`. Texts are compared without regard to case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.scenarios.models import Mode

SETTINGS = ("zone", "start", "models", "embedder")
CHECKS = {
    "reply": "the reply holds this text",
    "says": "the same of the runtime or a real model, at temperature 0; what a scripted one says is not looked at",
    "by": "who answered: model or runtime",
    "prompt": "the last turn of the prompt, with its notes, holds this text",
    "window": "the whole prompt holds this text",
    "recalled": "a unit with this text was recalled",
    "first": "the best of the units that were recalled has this text",
    "remembered": "the turn or the action made a unit: with this text, or `slot = value`",
    "unit": "a unit that is visible now: with this text, or `slot = value`",
    "history": "a unit that ended, or is in the archive: with this text, or `slot = value`",
    "count": "so many units are visible now",
}
ACTIONS = ("restart", "small", "context", "remember", "draft", "batch", "forget", "archive")


class ScriptInvalid(Exception):
    """A line of a script that means nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must be seen, or must not."""

    line: int
    name: str
    value: str
    wanted: bool = True


@dataclass(slots=True)
class Step:
    """Something that happens: its sign, its text, the model's reply to a turn, and what must be seen after it."""

    line: int
    sign: str
    text: str
    reply: str | None = None
    checks: list[Check] = field(default_factory=list)


@dataclass(slots=True)
class Script:
    """A scenario."""

    title: str
    settings: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """With what it is run."""
        return tuple(Mode(name.strip()) for name in self.settings.get("models", Mode.SCRIPTED).split(","))


def read_script(path: Path) -> Script:
    """The scenario in a file. Raises ScriptInvalid, naming the line."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    if not first.startswith("# "):
        raise ScriptInvalid(f"{path.name}:1: the first line must say what the scenario shows")
    script = Script(first[2:])
    for number, line in enumerate(lines, 2):
        if line.strip() and not line.startswith("#"):
            try:
                _take(script, number, line.strip())
            except ScriptInvalid as error:
                raise ScriptInvalid(f"{path.name}:{number}: {error}") from None
    return script


def _take(script: Script, number: int, line: str) -> None:
    sign, _, text = line.partition(" ")
    if sign in (">", "+", "=", "@", "!"):
        if sign == "!" and text.split(" ")[0] not in ACTIONS:
            raise ScriptInvalid(f"there is no such action: {text}")
        script.steps.append(Step(number, sign, text.strip()))
    elif sign == "<":
        _last(script).reply = text.strip()
    else:
        _take_setting_or_check(script, number, line)


def _take_setting_or_check(script: Script, number: int, line: str) -> None:
    name, colon, value = line.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        raise ScriptInvalid(f"this means nothing: {line}")
    if name in CHECKS:
        wanted = not value.startswith("not ")
        _last(script).checks.append(Check(number, name, value if wanted else value[4:], wanted))
    elif not script.steps and (name in SETTINGS or "." in name):
        script.settings[name] = value
    else:
        raise ScriptInvalid(f"there is no such check or setting: {name}")


def _last(script: Script) -> Step:
    if not script.steps:
        raise ScriptInvalid("nothing has happened yet")
    return script.steps[-1]
