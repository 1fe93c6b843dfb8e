"""`numpy.linalg` and `numpy.fft`: functions traced from `jax.numpy`, by name.

Eigenvalues of general matrices are complex, also where all of them are real: NumPy chooses the
dtype by their values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.library.support.traced import (
    Dtypes,
    each_inexact,
    each_own,
    named,
    one_dtype,
    one_inexact,
    traced,
)


def _linalg(arrays: dict[str, str], dtypes: Dtypes, **more: Any) -> None:
    for name, parameters in arrays.items():
        traced(getattr(np.linalg, name), f"numpy.linalg.{name}", parameters, dtypes, **more)


_linalg(
    {
        "inv": "a",
        "det": "a",
        "cholesky": "a",
        "eigvals": "a",
        "eigvalsh": "a",
        "svdvals": "x",
        "solve": "a b",
        "lstsq": "a b ?rcond",
        "tensorsolve": "a b",
        "tensorinv": "a",
        "pinv": "a ?rcond ?rtol",
        "matrix_norm": "x",
        "vector_norm": "x",
        "cond": "x",
        "matrix_rank": "A ?tol ?rtol",
    },
    one_inexact,
)
_linalg({"matrix_power": "a"}, each_own)
_linalg({"multi_dot": "arrays*", "vecdot": "x1 x2", "cross": "x1 x2"}, one_dtype)

for _name in ("eig", "eigh", "svd", "qr", "slogdet"):
    _pack = named(type(getattr(np.linalg, _name)(np.eye(1))))
    _linalg({_name: "a"}, one_inexact, pack=_pack)

# ----- Fourier transforms

for _name in (
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2",
    "fftn", "ifftn", "rfftn", "irfftn",
):  # fmt: skip
    traced(getattr(np.fft, _name), f"numpy.fft.{_name}", "a", each_inexact)
for _name in ("fftshift", "ifftshift"):
    traced(getattr(np.fft, _name), f"numpy.fft.{_name}", "x", each_own)
