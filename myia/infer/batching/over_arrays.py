"""`vmap` over arrays chosen among all that the arguments hold."""

from __future__ import annotations

from myia.infer.batching.vmap import MapOptions, vmap
from myia.infer.derivatives.by_arrays import Args, Kwargs, of_arrays
from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract


def mapped_over_arrays(
    ctx: Context, f: Abstract, options: MapOptions, args: Args, kwargs: Kwargs
) -> Abstract:
    """The call for all examples, which are along axes of the chosen arrays."""
    of_chosen, arrays = of_arrays(ctx, (f, *args))
    return vmap(ctx, of_chosen, options, tuple(arrays), {})
