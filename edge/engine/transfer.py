"""Memory taken out and brought in, under the rules for secrets. Lives on the memory thread.

A secret that stands in the memory was asked to be kept, so its record says `keep_secrets` where it goes out; in one
that comes in without these words it is replaced by a mark, as in all that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from edge.engine.contexts import without_secrets as context_without_secrets
from edge.engine.transfer_ports import Added, Incoming, TransferStore
from edge.errors import ImportInvalid, RequestInvalid
from edge.memory.portable import Record, is_storable, read_record, write_record
from edge.memory.secret_facts import without_secrets
from edge.memory.secrets import redacted, redacted_said
from edge.memory.units import Draft, Kind, OwnerId, Source
from edge.prompt.structured import EXECUTION_FIELDS, compact_json


@dataclass(frozen=True, slots=True)
class Transfer:
    """Takes out, and begins to bring in."""

    store: TransferStore

    def lines(self, owner: OwnerId) -> Iterator[bytes]:
        """All of an owner's as lines, some at a time."""
        for records in self.store.outgoing(owner):
            yield "".join(f"{write_record(_outgoing(record))}\n" for record in records).encode()

    def begin(self, owner: OwnerId) -> Bringing:
        """Bring in for an owner."""
        return Bringing(self.store.incoming(owner))


class Bringing:
    """One import: lines in their order, a batch at a time."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming
        self.lines = 0
        """How many were brought in."""
        self.added: dict[str, int] = {}
        self.known = 0
        self.redacted = 0
        self.ended = False
        """Whether the end of an export was read."""

    def learn(self) -> bool:
        """See Incoming."""
        return self._incoming.learn()

    def bring(self, lines: Sequence[bytes]) -> None:
        """Bring in a batch, all of it or nothing. Raises ImportInvalid, its `line` counted from the first of all, and
        what the store raises."""
        numbers = [number for number, line in enumerate(lines) if line.strip()]
        pairs = [self._read(number, lines[number]) for number in numbers]
        try:
            done = self._incoming.add([record for record, _ in pairs])
        except ImportInvalid as error:
            place = error.details.pop("record", 0)
            raise self._at(numbers[place if isinstance(place, int) else 0], error) from None
        self._count(done)
        self.redacted += sum(changed for _, changed in pairs)
        self.ended = any(record.type == "end" for record, _ in pairs) or self.ended
        self.lines += len(lines)

    def _count(self, done: Added) -> None:
        self.known += done.known
        for name, count in done.added.items():
            self.added[name] = self.added.get(name, 0) + count

    def _read(self, number: int, line: bytes) -> tuple[Record, bool]:
        try:
            record = read_record(line)
            clean = _incoming(record)
        except (ImportInvalid, RequestInvalid) as error:
            raise self._at(number, error) from None
        return clean, clean.values != record.values

    def _at(self, number: int, error: RequestInvalid) -> ImportInvalid:
        line = self.lines + number + 1
        made = ImportInvalid(f"Line {line}: {error.message}", line=line)
        made.details.update(error.details)
        return made


def _outgoing(record: Record) -> Record:
    if record.type not in ("turn", "memory"):
        return record
    return _with(record, keep_secrets=_cleaned(record).values != record.values)


def _incoming(record: Record) -> Record:
    if record.type == "context":
        return _clean_context(record)
    if record.type == "cluster":
        texts = {name: redacted(record[name])[0] for name in ("key", "description")}
        return _with(record, **texts, tags=[redacted(tag)[0] for tag in record["tags"]])
    if record.type not in ("turn", "memory") or record["keep_secrets"]:
        return record
    return _cleaned(record)


def _cleaned(record: Record) -> Record:
    if record.type == "turn":
        return _with(record, message=redacted_said(record["message"])[0], reply=redacted(record["reply"])[0])
    names = ("content", "subject", "slot", "value", "task_type")
    draft = Draft(
        Kind(record["kind"]), source=Source(record["source"]), entities=tuple(record["entities"]),
        **{name: record[name] for name in names},
    )  # fmt: skip
    clean = without_secrets(draft)[0]
    changed = {name: getattr(clean, name) for name in names}
    named = {name: None if record[name] is None else redacted(record[name])[0] for name in ("quote", "cluster")}
    return _with(record, entities=list(clean.entities), **changed, **named)


def _clean_context(record: Record) -> Record:
    unknown = next((name for name in record["context"] if name not in EXECUTION_FIELDS), None)
    if unknown is not None:
        raise ImportInvalid(f"context has no field {unknown[:64]!a}.", field="context")
    if not is_storable(compact_json(record["context"], "context")):
        raise ImportInvalid("context must hold texts without half characters and NUL.", field="context")
    return _with(record, context=dict(context_without_secrets(record["context"])))


def _with(record: Record, **values: Any) -> Record:
    return replace(record, values={**record.values, **values})
