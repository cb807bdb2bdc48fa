"""Small stand-ins that implement the ports."""
