"""Sampled cases of a primitive of JAX, and how a row of the table becomes cases.

A row is a function of `jax.lax` with the shapes of its operands; its cases are that function at
every dtype of the row, and under `jax.vmap`, which gives the primitive its batch dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import numpy as np

REALS, COMPLEXES = ("f8", "f4"), ("c16", "c8")
INEXACT = (*REALS, *COMPLEXES)
SHAPES = ((), (2, 3), (0, 3))

Make = Callable[[np.random.Generator, np.dtype], np.ndarray]
Operand = Make | tuple[int, ...] | np.ndarray | list


@dataclass(frozen=True)
class Case:
    """`f` at `inputs`, in whose jaxpr `primitive` occurs.

    JAX has derivatives up to `order`; `forward`: in forward mode only.
    """

    primitive: str
    f: Callable
    inputs: tuple[np.ndarray, ...]
    variant: str = ""
    order: int = 2
    forward: bool = False

    def __str__(self) -> str:
        avals = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self.inputs)
        return f"{self.primitive}({avals}) {self.variant}".strip()


# ----- Operands


def reals(rng: np.random.Generator, shape, low: float, high: float) -> np.ndarray:
    """Numbers strictly between `low` and `high`, of which no two are close."""
    size = int(np.prod(shape))
    spread = rng.permutation(size) + rng.uniform(0.2, 0.8, size)
    return (low + (high - low) * spread / max(size, 1)).reshape(shape)


def within(low: float, high: float, shape=()) -> Make:
    """An operand of numbers between `low` and `high`; of complex ones, both parts."""

    def make(rng, dtype):
        x = reals(rng, shape, low, high)
        if np.dtype(dtype).kind == "c":
            x = x + 1j * reals(rng, shape, low, high)
        return x.astype(dtype)

    return make


def whole(low: int, high: int, shape=(), dtype="i4") -> Make:
    """An operand of integers from `low` to `high` - 1, whatever the row's dtype."""
    return lambda rng, _: rng.integers(low, high, shape).astype(dtype)


def at(*indices) -> Make:
    """These integers, whatever the row's dtype."""
    return lambda rng, _: np.asarray(indices if len(indices) != 1 else indices[0], np.int32)


def flags(shape) -> Make:
    return lambda rng, _: np.resize([True, False, True, True, False], shape)


def _maker(operand: Operand) -> Make:
    """A shape means numbers about zero; an array means itself, floats in the row's dtype."""
    if callable(operand):
        return operand
    if isinstance(operand, tuple):
        return within(-2.0, 2.0, operand)
    array = np.asarray(operand)
    return lambda rng, dtype: array.astype(dtype) if array.dtype.kind in "fc" else array


# ----- Rows


def row(
    primitive: str,
    f: Callable,
    *operands: Operand,
    dtypes: Sequence[str] = REALS,
    batched: bool = True,
    **options,
) -> list[Case]:
    """The cases of `f`: for each dtype one, and one under `vmap` over all operands.

    With the first dtype also one under `vmap` over the first operand alone. `options` are fields
    of the cases.
    """
    makers = [_maker(x) for x in operands]
    cases = []
    for dtype in dtypes:
        rng = np.random.default_rng([*primitive.encode(), len(operands)])
        pair = [[make(rng, np.dtype(dtype)) for make in makers] for _ in range(2)]
        cases.append(Case(primitive, f, tuple(pair[0]), **options))
        if batched:
            cases.append(_batched(primitive, f, pair, options))
        if batched and dtype == dtypes[0]:
            cases.append(_batched_along_last_axis(primitive, f, pair, options))
    return cases


def _batched(primitive: str, f: Callable, pair: list, options: dict) -> Case:
    inputs = tuple(map(np.stack, zip(*pair)))
    return Case(primitive, jax.vmap(f), inputs, "batched", **options)


def _batched_along_last_axis(primitive: str, f: Callable, pair: list, options: dict) -> Case:
    (first, *rest), (other, *_) = pair
    mapped = jax.vmap(f, (-1, *(None for _ in rest)), -1)
    inputs = (np.stack([first, other], axis=-1), *rest)
    return Case(primitive, mapped, inputs, "batched along the last axis", **options)


def pointwise(
    primitive: str,
    f: Callable,
    *ranges: tuple[float, float],
    dtypes: Sequence[str] = REALS,
) -> list[Case]:
    """The cases of a function of numbers in `ranges`: every shape and dtype, one under `vmap`."""
    cases = []
    for shape in SHAPES:
        operands = [within(*bounds, shape) for bounds in ranges]
        cases += row(primitive, f, *operands, dtypes=dtypes, batched=False)
    operands = [within(*bounds, (2,)) for bounds in ranges]
    return cases + row(primitive, f, *operands, dtypes=dtypes[:1])
