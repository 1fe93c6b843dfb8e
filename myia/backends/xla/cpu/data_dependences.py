"""Data dependences that order the reads and writes of an array which a loop changes.

A read and a later write of one array that do not depend on each other may run in either order, as
far as XLA knows, so it copies the array in each iteration. With our compiler options XLA orders
them itself (`emission_options.py`). A function that the user's `jax.jit` compiles has none of these
options, so the program states the order:

    %v = dynamic_slice %a, %i               v = cond(k >= 0, lambda: a[i], lambda: 0)
    %b = dynamic_update_slice %a, %u, %i    b = a.at[i].set(where(true_after(v), u, nan))
    %w = dynamic_slice %b, %j               w = cond(k >= 0, lambda: b[j], lambda: 0)

- A write depends on the reads of what it overwrites: its update is selected by an opaque predicate
  of these reads.
- A write is emitted when its result is first read. Reads of the old array that follow it in the
  program (adjoints read and clear) are so emitted before it.
- A read is done inside a conditional. Otherwise XLA would duplicate it, and the write before it,
  into the fusions that use its value, and the old array would outlive the write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import lax

from myia.backends.xla.cpu.opaque_values import true_after_all
from myia.ir.avals import Aval

Array = Any


def read_in_conditional(
    predicate: Array, read: Callable[..., Array], x: Sequence[Array], aval: Aval
) -> Array:
    """`read(*x)`, an array of this aval, inside a conditional on an opaque predicate."""
    return lax.cond(predicate, read, lambda *_: lax.full(aval.shape, 0, aval.dtype), *x)


def known_after(reads: Sequence[Array], given: Array) -> Array:
    """`given`, which then depends on all of `reads`."""
    if not reads or not np.size(given):
        return given
    predicate = lax.broadcast(true_after_all(reads), np.shape(given))
    given = lax.convert_element_type(given, given.dtype)  # a JAX array, if it was NumPy's
    return lax.select(predicate, given, _different_value(given))


def _different_value(x: Array) -> Array:
    """A value that XLA cannot know `x` to have; else it would drop the `select`."""
    dtype = np.dtype(x.dtype)
    if dtype.kind == "b":
        return lax.bitwise_not(x)
    value = np.iinfo(dtype).max if dtype.kind in "iu" else np.nan
    return lax.full(np.shape(x), value, dtype)
