"""Derivatives inside compiled code: `myia.grad(f)(x)` and its relatives become `derivative` ops.

    grad(f)(x)    ->    %ct = derivative %x, 1.0 { (%a): ... f(%a) } {mode="vjp", wrt=(0,), of=(0,)}

The function is inferred into a region whose arguments are the numbers that the derivative is taken
with respect to; `transforms/expand.py` replaces the op. The function works on copies of its
arguments, so a gradient never changes its caller's arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from myia.infer.boundary.differentiable_leaves import (
    RESULT,
    Tree,
    differentiable_tree,
)
from myia.infer.boundary.host_calls import no_host_calls
from myia.infer.derivatives.argument_copies import (
    call_with_copies,
    link_copies,
)
from myia.infer.derivatives.parameters import parameter_names
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue, CertainError, NotDifferentiable
from myia.infer.domain.heap import Heap
from myia.infer.domain.values import (
    Abstract,
    Partial,
    Ref,
    Scalar,
    Tuple,
    UndefinedType,
    is_static_number,
)
from myia.infer.operators.number_choices import with_one_float
from myia.infer.paths.raised import raise_outside
from myia.infer.paths.region_outputs import Exports, deep_copied, substitute_results
from myia.infer.unsupported import UnsupportedDerivative
from myia.ir import builder as ir
from myia.ir.builder import Builder
from myia.ir.core import Region, Value
from myia.ir.rewrite import without_effects
from myia.primitives.core.define import constant
from myia.primitives.core.structured import derivative_p
from myia.primitives.pointwise.logic import stop_gradient as cut_gradient

Argnums = int | tuple[int, ...]

RETURN_ONE = "return one real float, or `loss, aux` with `has_aux=True`; or use `jacrev` or `vjp`"
RETURN_PAIR = "return `loss, aux`"

# ----- The op


@dataclass
class DifferentiatedRegion:
    """A function inferred into a region, and which of its outputs are differentiated."""

    tree: Tree
    region: Region
    exports: Exports
    result: Abstract
    outputs: tuple[int, ...]  # positions among the yields of what is differentiated


def infer_differentiated(
    ctx: Context,
    call: Callable,
    xs: list[Abstract],
    what: str,
    split: Callable,
    names: Sequence[str] | None = None,
) -> tuple[DifferentiatedRegion, Tree]:
    """Infer `call(copies of xs)` into a region; `split(result)` is the part to differentiate.

    `names`: those of `xs`, for errors.
    """
    inputs = differentiable_tree(ctx, xs, what, names=names)
    before = ctx.heap.copy()
    args = tuple(Value(v.aval, v.name) for v in inputs.values)
    exports = Exports()

    def run(values: Sequence[Value]) -> Abstract:
        copies = inputs.copies(ctx, list(values))
        link_copies(ctx, xs, copies)
        return call(copies)

    try:
        with Builder() as builder:
            ctx.differentiating += 1
            try:
                result = run(args)
            finally:
                ctx.differentiating -= 1
            chosen = with_one_float(ctx, split(result))
            outputs = differentiable_tree(ctx, [chosen], RESULT, names=["result"])
    except CertainError as error:
        raise_outside(ctx, before, error, lambda: run(inputs.values))
    exports.values |= dict.fromkeys(outputs.values)
    place = {v: i for i, v in enumerate(exports.values)}
    positions = tuple(place[v] for v in outputs.values)
    exports.add(ctx, result, before)
    exports.changed(ctx, before)
    region = Region(args, tuple(builder.ops), tuple(exports.values))
    return DifferentiatedRegion(inputs, region, exports, result, positions), outputs


def emit_derivative(
    d: DifferentiatedRegion, mode: str, seeds: Sequence[Value] = ()
) -> tuple[list[Value], list[Value]]:
    """Emit the op; returns the region's yields, and the values of the derivative.

    There is a seed for each distinct output ("vjp"), for each input ("jvp"), none for a Jacobian.
    """
    of = tuple(dict.fromkeys(d.outputs))
    wrt = tuple(range(len(d.tree.values)))
    results = ir.emit(
        derivative_p, *d.tree.values, *seeds, regions=[d.region], mode=mode, wrt=wrt, of=of
    )
    n = len(d.region.yields)
    return list(results[:n]), list(results[n:])


def emit(ctx: Context, d: DifferentiatedRegion, mode: str, seeds: list[Value]) -> Any:
    """Emit the op; returns the function's result for the caller, and the derivative's values."""
    values, derivatives = emit_derivative(d, mode, seeds)
    (result,) = substitute_results(ctx, d.exports, values, [d.result])
    return result, derivatives


# ----- grad and value_and_grad


@dataclass(frozen=True)
class GradOptions:
    """The options of `myia.grad`."""

    argnums: Argnums = 0
    has_aux: bool = False
    value: bool = False


def infer_call(
    ctx: Context,
    f: Abstract,
    options: GradOptions,
    args: tuple[Abstract, ...],
    kwargs: dict[str, Abstract],
    what: str,
    split: Callable[[Abstract], Abstract] | None = None,
) -> tuple[DifferentiatedRegion, Tree]:
    """`f(*args, **kwargs)` as a region to be differentiated by the arguments of `argnums`.

    `split(result)`: the part to differentiate; None: all but the aux.
    """
    numbers = argument_numbers(ctx, options.argnums, len(args))

    def call(copies: list[Abstract]) -> Abstract:
        return call_with_copies(ctx, f, args, kwargs, dict(zip(numbers, copies)))

    names = parameter_names(ctx, f, len(args))
    chosen, chosen_names = [args[i] for i in numbers], [names[i] for i in numbers]
    split = split or (lambda result: without_aux(ctx, result, options.has_aux))
    return infer_differentiated(ctx, call, chosen, what, split, chosen_names)


def gradient(
    ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict
) -> Abstract:
    """`grad(f)(*args)` or `value_and_grad(f)(*args)`."""
    split = lambda result: _scalar_loss(ctx, without_aux(ctx, result, options.has_aux))  # noqa: E731
    d, outputs = infer_call(ctx, f, options, args, kwargs, "the argument of grad", split)
    (loss,) = outputs.values
    result, cts = emit(ctx, d, "vjp", [constant(1, loss.dtype)])
    grads = d.tree.rebuild(ctx, cts)
    grad = by_argument(options.argnums, grads)
    if options.value:
        return Tuple((result, grad))
    return Tuple((grad, result.items[1])) if options.has_aux else grad


def without_aux(ctx: Context, result: Abstract, has_aux: bool) -> Abstract:
    """The differentiated part of the function's result: all of it, or `loss` of `(loss, aux)`."""
    if not has_aux:
        return result
    if not isinstance(result, Tuple) or len(result.items) != 2:
        what = "the result with has_aux=True"
        ctx.fail(NotDifferentiable, what=what, kind="not a pair (loss, aux)", help_text=RETURN_PAIR)
    return result.items[0]


def by_argument(argnums: Argnums, found: list[Abstract]) -> Abstract:
    """The derivative by one argument; for a tuple of argument numbers a tuple."""
    return found[0] if isinstance(argnums, int) else Tuple(tuple(found))


def argument_numbers(
    ctx: Context, given: Any, count: int, option: str = "argnums"
) -> tuple[int, ...]:
    """The positions of arguments that an option names, in a call of `count` of them."""
    numbers = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    shown = f"{option}={given!r}"
    if not all(isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in numbers):
        ctx.fail(BadType, message=f"{shown} is neither an int nor a tuple of ints")
    for i in numbers:
        if not -count <= i < count:
            passed = f"{count} positional argument{'' if count == 1 else 's'}"
            message = f"{shown}: the call has {passed}, and none number {i}"
            by_name = "" if count else " (`argnames` for one that is passed by its name)"
            ctx.fail(BadValue, message=message + by_name)
    found = tuple(int(i) % count for i in numbers)
    for k, i in enumerate(found):
        if i in found[:k]:
            ctx.fail(BadValue, message=f"{shown} names argument {i} twice")
    return found


def _scalar_loss(ctx: Context, loss: Abstract) -> Abstract:
    if isinstance(loss, UndefinedType):  # an error is raised on every path
        return Scalar(constant(0.0, np.float64), True)
    loss = with_one_float(ctx, ctx.force(loss))
    if is_static_number(loss) and not isinstance(loss.value, complex):
        return Scalar(constant(float(loss.value), np.float64), True)
    if not isinstance(loss, Scalar):
        kind = ctx.describe(loss)
    elif loss.dtype.kind != "f":
        kind = f"of dtype {loss.dtype}, not a real float"
    else:
        return loss
    what = "the result of a function under grad"
    return ctx.fail(NotDifferentiable, what=what, kind=kind, help_text=RETURN_ONE)


# ----- jvp and vjp


def jvp(
    ctx: Context, f: Abstract, primals: Abstract, tangents: Abstract, has_aux: bool = False
) -> Abstract:
    """`(f(*primals), the derivative of f at primals in the direction tangents)`, then the aux"""
    xs, ts = ctx.list_items(primals), ctx.list_items(tangents)
    options = GradOptions(tuple(range(len(xs))), has_aux)
    d, outputs = infer_call(ctx, f, options, xs, {}, "a primal of jvp")
    result, out = push_forward(ctx, d, outputs, ts)
    return Tuple((result.items[0], out, result.items[1])) if has_aux else Tuple((result, out))


def push_forward(
    ctx: Context, d: DifferentiatedRegion, outputs: Tree, ts: Sequence[Abstract]
) -> tuple[Any, Abstract]:
    """The function's result, and its derivative in the direction `ts`."""
    seeds = d.tree.matching(ctx, ts, "a tangent")
    result, tangents_out = emit(ctx, d, "jvp", seeds)
    by_position = dict(zip(dict.fromkeys(d.outputs), tangents_out))
    return result, outputs.rebuild(ctx, [by_position[i] for i in d.outputs])[0]


def vjp(ctx: Context, f: Abstract, primals: tuple[Abstract, ...], has_aux: bool = False) -> Tuple:
    """`(f(*primals), pullback)`, then the aux.

    The pullback recomputes f, unless passes find it to be a common subexpression.
    """
    pull = pullback_of(ctx, f, primals, has_aux)
    value = call_with_copies(ctx, f, primals, {}, {}, range(len(primals)))
    main = without_aux(ctx, value, has_aux)
    return Tuple((main, pull, *value.children()[1:])) if has_aux else Tuple((main, pull))


def pullback_of(ctx: Context, f: Abstract, primals: Sequence[Abstract], has_aux: bool) -> Partial:
    """The pullback alone, of copies: f may change its arguments."""
    made: dict[int, Ref] = {}
    then = ctx.heap.copy()  # what f reads besides its arguments must be the same when it is called
    items = (f, *(deep_copied(ctx, x, made, with_resources=True) for x in primals))
    return Partial(pullback, items, (has_aux, _Then(then)))


@dataclass(frozen=True)
class _Then:
    """The heap at a call of `vjp`, which makes no difference between partials."""

    heap: Heap = field(compare=False)


def pullback(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    """The cotangents of the primals, for a cotangent of f's result."""
    (f, *primals), (has_aux, then) = partial.items, partial.meta
    before = ctx.heap.copy()
    made: dict[int, Ref] = {}  # what f does to its copies, each pullback does to its own
    primals = [deep_copied(ctx, x, made, with_resources=True) for x in primals]
    # The function has been run for its value.
    with no_host_calls(ctx, "the pullback"), ctx.heap.recorded_reads() as reads:
        options = GradOptions(tuple(range(len(primals))), has_aux)
        d, outputs = infer_call(ctx, f, options, tuple(primals), {}, "a primal of vjp")
    later = [i for i in reads if i in then.heap and i in before and then.heap[i] is not before[i]]
    if any(not ctx.is_of_checks(i) for i in later):
        what = "the pullback of a function, after a change of what it reads besides its arguments,"
        ctx.fail(
            UnsupportedDerivative,
            what=what,
            help_text="pass it as an argument, as a generator: `vjp(f, x, rng)`",
        )
    d = replace(d, region=without_effects(d.region))
    seeds = outputs.matching(ctx, args, "a cotangent")
    unique: dict[int, Value] = {}
    for position, seed in zip(d.outputs, seeds):
        unique[position] = unique[position] + seed if position in unique else seed
    _, cts = emit(ctx, d, "vjp", list(unique.values()))
    changed = [i for i, x in ctx.heap.objects.items() if i in before and x is not before[i]]
    if any(not ctx.is_of_checks(i) for i in changed):  # it was another one for the value
        what = "the pullback of a function that changes an object from outside"
        ctx.fail(
            UnsupportedDerivative,
            what=what,
            help_text="return what is new of it, by `has_aux`; pass a generator: `vjp(f, x, rng)`",
        )
    return Tuple(tuple(d.tree.rebuild(ctx, cts)))


# ----- Transforms made inside compiled code


# (context, function, options, arguments, keywords) -> the transformed function's result
Args = tuple[Abstract, ...]
Kwargs = dict[str, Abstract]
Rule = Callable[[Context, Abstract, GradOptions, Args, Kwargs], Abstract]


def transformed(f: Abstract, rule: Callable[..., Abstract], options: Any) -> Partial:
    """`grad(f)` of a function that exists only during inference; `options`: those of the rule."""
    return Partial(_apply_rule, (f,), (rule, options))


def _apply_rule(
    ctx: Context, partial: Partial, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> Abstract:
    rule, options = partial.meta
    return rule(ctx, partial.items[0], options, args, kwargs)


def stop_gradient(ctx: Context, x: Abstract) -> Abstract:
    """`x` (a number, an array, or a container of them) without a derivative.

    Where no derivative is taken it is `x` itself, as in Python. Elsewhere it is a copy, of one
    memory with `x`: a write to one of them invalidates the other.
    """
    if isinstance(x, Scalar):
        return _cut(x)
    if not ctx.differentiating:
        return x
    made: dict[int, Ref] = {}
    found = deep_copied(ctx, x, made)
    for ref in dict.fromkeys(made.values()):
        contents = ctx.heap[ref.id]
        ctx.heap.objects[ref.id] = contents.rebuild([*map(_cut, contents.children())])
    for id, ref in made.items():
        ctx.heap.add_possible_view(ref.id, id)
    return _cut(found)


def _cut(x: Abstract) -> Abstract:
    """`x` without the derivatives of its numbers; those of objects have been cut."""
    if isinstance(x, Scalar):
        return x.with_value(cut_gradient(x.value))
    return x if isinstance(x, Ref) else x.rebuild([*map(_cut, x.children())])
