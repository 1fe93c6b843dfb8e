"""Arrays with axes of a run-time extent below a compile-time bound: `x[:i]`, `x[mask]`."""
