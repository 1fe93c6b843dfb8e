"""Benchmarks: `python -m benchmarks [name ...]` runs them all, or the ones named."""
