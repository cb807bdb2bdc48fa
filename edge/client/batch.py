"""A batch as a program works through it: items in order, each reported once it was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Generic, Self, TypeVar

from edge.client.calls import Client
from edge.errors import EdgeError
from edge.wire import MAX_REASON_CHARS, BatchWire

Value = TypeVar("Value")


class BatchRun(Generic[Value]):
    """Iterate over the items that are still to do. `state` is the batch as the daemon knows it.

        run = session.batch("import-7", "Adding 10 contacts", contacts)
        for item in run:
            with item:
                add_contact(item.value)
        print(run.state["done"], run.state["failures"])

    Begun anew with the same task it goes on after the last item that was reported; a cancelled one is resumed.
    """

    def __init__(self, client: Client, session: str, task: str, title: str, items: Sequence[Value]) -> None:
        self._client = client
        self._items = items
        self.state = client.begin_batch(session, task, title, len(items))
        if self.state["state"] == "cancelled":
            self.state = client.resume_batch(self.state["id"])

    def __iter__(self) -> Iterator[Item[Value]]:
        """Raises RuntimeError where an item was not reported before the next is asked for."""
        while (number := self.state["next"]) is not None:
            yield Item(self, number, self._items[number - 1])
            if self.state["next"] == number:
                raise RuntimeError(f"item {number} was not reported: use `with item:`, item.done() or item.failed(...)")

    def cancel(self) -> BatchWire:
        """Take no further item."""
        self.state = self._client.cancel_batch(self.state["id"])
        return self.state

    def _done(self, number: int) -> None:
        self.state = self._client.advance_batch(self.state["id"], number)

    def _failed(self, number: int, reason: str) -> None:
        self.state = self._client.fail_batch(self.state["id"], number, reason)


class Item(Generic[Value]):
    """One item of a batch: its `number` from 1, and its `value`.

    As a `with` block it is done at the block's end. An exception in the block is recorded as the item's failure and
    goes no further, but for errors of the daemon and what is no `Exception` (Ctrl-C): those pass, and the item stays
    to do.
    """

    def __init__(self, run: BatchRun[Value], number: int, value: Value) -> None:
        self.number = number
        self.value = value
        self._run = run

    def done(self) -> None:
        """Report it as done. Reported again, nothing changes."""
        self._run._done(self.number)

    def failed(self, reason: str) -> None:
        """Report that it could not be done. What cannot be sent of the reason, such as half a character of a file's
        name, is left out."""
        sendable = reason.encode("utf-8", "replace").decode().replace("\0", "")
        self._run._failed(self.number, " ".join(sendable.split())[:MAX_REASON_CHARS] or "no reason given")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None:
            self.done()
            return False
        if not isinstance(error, Exception) or isinstance(error, EdgeError):
            return False
        self.failed(f"{error}" or type(error).__name__)
        return True
