"""`jax.scipy.sparse.linalg.cg` with an operator written by the user, compiled from source.

    x, _ = cg(lambda v: k * v + A @ v, b)   ->   %x = custom %k %A %b { the iterations }

The derivative is the implicit one, of A(x) = b, as for solvers traced from JAX. The iterations, the
first guess and the preconditioner have no derivative.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from types import ModuleType

import numpy as np

from myia.infer.custom.regions import close_region
from myia.infer.domain.context import NO_ERROR, Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import CellObject, Heap
from myia.infer.domain.values import NONE, Abstract, Closure, PyFunction, Static, Tuple
from myia.infer.jax.objects.dispatch import call_library
from myia.infer.registry import function as registered
from myia.infer.registry import is_traced, when_imported
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.avals import Aval
from myia.ir.builder import Builder, emit
from myia.ir.core import Region, Value, captures
from myia.library.support.arguments import value_of
from myia.library.support.from_source import Array, call_source
from myia.primitives.core.structured import Rule, custom_p


@when_imported("jax.scipy.sparse.linalg")
def _register(module: ModuleType) -> None:
    @registered(module.cg)
    def handler(ctx: Context, *args: Abstract, **options: Abstract) -> Abstract:
        if args and _is_users(args[0]):
            return _cg(ctx, *args, **options)
        return call_library(ctx, module.cg, args, options)


def _is_users(f: Abstract) -> bool:
    """True for a function to be compiled from its source, not traced."""
    if isinstance(f, PyFunction):
        return not is_traced(f.function)
    if isinstance(f, Static):
        return isinstance(f.value, types.FunctionType) and not is_traced(f.value)
    return isinstance(f, Closure)


def _cg(
    ctx: Context,
    A: Abstract,
    b: Abstract,
    x0: Abstract = NONE,
    *,
    tol: Abstract = Static(1e-5),
    atol: Abstract = Static(0.0),
    maxiter: Abstract = NONE,
    M: Abstract = NONE,
) -> Abstract:
    if not ctx.is_array(b):
        ctx.fail(
            UnsupportedFunction, what=f"`cg` for {ctx.describe(b)}", help_text="give it an array"
        )
    right = value_of(ctx, b)

    def product(v: Abstract) -> Abstract:
        return ctx.call(A, (v,), {})

    def solution(v: Abstract) -> Abstract:
        return call_source(ctx, iterations, (A, v, x0, tol, atol, maxiter, M), {})

    regions = [_region(ctx, right.aval, f) for f in (product, solution)]
    consts = captures(*regions)
    matvec, solve = (close_region(region, consts) for region in regions)
    rule = Rule("solve", lambda: (matvec, solve))
    (x,) = emit(custom_p, *consts, right, regions=[solve], name="cg", rule=rule, consts=0)
    return Tuple((ctx.array(x), NONE))


def _region(ctx: Context, aval: Aval, body: Callable[[Abstract], Abstract]) -> Region:
    """The region of `body`, from an array to an array of the same aval, without side effects."""
    before = ctx.heap.copy()
    arg = Value(aval)
    ctx.heap.objects[ctx.error_id] = CellObject(NO_ERROR)
    try:
        with Builder() as builder:
            result = body(ctx.array(arg))
            made = value_of(ctx, result)
        _check(ctx, before, aval, made)
    finally:
        ctx.heap.restore(before, ids=False)
    return Region((arg,), tuple(builder.ops), (made,))


def _check(ctx: Context, before: Heap, aval: Aval, made: Value) -> None:
    if made.aval != aval:
        message = f"the operator of `cg` makes {made.aval} of {aval}"
        ctx.fail(BadValue, message=message)
    code = ctx.heap[ctx.error_id]
    if not (isinstance(code, CellObject) and isinstance(code.content, Static)):
        ctx.fail(UnsupportedFunction, what="an operator of `cg` with a run-time check")
    changed = (id for id, x in ctx.heap.objects.items() if id in before and x is not before[id])
    if not all(map(ctx.is_of_checks, changed)):
        ctx.fail(
            UnsupportedFunction, what="an operator of `cg` that changes an object from outside"
        )


def iterations(
    A: Array, b: Array, x0: Array, tol: Array, atol: Array, maxiter: Array, M: Array
) -> Array:
    """The method of conjugate gradients (Hestenes and Stiefel, 1952), preconditioned by M."""
    x = np.zeros_like(b) if x0 is None else np.asarray(x0).astype(b.dtype)
    most = 10 * b.size if maxiter is None else maxiter
    limit = np.maximum(tol**2 * np.vdot(b, b).real, atol**2)
    r = b - A(x)
    z = preconditioned(M, r)
    p = z
    slope = np.vdot(r, z)
    for _ in range(most):
        if np.vdot(r, r).real <= limit:
            break
        image = A(p)
        step = slope / np.vdot(p, image)
        x = x + step * p
        r = r - step * image
        z = preconditioned(M, r)
        before, slope = slope, np.vdot(r, z)
        p = z + slope / before * p
    return x


def preconditioned(M: Array, r: Array) -> Array:
    if M is None:
        return r
    return M(r) if callable(M) else M @ r
