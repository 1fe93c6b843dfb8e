"""Better versions in JAX than loops over elements: whole arrays, products, convolutions, scans.

The algorithm of the kernel is kept.
"""
