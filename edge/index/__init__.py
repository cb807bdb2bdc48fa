"""Vectors: derived from the store, rebuilt when unfit."""
