"""Equations of slices: store-to-load forwarding, and stores that are overwritten.

All of them hold for indices out of range, too, since a read and a write of slices of the same size
clamp their start indices alike. (No equation moves a read before a write: XLA copies a buffer whose
older version is still read.)
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Op, Value
from myia.passes.canonicalize.equations.define import Matcher, equation
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import slice


@equation(dynamic_slice, "read(write(x, u, i), i) == u")
def _(match: Matcher, op: Op, x: Value, *indices: Value) -> Value | None:
    write = match.defined_by(dynamic_update_slice, x)
    if write is None:
        return None
    _, u, *written = write.operands
    return u if u.shape == op.params["sizes"] and match.same_values(indices, written) else None


@equation(slice, "slice of write(x, u, i) == u, if it is the slice that is written")
def _(match: Matcher, op: Op, x: Value) -> Value | None:
    write = match.defined_by(dynamic_update_slice, x)
    if write is None:
        return None
    _, u, *written = write.operands
    return u if u.shape == op.results[0].shape and _starts_at(match, op, written) else None


@equation(dynamic_update_slice, "write(x, u of its size) == u")
def _(match: Matcher, op: Op, x: Value, u: Value, *indices: Value) -> Value | None:
    return u if u.shape == x.shape else None


@equation(dynamic_update_slice, "write(x, read(x, i), i) == x")
def _(match: Matcher, op: Op, x: Value, u: Value, *indices: Value) -> Value | None:
    read = match.defined_by(dynamic_slice, u)
    if read is None or read.operands[0] is not x:
        return None
    return x if match.same_values(indices, read.operands[1:]) else None


@equation(dynamic_update_slice, "write(x, slice of x, at its own start) == x")
def _(match: Matcher, op: Op, x: Value, u: Value, *indices: Value) -> Value | None:
    part = match.defined_by(slice, u)
    same = part is not None and part.operands[0] is x and _starts_at(match, part, indices)
    return x if same else None


@equation(dynamic_update_slice, "write(write(x, u, i), v, i) == write(x, v, i)")
def _(match: Matcher, op: Op, x: Value, v: Value, *indices: Value) -> Value | None:
    """Only within one region: if two branches wrote to different versions, XLA would copy."""
    write = match.defined_by(dynamic_update_slice, x)
    if write is None or not match.is_in_region(x):
        return None
    y, u, *written = write.operands
    same = u.shape == v.shape and match.same_values(indices, written)
    return dynamic_update_slice(y, v, *indices) if same else None


def _starts_at(match: Matcher, part: Op, indices: Sequence[Value]) -> bool:
    """Whether the slice op `part` takes adjacent elements that start at `indices`."""
    params = part.params
    adjacent = all(stride == 1 for stride in params["stride"])
    return adjacent and all(match.number(i) == n for i, n in zip(indices, params["start"]))
