"""Benchmarks of what reversed loops record."""
