"""vectorize."""
