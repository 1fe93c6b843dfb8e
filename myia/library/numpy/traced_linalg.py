"""`numpy.linalg` and `numpy.fft`: functions traced from `jax.numpy`, by name.

Eigenvalues of general matrices are complex, also where all of them are real: NumPy chooses the
dtype by their values.
"""

from __future__ import annotations

import numpy as np

from myia.library.support.traced import (
    each_inexact,
    each_own,
    named,
    one_dtype,
    one_inexact,
    traced_by_name,
)

traced_by_name(
    np.linalg,
    one_inexact,
    {
        "a": "inv det cholesky eigvals eigvalsh",
        "x": "svdvals matrix_norm vector_norm cond",
        "a b": "solve",
        "a b ?rcond": "lstsq",
        "a ?rcond ?rtol": "pinv",
        "A ?tol ?rtol": "matrix_rank",
    },
)
traced_by_name(np.linalg, each_own, {"a": "matrix_power"})
traced_by_name(np.linalg, one_dtype, {"arrays*": "multi_dot", "x1 x2": "vecdot cross"})

for _name in ("eig", "eigh", "svd", "qr", "slogdet"):
    _pack = named(type(getattr(np.linalg, _name)(np.eye(1))))
    traced_by_name(np.linalg, one_inexact, {"a": _name}, pack=_pack)

# ----- Fourier transforms

traced_by_name(
    np.fft,
    each_inexact,
    {
        "a": "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn",
    },
)
traced_by_name(np.fft, each_own, {"x": "fftshift ifftshift"})
