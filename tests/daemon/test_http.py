"""The outer boundary of a request."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest
from aiohttp import ClientConnectionResetError, web
from aiohttp.test_utils import make_mocked_request

from edge.daemon import http


def answered(error: Exception, path: str = "/v1/index/verify") -> web.StreamResponse:
    """What the boundary makes of a handler that fails so."""

    async def handler(request: web.Request) -> web.StreamResponse:
        raise error

    return asyncio.run(http._errors(make_mocked_request("POST", path), handler))


def test_a_client_that_hung_up_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), pytest.raises(ConnectionError):
        answered(ClientConnectionResetError("Cannot write to closing transport"))
    assert caplog.messages == []


def test_what_nobody_foresaw_is_logged_and_answered(caplog: pytest.LogCaptureFixture) -> None:
    response = answered(ZeroDivisionError("division by zero"))
    assert response.status == 500
    assert caplog.messages == ["POST /v1/index/verify failed"]
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ZeroDivisionError("division by zero"), 500, "internal"),
        (web.HTTPMethodNotAllowed("PUT", ["POST"]), 404, "route_not_found"),
        (web.HTTPRequestEntityTooLarge(1, 2), 413, "body_too_large"),
        (web.RequestPayloadError("gzip"), 400, "invalid_body"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/models", "/v1/models/x"])
def test_an_openai_client_is_answered_in_its_own_form(path: str, error: Exception, status: int, code: str) -> None:
    response = answered(error, path)
    assert isinstance(response, web.Response)
    assert response.status == status
    assert isinstance(response.body, bytes)
    told = json.loads(response.body)["error"]
    assert set(told) == {"message", "type", "param", "code"}
    assert told["code"] == code


def test_every_other_client_in_the_daemons_own() -> None:
    response = answered(web.HTTPNotFound(), "/v1/modelsx")
    assert isinstance(response, web.Response)
    assert isinstance(response.body, bytes)
    assert set(json.loads(response.body)["error"]) == {"code", "message", "hint"}
