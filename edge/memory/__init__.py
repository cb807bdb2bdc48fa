"""What is remembered and how it is found again: pure code, no I/O, no clock."""
