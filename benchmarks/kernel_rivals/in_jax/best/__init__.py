"""Where JAX has something better than loops over places: whole arrays, products, convolutions,
cumulative sums, a row at a time. The algorithm stays the kernel's.
"""
