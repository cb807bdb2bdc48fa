"""What holds in every turn of every scenario: the channels do not mix, no secret stands anywhere, no reply contradicts
what is known, and nothing that is known is asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from edge.engine.events import TurnDone
from edge.engine.ports import MemoryStore, Scope
from edge.memory.units import Unit
from tests.fakes.language_model import ScriptedModel
from tests.prompt_audit import audit, messages_of
from tests.scenarios.models import HeardModel
from tests.secret_cases import SECRETS


class LogLines(logging.Handler):
    """What was logged while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))

    def __enter__(self) -> LogLines:
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)


@dataclass(slots=True)
class Watch:
    """Looks at each turn when it has ended; `asked` are the pairs of statements that were asked about."""

    asked: set[tuple[int, int]] = field(default_factory=set)

    def faults(
        self, store: MemoryStore, scope: Scope, message: str, done: TurnDone, units: Sequence[Unit]
    ) -> Iterable[str]:
        """What is wrong with a turn, in sentences. `units` are all of the owner, also those that ended."""
        yield from _contradicted(message, done, units)
        if done.told_by_runtime and done.found.empty_slot is not None:
            empty = done.found.empty_slot
            known = store.slot_units(scope, empty.slots, empty.subject)
            yield from (f"asks for what is known: {unit.content}" for unit in known)
        if done.asked is not None:
            pair = (int(done.asked.older), int(done.asked.newer))
            if pair in self.asked:
                yield f"asks about {pair} once more"
            self.asked.add(pair)


def audited(
    model: ScriptedModel | HeardModel, context: Mapping[str, object], units: Sequence[Unit], log: Iterable[str]
) -> list[str]:
    """What stands in the last prompt, the units or the log where it must not."""
    return audit(
        messages_of(model.prompts[-1], model.tokenizer),
        units=[text for unit in units for text in (unit.content, unit.value or "")],
        log=log,
        secrets=[case.secret for case in SECRETS],
        context=context,
    )


def _contradicted(message: str, done: TurnDone, units: Sequence[Unit]) -> Iterable[str]:
    """A value that has ended is told in place of the one that holds. Not where the past was asked for, or the person
    named it, or both are told side by side."""
    if done.found.past is not None:
        return
    reply, said = _bare(done.reply), _bare(message)
    for old in units:
        if old.slot is None or not old.value or old.superseded_by is None or len(_bare(old.value)) < 2:
            continue
        current = [
            unit for unit in units
            if unit.slot == old.slot and unit.subject == old.subject and unit.superseded_by is None and unit.value
        ]  # fmt: skip
        value = _bare(old.value)
        if (
            current
            and value in reply
            and value not in said
            and not any(_bare(one.value or "") in reply for one in current)
        ):
            yield f"tells {old.value!r}, which has ended, where {current[0].value!r} holds"


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
