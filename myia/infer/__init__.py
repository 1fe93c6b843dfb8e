"""IR(py) -> typed IR: abstract interpretation. The only place where Python is resolved."""
