"""Truth values: `bool(x)`, `not`, and the short circuits of `and` and `or`.

An array with other than one element has no truth value. An operand that is decided at run time
makes a branch, so the second operand of `and` is evaluated only where Python evaluates it.
"""

from __future__ import annotations

from collections.abc import Callable

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import BufferObject, DictObject, InstanceObject, ListObject, SetObject
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    Abstract,
    Choice,
    Iterator,
    Optional,
    Outside,
    Range,
    Scalar,
    Static,
    Tuple,
    is_none,
)
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic
from myia.infer.numeric.subnormal_checks import check_subnormals
from myia.infer.paths.branches import branch, branch_options
from myia.primitives.core.define import constant
from myia.primitives.pointwise import logic


def negate(ctx: Context, x: Abstract) -> Abstract:
    """`not` of a truth value."""
    if isinstance(x, Scalar):
        return Scalar(logic.not_(x.value), weak=True)
    return Static(not ctx.static(x, "a truth value"))


def truth(ctx: Context, x: Abstract) -> Abstract:
    """`bool(x)`: a static bool, or a bool scalar."""
    x = ctx.number(ctx.bound(x))
    if isinstance(x, Optional):
        return branch(ctx, x.present, lambda: truth(ctx, x.value), lambda: FALSE)
    if isinstance(x, (Static, Outside)):
        return Static(ctx.fact(Answer(bool, x.value)))
    if isinstance(x, Scalar):
        if x.dtype.kind == "b":
            return Scalar(x.value, weak=True)
        return check_subnormals(
            ctx,
            lambda: Scalar(logic.ne(x.value, constant(0, x.dtype)), weak=True),
            results=False,
        )
    if isinstance(x, Choice):
        return branch_options(ctx, x, lambda option: truth(ctx, option))
    if isinstance(x, Tuple):
        return Static(bool(x.items))
    if isinstance(x, Range) or (isinstance(x, Iterator) and is_none(x.state)):  # a view of a dict
        return truth(ctx, ctx.length(x))
    if is_dynamic(ctx, x):
        refuse_dynamic(ctx, "the truth value")
    if ctx.is_array(x):
        value = ctx.read(x)
        if value.aval.size != 1:
            message = "the truth value of an array with more than one element is ambiguous"
            ctx.fail(BadValue, message=f"{message}: use .any() or .all()")
        return truth(ctx, Scalar(ctx.reshape(value, ()), weak=False))
    contents = ctx.held(x)
    if isinstance(contents, (ListObject, DictObject, SetObject)):
        return Static(bool(contents.children()))
    if isinstance(contents, InstanceObject):
        for name in ("__bool__", "__len__"):
            if (found := ctx.special_method(x, name)) is not None:
                return truth(ctx, ctx.call(found, (), {}))
    if isinstance(contents, BufferObject):
        return truth(ctx, ctx.length(x))
    return TRUE


def short_circuit_and(ctx: Context, a: Abstract, b: Callable[[], Abstract]) -> Abstract:
    """`a and b()` of truth values."""
    return branch(ctx, a, b, lambda: FALSE)


def short_circuit_or(ctx: Context, a: Abstract, b: Callable[[], Abstract]) -> Abstract:
    """`a or b()` of truth values."""
    return branch(ctx, a, lambda: TRUE, b)
