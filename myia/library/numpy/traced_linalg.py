"""`numpy.linalg` and `numpy.fft`: functions traced from `jax.numpy`, by name.

Eigenvalues of general matrices are complex, also where all of them are real: NumPy chooses the
dtype by their values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType
from myia.infer.domain.values import Abstract, Static
from myia.infer.registry import function
from myia.library.support.arguments import dtype_of, numeric, static_value
from myia.library.support.traced import (
    TracedFunction,
    each_own,
    named,
    one_dtype,
    one_inexact,
    single_or_double,
    traced_by_name,
)
from myia.library.support.ways import TRACED, defined_by

HALF = np.dtype(np.float16)

# ----- What LAPACK does not compute


def refuse_half(ctx: Context, bound: dict[str, Any]) -> None:
    """NumPy has LAPACK's functions for single and double precision."""
    for name, x in bound.items():
        if name in ("a", "b", "x", "A"):
            bound[name] = given = numeric(ctx, x)
            if dtype_of(ctx, given) == HALF:
                ctx.fail(BadType, message="array type float16 is unsupported in linalg")


def _refuse_norm_of_half(ctx: Context, bound: dict[str, Any]) -> None:
    """Only norms by singular values are LAPACK's."""
    order = bound.get("ord")
    if isinstance(order, Static) and order.value in (2, -2, "nuc"):
        refuse_half(ctx, bound)


def _refuse_inverse_of_half(ctx: Context, bound: dict[str, Any]) -> None:
    if ctx.int_of(bound["n"], "the power of a matrix") < 0:
        refuse_half(ctx, bound)


# ----- Matrices

traced_by_name(
    np.linalg,
    one_inexact,
    {
        "a": "inv det cholesky eigvals eigvalsh",
        "x": "svdvals cond",
        "a b": "solve",
        "a b ?rcond": "lstsq",
        "a ?rcond ?rtol": "pinv",
        "A ?tol ?rtol": "matrix_rank",
    },
    convert=refuse_half,
)
traced_by_name(np.linalg, one_inexact, {"x": "vector_norm"})
traced_by_name(np.linalg, one_inexact, {"x": "matrix_norm"}, convert=_refuse_norm_of_half)
traced_by_name(np.linalg, each_own, {"a": "matrix_power"}, convert=_refuse_inverse_of_half)
traced_by_name(np.linalg, one_dtype, {"arrays*": "multi_dot", "x1 x2": "vecdot cross"})

for _name in ("eig", "eigh", "svd", "slogdet"):
    _pack = named(type(getattr(np.linalg, _name)(np.eye(1))))
    traced_by_name(np.linalg, one_inexact, {"a": _name}, pack=_pack, convert=refuse_half)

_QR = TracedFunction(np.linalg.qr, "numpy.linalg.qr", ("a",), one_inexact, convert=refuse_half)
_NAMED_QR = replace(_QR, pack=named(type(np.linalg.qr(np.eye(1)))))


def _qr(ctx: Context, a: Abstract, mode: Abstract = Static("reduced")) -> Abstract:
    is_raw = static_value(ctx, mode, "the mode of `np.linalg.qr`") == "raw"
    return (_QR if is_raw else _NAMED_QR)(ctx, a, mode)


function(np.linalg.qr)(defined_by(TRACED, _qr))

# ----- Fourier transforms

traced_by_name(
    np.fft,
    single_or_double,
    {
        "a": "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn",
    },
)
traced_by_name(np.fft, each_own, {"x": "fftshift ifftshift"})
