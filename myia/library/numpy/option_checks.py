"""Functions whose options NumPy itself checks: it is called on samples of the arguments.

    np.sort(x, kind="foo")   ->   NumPy's ValueError, on zeros of the shape of `x`

Only functions are listed that raise for options, types and shapes, and not for numbers.
"""

from __future__ import annotations

import numpy as np

from myia.infer.registry import ASKED

ASKED.update(
    (
        # orders
        *(np.searchsorted, np.sort, np.argsort, np.partition, np.argpartition, np.digitize),
        # histograms
        *(np.histogram, np.histogram_bin_edges, np.histogram2d),
        # shapes
        *(np.reshape, np.ravel, np.rot90, np.tile, np.repeat, np.roll),
        *(np.moveaxis, np.copyto, np.take_along_axis, np.linalg.outer, np.select),
        *(np.split, np.array_split, np.vsplit, np.hsplit, np.dsplit),
        *(np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack),
        *(np.eye, np.tri, np.tril, np.triu, np.vander, np.diff, np.gradient, np.trim_zeros),
        *(np.ravel_multi_index, np.geomspace, np.interp),
        # matrices and spectra
        *(np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.cov),
    )
)
