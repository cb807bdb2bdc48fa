"""Tests of what is remembered and how it is found again."""
