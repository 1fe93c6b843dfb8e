"""The page of results: `python -m benchmarks.page` measures rows and writes `results/`."""
