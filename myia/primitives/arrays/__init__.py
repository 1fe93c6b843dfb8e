"""Primitives that rearrange, index or reduce arrays.

In: the constructors of `core/`. Out: reshaping, slices, gather and scatter, reductions, scans,
sorting, pooling, convolutions and Fourier transforms. Most are linear: their derivative is a
transpose.

Read `shaping.py`, then `dynamic_slices.py` (the loads and stores of loops), `gather.py` and
`scattering.py` (arrays of indices), then `reductions.py` and `cumulative.py`. `window_geometry.py`
serves `pooling.py` and `convolution.py`; `sorting.py` and `fft.py` stand alone.
"""
