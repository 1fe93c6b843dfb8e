"""Benchmarks of the time from source to executable."""
