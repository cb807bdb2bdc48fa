"""The routes of the socket as typed calls, on the standard library alone so that it starts fast.

Each method is one route of `edge/daemon/API.md` and gives its wire type; see `edge.client.requests` for the errors that
all of them raise.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from edge.client.answers import each_shaped, shaped
from edge.client.clusters import ClusterCalls
from edge.client.events import BackingUp, Consolidating, ForgettingAll, Turn, Verification
from edge.client.requests import Requests, piece
from edge.errors import AnswerInvalid, DaemonNotRunning
from edge.prompt.structured import compact_json
from edge.wire import (
    MAX_PAGE,
    BatchPageWire,
    BatchWire,
    ChangeWire,
    ContextWire,
    FailurePageWire,
    FailureWire,
    ForgetAllPreview,
    ForgetAnswer,
    ForgetPreview,
    ForgotAnswer,
    HealthWire,
    HistoryAnswer,
    ImportAnswer,
    IndexAnswer,
    IndexWire,
    IndexWorkWire,
    MemoryPage,
    MemoryWire,
    RecallAnswer,
    RememberAnswer,
    SegmentWire,
    SessionsAnswer,
    SessionWire,
    StatusWire,
    WhyAnswer,
)

ANSWER_SECONDS = 120.0
"""How long an answer may take, but for a turn's: that one takes as long as it takes."""


class Client:
    """Speaks to the daemon behind one socket. Every call opens a connection of its own."""

    def __init__(self, socket_path: str | os.PathLike[str], answer_seconds: float = ANSWER_SECONDS) -> None:
        self._requests = Requests(os.fspath(socket_path), answer_seconds)
        self.clusters = ClusterCalls(self._requests)

    @property
    def socket_path(self) -> str:
        """Where the daemon listens."""
        return self._requests.socket_path

    def turn(self, session: str, message: str, reply_tokens: int | None = None) -> Turn:
        """Say something; gives the events of the turn. Raises what the daemon answers, and connection errors."""
        body = _given(session=session, message=message, stream=True, reply_tokens=reply_tokens)
        return Turn(*self._requests.begin("/v1/turns", body))

    def memories(
        self,
        *,
        session: str | None = None,
        kind: str | None = None,
        before: int | None = None,
        limit: int | None = None,
        past: bool = False,
        as_of: str | None = None,
        archived: bool = False,
    ) -> MemoryPage:
        """One page of units, newest first; `past` adds expired, superseded and archived ones, `as_of` shows what was so
        then, `archived` only what was archived."""
        flags = {"past": "true" if past else None, "archived": "true" if archived else None}
        query = _given(session=session, kind=kind, before=before, limit=limit, as_of=as_of, **flags)
        page = shaped(self._requests.ask("GET", "/v1/memories", query=query), MemoryPage, lists=("memories",))
        each_shaped(page["memories"], MemoryWire)
        return page

    def all_memories(
        self,
        *,
        session: str | None = None,
        kind: str | None = None,
        before: int | None = None,
        past: bool = False,
        page: int = MAX_PAGE,
        as_of: str | None = None,
        archived: bool = False,
    ) -> Iterator[MemoryWire]:
        """Every unit, newest first, page by page."""
        while True:
            found = self.memories(
                session=session, kind=kind, before=before, limit=page, past=past, as_of=as_of, archived=archived
            )
            yield from found["memories"]
            following = found["next_before"]
            if following is None:
                return
            if before is not None and following >= before:
                raise AnswerInvalid(f"The pages of memories on {self.socket_path} do not end.")
            before = following

    def memory(self, unit: int) -> MemoryWire:
        """One unit. Raises MemoryNotFound."""
        return shaped(self._requests.ask("GET", f"/v1/memories/{unit}"), MemoryWire)

    def history(self, unit: int) -> HistoryAnswer:
        """What took one another's place with a unit, oldest first. Raises MemoryNotFound."""
        answer = shaped(self._requests.ask("GET", f"/v1/memories/{unit}/history"), HistoryAnswer, lists=("memories",))
        each_shaped(answer["memories"], MemoryWire)
        return answer

    def why(self, unit: int) -> WhyAnswer:
        """The words that a unit comes from. Raises MemoryNotFound."""
        return shaped(self._requests.ask("GET", f"/v1/memories/{unit}/why"), WhyAnswer, lists=("confirmed",))

    def remember(self, content: str, session: str | None = None, **more: Any) -> RememberAnswer:
        """Remember a statement; `more` are the other fields of the route (kind, slot, expires_in and so on)."""
        body = _given(content=content, session=session, **more)
        return shaped(self._requests.ask("POST", "/v1/memories", body), RememberAnswer, lists=("memories",))

    def forget(self, unit: int) -> ForgetAnswer:
        """Remove a unit for good. Raises MemoryNotFound."""
        return shaped(self._requests.ask("DELETE", f"/v1/memories/{unit}"), ForgetAnswer, lists=("forgotten",))

    def forget_preview(self, **wanted: Any) -> ForgetPreview:
        """What would go with `ids`, a `query` or a `session` (and its `facts`). Raises MemoryNotFound,
        SessionNotFound."""
        answer = self._requests.ask("POST", "/v1/forget", {**_given(**wanted), "preview": True})
        found = shaped(answer, ForgetPreview, lists=("ids", "memories", "kept_ids", "kept"))
        each_shaped([*found["memories"], *found["kept"]], MemoryWire)
        return found

    def forget_selected(self, token: str | None = None, **wanted: Any) -> ForgotAnswer:
        """Remove it for good. With the token of a preview only what that showed: raises ForgettingChanged."""
        answer = self._requests.ask("POST", "/v1/forget", _given(token=token, **wanted))
        return shaped(answer, ForgotAnswer, lists=("forgotten", "kept"))

    def forget_all_preview(self, owner: str | None = None) -> ForgetAllPreview:
        """How much there is of yours, or, for root, of an owner's. Raises NotPermitted."""
        answer = self._requests.ask("POST", "/v1/forget-all", {**_given(owner=owner), "preview": True})
        return shaped(answer, ForgetAllPreview)

    def forget_all(self, owner: str | None = None, token: str | None = None) -> ForgettingAll:
        """Remove all of it for good. With the token of a preview only what that showed: raises ForgettingChanged."""
        return ForgettingAll(*self._requests.begin("/v1/forget-all", _given(owner=owner, token=token)))

    def archive(self, unit: int) -> MemoryWire:
        """Take a unit out of the active set; it can be restored. Raises MemoryNotFound."""
        return shaped(self._requests.ask("POST", f"/v1/memories/{unit}/archive"), MemoryWire)

    def restore(self, unit: int) -> MemoryWire:
        """Bring an archived unit back. Raises MemoryNotFound."""
        return shaped(self._requests.ask("POST", f"/v1/memories/{unit}/restore"), MemoryWire)

    def recall(self, query: str, session: str | None = None, **more: Any) -> RecallAnswer:
        """What a turn would be given; `more` are limit, kinds, as_of, explain."""
        body = _given(query=query, session=session, **more)
        return shaped(self._requests.ask("POST", "/v1/recall", body), RecallAnswer, lists=("recalled", "dropped"))

    def sessions(self) -> list[SessionWire]:
        """Sessions, last used first."""
        found = shaped(self._requests.ask("GET", "/v1/sessions"), SessionsAnswer, lists=("sessions",))["sessions"]
        each_shaped(found, SessionWire)
        return found

    # --- execution contexts ---

    def context(self, session: str) -> ContextWire:
        """The execution context of a session."""
        return shaped(self._requests.ask("GET", _context_path(session)), ContextWire)

    def set_context(self, session: str, context: Mapping[str, object]) -> ContextWire:
        """Put a context in the place of the session's: any of current_tool, tool_args, last_tool_result and
        session_variables. Raises RequestInvalid naming the place of what is not JSON, before anything is sent."""
        compact_json(context, "context")
        return shaped(self._requests.ask("PUT", _context_path(session), context), ContextWire)

    def clear_context(self, session: str) -> ContextWire:
        """Take the session's context away."""
        return shaped(self._requests.ask("DELETE", _context_path(session)), ContextWire)

    # --- batches ---

    def begin_batch(self, session: str, task: str, title: str, total: int) -> BatchWire:
        """A new batch, or the one of that task as it stands. Raises BatchDiffers where that has another total."""
        body = {"session": session, "task": task, "title": title, "total": total}
        return _batch(self._requests.ask("POST", "/v1/batches", body))

    def batches(
        self,
        *,
        session: str | None = None,
        state: str | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> BatchPageWire:
        """One page of batches, newest first."""
        query = _given(session=session, state=state, before=before, limit=limit)
        page = shaped(self._requests.ask("GET", "/v1/batches", query=query), BatchPageWire, lists=("batches",))
        for batch in page["batches"]:
            _batch(batch)
        return page

    def batch(self, batch: int) -> BatchWire:
        """One batch with its newest failures. Raises BatchNotFound."""
        return _batch(self._requests.ask("GET", f"/v1/batches/{batch}"))

    def failures(self, batch: int, *, before: int | None = None, limit: int | None = None) -> FailurePageWire:
        """One page of a batch's failures, newest first. Raises BatchNotFound."""
        query = _given(before=before, limit=limit)
        path = f"/v1/batches/{batch}/failures"
        page = shaped(self._requests.ask("GET", path, query=query), FailurePageWire, lists=("failures",))
        each_shaped(page["failures"], FailureWire)
        return page

    def advance_batch(self, batch: int, item: int) -> BatchWire:
        """Note that an item was done. Raises BatchItemUnexpected, BatchEnded, BatchNotFound."""
        return _batch(self._requests.ask("POST", f"/v1/batches/{batch}/advance", {"item": item}))

    def fail_batch(self, batch: int, item: int, reason: str) -> BatchWire:
        """Note that an item could not be done. Raises as `advance_batch` does."""
        return _batch(self._requests.ask("POST", f"/v1/batches/{batch}/fail", {"item": item, "reason": reason}))

    def resume_batch(self, batch: int) -> BatchWire:
        """Go on with a batch; `next` of the answer is the item to do."""
        return _batch(self._requests.ask("POST", f"/v1/batches/{batch}/resume"))

    def cancel_batch(self, batch: int) -> BatchWire:
        """Take no further item."""
        return _batch(self._requests.ask("POST", f"/v1/batches/{batch}/cancel"))

    # --- the daemon ---

    def status(self) -> StatusWire:
        """State, memory by part, settings in force."""
        return shaped(self._requests.ask("GET", "/v1/status"), StatusWire)

    def health(self) -> HealthWire:
        """How well memory serves, and the machine's figures."""
        return shaped(self._requests.ask("GET", "/memory/health"), HealthWire)

    def index(self) -> IndexAnswer:
        """How the indexes of vectors are."""
        return _index_answer(self._requests.ask("GET", "/v1/index"))

    def rebuild_index(self) -> IndexAnswer:
        """Begin to build the indexes anew; gives how they are at once."""
        return _index_answer(self._requests.ask("POST", "/v1/index/rebuild"))

    def verify_index(self) -> Verification:
        """Compare every vector with the database."""
        return Verification(*self._requests.begin("/v1/index/verify"))

    def back_up(self) -> BackingUp:
        """Make a backup of everybody's memory. Raises NotPermitted."""
        return BackingUp(*self._requests.begin("/v1/backups"))

    # --- taking out and bringing in ---

    def export(self) -> Iterator[bytes]:
        """All of your memory as JSON lines (edge/memory/PORTABLE.md), with their ends. Raises DaemonNotRunning where it
        broke off."""
        last = b""
        for line in self._requests.read_lines("/v1/export"):
            yield line
            last = line
        if not last.startswith(b'{"type":"end",'):
            raise DaemonNotRunning("The daemon ended in the middle of the export; what came is not all.")

    def import_lines(self, pieces: Iterable[bytes]) -> ImportAnswer:
        """Bring in JSON lines, in pieces of any size. What is there already is passed over. Raises ImportInvalid."""
        return shaped(self._requests.send_lines("/v1/import", pieces), ImportAnswer)

    def consolidate(self, *, now: bool = False, only: str | None = None) -> Consolidating:
        """Ask for off-peak work, of all steps or one; with `now` it runs while its events are read. Raises Busy."""
        return Consolidating(*self._requests.begin("/v1/consolidations", _given(now=now, only=only)))


def _context_path(session: str) -> str:
    return f"/v1/sessions/{piece(session)}/context"


def _batch(data: Any) -> BatchWire:
    batch = shaped(data, BatchWire, lists=("failures",))
    each_shaped(batch["failures"], FailureWire)
    return batch


def _index_answer(data: Any) -> IndexAnswer:
    answer = shaped(data, IndexAnswer)
    for index in (answer["serving"], answer["coming"]):
        if index is not None:
            each_shaped(shaped(index, IndexWire, lists=("segments", "unfit"))["segments"], SegmentWire)
            if index["work"] is not None:
                shaped(index["work"], IndexWorkWire)
    if answer["changing"] is not None:
        shaped(answer["changing"], ChangeWire)
    return answer


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
