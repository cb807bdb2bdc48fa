"""Measurements of edge, made anew by anyone: `scripts/bench --help`."""
