"""The order of reads and writes of an array that a loop changes, made a matter of data.

A read and a later write of one array that do not depend on each other may run in either order, as
far as XLA knows, so it copies the array in every trip. Given compiler options XLA orders them
itself (`rules.py`). In a function that somebody else compiles there are none, and the program says
what must wait for what:

    %v = dynamic_slice %a, %i               v = cond(k >= 0, lambda: a[i], lambda: 0)
    %b = dynamic_update_slice %a, %u, %i    b = a.at[i].set(where(true_after(v), u, nan))
    %w = dynamic_slice %b, %j               w = cond(k >= 0, lambda: b[j], lambda: 0)

- A write waits for the reads of what it overwrites: what it is given is selected by a truth that
  is known when they are done.
- It is emitted when its result is first needed: reads of the old array that stand after it in the
  program, as adjoints have them (`read and clear`), come first.
- A read is done inside a conditional. Elsewhere XLA would repeat it, and the write before it, in
  the fusions that use its value, and the old array would outlive the write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import lax

from myia.backends.xla.cpu.opaque_values import true_after_all
from myia.ir.avals import Aval

Array = Any


def read_in_conditional(true: Array, read: Callable[..., Array], x: Sequence[Array], aval: Aval):
    """`read(*x)`, an array of this aval, given something true that XLA does not know to be."""
    return lax.cond(true, read, lambda *_: lax.full(aval.shape, 0, aval.dtype), *x)


def known_after(reads: Sequence[Array], given: Array) -> Array:
    """`given`, which is not known before `reads` are."""
    if not reads or not np.size(given):
        return given
    true = lax.broadcast(true_after_all(reads), np.shape(given))
    given = lax.convert_element_type(given, given.dtype)  # it may be NumPy's
    return lax.select(true, given, _different_value(given))


def _different_value(x: Array) -> Array:
    """What no `x` is known to be: else XLA would select without looking at the truth."""
    dtype = np.dtype(x.dtype)
    if dtype.kind == "b":
        return lax.bitwise_not(x)
    value = np.iinfo(dtype).max if dtype.kind in "iu" else np.nan
    return lax.full(np.shape(x), value, dtype)
