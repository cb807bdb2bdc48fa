"""A session as a program that acts for a person uses it: what it is doing, what it says, what it works through."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from edge.client.batch import BatchRun
from edge.client.calls import Client
from edge.client.connect import connect
from edge.client.events import Done, TurnEvent
from edge.errors import DaemonNotRunning, EdgeError
from edge.prompt.structured import compact_json
from edge.wire import DoneEvent, RecallAnswer, RememberAnswer

Value = TypeVar("Value")


class Session:
    """One session of the daemon. As a `with` block it clears the session's execution context at its end.

        with Session("support") as session:
            session.set_context(tool="create_order", args={"sku": "A-1"})
            for event in session.ask("What are you doing?"):
                if isinstance(event, Token):
                    print(event.text, end="")

    Two objects of the same name are the same session: what one sets, the other's next turn is told.
    """

    def __init__(
        self, name: str, socket: str | os.PathLike[str] | None = None, *, client: Client | None = None
    ) -> None:
        """`client` or the daemon behind `socket`, else the one that the command line would take."""
        self.name = name
        self.client = client if client is not None else connect(socket)
        self._context: dict[str, object] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._put_back({}, error)

    # --- what it is doing ---

    def set_context(
        self,
        *,
        tool: str | None = None,
        args: object = None,
        result: object = None,
        variables: Mapping[str, object] | None = None,
    ) -> None:
        """Tell what the program is doing, in the place of all that was told before; the session's next turn knows.

        A `result` also becomes a memory of the session for a day. Raises RequestInvalid naming the place of what is not
        JSON, such as a datetime; then nothing was changed.
        """
        self._set(_fields(tool=tool, args=args, result=result, variables=variables))

    def clear_context(self) -> None:
        """Tell that nothing is being done any more."""
        self._set({})

    def context(self, *, tool: str, args: object = None, variables: Mapping[str, object] | None = None) -> ToolCall:
        """One call of a tool, as a `with` block: told at its beginning, and at its end, also that of an exception, what
        was told before holds again. Variables that are not given stay as they are.

            with session.context(tool="create_order", args={"sku": "A-1"}) as call:
                call.result(create_order("A-1"))
                session.say("Did it work?")
        """
        kept = self._context.get("session_variables") if variables is None else variables
        return ToolCall(self, _fields(tool=tool, args=args, variables=kept))

    def _set(self, context: Mapping[str, object]) -> None:
        if context:
            self.client.set_context(self.name, context)
        else:
            self.client.clear_context(self.name)
        self._context = dict(context)

    def _put_back(self, context: Mapping[str, object], error: BaseException | None) -> None:
        """At the end of a block: an error that ends it is not hidden by a daemon that is gone."""
        if error is None:
            self._set(context)
            return
        with suppress(EdgeError):
            self._set(context)

    # --- what it says ---

    def ask(self, message: str, *, reply_tokens: int | None = None) -> Iterator[TurnEvent]:
        """Say something and iterate over the turn: Loading where the model had been freed, Found, then Token by Token,
        then Done. Leaving the loop stops it."""
        with self.client.turn(self.name, message, reply_tokens) as turn:
            yield from turn

    def say(self, message: str, *, reply_tokens: int | None = None) -> DoneEvent:
        """Say something and wait for the whole reply, which is `["reply"]`."""
        for event in self.ask(message, reply_tokens=reply_tokens):
            if isinstance(event, Done):
                return event.data
        raise DaemonNotRunning("The daemon ended in the middle of the reply.")

    def remember(self, content: str, **more: Any) -> RememberAnswer:
        """Remember a statement; with `kind` exactly as it is given (see POST /v1/memories for the other fields)."""
        return self.client.remember(content, self.name, **more)

    def recall(self, query: str, **more: Any) -> RecallAnswer:
        """What a turn with that message would be given; `more` are limit, kinds, as_of, explain."""
        return self.client.recall(query, self.name, **more)

    # --- what it works through ---

    def batch(self, task: str, title: str, items: Sequence[Value]) -> BatchRun[Value]:
        """Work through items, in order, each once, also when the program is started anew in the middle.

            for item in session.batch("import-2026-05", "Adding 10 contacts", contacts):
                with item:
                    add_contact(item.value)

        `task` names the batch to the program, `title` to the person, who may ask "how far are you?". An exception in
        the block is recorded as the item's failure, and the rest goes on.
        """
        return BatchRun(self.client, self.name, task, title, items)


class ToolCall:
    """One call of a tool; see `Session.context`."""

    def __init__(self, session: Session, context: dict[str, object]) -> None:
        self._session = session
        self._context = context
        self._before: dict[str, object] = {}

    def __enter__(self) -> Self:
        self._before = self._session._context
        self._session._set(self._context)
        return self

    def result(self, value: Value) -> Value:
        """Tell what the tool returned, and give it back. Raises RequestInvalid for what is not JSON; then what was told
        before stands."""
        self._session._set({**self._context, "last_tool_result": value})
        self._context["last_tool_result"] = value
        return value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session._put_back(self._before, error)


def _fields(
    *, tool: str | None = None, args: object = None, result: object = None, variables: object = None
) -> dict[str, object]:
    """The fields that are given, under their names on the wire; a wrong one is refused under the name it has here."""
    given = {"tool": tool, "args": args, "result": result, "variables": variables}
    for name, value in given.items():
        compact_json(value, name)
    fields = {"current_tool": tool, "tool_args": args, "last_tool_result": result, "session_variables": variables}
    return {name: value for name, value in fields.items() if value is not None}
