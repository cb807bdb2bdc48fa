"""Requests for memories, run on the memory thread: page, add, show, recall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from edge.daemon.memory import Memory
from edge.daemon.requests import LARGEST_ID, Fields, whole_number
from edge.daemon.views import memory_wire, recall_answer
from edge.engine.ports import Page, Scope, Written
from edge.errors import RequestInvalid
from edge.memory.secret_facts import without_secrets
from edge.memory.secrets import Labels, redacted_said
from edge.memory.units import SELF, SESSION_KINDS, Draft, Kind, OwnerId, SessionId, Source, UnitId
from edge.wire import DEFAULT_PAGE, MAX_PAGE, MemoryPage, MemoryWire, RecallAnswer, RememberAnswer

T = TypeVar("T")
_LONGEST_LIFE = timedelta(days=36500)
_LONGEST_NAME = 200
_GIVEN_KINDS = {kind.value: kind for kind in Kind if kind is not Kind.EPISODE}
_GIVEN_SOURCES = {source.value: source for source in Source}
_GO_WITH_KIND = (
    "source", "expires_in", "subject", "slot", "value", "entities", "confidence", "importance", "task_type",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which units to list."""

    session: SessionId | None
    kinds: frozenset[Kind] | None
    before: UnitId | None
    limit: int
    past: bool
    as_of: datetime | None = None
    archived: bool = False

    @staticmethod
    def read(fields: Fields) -> PageRequest:
        """From the query of `GET /v1/memories`."""
        request = PageRequest(
            session=fields.optional_session(),
            kinds=_kinds(fields.texts("kind", most=len(Kind), longest=40), "kind"),
            before=UnitId(before) if (before := fields.integer("before", 0, low=0, high=LARGEST_ID)) else None,
            limit=fields.integer("limit", DEFAULT_PAGE, low=1, high=MAX_PAGE),
            past=fields.boolean("past", False),
            as_of=fields.moment("as_of"),
            archived=fields.boolean("archived", False),
        )
        fields.done()
        return request


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What to remember: a statement to read, or a draft to store as it is given."""

    session: SessionId | None
    statement: str | None
    draft: Draft | None
    keep_secrets: bool = False

    @staticmethod
    def read(fields: Fields, at: datetime) -> RememberRequest:
        """From the body of `POST /v1/memories`."""
        content = fields.text("content")
        session = fields.optional_session()
        keep_secrets = fields.boolean("keep_secrets", False)
        kind = fields.optional_text("kind", longest=40)
        draft = None if kind is None else _draft(fields, _choice("kind", kind, _GIVEN_KINDS), content, at)
        alone = fields.given(_GO_WITH_KIND)
        if alone is not None:
            raise RequestInvalid(f"{alone} goes with kind; without one the content is read as words.", field=alone)
        fields.done()
        if draft is not None and draft.kind in SESSION_KINDS and session is None:
            raise RequestInvalid(f"session is missing: {draft.kind.value} belongs to one.", field="session")
        return RememberRequest(session, content if draft is None else None, draft, keep_secrets)


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What to recall."""

    query: str
    session: SessionId | None
    limit: int
    kinds: frozenset[Kind] | None
    as_of: datetime | None
    explain: bool

    @staticmethod
    def read(fields: Fields, default_limit: int) -> RecallRequest:
        """From the body of `POST /v1/recall`."""
        request = RecallRequest(
            query=fields.text("query"),
            session=fields.optional_session(),
            limit=fields.integer("limit", max(1, default_limit), low=1, high=200),
            kinds=_kinds(fields.texts("kinds", most=len(Kind), longest=40), "kinds"),
            as_of=fields.moment("as_of"),
            explain=fields.boolean("explain", False),
        )
        fields.done()
        return request


def page(memory: Memory, owner: OwnerId, request: PageRequest, now: datetime) -> MemoryPage:
    """A page of the owner's units, newest first; of what was archived, where that is asked for."""
    if request.archived:
        found = memory.archive.page(
            owner, session=request.session, kinds=request.kinds, before=request.before, limit=request.limit
        )
        return _page_wire(found)
    found = memory.store.page(
        owner, session=request.session, kinds=request.kinds, before=request.before, limit=request.limit,
        as_of=request.as_of or now, include_past=request.past, present=request.as_of is None,
    )  # fmt: skip
    return _page_wire(found)


def _page_wire(found: Page) -> MemoryPage:
    return {"memories": [memory_wire(unit) for unit in found.units], "next_before": found.next_before}


def show(memory: Memory, owner: OwnerId, unit: UnitId) -> MemoryWire:
    """One unit of the owner. Raises MemoryNotFound."""
    return memory_wire(memory.store.unit(owner, unit))


def remember(memory: Memory, owner: OwnerId, request: RememberRequest, now: datetime) -> RememberAnswer:
    """Store what was asked to be remembered, without the secrets that neither the request nor the content asks to
    keep."""
    labels: Labels = ()
    if request.draft is not None:
        draft, labels = (request.draft, ()) if request.keep_secrets else without_secrets(request.draft)
        written = memory.remember.drafts(owner, request.session, [draft], now)
    else:
        assert request.statement is not None
        words, labels = (request.statement, ()) if request.keep_secrets else redacted_said(request.statement)
        written = memory.remember.statement(owner, request.session, words, now)
    return _answer(memory, owner, written, labels)


def recall(memory: Memory, owner: OwnerId, request: RecallRequest, now: datetime) -> RecallAnswer:
    """What a turn with that message would be given."""
    scope = Scope(owner, request.session, request.as_of or now, request.kinds, present=request.as_of is None)
    return recall_answer(memory.recall.find(scope, request.query, request.limit), explain=request.explain)


def _answer(memory: Memory, owner: OwnerId, written: Written, labels: Labels) -> RememberAnswer:
    units = [memory.store.unit(owner, unit) for unit in (*written.added, *written.confirmed)]
    return {
        "added": list(written.added),
        "confirmed": list(written.confirmed),
        "superseded": list(written.superseded),
        "memories": [memory_wire(unit) for unit in units],
        "redacted": list(labels),
    }


def _draft(fields: Fields, kind: Kind, content: str, at: datetime) -> Draft:
    source = _choice("source", fields.text("source", Source.USER.value, longest=40), _GIVEN_SOURCES)
    life = fields.optional_number("expires_in", low=0.001, high=_LONGEST_LIFE.total_seconds())
    return Draft(
        kind=kind,
        content=content,
        source=source,
        subject=fields.text("subject", SELF, longest=_LONGEST_NAME),
        slot=fields.optional_text("slot", longest=_LONGEST_NAME),
        value=fields.optional_text("value", longest=_LONGEST_NAME * 5),
        entities=fields.texts("entities", most=50, longest=_LONGEST_NAME),
        confidence=fields.number("confidence", 1.0, low=0.0, high=1.0),
        importance=fields.number("importance", 0.5, low=0.0, high=1.0),
        task_type=fields.optional_text("task_type", longest=_LONGEST_NAME),
        valid_until=None if life is None else at + timedelta(seconds=life),
    )


def _choice(name: str, value: str, choices: Mapping[str, T]) -> T:
    if value not in choices:
        raise RequestInvalid(f"{name} must be one of {', '.join(choices)}.", field=name)
    return choices[value]


def _kinds(names: tuple[str, ...], field: str) -> frozenset[Kind] | None:
    every = {kind.value: kind for kind in Kind}
    return frozenset(_choice(field, name, every) for name in names) or None


def query_fields(query: Mapping[str, Any]) -> Fields:
    """The fields of a URL's query, with numbers and flags read from their texts."""
    values: dict[str, Any] = dict(query)
    for name in ("before", "limit"):
        if name in values:
            values[name] = whole_number(name, values[name])
    for name in ("past", "archived"):
        if name in values:
            values[name] = _choice(name, values[name], {"true": True, "1": True, "false": False, "0": False})
    if "kind" in values:
        values["kind"] = [part for part in str(values["kind"]).split(",") if part]
    return Fields(values)
