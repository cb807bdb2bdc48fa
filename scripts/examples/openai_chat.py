"""The official OpenAI client talks to the daemon, and the program forgets while the daemon does not.

With a daemon running (`edge daemon`) and the client installed (`pip install openai`):

    python scripts/examples/openai_chat.py

Each talk sends its own few messages, as to any other server. The second knows what was said in the first, because both
are the same Unix user's. Nothing here is special to Edge but the transport, which is the socket in place of a network.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
from openai import APIError, DefaultHttpxClient, OpenAI

from edge.places import client_socket


def client() -> OpenAI:
    """The client, on the socket. It wants a key, which the daemon ignores: it knows the user by the connection."""
    socket = client_socket(os.environ, Path.home(), os.getuid())
    transport = httpx2.HTTPTransport(uds=str(socket))
    return OpenAI(base_url="http://edge/v1", api_key="none", http_client=DefaultHttpxClient(transport=transport))


def reply(to: OpenAI, words: str, thread: str) -> Iterator[str]:
    """A turn in a thread, piece by piece."""
    stream = to.chat.completions.create(
        model="edge",
        messages=[{"role": "system", "content": "Answer in one sentence."}, {"role": "user", "content": words}],
        user=thread,
        stream=True,
    )
    for chunk in stream:
        yield chunk.choices[0].delta.content or ""


def main() -> int:
    """Tell it something in one talk, and ask for it in another."""
    talks = [
        ("monday", "My order number is A-20391."),
        ("tuesday", "What is my order number?"),
        ("星期三", "我的订单号是多少？"),
    ]
    with client() as to:
        try:
            for thread, words in talks:
                print(f"[{thread}] {words}")
                for piece in reply(to, words, thread):
                    print(piece, end="", flush=True)
                print()
        except APIError as error:
            print(error.message, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
