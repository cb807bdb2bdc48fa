"""Freshness: how much of what is in the active set holds now."""

from __future__ import annotations

HEALTHY = 0.85


def freshness(valid: int, active: int) -> float:
    """Share from 0 to 1 of the units in the active set (not archived) that are valid: neither expired nor superseded.
    Nothing at all is fresh. Raises ValueError for counts that cannot be."""
    if not 0 <= valid <= active:
        raise ValueError(f"{valid} of {active} units cannot be valid")
    return valid / active if active else 1.0
