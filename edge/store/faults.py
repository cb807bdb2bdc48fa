"""SQLite's failures as the errors a person is shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from edge.errors import DiskFull, EdgeError, RequestInvalid, StoreDamaged, StoreFailed, StoreReadOnly

_BY_CODE: dict[int, tuple[type[EdgeError], str]] = {
    sqlite3.SQLITE_FULL: (DiskFull, "The disk is full"),
    sqlite3.SQLITE_READONLY: (StoreReadOnly, "The memory's database cannot be written"),
    sqlite3.SQLITE_CORRUPT: (StoreDamaged, "The memory's database is damaged"),
    sqlite3.SQLITE_NOTADB: (StoreDamaged, "The memory's file is not a database"),
}


@contextmanager
def named_faults() -> Iterator[None]:
    """Raise DiskFull, StoreReadOnly, StoreDamaged or StoreFailed for what SQLite reports, and RequestInvalid for text
    that has no UTF-8 form. A wrong call (sqlite3.ProgrammingError, another thread for one) is no fault of the disk
    and stays what it is."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise _named(error) from error
    except UnicodeEncodeError as error:
        raise RequestInvalid("A text holds half a character (a lone surrogate) and cannot be kept.") from error


def _named(error: sqlite3.Error) -> EdgeError:
    primary_code = (getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR) & 0xFF
    cause, message = _BY_CODE.get(primary_code, (StoreFailed, "The memory's database failed"))
    return cause(f"{message}: {error}.")
