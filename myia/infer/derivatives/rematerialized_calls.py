"""Calls of `myia.checkpoint(f)` become `remat` ops: their interior is recomputed for derivatives.

checkpoint(f)(x)    ->    %y = remat { ... f(%x) }
"""

from __future__ import annotations

from myia.infer.domain.context import Context
from myia.infer.domain.errors import CertainError
from myia.infer.domain.values import Abstract, Partial
from myia.infer.paths.region_outputs import Exports, substitute_results
from myia.ir.builder import Builder, emit
from myia.ir.core import Region
from myia.primitives.core.structured import remat_p


def call_rematerialized(ctx: Context, f: Abstract, args: tuple, kwargs: dict) -> Abstract:
    """`f(*args, **kwargs)` as a `remat` op, whose region captures values as a branch's does."""
    before = ctx.heap.copy()
    exports = Exports()
    with Builder() as builder:
        try:
            result = ctx.call(f, args, kwargs)
        except CertainError as error:
            error.leave_region()
            ctx.heap.restore(before, ids=False)  # nothing of this region is seen outside
            raise
    exports.add(ctx, result, before)
    exports.changed(ctx, before)
    region = Region((), tuple(builder.ops), tuple(exports.values))
    values = emit(remat_p, regions=[region], late=0, until=0)
    (result,) = substitute_results(ctx, exports, list(values), [result])
    return result


def apply_checkpoint(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    """Call a function made by `myia.checkpoint` inside compiled code."""
    return call_rematerialized(ctx, partial.items[0], args, kwargs)
