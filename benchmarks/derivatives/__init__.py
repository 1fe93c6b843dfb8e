"""Benchmarks of derivatives: problems of GradBench, against the best alternative."""
