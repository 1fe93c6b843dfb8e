"""Abstract values: what is known about a value at compile time.

`Aval` is the dtype and shape of an array (or scalar): the only abstract values of typed IR. `PY` is
the aval of every value of IR(py): some Python object.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

Shape = tuple[int, ...]

_SHORT = "fiuc"  # kinds


@dataclass(frozen=True, slots=True)
class Aval:
    """An array of `dtype` and `shape`; a scalar has shape `()`."""

    dtype: np.dtype
    shape: Shape = ()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        size = 1
        for length in self.shape:
            size *= length
        return size

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def differentiable(self) -> bool:
        """Floats and complex numbers have tangents; integers and booleans have none."""
        return self.dtype.kind in "fc"

    def with_shape(self, shape: Iterable[int]) -> Aval:
        return Aval(self.dtype, tuple(shape))

    def with_dtype(self, dtype: DTypeLike) -> Aval:
        return Aval(np.dtype(dtype), self.shape)

    def __str__(self) -> str:
        return f"{dtype_name(self.dtype)}[{','.join(map(str, self.shape))}]"


class PyAval:
    """The aval of IR(py): any Python object."""

    def __str__(self) -> str:
        return "py"

    __repr__ = __str__


# `Value.aval` is declared for typed IR; in IR(py) it is this.
PY: Any = PyAval()


def dtype_name(dtype: np.dtype) -> str:
    """`f64`, `i32`, `c128`, `bool`, ... ; inverse of `parse_dtype`."""
    if dtype.kind == "b":
        return "bool"
    # By its type: a dtype that was unpickled is equal to NumPy's own, and not `isbuiltin`.
    if dtype.kind in _SHORT and np.dtype(dtype.type).isbuiltin == 1:
        return f"{dtype.kind}{dtype.itemsize * 8}"
    return dtype.name  # bfloat16 and similar


def parse_dtype(text: str) -> np.dtype:
    """Inverse of `dtype_name`."""
    if text == "bool":
        return np.dtype(bool)
    kind, bits = text[0], text[1:]
    if kind in _SHORT and bits.isdigit():
        return np.dtype(f"{kind}{int(bits) // 8}")
    return np.dtype(text)


def aval_of(x: Any) -> Aval:
    """The aval of a concrete NumPy or JAX array or scalar."""
    x = x if hasattr(x, "dtype") else np.asarray(x)
    return Aval(np.dtype(x.dtype), tuple(x.shape))


BOOL = Aval(np.dtype(bool))
I32 = Aval(np.dtype(np.int32))
I64 = Aval(np.dtype(np.int64))
F32 = Aval(np.dtype(np.float32))
F64 = Aval(np.dtype(np.float64))
