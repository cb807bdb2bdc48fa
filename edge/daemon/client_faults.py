"""What clients do wrong before a request is one: a line in the log, where aiohttp would write a traceback."""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

_LONGEST = 200


class ClientFaults(logging.Filter):
    """Turns records of bytes that are not HTTP, or not what their headers say, into one line at level info.

    The daemon is not at fault, and who may use the socket should not be able to fill the log.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is still to be logged."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError | web.RequestPayloadError):
            return True
        record.msg, record.args = "refused what is not HTTP: %s", (" ".join(str(error).split())[:_LONGEST],)
        record.exc_info = None
        record.levelno, record.levelname = logging.INFO, logging.getLevelName(logging.INFO)
        return logging.getLogger(record.name).isEnabledFor(logging.INFO)
