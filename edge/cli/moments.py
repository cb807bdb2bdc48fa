"""Moments as a person types them: a day, or a day and an hour, by their own clock."""

from __future__ import annotations

import click


def moment(text: str) -> str:
    """2026-03-01 (its end), 2026-03-01T12:00, or with an offset, as a time of the wire. Raises BadParameter."""
    from datetime import date, datetime, time

    text = text.strip()
    try:
        if len(text) == len("2026-03-01"):
            read = datetime.combine(date.fromisoformat(text), time.max)
        else:
            read = datetime.fromisoformat(text)
        return (read if read.tzinfo is not None else read.astimezone()).isoformat()
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{text!r} is no time; give a day such as 2026-03-01, or 2026-03-01T12:00.") from None
