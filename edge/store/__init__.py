"""SQLite: the truth."""
