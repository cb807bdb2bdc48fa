"""What the log says of clients that do not speak HTTP, and that it keeps its traceback of everything else."""

from __future__ import annotations

import logging
import sys

import pytest
from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage

from edge.daemon.client_faults import ClientFaults


@pytest.fixture
def logger() -> logging.Logger:
    made = logging.getLogger("edge.tests.client_faults")
    made.addFilter(ClientFaults())
    return made


def logged(logger: logging.Logger, error: Exception) -> None:
    try:
        raise error
    except type(error):
        logger.error("Error handling request from %s", "", exc_info=sys.exc_info())


@pytest.mark.parametrize(
    "error", [BadHttpMessage("Missing\n'Host' header " + "x" * 9000), web.RequestPayloadError("a")]
)
def test_what_a_client_did_wrong_is_one_line_at_level_info(
    logger: logging.Logger, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    with caplog.at_level(logging.INFO):
        logged(logger, error)
    [record] = caplog.records
    assert record.levelno == logging.INFO
    assert record.exc_info is None
    assert "\n" not in record.getMessage()
    assert len(record.getMessage()) < 300


def test_where_info_is_not_wanted_it_is_not_logged(logger: logging.Logger, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        logged(logger, BadHttpMessage("no"))
    assert not caplog.records


def test_other_errors_keep_level_and_traceback(logger: logging.Logger, caplog: pytest.LogCaptureFixture) -> None:
    logged(logger, ValueError("ours"))
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None
