"""idioms."""
