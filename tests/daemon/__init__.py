"""Tests of the process and its socket."""
