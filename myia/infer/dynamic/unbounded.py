"""Sizes without a bound: a program has room for so much, and says where that is too little.

    np.zeros(n)         f64[64], the first n of them valid;  n > 64: "more room"

See `infer/capacities.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from myia.infer.capacities import Site
from myia.infer.domain.checks import Check
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.heap import CellObject
from myia.infer.domain.lengths import Length
from myia.infer.domain.values import Ref, Scalar, Static
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic

I64 = np.dtype(np.int64)
NO_BOUND = 2**40  # elements: the range of a counter of int64 says nothing


def with_capacity(ctx: Context, n: Length, item_bytes: int, number: int = 0) -> Length:
    """The length of a new array, which has a bound: a capacity, if there is no other.

    `number`: which of the axes it is.
    """
    if n.hi is not None and n.hi < NO_BOUND:
        return n
    require_capacities(ctx, "the size of an array")
    span = current_span()
    site = Site.at(span, number)
    size = ctx.capacities.size(site, item_bytes, span, "an array", of_int=True)
    note_size(ctx, site, n.value)
    check_room(ctx, logic.gt(n.value, constant(size, I64)), site)
    return replace(n, hi=size)


def require_capacities(ctx: Context, what: str) -> None:
    """What may be known of unrolled code has no capacity before that has been tried."""
    if not ctx.capacities.known.are_used:
        ctx.capacities.known.are_missed = True
        ctx.needs_static(what)


def check_room(ctx: Context, full: Value, site: Site | None) -> None:
    """Where there is too little room: the run is stopped, as there is more in the next one."""
    message = "a list outgrew the bound found for it"
    ctx.add_check(full, Check(RuntimeError, message, current_span(), outgrown=site))


def note_size(ctx: Context, site: Site, size: Value) -> None:
    """How much room there should have been."""
    cells = ctx.capacities.cells
    if site not in cells:
        cells[site] = ctx.heap.new_root(CellObject(Static(0)))
    (most,) = ctx.heap[cells[site]].children()
    value = arithmetic.max(number_value(most, I64), size)
    ctx.write(Ref(cells[site]), CellObject(Scalar(value, True, 0)))
