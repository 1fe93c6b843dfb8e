"""Benchmarks of the forms in which ops and loops are emitted."""
