"""Whole conversations as readable scripts; the format is told in `script`."""
