"""Tests of the model files and adapters."""
