"""A typed client of the daemon for programs that act for a person. It needs only the standard library.

    from edge.client import Session

    with Session("support") as session:
        session.set_context(variables={"customer": 4711})
        with session.context(tool="create_order", args={"sku": "A-1"}) as call:
            call.result(create_order("A-1"))
            print(session.say("Did it work?")["reply"])

`Session` talks in one session of the person whose program it is; `connect` gives the calls of every route. Errors are
the classes of `edge.errors`, with a message and a hint.
"""

from edge.client.batch import BatchRun, Item
from edge.client.calls import Client
from edge.client.connect import connect
from edge.client.events import Done, Found, Loading, Token, TurnEvent
from edge.client.session import Session, ToolCall

__all__ = [
    "BatchRun",
    "Client",
    "Done",
    "Found",
    "Item",
    "Loading",
    "Session",
    "Token",
    "ToolCall",
    "TurnEvent",
    "connect",
]
