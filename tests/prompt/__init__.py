"""Tests of what the model sees."""
