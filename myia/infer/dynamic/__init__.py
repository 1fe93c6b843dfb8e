"""dynamic."""
