"""Calls of functions of JAX and its libraries.

    optax.apply_updates(params, updates)

The arguments become Python objects again, with a tracer for each array; the function runs on them
under `make_jaxpr`, in the mode that the user has set JAX to. What it did to the arrays is
translated into our IR, so that its derivative is ours; the object that it returned is taken apart
as arguments are. Its Python runs while compiling: what it reads besides its arguments, it reads
then.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from myia.infer.boundary import arguments
from myia.infer.boundary.arguments import DEVICE_ARRAY, Arguments
from myia.infer.boundary.signature import Constant, Flattener, Identity, Leaf
from myia.infer.domain.context import Context, array_aval
from myia.infer.domain.dtypes import convert
from myia.infer.domain.errors import NeedsStatic, TracingFailed, Unsupported
from myia.infer.domain.heap import ArrayObject, Contents
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, Tuple
from myia.infer.jax.objects.pytrees import snapshot
from myia.infer.jax.objects.tracer_arguments import TracerArguments
from myia.infer.jax.tracing.translate import translate
from myia.infer.registry import is_traced, top_package
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import array_constant
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
    """`f(*args, **kwargs)`.

    `alias`: an array that `f` hands through is the same object after. `calls`: `f` calls modules
    that it is given.
    """
    arguments.root(ctx, configuration, "JAX's configuration", configuration)
    operands = TracerArguments(ctx, name, calls)
    if is_traced(f):
        operands.check(f)
    given = operands.recipe(Tuple(tuple(args)))
    keywords = {k: operands.recipe(x) for k, x in kwargs.items()}
    key = (Identity(f), trace_key(ctx, Tuple((*args, *kwargs.values()))), tuple(kwargs))
    if key not in ctx.staged:
        ctx.staged[key] = _trace(ctx, f, given, keywords, operands)
    staged = ctx.staged[key]
    takes = staged.jaxpr.in_avals
    values = [convert(v, np.dtype(a.dtype)) for v, a in zip(operands.values, takes)]
    results = map(_number, translate(staged.jaxpr, values), staged.jaxpr.out_avals)
    through = top_package(f) != "jax" or alias
    leaves = []
    for x in staged.leaves:
        result = next(results) if isinstance(x, (_Computed, _Given)) else x
        if isinstance(x, _Given) and through:
            result = _handed_through(ctx, operands.leaves[x.number], alias)
        leaves.append(result)
    return arguments.abstract(ctx, staged.signature, ResultLeaves(leaves), None)


# ----- Staging


@dataclass(frozen=True, slots=True)
class _Computed:
    """A leaf of a result that was computed."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A leaf of a result that is leaf `number` of the arguments."""

    number: int


@dataclass(frozen=True, slots=True)
class _TracedCall:
    """A staged call. Each of `leaves` that is no constant is a result of the jaxpr."""

    jaxpr: ClosedJaxpr
    signature: Any  # of the object that was returned
    leaves: Sequence[Any]


def _trace(ctx: Context, f, given, keywords, operands: TracerArguments) -> _TracedCall:
    found: list[_TracedCall] = []

    def run(*arrays):
        args, kwargs = given(arrays, ()), {k: x(arrays, ()) for k, x in keywords.items()}
        before = snapshot((args, kwargs))
        result = f(*args, **kwargs)
        if snapshot((args, kwargs)) != before:
            what = f"`{operands.name}`, which changes its arguments,"
            ctx.fail(Unsupported, what=what, help_text=RETURN_CHANGES)
        flat = Flattener()
        signature = flat.add(result)
        numbers = {id(x): _Given(i) for i, x in enumerate(arrays) if i in operands.leaves}
        leaves = [
            numbers.get(id(x), _Computed()) if isinstance(x, jax.Array) else x for x in flat.leaves
        ]
        found.append(_TracedCall(None, signature, leaves))
        return [x for x in flat.leaves if isinstance(x, jax.Array)]

    avals = [_struct(v.aval, kind) for v, kind in zip(operands.values, operands.kinds)]
    try:
        jaxpr = jax.make_jaxpr(run)(*avals)
    except MyiaError:
        raise
    except Exception as e:
        _fail(ctx, e, operands)
    return _TracedCall(jaxpr, found[-1].signature, found[-1].leaves)


RETURN_CHANGES = (
    "call it in a function marked with `@myia.staged` that makes the object and returns its state"
)


def _struct(aval: Aval, kind: Any) -> jax.ShapeDtypeStruct:
    """What stands for an argument: Python's numbers are weak, to JAX too."""
    dtype = jax.dtypes.canonicalize_dtype(aval.dtype)
    return jax.ShapeDtypeStruct(aval.shape, dtype, weak_type=isinstance(kind, type))


def _fail(ctx: Context, e: Exception, operands: TracerArguments):
    """The error that staging raised; an int that it may need at compile time could be had so."""
    integers = any(kind is int for kind in operands.kinds)
    ctx.fail(
        TracingFailed,
        error=NeedsStatic if integers else MyiaError,
        name=operands.name,
        message=(str(e).strip().splitlines() or [""])[0],
        exception=type(e).__name__,
    )


def trace_key(ctx: Context, x: Abstract) -> Any:
    """All that staging depends on in an abstract value."""
    if isinstance(x, Static):
        plain = isinstance(x.value, (bool, int, float, complex, str, type(None)))
        return Constant(repr(x.value), type(x.value)) if plain else Identity(x.value)
    if isinstance(x, Scalar):
        return x.dtype, x.weak
    if ctx.is_array(x):
        return array_aval(ctx.heap, x.id)
    inner = ctx.contents(x) if isinstance(x, Ref) else x
    return inner.key(), tuple(trace_key(ctx, child) for child in inner.children())


# ----- The mode that JAX is in


@dataclass(frozen=True)
class _Mode:
    """What the user has told JAX. One object for each mode, which can be compared by identity."""

    enable_x64: bool
    prng_impl: str
    matmul_precision: str | None
    dtype_promotion: str


_mode = functools.cache(_Mode)


def configuration() -> _Mode:
    """The mode that is current: a program with staged functions is used in that mode only."""
    config = jax.config
    return _mode(
        config.jax_enable_x64,
        config.jax_default_prng_impl,
        config.jax_default_matmul_precision,
        config.jax_numpy_dtype_promotion,
    )


# ----- Results


def _number(value: Value, aval) -> Value | Scalar:
    """JAX's weak numbers stay weak where Python's have the same dtype."""
    weak = not value.shape and aval.weak_type and value.dtype in WEAK_DTYPES
    return Scalar(value, weak=True) if weak else value


def _handed_through(ctx: Context, x: Abstract, alias: bool) -> Abstract:
    """An array of the arguments that is returned; JAX's are immutable: stale once it is changed."""
    if alias or isinstance(x, Scalar):
        return x
    contents = ctx.contents(x)
    if isinstance(contents, ArrayObject) and contents.readonly == DEVICE_ARRAY:
        return x
    copy = ctx.new(ArrayObject(ctx.read(x), DEVICE_ARRAY))
    ctx.heap.add_copy(x.id, copy.id)
    return copy


class ResultLeaves(Arguments):
    """The leaves of what a staged function returned, in order, instead of new arguments."""

    def __init__(self, leaves: Sequence[Any]):
        super().__init__()
        self.rest = iter(leaves)
        self.current: Any = None

    def leaf(self, ctx: Context, leaf: Leaf, name: str | None) -> Abstract:
        self.current = next(self.rest)
        if isinstance(self.current, Abstract):
            return self.current
        return super().leaf(ctx, leaf, name)

    def value(self, aval: Aval, name: str | None) -> Value:
        x = self.current
        return x if isinstance(x, Value) else array_constant(np.asarray(x, aval.dtype))

    def new(self, ctx: Context, contents: Contents) -> Ref:
        return ctx.new(contents)

    def fill(self, ctx: Context, ref: Ref, contents: Contents) -> None:
        ctx.heap.objects[ref.id] = contents
