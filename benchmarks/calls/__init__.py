"""What one call costs."""
