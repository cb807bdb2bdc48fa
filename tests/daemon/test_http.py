"""The outer boundary of a request."""

from __future__ import annotations

import asyncio
import logging

import pytest
from aiohttp import ClientConnectionResetError, web
from aiohttp.test_utils import make_mocked_request

from edge.daemon import http


def answered(error: Exception) -> web.StreamResponse:
    """What the boundary makes of a handler that fails so."""

    async def handler(request: web.Request) -> web.StreamResponse:
        raise error

    return asyncio.run(http._errors(make_mocked_request("POST", "/v1/index/verify"), handler))


def test_a_client_that_hung_up_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), pytest.raises(ConnectionError):
        answered(ClientConnectionResetError("Cannot write to closing transport"))
    assert caplog.messages == []


def test_what_nobody_foresaw_is_logged_and_answered(caplog: pytest.LogCaptureFixture) -> None:
    response = answered(ZeroDivisionError("division by zero"))
    assert response.status == 500
    assert caplog.messages == ["POST /v1/index/verify failed"]
    assert caplog.records[0].exc_info is not None
