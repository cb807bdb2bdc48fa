"""Edge: an offline assistant with a memory, for small computers."""

__version__ = "0.1.0"
