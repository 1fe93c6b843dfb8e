"""residuals."""
