"""The transfer functions of the abstract interpreter: one handler for each op of IR(py)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from myia.infer import attributes
from myia.infer.boundary import assigned_globals as assigned
from myia.infer.boundary import exceptions
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import (
    NONE,
    UNDEFINED,
    Abstract,
    Caught,
    Closure,
    NewException,
    Optional,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    as_number,
    is_none,
    may_be_none,
    may_be_unbound,
)
from myia.infer.eval import items, static_code
from myia.infer.eval.displays import mapping_items
from myia.infer.eval.interpreter import HANDLERS, Env, Interpreter, give_name, handles
from myia.infer.eval.unpacking import unpack
from myia.infer.generators import weaving
from myia.infer.indexing import indexing
from myia.infer.loops import loop_forms
from myia.infer.loops.iterators import (
    USED_IN_PART,
    is_generator,
    iterator,
    set_state,
    take,
    use_up,
)
from myia.infer.loops.unrolling import LoopCode
from myia.infer.numeric import f_strings
from myia.infer.numeric.nonfinite_checks import check_finite_results
from myia.infer.numeric.subnormal_checks import OPERATORS, check_subnormals
from myia.infer.operators import comparison, operators
from myia.infer.operators.truth import negate, truth
from myia.infer.paths.branches import (
    branch,
    branch_many,
    is_caught_none,
    on_each,
    on_each_or_none,
    with_none_inside,
)
from myia.infer.paths.caught import given
from myia.infer.paths.choice import is_split
from myia.ir.core import Op, Region, Value, walk
from myia.ir.primitive import Primitive
from myia.primitives.core import py
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, if_p, loop_p

# ----- Names

_UNBOUND = "cannot access {} variable '{}' where it is not associated with a value"
_ENCLOSING = " in enclosing scope"


@handles(py.defined, optional=True)
def _defined(ctx: Context, op: Op, x: Abstract) -> Abstract:
    ctx.handlers.skipped += bool(ctx.handlers.pending)  # where other paths do not bind it
    error: type[NameError] = UnboundLocalError
    message = _UNBOUND.format("local", op.params["name"])
    if op.params.get("captured"):
        error, message = NameError, _UNBOUND.format("free", op.params["name"]) + _ENCLOSING
    return assigned.defined(ctx, x, error, message)


def _content(ctx: Context, op: Op, x: Abstract) -> Abstract:
    """What a variable in a cell holds."""
    if op.params.get("bound"):
        return x.value if isinstance(x, Optional) and may_be_unbound(x) else x
    return _defined(ctx, op, x)


# ----- Operators


FAR = np.iinfo(np.int64).max


@handles(py.slice_, optional=True)
def _slice(ctx: Context, op: Op, start: Abstract, stop: Abstract, step: Abstract) -> SliceValue:
    """`start:stop:step`, where None is as far as a slice goes."""
    step = _or_else(ctx, step, 1)
    backwards = isinstance(step, Static) and isinstance(step.value, int) and step.value < 0
    first, end = (FAR, -FAR) if backwards else (0, FAR)
    return SliceValue(_or_else(ctx, start, first), _or_else(ctx, stop, end), step)


def _or_else(ctx: Context, x: Abstract, of_none: int) -> Abstract:
    if not may_be_none(x) or not is_number(x.value):
        return ctx.force(x)
    return branch(ctx, x.present, lambda: x.value, lambda: Static(of_none))


def _checked(
    ctx: Context, apply: Callable[..., Any], op: str, x: Abstract, y: Abstract
) -> Abstract | None:
    """`apply(ctx, op, x, y)`, with the checks of the debug mode."""

    def compute() -> Abstract:
        return check_subnormals(ctx, lambda: apply(ctx, op, x, y), op in OPERATORS)

    return check_finite_results(ctx, (x, y), compute)


@handles(py.binary, optional=True)
def _binary(ctx: Context, op: Op, x: Abstract, y: Abstract) -> Abstract | None:
    of_text = op.params["op"] == "%" and isinstance(x, Static) and isinstance(x.value, str)
    if of_text:
        return with_none_inside(ctx, [y], lambda ys: operators.binary(ctx, "%", x, ys[0]))
    return _checked(ctx, operators.binary, op.params["op"], ctx.force(x), ctx.force(y))


@handles(py.format_, optional=True)
def _format(ctx: Context, op: Op, *xs: Abstract) -> Abstract:
    return with_none_inside(ctx, xs, lambda xs: _formatted(ctx, op, xs))


def _formatted(ctx: Context, op: Op, xs: Sequence[Abstract]) -> Abstract:
    """An f-string, with the messages of exceptions in it."""
    parts, values = op.params["parts"], list(xs)
    for i, part in enumerate(p for p in parts if not isinstance(p, str)):
        if isinstance(values[i], (Caught, NewException)):
            values[i] = ctx.call(Static(repr if part[0] == "r" else str), (values[i],), {})
            parts = tuple((None, p[1]) if p is part else p for p in parts)
    return on_each(ctx, values, lambda xs: f_strings.format_parts(ctx, parts, tuple(xs)))


# ----- Generators


@handles(py.yield_, optional=True)
def _yield(ctx: Interpreter, op: Op, item: Abstract) -> Abstract:
    consume = ctx.frames[-1].consume
    assert consume is not None
    return consume(item)


@handles(py.generator)
def _generator(ctx: Context, op: Op, items: Abstract, iterable: Abstract) -> Abstract:
    set_state(ctx, iterable, USED_IN_PART)  # how much of it depends on who takes the items
    return iterator(ctx, "iter", items)


@handles(py.unpack)
def _unpack(ctx: Context, op: Op, x: Abstract) -> tuple[Abstract, ...]:
    return unpack(ctx, x, **op.params)


# ----- Functions


@handles(py.function, optional=True)
def _function(ctx: Context, op: Op, *operands: Abstract) -> Abstract:
    code = op.params["code"]
    n = len(code.captured)
    return Closure(code, operands[:n], operands[n:])


@handles(py.call, optional=True)
def _call(ctx: Context, op: Op, f: Abstract, *args: Abstract) -> Abstract:
    given = list(zip(op.params["spec"], args))
    mappings = [x for spec, x in given if spec == "**"]
    return on_each(ctx, mappings, lambda found: _call_with(ctx, op, f, given, found))


def _call_with(
    ctx: Context,
    op: Op,
    f: Abstract,
    given: Sequence[tuple[str | None, Abstract]],
    mappings: Sequence[Abstract],
) -> Abstract:
    """`given`: how each argument is given, and the argument; `mappings`: those given by `**`."""
    positional: list[Abstract] = []
    keywords: dict[str, Abstract] = {}
    unpacked = iter(mappings)
    for spec, x in given:
        if spec is None:
            positional.append(x)
        elif spec == "*":
            positional += ctx.list_items(ctx.force(x))
        elif spec == "**":
            keywords.update(mapping_items(ctx, next(unpacked)))
        else:
            keywords[spec] = x
    ctx.calling = op
    try:
        call = lambda fs: ctx.call(ctx.force(fs[0]), positional, keywords)  # noqa: E731
        return on_each_or_none(ctx, [f], call)
    finally:
        ctx.calling = None


@handles(py.assert_, optional=True)
def _assert(ctx: Context, op: Op, condition: Abstract, message: Abstract) -> None:
    failed = negate(ctx, truth(ctx, condition))
    if isinstance(failed, Static) and failed.value:  # fails if the program comes here
        failed = Scalar(constant(True, bool), weak=True)
    if isinstance(failed, Scalar):
        error = NewException(AssertionError, () if is_none(message) else (message,))
        ctx.add_check(failed.value, given(ctx, exceptions.raised(ctx, error), error))


# ----- Ops that are one call

SIMPLE_HANDLERS: dict[Primitive, Callable[..., Any]] = {
    py.const: lambda ctx, op: Static(op.params["value"]),
    py.global_: lambda ctx, op: ctx.global_value(op.params["name"]),
    py.free: lambda ctx, op: ctx.free_value(op.params["name"]),
    py.undefined: lambda ctx, op: UNDEFINED,
    py.cell: lambda ctx, op: ctx.new(CellObject(UNDEFINED)),
    py.load_cell: lambda ctx, op, cell: _content(ctx, op, ctx.contents(cell).content),
    py.inplace: lambda ctx, op, x, y: _checked(ctx, operators.inplace, op.params["op"], x, y),
    py.getattr_: lambda ctx, op, x: ctx.getattr(x, op.params["name"]),
    py.getitem: items.item,
    py.delitem: lambda ctx, op, x, key: indexing.delitem(ctx, x, key),
    py.raise_: lambda ctx, op, *operands: ctx.raise_error(*operands),
}
# They take operands that may be absent.
OPTIONAL_HANDLERS: dict[Primitive, Callable[..., Any]] = {
    py.store_cell: lambda ctx, op, cell, x: ctx.write(cell, CellObject(x)),
    py.store_global: lambda ctx, op, x: assigned.store(
        ctx, ctx.frames[-1].code.namespace.globals, op.params["name"], x
    ),
    py.unary: lambda ctx, op, x: check_finite_results(
        ctx, (x,), lambda: operators.unary(ctx, op.params["op"], x)
    ),
    py.compare: lambda ctx, op, x, y: check_subnormals(
        ctx, lambda: comparison.compare(ctx, op.params["op"], x, y), results=False
    ),
    py.setattr_: lambda ctx, op, x, value: attributes.setattr_(
        ctx, ctx.force(x), op.params["name"], value
    ),
    py.setitem: lambda ctx, op, x, key, value: indexing.setitem(
        ctx, ctx.present(x), ctx.force(key), value
    ),
}
for primitive, handler in SIMPLE_HANDLERS.items():
    handles(primitive)(handler)
for primitive, handler in OPTIONAL_HANDLERS.items():
    handles(primitive, optional=True)(handler)


# ----- Control flow


def _if(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
    condition = truth(ctx, env[op.operands[0]])
    then, other = op.regions
    if isinstance(condition, Static) and ctx.handlers.pending:
        ctx.handlers.skipped += may_raise_or_print(other if condition.value else then)

    def arm(region: Region, holds: bool) -> list[Abstract]:
        with _narrowed(ctx, env, op.operands[0], condition, holds):
            return ctx.run(region, env)

    return branch_many(ctx, condition, lambda: arm(then, True), lambda: arm(other, False))


def may_raise_or_print(region: Region) -> bool:
    return any(inner.primitive in (py.raise_, py.call) for inner in walk(region))


@contextmanager
def _narrowed(
    ctx: Context, env: Env, tested: Value, condition: Abstract, holds: bool
) -> Generator[None]:
    """In a branch a bool that is tested is known; in one of `x is None`, whether `x` is None."""
    changed = dict(_known_in_branch(ctx, env, tested, condition, holds))
    before = {x: env[x] for x in changed}
    env.update(changed)
    try:
        yield
    finally:
        env.update(before)


def _known_in_branch(
    ctx: Context, env: Env, tested: Value, condition: Abstract, holds: bool
) -> Iterator[tuple[Value, Abstract]]:
    if not isinstance(condition, Scalar):
        return
    x = env[tested]
    if isinstance(x, Scalar) and x.value is condition.value:
        yield tested, Static(holds if x.weak else np.bool_(holds))
    if (found := ctx.tests_of_none.get(condition.value)) is None:
        return
    present, is_none = found

    def narrowed(x: Abstract) -> Abstract:
        if not isinstance(x, Optional):
            return x
        if may_be_unbound(x):
            return x if (inner := narrowed(x.value)) is x.value else replace(x, value=inner)
        if as_number(x.present).value is not present:
            return x
        return NONE if holds is is_none else x.value

    yield from ((name, y) for name, x in env.items() if (y := narrowed(x)) is not x)


def _loop_over_each(
    ctx: Interpreter, op: Op, env: Env, items: Value, given: Abstract
) -> tuple[Abstract, ...]:
    """A loop over one of several objects, or over None, which a handler catches."""

    def over(options: Sequence[Abstract]) -> Abstract:
        return Tuple(_loop(ctx, op, {**env, items: options[0]}))

    return on_each_or_none(ctx, [given], lambda xs: on_each(ctx, xs, over)).children()


def _loop(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
    parts = Loop.of(op)
    if (known := static_code.run_loop(ctx, op, env)) is not None:
        if parts.count is not None:
            take(ctx, env[parts.count], to_end=parts.cond is None)
        return tuple(known)

    def run(region: Region, item: Abstract, xs: Sequence[Abstract]) -> list[Abstract]:
        env.update(zip(region.args, (item, *xs)))
        for target, x in zip(region.args, (item, *xs)):
            give_name(ctx, target.name, x)
        return ctx.run(region, env)

    cond = None
    if (test := parts.cond) is not None:

        def cond(item: Abstract, xs: Sequence[Abstract]) -> Abstract:
            return truth(ctx, run(test, item, xs)[0])

    iterable = None
    if parts.count is not None:
        given = env[parts.count]
        if is_caught_none(ctx, given) or is_split(given := ctx.force(given)):
            return _loop_over_each(ctx, op, env, parts.count, given)
        may_close = cond is not None
        iterable = weaving.as_generator(ctx, env[parts.count], may_close=may_close)
    init = [env[x] for x in parts.carries]
    body = partial(run, parts.body)
    if is_generator(iterable):
        named = parts.count is None or not weaving.is_made_by(ctx, iterable, parts.count)
        return tuple(weaving.loop(ctx, iterable, cond, body, init, op, is_named=named))
    items = None if iterable is None else ctx.items_of(iterable)
    code = LoopCode(op, items, cond, body)
    after = tuple(loop_forms.loop(ctx, code, init))
    if items is not None and cond is None:
        use_up(ctx, env[parts.count])
    return after


HANDLERS[if_p.name] = _if
HANDLERS[loop_p.name] = _loop
