"""One traced call: a function of JAX or of one of its libraries on abstract arguments.

    optax.apply_updates(params, updates)

1. The arguments become Python objects again, with a tracer for each array.
2. The function runs on them under `make_jaxpr`, in the mode that the user has set JAX to.
3. The jaxpr is translated into our IR, so that the derivative is ours.
4. The returned object is flattened as arguments are, and its arrays are results of the jaxpr.

The function's Python runs at compile time: what it reads besides its arguments, it reads then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from myia.infer.boundary import arguments
from myia.infer.boundary.arguments import DEVICE_ARRAY, ResultLeaves
from myia.infer.boundary.recipes import Recipe
from myia.infer.boundary.signature import Flattener
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert
from myia.infer.domain.errors import NeedsStatic, TracingFailed
from myia.infer.domain.facts import Answer, Constant, Identity
from myia.infer.domain.heap import ArrayObject
from myia.infer.domain.heap_arrays import array_aval
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple
from myia.infer.jax.objects.pytrees import snapshot
from myia.infer.jax.objects.tracer_arguments import TracerArguments
from myia.infer.jax.tracing.translate import translate
from myia.infer.registry import is_traced, top_package
from myia.infer.unsupported import UnsupportedJax
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.source.diagnostics import MyiaError

WEAK_DTYPES = (np.dtype(np.float64), np.dtype(np.complex128))  # of Python's numbers


def call_traced(
    ctx: Context,
    f: Callable,
    args: Sequence[Abstract],
    kwargs: dict[str, Abstract],
    name: str,
    *,
    alias: bool = False,
    calls: bool = False,
) -> Abstract:
    """`f(*args, **kwargs)`, traced once for each key and translated at each call.

    `alias`: an array that `f` returns unchanged stays the same object. `calls`: `f` calls modules
    among its arguments.
    """
    ctx.fact(Answer(configuration))
    operands = TracerArguments(ctx, name, calls)
    if is_traced(f):
        operands.check(f)
    given = operands.recipe(Tuple(tuple(args)))
    keywords = {k: operands.recipe(x) for k, x in kwargs.items()}
    key = (Identity(f), trace_key(ctx, Tuple((*args, *kwargs.values()))), tuple(kwargs))
    if key not in ctx.traced_calls:
        ctx.traced_calls[key] = _trace(ctx, f, given, keywords, operands)
    traced_call = ctx.traced_calls[key]
    takes = traced_call.jaxpr.in_avals
    values = [convert(v, np.dtype(a.dtype)) for v, a in zip(operands.values, takes)]
    results = map(_keep_weak, translate(traced_call.jaxpr, values), traced_call.jaxpr.out_avals)
    through = top_package(f) != "jax" or alias
    leaves = []
    for x in traced_call.leaves:
        result = next(results) if isinstance(x, _ArrayLeaf) else x
        if isinstance(x, _ArrayLeaf) and x.argument is not None and through:
            result = _returned_argument(ctx, operands.leaves[x.argument], alias)
        leaves.append(result)
    return arguments.abstract(ctx, traced_call.signature, ResultLeaves(leaves), None)


# ----- Tracing


@dataclass(frozen=True, slots=True)
class _ArrayLeaf:
    """A leaf of a result: computed, or the argument leaf of that number, returned unchanged."""

    argument: int | None


@dataclass(frozen=True, slots=True)
class _TracedCall:
    """A traced call. Each of `leaves` is a constant or stands for a result of the jaxpr."""

    jaxpr: ClosedJaxpr
    signature: Any  # of the object that was returned
    leaves: Sequence[Any]


def _trace(
    ctx: Context, f: Any, given: Recipe, keywords: dict[str, Recipe], operands: TracerArguments
) -> _TracedCall:
    found: list[tuple[Any, list[Any]]] = []

    def run(*arrays: Any) -> Any:
        args, kwargs = given(arrays, ()), {k: x(arrays, ()) for k, x in keywords.items()}
        before = snapshot((args, kwargs))
        result = f(*args, **kwargs)
        if snapshot((args, kwargs)) != before:
            what = f"`{operands.name}`, which changes its arguments,"
            ctx.fail(UnsupportedJax, what=what, help_text=RETURN_CHANGES)
        flat = Flattener()
        signature = flat.add(result)
        numbers = {id(x): i for i, x in enumerate(arrays) if i in operands.leaves}
        leaves = [
            _ArrayLeaf(numbers.get(id(x))) if isinstance(x, jax.Array) else x for x in flat.leaves
        ]
        found.append((signature, leaves))
        return [x for x in flat.leaves if isinstance(x, jax.Array)]

    avals = [_tracer_struct(v.aval, kind) for v, kind in zip(operands.values, operands.kinds)]
    try:
        jaxpr = jax.make_jaxpr(run)(*avals)
    except MyiaError:
        raise
    except Exception as e:
        _fail_tracing(ctx, e, operands)
    return _TracedCall(jaxpr, *found[-1])


RETURN_CHANGES = (
    "call it in a function marked with `@myia.staged` that makes the object and returns its state"
)


def _tracer_struct(aval: Aval, kind: Any) -> jax.ShapeDtypeStruct:
    """The shape and dtype of an argument; Python's numbers are weakly typed in JAX too."""
    dtype = jax.dtypes.canonicalize_dtype(aval.dtype)
    return jax.ShapeDtypeStruct(aval.shape, dtype, weak_type=isinstance(kind, type))


def _fail_tracing(ctx: Context, e: Exception, operands: TracerArguments) -> None:
    """Report the error of tracing: a `NeedsStatic` if an int could be made a compile-time value."""
    integers = any(kind is int for kind in operands.kinds)
    ctx.fail(
        TracingFailed,
        error=NeedsStatic if integers else MyiaError,
        name=operands.name,
        message=(str(e).strip().splitlines() or [""])[0],
        exception=type(e).__name__,
    )


def trace_key(ctx: Context, x: Abstract) -> Any:
    """The cache key of an abstract value: all that tracing depends on in it."""
    if isinstance(x, Static):
        plain = isinstance(x.value, (bool, int, float, complex, str, type(None)))
        return Constant(repr(x.value), type(x.value)) if plain else Identity(x.value)
    if isinstance(x, Scalar):
        return x.dtype, x.weak
    if isinstance(x, Ref) and ctx.is_array(x):
        return array_aval(ctx.heap, x.id)
    inner = ctx.contents(x) if isinstance(x, Ref) else x
    return inner.key(), tuple(trace_key(ctx, child) for child in inner.children())


# ----- The mode that JAX is in


def configuration() -> tuple[Any, ...]:
    """JAX's configuration by the user: a program with traced functions is valid in it only."""
    names = ("enable_x64", "default_prng_impl", "default_matmul_precision")
    return tuple(getattr(jax.config, f"jax_{n}") for n in (*names, "numpy_dtype_promotion"))


# ----- Results


def _keep_weak(value: Value, aval: Any) -> Value | Scalar:
    """A result that is weakly typed in JAX stays weak where Python's numbers have that dtype."""
    weak = not value.shape and aval.weak_type and value.dtype in WEAK_DTYPES
    return Scalar(value, weak=True) if weak else value


def _returned_argument(ctx: Context, x: Abstract, alias: bool) -> Abstract:
    """An argument array that is returned. JAX's arrays are immutable: a write invalidates it."""
    if alias or not isinstance(x, Ref):
        return x
    contents = ctx.contents(x)
    if isinstance(contents, ArrayObject) and contents.readonly == DEVICE_ARRAY:
        return x
    copy = ctx.new(ArrayObject(ctx.read(x), DEVICE_ARRAY))
    ctx.heap.add_copy(x.id, copy.id)
    return copy
