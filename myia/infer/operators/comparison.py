"""Python's comparisons of abstract values: `==`, `<`, ..., `is` and `in`.

Containers are compared element by element. `is` between two objects that may alias is refused,
unless the points-to sets decide it.
"""

from __future__ import annotations

import dataclasses
import inspect

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import promote
from myia.infer.domain.errors import BadType, InvalidatedRead, Unsupported
from myia.infer.domain.heap import DictObject
from myia.infer.domain.memory_order import with_layout_of
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    Abstract,
    Optional,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_none,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.numeric.promotion import (
    PRIMITIVES,
    broadcast_shapes,
    is_numeric,
    operand,
    operand_dtype,
    result,
)
from myia.infer.operators.operators import (
    PYTHON_OPERATORS,
    dynamic_operator,
    is_dict,
    sequence_items,
    static_binary,
)
from myia.infer.operators.truth import negate, short_circuit_and, short_circuit_or, truth
from myia.infer.paths import points_to
from myia.infer.paths.branches import branch
from myia.ir.avals import Aval

COMPARISONS = {  # the method of the left operand, and that of the right one
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "<": ("__lt__", "__gt__"),
    "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"),
    ">=": ("__ge__", "__le__"),
}


def compare(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    if op in ("is", "is not"):
        same = _identical(ctx, a, b)
        return same if op == "is" else negate(ctx, same)
    if op in ("in", "not in"):
        found = _contains(ctx, ctx.force(b), a)
        return found if op == "in" else negate(ctx, found)
    if op in ("==", "!=") and (isinstance(a, Optional) or isinstance(b, Optional)):
        return _compare_optional(ctx, op, a, b)
    a, b = ctx.force(a), ctx.force(b)
    if isinstance(a, Static) and isinstance(b, Static):
        return static_binary(ctx, op, a, b)
    if is_dynamic(ctx, a) or is_dynamic(ctx, b):
        return dynamic_operator(ctx, op, a, b, compare)
    if is_numeric(ctx, a) and is_numeric(ctx, b):
        dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
        if dtype.kind == "c" and op not in ("==", "!="):
            if weak:
                ctx.fail(BadType, message=f"`{op}` is not defined for complex numbers")
            ctx.fail(Unsupported, what="the order of complex numbers")
        aval = Aval(dtype, broadcast_shapes(ctx, a, b))
        value = PRIMITIVES[op](operand(ctx, a, aval), operand(ctx, b, aval))
        return with_layout_of(ctx, result(ctx, value, weak), a, b)
    return _compare_structures(ctx, op, a, b)


def _compare_optional(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    x, other = (a, b) if isinstance(a, Optional) else (b, a)
    if is_none(other):
        return compare(ctx, "is" if op == "==" else "is not", x, other)
    absent = Static(op == "!=")
    return branch(ctx, x.present, lambda: compare(ctx, op, x.value, other), lambda: absent)


def _compare_structures(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    x, y = sequence_items(ctx, a), sequence_items(ctx, b)
    if is_dict(ctx, a) and is_dict(ctx, b) and op in ("==", "!="):
        equal = _equal_dicts(ctx, ctx.contents(a), ctx.contents(b))
        return equal if op == "==" else negate(ctx, equal)
    if x is not None and y is not None and op in ("==", "!="):
        equal: Abstract = Static(len(x) == len(y) and isinstance(a, Ref) == isinstance(b, Ref))
        for p, q in zip(x, y):
            equal = short_circuit_and(
                ctx, equal, lambda p=p, q=q: truth(ctx, compare(ctx, "==", p, q))
            )
        return equal if op == "==" else negate(ctx, equal)
    if x is not None and y is not None:
        return _lexicographic(ctx, op, x, y)
    found = _compare_instances(ctx, op, a, b)
    if found is not None:
        return found
    if op in ("==", "!=") and not (isinstance(a, Ref) and isinstance(b, Ref)):
        return Static(op == "!=")  # values of different types
    ctx.fail(Unsupported, what=f"`{op}` between {ctx.describe(a)} and {ctx.describe(b)}")


def _equal_dicts(ctx: Context, x: DictObject, y: DictObject) -> Abstract:
    equal: Abstract = Static(set(x.keys) == set(y.keys))
    for key, p in zip(x.keys, x.values):
        if key in y.keys:
            q = y.values[y.keys.index(key)]
            equal = short_circuit_and(
                ctx, equal, lambda p=p, q=q: truth(ctx, compare(ctx, "==", p, q))
            )
    return equal


def _compare_instances(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract | None:
    """By the methods of their classes; None where they have none."""
    if op in ("==", "!=") and (cls := _generated_equality(ctx, a)) is not None:
        same_class = isinstance(b, Ref) and getattr(ctx.contents(b), "cls", None) is cls
        fields = [f.name for f in dataclasses.fields(cls) if f.compare]
        sides = [Tuple(tuple(ctx.getattr(x, n) for n in fields)) for x in (a, b) if same_class]
        return compare(ctx, op, *sides) if same_class else Static(op == "!=")
    for self, other, name in ((a, b, COMPARISONS[op][0]), (b, a, COMPARISONS[op][1])):
        if (found := ctx.special_method(self, name)) is not None:
            return ctx.call(found, (other,), {})
    if op == "!=":  # Python's default
        for self, other in ((a, b), (b, a)):
            if (found := ctx.special_method(self, "__eq__")) is not None:
                return negate(ctx, truth(ctx, ctx.call(found, (other,), {})))
    return None


def _generated_equality(ctx: Context, x: Abstract) -> type | None:
    """The class of an instance of a dataclass whose `__eq__` was made by `dataclass`."""
    cls = getattr(ctx.contents(x), "cls", None) if isinstance(x, Ref) else None
    if cls is None or not dataclasses.is_dataclass(cls):
        return None
    code = getattr(inspect.getattr_static(cls, "__eq__"), "__code__", None)
    return cls if code is not None and code.co_filename == "<string>" else None


def _lexicographic(ctx: Context, op: str, x: tuple, y: tuple) -> Abstract:
    """Order of tuples: the first elements that differ decide, else the lengths."""
    if not x or not y:
        return Static(PYTHON_OPERATORS[op](len(x), len(y)))
    strict = op.rstrip("=")
    same = truth(ctx, compare(ctx, "==", x[0], y[0]))
    return branch(
        ctx,
        same,
        lambda: _lexicographic(ctx, op, x[1:], y[1:]),
        lambda: truth(ctx, compare(ctx, strict, x[0], y[0])),
    )


def _identical(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Optional) and is_none(other):
            if not is_none(x.absent):
                return _identical(ctx, ctx.force(x), other)
            return negate(ctx, x.present)
    a, b = ctx.force(a), ctx.force(b)
    if isinstance(a, Static) and isinstance(b, Static):
        return Static(
            a.value is b.value
            or (
                a.value == b.value
                and type(a.value) is type(b.value)
                and isinstance(a.value, (int, str, bool))
            )
        )
    if isinstance(a, Ref) and isinstance(b, Ref):
        if a.id == b.id:
            return TRUE
        if (found := points_to.identity_test(ctx.heap, a.id, b.id)) is not None:
            return Scalar(found, weak=True)
        linked = b.id in ctx.heap.alias_edges.get(a.id, ())
        if linked or points_to.is_ambiguous(ctx.heap, a.id, b.id):
            ctx.fail(InvalidatedRead, where="the line where one name was given two objects")
        return FALSE
    if type(a) is type(b) and not isinstance(a, Static):
        ctx.fail(
            Unsupported, what="`is` between values that are not None", help_text="compare with `==`"
        )
    return FALSE


def _contains(ctx: Context, container: Abstract, x: Abstract) -> Abstract:
    if isinstance(container, Static):
        if isinstance(x, Static):
            try:
                return Static(x.value in container.value)
            except TypeError as e:
                ctx.fail(BadType, message=str(e))
        if not isinstance(container.value, (tuple, frozenset, set)):
            ctx.fail(BadType, message=f"`in` {ctx.describe(container)}")
        items = tuple(Static(i) for i in container.value)
    elif isinstance(container, Ref) and isinstance(ctx.contents(container), DictObject):
        if not isinstance(x, Static):
            ctx.needs_static("the key of a dict")
        return Static(x.value in ctx.contents(container).keys)
    elif (found := ctx.special_method(container, "__contains__")) is not None:
        return truth(ctx, ctx.call(found, (x,), {}))
    else:
        items = ctx.list_items(container)
    answer: Abstract = FALSE
    for item in items:
        answer = short_circuit_or(ctx, answer, lambda i=item: truth(ctx, compare(ctx, "==", x, i)))
    return answer
