"""Python's comparisons of abstract values: `==`, `<`, ..., `is` and `in`.

Containers are compared element by element.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number, is_of_numbers, kind_of, promote
from myia.infer.domain.errors import BadType
from myia.infer.domain.facts import Answer
from myia.infer.domain.heap import DictObject, InstanceObject
from myia.infer.domain.memory_order import with_layout_of
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    Abstract,
    Choice,
    Iterator,
    Optional,
    Outside,
    Range,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_none,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.indexing.dict_items import has_key
from myia.infer.lists import list_searches, list_slices
from myia.infer.numeric.constant_methods import evaluated, is_set, set_items
from myia.infer.numeric.exact_comparison import compared, decided
from myia.infer.numeric.promotion import (
    broadcast_shapes,
    is_numeric,
    operand_dtype,
    result,
)
from myia.infer.numeric.samples import (
    MIRRORED,
    OPERATORS,
    NoSample,
    defers,
    require_hashable,
    sample,
    type_error,
)
from myia.infer.operators.identity import identical, test_of_none
from myia.infer.operators.number_choices import with_one_operand
from myia.infer.operators.numpy_operands import (
    class_of_instance,
    compare_with_object,
    converted,
    is_numpys,
    refuse_elementwise_methods,
)
from myia.infer.operators.operators import (
    binary,
    dict_of,
    dynamic_operator,
    is_list,
    sequence_items,
    static_binary,
)
from myia.infer.operators.special_methods import (
    class_that_generates,
    extends,
    is_not_implemented,
)
from myia.infer.operators.truth import negate, short_circuit_and, short_circuit_or, truth
from myia.infer.paths.branches import branch, branch_options, slips_at_run_time
from myia.infer.unsupported import UnsupportedOperator

ORDERED = ("==", "!=", "<", "<=", ">", ">=")


def compare(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    a, b = ctx.bound(a), ctx.bound(b)
    force = ctx.present if op in ("is", "is not") else ctx.force
    a, b = (x if isinstance(x, Optional) else force(x) for x in (a, b))
    if op in ORDERED and any(map(is_of_numbers, (a, b))):
        a, b = with_one_operand(ctx, op, (a, b))
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Choice) and not isinstance(other, Optional):

            def with_option(option: Abstract, x: Choice = x) -> Abstract:
                return compare(ctx, op, *(option if y is x else y for y in (a, b)))

            return branch_options(ctx, x, with_option)
    for x, other in ((a, b), (b, a)):
        if op in ("is", "is not") and isinstance(x, Optional) and is_none(other):
            return test_of_none(ctx, op == "is", x)
    if op in ("is", "is not"):
        same = identical(ctx, a, b)
        return same if op == "is" else negate(ctx, same)
    if op in ("in", "not in"):
        found = _contains(ctx, ctx.force(b), a)
        return found if op == "in" else negate(ctx, found)
    if op in ("==", "!=") and isinstance(x := a if isinstance(a, Optional) else b, Optional):
        return _compare_optional(ctx, op, x, a, b)
    return converted(ctx, op, a, b, _compare_converted)


def _compare_converted(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    if isinstance(a, (Static, Outside)) and isinstance(b, (Static, Outside)):
        return static_binary(ctx, op, a, b)
    if is_dynamic(ctx, a) or is_dynamic(ctx, b):
        return dynamic_operator(ctx, op, a, b, compare)
    if is_numeric(ctx, a) and is_numeric(ctx, b):
        dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
        if dtype.kind == "c" and op not in ("==", "!="):
            if weak:
                ctx.fail(BadType, message=f"`{op}` is not defined for complex numbers")
            ctx.fail(UnsupportedOperator, what="the order of complex numbers")
        if (known := decided(op, a, b)) is not None:
            return Static(known)
        value = compared(ctx, op, a, b, broadcast_shapes(ctx, a, b))
        return with_layout_of(ctx, result(ctx, value, weak), a, b)
    return _compare_structures(ctx, op, a, b)


def _compare_optional(ctx: Context, op: str, x: Optional, a: Abstract, b: Abstract) -> Abstract:
    """`==` and `!=` of two operands of which `x` may be None."""
    other, absent = b if x is a else a, x.absent
    assert absent is not None
    if is_none(other):
        return compare(ctx, "is" if op == "==" else "is not", x, other)

    def with_value(value: Abstract) -> Abstract:
        return compare(ctx, op, *(value if y is x else y for y in (a, b)))

    return branch(ctx, x.present, lambda: with_value(x.value), lambda: with_value(absent))


def _compare_structures(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    named = any(isinstance(x, Tuple) and x.cls is not None for x in (a, b))
    if named and (found := _compare_instances(ctx, op, a, b)) is not None:
        return found
    x, y = sequence_items(ctx, a), sequence_items(ctx, b)
    equality = op in ("==", "!=")
    if equality and (p := dict_of(ctx, a)) and (q := dict_of(ctx, b)):
        equal = _equal_dicts(ctx, p, q)
        return equal if op == "==" else negate(ctx, equal)
    if x is not None and y is not None and (equality or is_list(a) == is_list(b)):
        if not equality:
            return _lexicographic(ctx, op, x, y)
        equal = _equal_items(ctx, x, y) if is_list(a) == is_list(b) else FALSE
        return equal if op == "==" else negate(ctx, equal)
    if is_set(ctx, a) and is_set(ctx, b):
        found = evaluated(ctx, OPERATORS[op][0], a, b, ordered=False)
        return _refuse(ctx, op, a, b) if found is None else found
    found = _compare_instances(ctx, op, a, b)
    if found is not None:
        return found
    if is_numpys(ctx, a) or is_numpys(ctx, b):
        return compare_with_object(ctx, op, a, b, lambda: _refuse(ctx, op, a, b))
    return _compare_types(ctx, op, a, b)


def _equal_items(ctx: Context, x: tuple, y: tuple) -> Abstract:
    """Equality of two sequences: an object equals itself."""
    equal: Abstract = Static(len(x) == len(y))
    for p, q in zip(x, y):
        equal = short_circuit_and(ctx, equal, partial(is_or_equals, ctx, p, q))
    return equal


def is_or_equals(ctx: Context, p: Abstract, q: Abstract) -> Abstract:
    """`p is q or p == q`, as containers compare their items."""
    return TRUE if _same_object(p, q) else truth(ctx, compare(ctx, "==", p, q))


def _same_object(p: Abstract, q: Abstract) -> bool:
    """One object under two names, where that is known."""
    if isinstance(p, Static) and isinstance(q, Static):
        return p.value is q.value
    return p is q or (isinstance(p, Ref) and isinstance(q, Ref) and p.id == q.id)


def _compare_types(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    """Objects of different types: identity decides where both leave the comparison to the other."""
    try:
        apart = defers(op, sample(ctx, a), sample(ctx, b))
    except (NoSample, TypeError):
        apart = False
    if apart and op in ("==", "!="):
        same = identical(ctx, a, b)
        return same if op == "==" else negate(ctx, same)
    if apart and (message := type_error(ctx, op, a, b)) is not None:
        ctx.fail(BadType, message=message)
    return _refuse(ctx, op, a, b)


def _refuse(ctx: Context, op: str, a: Abstract, b: Abstract) -> NoReturn:
    ctx.fail(UnsupportedOperator, what=f"`{op}` between {ctx.describe(a)} and {ctx.describe(b)}")


def _equal_dicts(ctx: Context, x: DictObject, y: DictObject) -> Abstract:
    ordered = issubclass(x.cls, OrderedDict) and issubclass(y.cls, OrderedDict)
    if set(x.keys) != set(y.keys) or (ordered and list(x.keys) != list(y.keys)):
        return FALSE
    return _equal_items(ctx, x.values, tuple(y.values[y.keys.index(key)] for key in x.keys))


def _compare_instances(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract | None:
    """By the methods of their classes; None where both have none, or leave it to the other."""
    own = partial(_by_method, ctx, op, op, a, b)
    reflected = partial(_by_method, ctx, op, MIRRORED[op], b, a, reflected=True)
    right_first = extends(class_of_instance(ctx, b), class_of_instance(ctx, a))
    first, second = (reflected, own) if right_first else (own, reflected)
    found = first()
    return second() if found is None else found


def _by_method(
    ctx: Context, op: str, own: str, self: Abstract, other: Abstract, reflected: bool = False
) -> Abstract | None:
    if (cls := class_that_generates(ctx, self, own)) is not None:
        contents = ctx.held(other)
        if not isinstance(contents, InstanceObject) or contents.cls is not cls:
            return None
        fields = [f.name for f in dataclasses.fields(cls) if f.compare]
        sides = [Tuple(tuple(ctx.getattr(x, n) for n in fields)) for x in (self, other)]
        return compare(ctx, own, *sides)
    method = ctx.special_method(self, f"__{OPERATORS[own][1]}__")
    # Python's default; but tuples have a `__ne__`.
    inverted = method is None and op == "!=" and not isinstance(self, Tuple)
    if inverted:
        method = ctx.special_method(self, "__eq__")
    if method is None:
        return None
    if reflected:
        refuse_elementwise_methods(ctx, op, self, other)
    found = ctx.call(method, (other,), {})
    if is_not_implemented(found):
        return None
    return negate(ctx, truth(ctx, found)) if inverted else found


def _lexicographic(
    ctx: Context, op: str, x: tuple, y: tuple, slips: Callable[[], Any] = nullcontext
) -> Abstract:
    """Order of tuples: the first elements that differ decide, else the lengths.

    `slips`: what may be wrong in a comparison, if values decide whether it is made.
    """
    if not x or not y:
        return Static(OPERATORS[op][0](len(x), len(y)))
    strict = op.rstrip("=")

    def of_first(op: str) -> Abstract:
        with slips():
            return truth(ctx, compare(ctx, op, x[0], y[0]))

    same = of_first("==")
    then = slips if isinstance(same, Static) else slips_at_run_time
    rest = partial(_lexicographic, ctx, op, x[1:], y[1:], then)
    return branch(ctx, same, rest, lambda: of_first(strict))


def _contains(ctx: Context, container: Abstract, x: Abstract) -> Abstract:
    """`x in container`"""
    x, both = _constant(x), (Static, Outside)
    if isinstance(container, both) and isinstance(x, both):
        return Static(ctx.fact(Answer(operator.contains, container.value, x.value)))
    if ctx.is_array(container) or (isinstance(container, Scalar) and container.boxed):
        return _any(ctx, compare(ctx, "==", container, x))
    if is_dynamic(ctx, container):
        return truth(ctx, ctx.call(Static(np.any), (compare(ctx, "==", container, x),), {}))
    if (found := ctx.special_method(container, "__contains__")) is not None:
        return truth(ctx, ctx.call(found, (x,), {}))
    contents = ctx.held(container)
    of_instance = ctx.special_method(container, "__iter__") is not None or (
        isinstance(contents, InstanceObject)
        and ctx.special_method(container, "__getitem__") is not None
    )
    if isinstance(container, Iterator) or of_instance:
        return truth(ctx, ctx.call(Static(is_among), (x, container), {}))
    if isinstance(contents, DictObject):
        if not isinstance(x, Static):
            return truth(ctx, has_key(ctx, contents, x))
        return Static(x.value in contents.keys)
    if (searched := list_slices.as_list(ctx, container)) is not None:
        found = list_searches.contains(ctx, searched, x, partial(compare, ctx, "=="))
        if found is not None:
            return found
    if is_number(x) and (items := _range_of(container)) is not None:
        return _in_range(ctx, items, x)
    answer: Abstract = FALSE
    for item in _items_searched(ctx, container, x):
        answer = short_circuit_or(ctx, answer, partial(is_or_equals, ctx, x, item))
    return answer


def is_among(x: Any, items: Any) -> bool:
    """`x in items`, which takes them one by one, as a program has it."""
    return any(x in (item,) for item in items)


def _range_of(x: Abstract) -> Range | None:
    if isinstance(x, Static) and isinstance(x.value, range):
        return Range(*map(Static, (x.value.start, x.value.stop, x.value.step)))
    return x if isinstance(x, Range) else None


def _in_range(ctx: Context, items: Range, x: Abstract) -> Abstract:
    """Is it between the ends, a whole number of steps from the start?"""
    kind = float if kind_of(x) == "f" else int
    x = ctx.call(Static(kind), (x,), {}) if kind_of(x) in "iubf" else x

    def is_reached() -> Abstract:
        rest = binary(ctx, "%", binary(ctx, "-", x, items.start), items.step)
        return compare(ctx, "==", rest, Static(0))

    def between(a: str, b: str) -> Abstract:
        first = compare(ctx, a, items.start, x)
        return short_circuit_and(ctx, first, lambda: compare(ctx, b, x, items.stop))

    rises = compare(ctx, ">", items.step, Static(0))
    inside = branch(ctx, rises, lambda: between("<=", "<"), lambda: between(">=", ">"))
    return short_circuit_and(ctx, inside, is_reached)


def _items_searched(ctx: Context, container: Abstract, x: Abstract) -> tuple[Abstract, ...]:
    """What `in` compares with."""
    if is_set(ctx, container):
        require_hashable(ctx, x)
        return set_items(ctx, container)
    if not isinstance(container, Static):
        return ctx.list_items(container)
    if not isinstance(container.value, (tuple, range)):
        try:
            operator.contains(container.value, sample(ctx, x))
        except (TypeError, NoSample) as e:
            if isinstance(e, TypeError) and not isinstance(container.value, np.ndarray):
                ctx.fail(BadType, message=str(e))
        ctx.fail(UnsupportedOperator, what=f"`in` {ctx.describe(container)} of a run-time value")
    return tuple(Static(i) for i in container.value)


def _any(ctx: Context, x: Abstract) -> Abstract:
    """The truth value of `x.any()`."""
    return Scalar(ctx.any(ctx.read(x)), weak=True) if isinstance(x, Ref) else truth(ctx, x)


def _constant(x: Abstract) -> Abstract:
    """A tuple of compile-time values is one."""
    if isinstance(x, Tuple) and x.cls is None:
        items = [i.value for i in map(_constant, x.items) if isinstance(i, Static)]
        if len(items) == len(x.items):
            return Static(tuple(items))
    return x
