"""Sample cases of primitives, and constructors for every dtype and shape."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from myia.ir.primitive import Primitive

SHAPES = ((), (3,), (2, 3), (0, 3))
INTS = "i8 i4 u1"
BITS = f"{INTS} ?"
REALS = "f8 f4"
INEXACT = f"{REALS} c16 c8"
NUMBERS = f"{INEXACT} {INTS}"
ORDERED = f"{REALS} {BITS}"
ANY = f"{NUMBERS} ?"


@dataclass(frozen=True)
class Case:
    """One call of a primitive. `special`: also to be tried on NaN, infinities and zeros.

    Derivatives are tried up to `order`, with respect to the operands that are not `held` constant.
    """

    primitive: Primitive
    inputs: tuple[np.ndarray, ...]
    params: dict = field(default_factory=dict)
    special: bool = False
    held: tuple[int, ...] = ()
    order: int = 2

    def __str__(self) -> str:
        avals = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self.inputs)
        return f"{self.primitive.name}({avals})"


def sample(shape, dtype, low=-2.0, high=2.0, seed=0) -> np.ndarray:
    """Numbers strictly between `low` and `high`, all different, none a whole number."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng([seed, *shape])
    size = int(np.prod(shape))
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = int(low * 3), int(high * 3) + 1
        low = max(low, 0) if dtype.kind == "u" else low
        return rng.integers(low, high, shape).astype(dtype)
    # One sample in each of `size` intervals, the middle of the interval left out.
    spread = rng.permutation(size) + rng.choice([0.23, 0.71], size) + 0.1 * rng.random(size)
    x = (low + (high - low) * spread / max(size, 1)).reshape(shape)
    if dtype.kind == "c":
        x = x + 1j * sample(shape, "f8", low, high, seed + 1000)
    return x.astype(dtype)


def pointwise(primitive, dtypes, *ranges, special=True, **params) -> list[Case]:
    """Cases of a pointwise primitive whose operands lie in `ranges`, of every dtype and shape."""
    return [
        Case(
            primitive,
            tuple(sample(shape, dtype, *bounds, seed=k) for k, bounds in enumerate(ranges)),
            params,
            special and np.dtype(dtype).kind == "f" and shape == (3,),
        )
        for dtype, shape in itertools.product(dtypes.split(), SHAPES)
    ]


def case(primitive, *inputs, dtypes="f8 f4", **params) -> list[Case]:
    """Cases whose first operands have the shapes `inputs`; other operands are given as arrays."""
    return [
        Case(
            primitive,
            tuple(
                sample(x, dtype, seed=k) if isinstance(x, tuple) else np.asarray(x)
                for k, x in enumerate(inputs)
            ),
            params,
        )
        for dtype in dtypes.split()
    ]


def at(*indices) -> list[np.ndarray]:
    return [np.asarray(k, np.int64) for k in indices]


WIDE, UNIT, POSITIVE, MODERATE = (-3.0, 3.0), (-0.95, 0.95), (0.1, 4.0), (0.5, 2.5)
