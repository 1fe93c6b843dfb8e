"""Jacobians: `derivative` ops of modes of their own, which `transforms/jacobians/` expands.

The function's effects (prints, errors, writes) happen once, before the op.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from myia.infer.boundary.differentiable_leaves import SAME_FORM
from myia.infer.boundary.host_calls import no_host_calls, refuse_host_calls
from myia.infer.derivatives.argument_copies import noted_changes
from myia.infer.derivatives.derivatives import (
    DifferentiatedRegion,
    GradOptions,
    argument_numbers,
    by_argument,
    emit,
    emit_derivative,
    gradient,
    infer_call,
    infer_differentiated,
    push_forward,
)
from myia.infer.derivatives.parameters import parameter_names
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, NotDifferentiable
from myia.infer.domain.heap import BufferObject, ListObject
from myia.infer.domain.values import Abstract, Ref, Tuple
from myia.infer.paths.region_outputs import substitute_results
from myia.ir.core import Value
from myia.ir.rewrite import inline, without_effects
from myia.primitives.core.define import constant
from myia.primitives.pointwise.transcendental import complex as complex_of

WHAT = "the argument of a Jacobian"
NOT_HOLOMORPHIC = "complex, and its result real: the gradient is not holomorphic"
BY_PARTS = "take it by the real and by the imaginary part, as two arguments: `argnums=(0, 1)`"
NO_DIRECTION = "hvp(f) takes the arguments of f, then a direction, all by position"


def jacrev(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict) -> Abstract:
    """`jacrev`: one row for each element of the result."""
    return _jacobian(ctx, f, options, args, kwargs, "jacrev")


def rows_of_hessian(
    ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict
) -> Abstract:
    """The gradients that `hessian` takes the Jacobian of; not of real numbers by complex ones.

    Such a gradient is not holomorphic, so that it has no Jacobian by complex numbers.
    """
    return _jacobian(ctx, f, options, args, kwargs, "jacrev", of_hessian=True)


def jacfwd(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict) -> Abstract:
    """`jacfwd`: one column for each element of the argument."""
    return _jacobian(ctx, f, options, args, kwargs, "jacfwd")


def _jacobian(
    ctx: Context,
    f: Abstract,
    options: GradOptions,
    args: tuple,
    kwargs: dict,
    mode: str,
    of_hessian: bool = False,
) -> Abstract:
    with no_host_calls(ctx, "a Jacobian"):
        d, outputs = infer_call(ctx, f, options, args, kwargs, WHAT)
    if of_hessian and _has_complex(d.tree.values) and not all(map(_is_complex, outputs.values)):
        what = "the argument of hessian"
        ctx.fail(NotDifferentiable, what=what, kind=NOT_HOLOMORPHIC, help_text=BY_PARTS)
    result, d = _run_once(ctx, d)
    of = tuple(dict.fromkeys(d.outputs))
    blocks = emit_derivative(d, mode)[1]
    width = len(d.tree.values)
    rows = {j: blocks[k * width : (k + 1) * width] for k, j in enumerate(of)}
    found = [by_argument(options.argnums, d.tree.rebuild_arrays(ctx, rows[j])) for j in d.outputs]
    (jacobian,) = outputs.fill(ctx, found)
    return Tuple((jacobian, *result.children()[1:])) if options.has_aux else jacobian


def _run_once(ctx: Context, d: DifferentiatedRegion) -> tuple[Abstract, DifferentiatedRegion]:
    """Run the function once; returns its result, and `d` without the function's effects."""
    values = inline(d.region, d.tree.values)
    (result,) = substitute_results(ctx, d.exports, list(values), [d.result])
    return result, replace(d, region=without_effects(d.region))


def hvp(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict) -> Abstract:
    """`hvp(f)(*args, v)`: the derivative of the gradient in the direction v."""
    if not args:
        ctx.fail(BadType, message=NO_DIRECTION)
    *own, v = args
    numbers = argument_numbers(ctx, options.argnums, len(own))

    def grad_at(xs: list[Abstract]) -> Abstract:
        full = list(own)
        for i, x in zip(numbers, xs):
            full[i] = x
        with noted_changes(ctx, chosen, xs):
            return gradient(ctx, f, GradOptions(options.argnums), tuple(full), kwargs)

    names = parameter_names(ctx, f, len(own))
    chosen, chosen_names = [own[i] for i in numbers], [names[i] for i in numbers]
    d, outputs = infer_differentiated(
        ctx, grad_at, chosen, "a primal of jvp", lambda result: result, chosen_names
    )
    directions = (v,) if isinstance(options.argnums, int) else _items(ctx, v, len(numbers))
    return push_forward(ctx, d, outputs, directions)[1]


def _items(ctx: Context, v: Abstract, count: int) -> tuple[Abstract, ...]:
    """The directions of several arguments: a tuple, or a list."""
    v = ctx.force(v)
    found = ctx.contents(v) if isinstance(v, Ref) else v
    if not isinstance(found, (Tuple, ListObject, BufferObject)):
        kind = f"{ctx.describe(v)} where a tuple of {count} items is wanted"
        ctx.fail(NotDifferentiable, what="a tangent", kind=kind, help_text=SAME_FORM)
    return ctx.list_items(v)


def elementwise(
    ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict
) -> Abstract:
    """The pullback of ones: right when element i of the result depends on element i alone.

    Of complex elements by real ones it is the real part; the pullback of i is the imaginary part,
    negated.
    """
    calls = ctx.host_calls
    d, _ = infer_call(ctx, f, options, args, kwargs, WHAT)
    ys = [d.region.yields[i] for i in dict.fromkeys(d.outputs)]
    _, cts = emit(ctx, d, "vjp", [constant(1, y.dtype, y.shape) for y in ys])
    real = [i for i, x in enumerate(d.tree.values) if not _is_complex(x)]
    if real and _has_complex(ys):  # so far, it is the real part
        if ctx.host_calls != calls:
            refuse_host_calls(ctx, "the derivative of complex elements")
        again = replace(d, region=without_effects(d.region))
        units = [constant(1j if _is_complex(y) else 0, y.dtype, y.shape) for y in ys]
        _, imaginary = emit_derivative(again, "vjp", units)
        for i in real:
            cts[i] = complex_of(cts[i], -imaginary[i])
    return by_argument(options.argnums, d.tree.rebuild(ctx, cts))


def _is_complex(x: Value) -> bool:
    return x.aval.dtype.kind == "c"


def _has_complex(xs: Sequence[Value]) -> bool:
    return any(map(_is_complex, xs))
