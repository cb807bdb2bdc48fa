"""The whole daemon, seen from its socket."""
