"""Calls of `myia.checkpoint(f)` become `remat` ops: their interior is recomputed for derivatives.

checkpoint(f)(x)    ->    %y = remat { ... f(%x) }
"""

from __future__ import annotations

from functools import partial

from myia.infer.domain.context import Context
from myia.infer.domain.errors import CertainError
from myia.infer.domain.values import Abstract, Partial
from myia.infer.paths.raised import raise_outside
from myia.infer.paths.region_outputs import Exports, substitute_results
from myia.ir.builder import Builder, emit
from myia.ir.core import Region
from myia.primitives.core.structured import remat_p


def call_rematerialized(ctx: Context, f: Abstract, args: tuple, kwargs: dict) -> Abstract:
    """`f(*args, **kwargs)` as a `remat` op, whose region captures values as a branch's does."""
    before = ctx.heap.copy()
    exports = Exports()
    call = partial(ctx.call, f, args, kwargs)
    try:
        with Builder() as builder:
            result = call()
    except CertainError as error:
        raise_outside(ctx, before, error, call)
    exports.add(ctx, result, before)
    exports.changed(ctx, before)
    region = Region((), tuple(builder.ops), tuple(exports.values))
    values = emit(remat_p, regions=[region], late=0, until=0)
    (result,) = substitute_results(ctx, exports, list(values), [result])
    return result


def apply_checkpoint(ctx: Context, function: Partial, args: tuple, kwargs: dict) -> Abstract:
    """Call a function made by `myia.checkpoint` inside compiled code."""
    return call_rematerialized(ctx, function.items[0], args, kwargs)
