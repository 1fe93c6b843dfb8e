"""What a sampled case of a primitive of JAX is, and how a row of the table becomes cases.

A row is a function of `jax.lax` with the shapes of its operands; its cases are that function at
every dtype of the row, and under `jax.vmap`, which gives the primitive its batch dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    """The cases of `f`: one a dtype, and two under `vmap` (over all operands, over the first).

    `options` are fields of the cases.
    """
    makers = [_maker(x) for x in operands]
    cases = []
    for dtype in dtypes:
        seed = [len(primitive), *primitive.encode(), len(operands)]
        rng = np.random.default_rng(seed)
        rows = [[make(rng, np.dtype(dtype)) for make in makers] for _ in range(2)]
        cases.append(Case(primitive, f, tuple(rows[0]), **options))
        if batched:
            cases += _batched(primitive, f, rows, options)
    return cases


def _batched(primitive: str, f: Callable, rows: list, options: dict) -> Iterator[Case]:
    everything = tuple(np.stack(pair) for pair in zip(*rows))
    yield Case(primitive, jax.vmap(f), everything, "batched", **options)
    first = np.stack([rows[0][0], rows[1][0]], axis=-1)
    in_axes = (-1, *(None for _ in rows[0][1:]))
    inputs = (first, *rows[0][1:])
    yield Case(
        primitive, jax.vmap(f, in_axes, -1), inputs, "batched along the last axis", **options
    )


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
