"""The interface for OpenAI clients: chat completions and models, over the same turns as `/v1/turns`.

`OPENAI.md` says what it takes, what it ignores and what it refuses.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from aiohttp import web

from edge.clock import Clock
from edge.daemon.exchange import json_answer, object_of, owner_of
from edge.daemon.openai_reading import SESSION_HEADER, ChatRequest, read_chat
from edge.daemon.openai_refusals import error_body, retry_headers, shown, status_of
from edge.daemon.openai_views import Completion, Wire, model_wire
from edge.daemon.streams import broke_off
from edge.engine.events import RecallDone, TokenMade, TurnDone, TurnFailed
from edge.engine.model_ports import Sampling
from edge.engine.running import RunningTurn
from edge.engine.turn import Turns
from edge.errors import EdgeError, ModelUnknown

_CHAT = "/v1/chat/completions"
_MODELS = "/v1/models"
_ALIASES = ("edge", "default")
"""Names that the model goes by, whichever it is."""
_RETRY_SECONDS = 5
"""A turn on a small board takes about that long."""
_END = b"data: [DONE]\n\n"


def speaks_openai(path: str) -> bool:
    """Whether a path is of this interface, so that its errors have its form."""
    return path.startswith(("/v1/chat/", f"{_MODELS}/")) or path == _MODELS


def openai_refusal(error: EdgeError) -> web.Response:
    """An error as an answer."""
    answer = json_answer(error_body(error), status=status_of(error))
    answer.headers.update(retry_headers(error, _RETRY_SECONDS))
    return answer


class OpenAiRoutes:
    """`/v1/chat/completions` and `/v1/models`."""

    def __init__(
        self, turns: Turns, sampling: Sampling, model_name: Callable[[], Awaitable[str]], clock: Clock
    ) -> None:
        """`model_name` tells the id of the model that replies; `sampling` is how replies are made."""
        self._turns = turns
        self._sampling = sampling
        self._model_name = model_name
        self._clock = clock
        self._since = self._seconds()

    def table(self) -> list[web.RouteDef]:
        """The routes."""
        return [
            web.post(_CHAT, self.complete),
            web.get(_MODELS, self.models),
            web.get(f"{_MODELS}/{{model}}", self.model),
        ]

    async def models(self, request: web.Request) -> web.Response:  # noqa: ARG002  aiohttp's signature
        return json_answer({"object": "list", "data": [model_wire(await self._model_name(), self._since)]})

    async def model(self, request: web.Request) -> web.Response:
        return json_answer(model_wire(await self._served(request.match_info["model"]), self._since))

    async def complete(self, request: web.Request) -> web.StreamResponse:
        owner = owner_of(request)
        chat = read_chat(await object_of(request), request.headers.get(SESSION_HEADER))
        model = await self._served(chat.model)
        turn = self._turns.start(owner, chat.session, chat.message, self._sampled(chat), terms=chat.terms)
        answer = _Answer(turn, chat, model, self._seconds())
        try:
            return await (answer.stream(request) if chat.stream else answer.whole())
        except (asyncio.CancelledError, ConnectionError):
            turn.cancel()
            raise

    async def _served(self, name: str) -> str:
        """The id of the model that goes by a name. Raises ModelUnknown."""
        served = await self._model_name()
        if name != served and name not in _ALIASES:
            message = f"The model '{shown(name)}' does not exist here; '{served}' does, which is also called 'edge'."
            raise ModelUnknown(message, field="model")
        return served

    def _sampled(self, chat: ChatRequest) -> Sampling:
        most = self._sampling.max_tokens
        return replace(self._sampling, max_tokens=min(most, chat.reply_tokens or most))

    def _seconds(self) -> int:
        return int(self._clock.now().timestamp())


class _Answer:
    """What a client is told of a turn."""

    def __init__(self, turn: RunningTurn, chat: ChatRequest, model: str, created: int) -> None:
        self._turn = turn
        self._chat = chat
        self._model = model
        self._created = created

    async def whole(self) -> web.Response:
        """The reply when it is whole."""
        while (event := await self._turn.events.get()) is not None:
            if isinstance(event, TurnFailed):
                return openai_refusal(event.error)
            if isinstance(event, TurnDone):
                done = self._completion(event)
                return json_answer(done.whole(event.reply, event.finish, event.usage))
        return openai_refusal(broke_off())

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """The reply as it comes. What fails before the person's words are stored is an ordinary answer with its
        status; what fails later is the last chunk."""
        begun = await self._begun()
        if isinstance(begun, EdgeError):
            return openai_refusal(begun)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        async for line in self._lines(begun):
            await response.write(line)
        with suppress(ConnectionError):
            await response.write_eof()
        return response

    async def _begun(self) -> Completion | EdgeError:
        """The completion, as soon as the turn is stored; or why it will not be."""
        while (event := await self._turn.events.get()) is not None:
            if isinstance(event, RecallDone):
                return self._completion(event)
            if isinstance(event, TurnFailed):
                return event.error
        return broke_off()

    async def _lines(self, completion: Completion) -> AsyncIterator[bytes]:
        yield _event(completion.opening())
        while (event := await self._turn.events.get()) is not None:
            if isinstance(event, TokenMade):
                yield _event(completion.piece(event.text))
            elif isinstance(event, TurnFailed):
                yield _event(error_body(event.error))
                return
            elif isinstance(event, TurnDone):
                for chunk in completion.endings(event.finish, event.usage):
                    yield _event(chunk)
                yield _END
                return
        yield _event(error_body(broke_off()))

    def _completion(self, event: RecallDone | TurnDone) -> Completion:
        return Completion(event.turn, self._model, self._created, self._chat.include_usage)


def _event(wire: Wire) -> bytes:
    return f"data: {json.dumps(wire, ensure_ascii=False)}\n\n".encode("utf-8", "replace")
