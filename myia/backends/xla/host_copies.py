"""Copies of small results for NumPy, in less time than `np.array`.

`np.array` makes an array that reads JAX's memory, asks for a description of its elements, and
copies that array. What the compiler knows of a result need not be asked: its bytes are copied, and
an array made of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from myia.ir.avals import Aval

MAX_BYTES = 4096  # larger arrays take longer to copy than to describe
KINDS = "?iufc"  # of dtypes whose elements JAX shows to Python


class HostCopy(NamedTuple):
    """An expression of `result`, and of these names."""

    names: dict[str, Any]
    expression: str


def host_copy(aval: Aval) -> HostCopy | None:
    """A writable array of NumPy with the elements of a result; None: `np.array` is as fast, or the
    result is none that its buffer protocol shows."""
    dtype = aval.dtype
    if dtype.kind not in KINDS or not dtype.isbuiltin or not 0 < aval.nbytes <= MAX_BYTES:
        return None
    names = {"join": bytearray().join, "dtype": dtype}
    if len(aval.shape) == 1:
        return HostCopy(names | {"read": np.frombuffer}, "read(join((result,)), dtype)")
    return HostCopy(
        names | {"array": np.ndarray, "shape": aval.shape}, "array(shape, dtype, join((result,)))"
    )
