"""Tests of the vector index."""
