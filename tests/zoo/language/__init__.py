"""Programs in plain Python, construct by construct."""
