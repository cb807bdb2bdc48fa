"""The official OpenAI client on a daemon's socket, as it is made by everybody who has one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
from openai import AsyncOpenAI, DefaultAsyncHttpxClient, DefaultHttpxClient, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

_BASE = "http://edge/v1"
_KEY = "not needed"


def client_on(socket: Path, **options: Any) -> OpenAI:
    """The client."""
    transport = httpx2.HTTPTransport(uds=str(socket))
    return OpenAI(base_url=_BASE, api_key=_KEY, http_client=DefaultHttpxClient(transport=transport), **options)


def async_client_on(socket: Path, **options: Any) -> AsyncOpenAI:
    """The same on an event loop."""
    transport = httpx2.AsyncHTTPTransport(uds=str(socket))
    return AsyncOpenAI(
        base_url=_BASE, api_key=_KEY, http_client=DefaultAsyncHttpxClient(transport=transport), **options
    )


class Chat:
    """What a chat program does: it keeps the messages, and sends all of them each time."""

    def __init__(self, client: OpenAI, system: str = "", **options: Any) -> None:
        self.client = client
        self.messages: list[ChatCompletionMessageParam] = []
        self.options = options
        if system:
            self.messages.append({"role": "system", "content": system})

    def say(self, words: str, **options: Any) -> ChatCompletion:
        """A turn; the last answer."""
        self.messages.append({"role": "user", "content": words})
        answer: ChatCompletion = self.client.chat.completions.create(
            model="edge", messages=self.messages, **{**self.options, **options}
        )
        self.messages.append({"role": "assistant", "content": answer.choices[0].message.content})
        return answer


def reply_of(answer: ChatCompletion) -> str:
    """The words of an answer."""
    content = answer.choices[0].message.content
    assert content is not None
    return content
