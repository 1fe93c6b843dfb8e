"""special."""
