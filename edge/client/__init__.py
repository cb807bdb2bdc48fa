"""A typed client of the daemon, for agents and for the command line; it needs only the standard library."""
