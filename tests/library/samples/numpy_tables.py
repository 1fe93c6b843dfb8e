"""Tables for the page of NumPy: functions without a derivative, and the reasons of refusals."""

from __future__ import annotations

import cmath
import math

import numpy as np
import scipy.linalg
import scipy.special

from myia.library.numpy.refused import REASONS

MODULES = (np, np.linalg, np.fft, scipy.special, scipy.linalg, math, cmath)

# Integers, truth values, what is piecewise constant or known at compile time; and functions whose
# derivative is refused (of the Schur form).
WITHOUT_DERIVATIVE = {
    f"{module}.{name}"
    for module, names in {
        "cmath": "isclose isfinite isinf isnan",
        "math": """
            ceil comb factorial floor gcd isclose isfinite isinf isnan isqrt lcm perm
            trunc ulp
        """,
        "numpy": """
            all allclose any arange argmax argmin argpartition argsort argwhere
            array_equal array_equiv bartlett base_repr binary_repr bitwise_and
            bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or
            bitwise_right_shift bitwise_xor blackman broadcast_shapes can_cast
            common_type count_nonzero diag_indices diag_indices_from digitize
            einsum_path empty empty_like equal eye flatnonzero gcd greater greater_equal
            hamming hanning identity indices invert isclose iscomplex iscomplexobj
            isdtype isfinite isin isinf isnan isneginf isposinf isreal isrealobj
            isscalar issubdtype iterable ix_ kaiser lcm left_shift less less_equal
            lexsort logical_and logical_not logical_or logical_xor mintypecode nanargmax
            nanargmin ndim nonzero not_equal ones ones_like packbits promote_types
            ravel_multi_index result_type right_shift searchsorted shape signbit size
            tri tril_indices tril_indices_from triu_indices triu_indices_from typename
            unpackbits unravel_index zeros zeros_like
        """,
        "numpy.fft": """
            fftfreq rfftfreq
        """,
        "numpy.linalg": """
            matrix_rank
        """,
        "scipy.linalg": """
            dft hadamard helmert hessenberg hilbert invhilbert invpascal pascal schur
            solve_sylvester sqrtm
        """,
        "scipy.special": """
            gammasgn round
        """,
    }.items()
    for name in names.split()
}

_MEMORY = "is about memory or files, which compiled arrays do not show"
_OF_MEMORY = [
    "base", "byteswap", "ctypes", "data", "device", "dump", "dumps", "flags", "getfield", "resize",
    "setfield", "setflags", "strides", "to_device", "tobytes", "tofile", "view",
]  # fmt: skip
_ARRAY = dict.fromkeys(_OF_MEMORY, _MEMORY)


def reason_of(module: str, name: str) -> str:
    if module == "numpy" and name in REASONS:
        return REASONS[name]
    if module == "numpy.ndarray":
        return _ARRAY.get(name, "no handler")
    return "no handler"
