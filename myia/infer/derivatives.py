"""Derivatives inside compiled code: `myia.grad(f)(x)` and its relatives become `derivative` ops.

The function is inferred into a region whose arguments are the numbers that the derivative is taken
with respect to; `transforms/expand.py` replaces the op. A function that is differentiated works on
copies of its arguments: a gradient never changes its caller's arrays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from myia.infer.context import Context
from myia.infer.errors import CertainError, NotDifferentiable
from myia.infer.heap import ArrayObject
from myia.infer.layout import is_contiguous, owners
from myia.infer.operands import is_numeric, operand, operand_dtype
from myia.infer.regions import Exports, adopt, copied
from myia.infer.sized.elements import is_sized, refuse
from myia.infer.values import (
    Abstract,
    Partial,
    Ref,
    Scalar,
    Static,
    Tuple,
    UndefinedType,
    static_number,
)
from myia.ir.builder import Builder, emit
from myia.ir.core import Region, Value
from myia.primitives.define import constant
from myia.primitives.logic import stop_gradient as cut_gradient
from myia.primitives.structured import derivative_p

# ----- Trees of differentiable leaves


@dataclass(frozen=True)
class Tree:
    """The differentiable leaves of abstract values, and how to put others in their place."""

    leaves: list[Abstract]
    values: list[Value]
    builders: list[Callable[[Context, list[Abstract]], Abstract]]

    def fill(self, ctx: Context, leaves: list[Abstract]) -> list[Abstract]:
        """The same structures with other leaves."""
        rest = list(leaves)
        return [build(ctx, rest) for build in self.builders]

    def rebuild(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """The same structures and kinds of number with other values of the same avals."""
        return self.fill(ctx, [like(ctx, x, v) for x, v in zip(self.leaves, values)])

    def copies(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """As `rebuild`; `reshape` makes views of the new arrays where it does of the leaves."""
        made = [like(ctx, x, v, is_contiguous(ctx, x)) for x, v in zip(self.leaves, values)]
        return self.fill(ctx, made)

    def rebuild_arrays(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """The same structures with values of any shape."""
        return self.fill(ctx, [ctx.array(v) for v in values])


def like(ctx: Context, x: Abstract, value: Value, contiguous: bool = True) -> Abstract:
    """A new number or array with this value, of the kind of `x`."""
    if isinstance(x, Scalar):
        return Scalar(value, x.weak, boxed=x.boxed)
    if not value.shape:
        return Scalar(value, weak=False)
    return ctx.new(ArrayObject(value, contiguous=contiguous))


def tree(ctx: Context, xs: list[Abstract], what: str, *, integers: bool = False) -> Tree:
    """Every number in `xs` must be a float (or complex) number or array.

    `integers`: others are leaves too, but for those that are known at compile time.
    """
    leaves: list[Abstract] = []
    builders = [_structure(ctx, x, leaves, what, integers) for x in xs]
    values = [x.value if isinstance(x, Scalar) else ctx.read(x) for x in leaves]
    return Tree(leaves, values, builders)


def _structure(
    ctx: Context, x: Abstract, leaves: list[Abstract], what: str, integers: bool
) -> Callable:
    """Append the leaves of `x`; returns what builds the like of it from a list of leaves."""
    x = ctx.force(x)
    if static_number(x) and isinstance(x.value, (float, complex, np.inexact)):
        value = constant(x.value, np.asarray(x.value).dtype)
        x = Scalar(value, not isinstance(x.value, np.generic))
    known = isinstance(x, Static) and (integers or not static_number(x))
    if not known and is_numeric(ctx, x):
        dtype, _ = operand_dtype(ctx, x)
        if dtype.kind not in "fc" and not integers:
            kind = ctx.describe(x) if not isinstance(x, Static) else f"the int {x.value}"
            ctx.fail(NotDifferentiable, what=what, kind=kind)
        leaves.append(x)
        return lambda ctx, rest: rest.pop(0)
    if isinstance(x, Static):
        return lambda ctx, rest: x
    if is_sized(ctx, x):
        refuse(ctx, "the derivative with respect to elements")
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    parts = [_structure(ctx, child, leaves, what, integers) for child in contents.children()]
    if isinstance(x, Ref):
        return lambda ctx, rest: ctx.new(contents.rebuild(tuple(p(ctx, rest) for p in parts)))
    return lambda ctx, rest: x.rebuild(tuple(p(ctx, rest) for p in parts))


# ----- The op


@dataclass
class Differentiated:
    """A function inferred into a region: its outputs that are differentiated, and the rest."""

    tree: Tree
    region: Region
    exports: Exports
    result: Abstract
    outputs: tuple[int, ...]  # positions among the yields of what is differentiated


def differentiated(ctx: Context, call: Callable, xs: list[Abstract], what: str, split: Callable):
    """Infer `call(copies of xs)` into a region. `split(result)` gives what is differentiated."""
    inputs = tree(ctx, xs, what)
    before = ctx.heap.copy()
    args = tuple(Value(v.aval, v.name) for v in inputs.values)
    exports = Exports()
    with Builder() as builder:
        copies = inputs.copies(ctx, list(args))
        link_twins(ctx, xs, copies)
        ctx.differentiating += 1
        try:
            result = call(copies)
        except CertainError:
            ctx.heap.restore(before, ids=False)  # nothing of this region is seen outside
            raise
        finally:
            ctx.differentiating -= 1
        chosen = split(result)
        outputs = tree(ctx, [chosen], "the result of a differentiated function")
        exports.values += list(dict.fromkeys(outputs.values))
    positions = tuple(exports.values.index(v) for v in outputs.values)
    exports.add(ctx, result, before)
    exports.changed(ctx, before)
    region = Region(args, tuple(builder.ops), tuple(exports.values))
    return Differentiated(inputs, region, exports, result, positions), outputs


def emit_derivative(
    d: Differentiated, mode: str, seeds: list[Value]
) -> tuple[list[Value], list[Value]]:
    """The op: what the region yields, and the derivative's values.

    The seeds are of the distinct outputs ("vjp") or of the inputs ("jvp").
    """
    of = tuple(dict.fromkeys(d.outputs))
    wrt = tuple(range(len(d.tree.values)))
    results = emit(
        derivative_p, *d.tree.values, *seeds, regions=[d.region], mode=mode, wrt=wrt, of=of
    )
    n = len(d.region.yields)
    return list(results[:n]), list(results[n:])


def _emit(ctx: Context, d: Differentiated, mode: str, seeds: list[Value]):
    """The op; returns the result as seen from outside, and the derivative's values."""
    values, derivatives = emit_derivative(d, mode, seeds)
    (result,) = adopt(ctx, d.exports, values, [d.result])
    return result, derivatives


# ----- grad and value_and_grad


@dataclass(frozen=True)
class GradOptions:
    """What `myia.grad` was told."""

    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    value: bool = False


def gradient(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict):
    """`grad(f)(*args)` or `value_and_grad(f)(*args)`."""
    argnums = argument_numbers(ctx, options.argnums, len(args))
    chosen = [args[i] for i in argnums]

    def call(copies: list[Abstract]) -> Abstract:
        chosen = dict(zip(argnums, copies))
        return call_with_copies(ctx, f, args, kwargs, chosen)

    def loss_of(result: Abstract) -> Abstract:
        loss = result
        if options.has_aux:
            if not isinstance(result, Tuple) or len(result.items) != 2:
                ctx.fail(
                    NotDifferentiable,
                    what="the result with has_aux=True",
                    kind="not a pair (loss, aux)",
                )
            loss = result.items[0]
        return _scalar_loss(ctx, loss)

    d, outputs = differentiated(ctx, call, chosen, "the argument of grad", loss_of)
    (loss,) = outputs.values
    result, cts = _emit(ctx, d, "vjp", [constant(1, loss.dtype)])
    grads = d.tree.rebuild(ctx, cts)
    grad = grads[0] if isinstance(options.argnums, int) else Tuple(tuple(grads))
    if options.value:
        return Tuple((result, grad))
    return Tuple((grad, result.items[1])) if options.has_aux else grad


def call_with_copies(
    ctx: Context, f: Abstract, args: tuple, kwargs: dict, given: dict[int, Abstract]
) -> Abstract:
    """`f(*args, **kwargs)` on copies of its arguments, those in `given` being copies already."""
    made: dict[int, Ref] = {}
    full = [given[i] if i in given else copied(ctx, x, made) for i, x in enumerate(args)]
    options = {k: copied(ctx, x, made) for k, x in kwargs.items()}
    link_twins(ctx, [*args, *kwargs.values()], [*full, *options.values()])
    return ctx.call(f, full, options)


def link_twins(ctx: Context, originals: list[Abstract], copies: list[Abstract]) -> None:
    """What was one object has several copies: a write to one of them makes the others stale."""
    link_same(ctx, bases(ctx, originals), bases(ctx, copies))


def link_same(ctx: Context, originals: Sequence[list[int]], objects: Sequence[list[int]]) -> None:
    """Objects that may stand for the same original may be one object."""
    twins: dict[int, set[int]] = {}
    for shown, ids in zip(originals, objects, strict=True):
        for original in shown:
            known = twins.setdefault(original, set())
            for other, id in itertools.product(known, ids):
                if other != id:
                    ctx.heap.link(other, id)
            known.update(ids)


def bases(ctx: Context, xs: Iterable[Abstract]) -> list[list[int]]:
    """The objects in `xs`, of a view the arrays that it may show."""
    return list(_bases(ctx, xs))


def _bases(ctx: Context, xs: Iterable[Abstract]) -> Iterator[list[int]]:
    for x in xs:
        if ctx.is_array(x):
            if ctx.shape(x):  # an array without axes may be copied to a number
                yield owners(ctx, x)
        elif isinstance(x, Ref):
            yield [x.id]
            yield from _bases(ctx, ctx.contents(x).children())
        else:
            yield from _bases(ctx, x.children())


def argument_numbers(ctx: Context, argnums, count: int) -> tuple[int, ...]:
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for i in numbers:
        if not -count <= i < count:
            ctx.fail(
                NotDifferentiable,
                what=f"argument number {i}",
                kind=f"missing: there are {count} positional arguments",
            )
    return tuple(i % count for i in numbers)


def _scalar_loss(ctx: Context, loss: Abstract) -> Abstract:
    if isinstance(loss, UndefinedType):  # an error is raised on every path
        return Scalar(constant(0.0, np.float64), True)
    loss = ctx.force(loss)
    if static_number(loss) and not isinstance(loss.value, complex):
        return Scalar(constant(float(loss.value), np.float64), True)
    shape = ctx.shape(loss) if isinstance(loss, Scalar) or ctx.is_array(loss) else None
    if shape is None or shape != ():
        kind = ctx.describe(loss)
        ctx.fail(NotDifferentiable, what="the result of a function under grad", kind=kind)
    if loss.dtype.kind != "f":
        ctx.fail(
            NotDifferentiable,
            what="the result of a function under grad",
            kind=f"of dtype {loss.dtype}, not a real float",
        )
    return loss


# ----- jvp and vjp


def jvp(ctx: Context, f: Abstract, primals: Abstract, tangents: Abstract) -> Abstract:
    """`(f(*primals), the derivative of f at primals in the direction tangents)`"""
    xs, ts = list(ctx.list_items(primals)), list(ctx.list_items(tangents))
    return jvp_of(ctx, lambda copies: ctx.call(f, copies, {}), xs, ts)


def jvp_of(ctx: Context, call: Callable, xs: list[Abstract], ts: list[Abstract]) -> Tuple:
    """`jvp` of a function of the inferer's."""
    d, outputs = differentiated(ctx, call, xs, "a primal of jvp", lambda r: r)
    seeds = matching(ctx, ts, d.tree.values, "a tangent")
    result, tangents_out = _emit(ctx, d, "jvp", seeds)
    by_position = dict(zip(dict.fromkeys(d.outputs), tangents_out))
    out = outputs.rebuild(ctx, [by_position[i] for i in d.outputs])
    return Tuple((result, out[0]))


def vjp(ctx: Context, f: Abstract, primals: tuple[Abstract, ...]) -> Abstract:
    """`(f(*primals), pullback)`; the pullback runs f again unless the passes find it the same."""
    made: dict[int, Ref] = {}
    kept = [copied(ctx, x, made) for x in primals]
    value = call_with_copies(ctx, f, primals, {}, {})
    return Tuple((value, Partial(pullback, (f, *kept))))


def pullback(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    """The cotangents of the primals, for a cotangent of f's result."""
    f, *primals = partial.items
    d, outputs = differentiated(
        ctx, lambda copies: ctx.call(f, copies, {}), primals, "a primal of vjp", lambda r: r
    )
    seeds = matching(ctx, list(args), outputs.values, "a cotangent")
    unique: dict[int, Value] = {}
    for position, seed in zip(d.outputs, seeds):
        unique[position] = unique[position] + seed if position in unique else seed
    _, cts = _emit(ctx, d, "vjp", list(unique.values()))
    return Tuple(tuple(d.tree.rebuild(ctx, cts)))


def matching(ctx: Context, xs: list[Abstract], like: list[Value], what: str) -> list[Value]:
    """The leaves of `xs`, one for each value of `like`, with its dtype and shape."""
    leaves: list[Abstract] = []
    for x in xs:
        _numbers(ctx, x, leaves)
    avals = [v.aval for v in like]
    if len(leaves) != len(avals) or any(ctx.shape(x) != a.shape for x, a in zip(leaves, avals)):
        given = ", ".join(ctx.describe(x) for x in leaves)
        wanted = ", ".join(map(str, avals))
        ctx.fail(NotDifferentiable, what=what, kind=f"({given}) where ({wanted}) is wanted")
    return [operand(ctx, x, a) for x, a in zip(leaves, avals)]


def _numbers(ctx: Context, x: Abstract, leaves: list[Abstract]) -> None:
    if isinstance(x, Scalar) or static_number(x) or ctx.is_array(x):
        leaves.append(x)
        return
    children = ctx.contents(x).children() if isinstance(x, Ref) else x.children()
    for child in children:
        _numbers(ctx, child, leaves)


# ----- Transforms made inside compiled code


def transformed(f: Abstract, apply: Callable, argnums, has_aux: bool) -> Partial:
    """`grad(f)` of a function that only the inferer has: a callable of ours."""
    return Partial(apply, (f,), (argnums, has_aux))


def apply_grad(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    options = GradOptions(*partial.meta)
    return gradient(ctx, partial.items[0], options, args, kwargs)


def apply_value_and_grad(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    options = GradOptions(*partial.meta, value=True)
    return gradient(ctx, partial.items[0], options, args, kwargs)


def stop_gradient(ctx: Context, x: Abstract) -> Abstract:
    """`x` (a number, an array, or a container of them) without a derivative."""
    if isinstance(x, Scalar):
        return x.with_value(cut_gradient(x.value))
    if ctx.is_array(x):
        return ctx.array(cut_gradient(ctx.read(x)))
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        return ctx.new(contents.rebuild(tuple(stop_gradient(ctx, c) for c in contents.children())))
    return x.rebuild(tuple(stop_gradient(ctx, c) for c in x.children()))
