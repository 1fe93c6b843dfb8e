"""Kernels of `benchmarks/kernel_programs` as users of other systems write them."""
