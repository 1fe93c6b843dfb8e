"""`np.vectorize(f)`: the calls of `f` on each element of its broadcast arguments, as one loop."""

from __future__ import annotations

import numpy as np

from myia.infer.context import Context
from myia.infer.errors import Unsupported
from myia.infer.library.numpy_arguments import refuse
from myia.infer.library.written import called
from myia.infer.registry import function
from myia.infer.values import NONE, Abstract, Partial, is_none


@function(np.vectorize)
def _vectorize(
    ctx: Context,
    pyfunc: Abstract = NONE,
    otypes: Abstract = NONE,
    doc: Abstract = NONE,
    excluded: Abstract = NONE,
    cache: Abstract = NONE,
    signature: Abstract = NONE,
) -> Abstract:
    """The dtype is that of all results, where NumPy takes that of the first."""
    given = {"otypes": otypes, "excluded": excluded, "signature": signature}
    refuse(ctx, "numpy.vectorize", given)
    return Partial(_decorate, ()) if is_none(pyfunc) else Partial(_call, (pyfunc,))


def _decorate(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    return Partial(_call, args)


def _call(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    if kwargs:
        ctx.fail(Unsupported, what="a keyword argument of what `numpy.vectorize` made")
    return called(ctx, elementwise, (*partial.items, *args), {})


def elementwise(f, *arrays):
    arrays = np.broadcast_arrays(*arrays)
    first = arrays[0]
    if first.size == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    flat = [np.ravel(x) for x in arrays]
    found = [f(*[x[i] for x in flat]) for i in range(first.size)]
    return np.array(found).reshape(first.shape)
