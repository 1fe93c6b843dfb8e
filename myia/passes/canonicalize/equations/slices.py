"""Equations of windows: what was just written is read, what is overwritten need not be written.

All hold for indices out of range too, since the read and the write of windows of one size are
clamped alike. (No equation moves a read before a write: XLA copies a buffer of which an older
version is still read.)
"""

from __future__ import annotations

from collections.abc import Sequence

from myia.ir.core import Op, Value
from myia.passes.canonicalize.equations.define import Matcher, equation
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import slice


@equation(dynamic_slice, "read(x, all of it) == x")
def _(see, op, x, *indices):
    return x if op.params["sizes"] == x.shape else None


@equation(dynamic_slice, "read(write(x, u, i), i) == u")
def _(see, op, x, *indices):
    write = see.made_by(dynamic_update_slice, x)
    if write is None:
        return None
    _, u, *written = write.operands
    return u if u.shape == op.params["sizes"] and see.alike(indices, written) else None


@equation(slice, "part of write(x, u, i) == u, if it is the part that is written")
def _(see, op, x):
    write = see.made_by(dynamic_update_slice, x)
    if write is None:
        return None
    _, u, *written = write.operands
    return u if u.shape == op.results[0].shape and _starts_at(see, op, written) else None


@equation(dynamic_update_slice, "write(x, u of its size) == u")
def _(see, op, x, u, *indices):
    return u if u.shape == x.shape else None


@equation(dynamic_update_slice, "write(x, read(x, i), i) == x")
def _(see, op, x, u, *indices):
    read = see.made_by(dynamic_slice, u)
    same = read is not None and read.operands[0] is x and see.alike(indices, read.operands[1:])
    return x if same else None


@equation(dynamic_update_slice, "write(x, part of x, where the part is) == x")
def _(see, op, x, u, *indices):
    part = see.made_by(slice, u)
    same = part is not None and part.operands[0] is x and _starts_at(see, part, indices)
    return x if same else None


@equation(dynamic_update_slice, "write(write(x, u, i), v, i) == write(x, v, i)")
def _(see, op, x, v, *indices):
    """In one region: a branch that wrote to another version than the other one would copy it."""
    write = see.made_by(dynamic_update_slice, x)
    if write is None or not see.is_in_current_region(x):
        return None
    y, u, *written = write.operands
    same = u.shape == v.shape and see.alike(indices, written)
    return dynamic_update_slice(y, v, *indices) if same else None


def _starts_at(see: Matcher, part: Op, indices: Sequence[Value]) -> bool:
    """Whether a part, of adjacent elements, is the window of its size at `indices`."""
    params = part.params
    adjacent = all(step == 1 for step in params["stride"])
    return adjacent and all(see.number(i) == n for i, n in zip(indices, params["start"]))
