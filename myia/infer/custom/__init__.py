"""custom."""
