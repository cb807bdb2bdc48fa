"""The use cases, over ports: a turn, recall, remember."""
