"""Python's arithmetic and bit operators on abstract values.

Compile-time numbers are computed by Python itself. Run-time numbers follow Python's rules when all
operands are Python numbers (weakly typed), else NumPy's: dtypes by NEP 50, shapes by broadcasting.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import (
    PYTHON_DTYPES,
    is_number,
    is_weak,
    kind_of,
    promote,
    require_int64,
)
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import Answer, is_value
from myia.infer.domain.heap import AnyList, BufferObject, DictObject, ListObject, SetObject
from myia.infer.domain.memory_order import with_layout_of
from myia.infer.domain.values import (
    Abstract,
    Outside,
    Ref,
    Scalar,
    Static,
    Tuple,
    as_ref,
    is_static_int,
    is_static_number,
)
from myia.infer.dynamic.access import is_dynamic
from myia.infer.dynamic.broadcasting import apply_elementwise, assign
from myia.infer.lists import list_edits, list_slices
from myia.infer.numeric import float_checks, floating_point_errors, integer_checks
from myia.infer.numeric.constant_methods import evaluate_constant, evaluated, is_set
from myia.infer.numeric.exact_comparison import held_by_floats
from myia.infer.numeric.f_strings import concatenated, percent_format
from myia.infer.numeric.promotion import (
    PRIMITIVES,
    broadcast_shapes,
    is_numeric,
    operand,
    operand_dtype,
    result,
)
from myia.infer.numeric.samples import OPERATORS, type_error
from myia.infer.operators.numpy_operands import (
    converted,
    is_numpys,
    is_plain_number,
    left_to_python,
    refuse_elementwise_methods,
    refuse_instance_as_array,
)
from myia.infer.operators.special_methods import by_special_method, in_place_by_method
from myia.infer.operators.truth import negate, truth
from myia.infer.paths.branches import on_each
from myia.infer.unsupported import UnsupportedOperator
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import constant
from myia.primitives.pointwise import arithmetic, logic, transcendental
from myia.primitives.pointwise.integer_quotient import integer_quotient

COMPLEX_POWER = "a negative number to a fractional power is complex"


# ----- Binary operators


def binary(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    return converted(ctx, op, a, b, _binary)


def _binary(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    if isinstance(a, Static) and isinstance(b, Static):
        return static_binary(ctx, op, a, b)
    if op == "%" and isinstance(a, Static) and isinstance(a.value, str):
        return _percent(ctx, a.value, b)
    if is_dynamic(ctx, a) or is_dynamic(ctx, b):
        return dynamic_operator(ctx, op, a, b, binary)
    if is_numeric(ctx, a) and is_numeric(ctx, b):
        if op == "@":
            if not any(is_numpys(ctx, x) and not is_plain_number(x) for x in (a, b)):
                _refuse_operands(ctx, op, a, b)
            return ctx.matmul(a, b)
        found = with_layout_of(ctx, _numeric(ctx, op, a, b), a, b)
        return floating_point_errors.check_operator(ctx, op, a, b, found)
    return _sequences(ctx, op, a, b)


def _percent(ctx: Context, template: str, values: Abstract) -> Abstract:
    """`template % values`, for each text that is selected at run time."""
    if not isinstance(values, Tuple):
        return percent_format(ctx, template, values)
    of = lambda xs: percent_format(ctx, template, values.rebuild(tuple(xs)))  # noqa: E731
    return on_each(ctx, values.items, of)


def static_binary(ctx: Context, op: str, a: Static | Outside, b: Static | Outside) -> Abstract:
    integer_checks.check_size(ctx, op, a.value, b.value)
    if ctx.raising and any(isinstance(x.value, np.generic) for x in (a, b)):
        return evaluate_constant(ctx, OPERATORS[op][0], a.value, b.value)
    with np.errstate(all="ignore"):
        return Static(ctx.fact(Answer(OPERATORS[op][0], a.value, b.value)))


def dynamic_operator(ctx: Context, op: str, a: Abstract, b: Abstract, apply: Callable) -> Abstract:
    """`apply(ctx, op, a, b)` where an operand is a dynamic array."""
    if op == "@":
        return ctx.matmul(a, b)
    xs = [x if is_numeric(ctx, x) or is_dynamic(ctx, x) else ctx.as_array(x) for x in (a, b)]
    return apply_elementwise(ctx, xs, lambda xs: apply(ctx, op, *xs))


def _numeric(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    if op == "**":
        return _power(ctx, a, b)
    dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
    if weak and dtype.kind in "bi":
        require_int64(a, b)
    if op == "/":
        return _divide(ctx, a, b, dtype, weak)
    if dtype.kind == "b":
        if weak and op not in "&|^":  # Python's bools are ints
            dtype = PYTHON_DTYPES[int]
        elif op in "+*":
            op = {"+": "|", "*": "&"}[op]
        elif op not in "&|^":
            dtype = np.dtype(np.int8) if op in ("//", "%", "<<", ">>") else dtype
            if op == "-":
                ctx.fail(BadType, message="numpy boolean subtract is not supported: use `^`")
    if dtype.kind in "fc" and op in ("&", "|", "^", "<<", ">>"):
        ctx.fail(BadType, message=f"unsupported operand types for {op}: {dtype}")
    if dtype.kind in "iu":
        return integer_checks.binary(ctx, op, a, b, dtype, weak)
    if dtype.kind == "c" and op in ("//", "%"):
        ctx.fail(BadType, message=f"unsupported operand types for {op}: {dtype}")
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    left, right = operand(ctx, a, aval), operand(ctx, b, aval)
    if weak:
        float_checks.check_quotient(ctx, op, right)
    return result(ctx, PRIMITIVES[op](left, right), weak)


def _divide(ctx: Context, a: Abstract, b: Abstract, dtype: np.dtype, weak: bool) -> Abstract:
    if dtype.kind in "biu":
        if weak and dtype.kind in "bi":
            integer_checks.check_divisor(ctx, "/", b, dtype)
            if not (held_by_floats(a) and held_by_floats(b)):
                x, y = (operand(ctx, v, Aval(PYTHON_DTYPES[int], ())) for v in (a, b))
                return Scalar(integer_quotient(x, y), weak=True)
        one = np.ones((), dtype)
        dtype = PYTHON_DTYPES[float] if weak else np.true_divide(one, one).dtype
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    dividend, divisor = operand(ctx, a, aval), operand(ctx, b, aval)
    if weak:
        float_checks.check_quotient(ctx, "/", divisor)
    return result(ctx, arithmetic.div(dividend, divisor), weak)


def _power(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
    if dtype.kind == "b" or _squares_bools(ctx, a, b):
        dtype = PYTHON_DTYPES[int] if weak else np.dtype(np.int8)
    if weak and dtype.kind == "i":
        require_int64(a, b)
    if dtype.kind in "iu":
        return integer_checks.power(ctx, a, b, dtype, weak)
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    base = operand(ctx, a, aval)
    if is_static_int(b) and not isinstance(b.value, (bool, np.bool_)) and abs(b.value) <= 1024:
        found = arithmetic.integer_pow(base, y=int(b.value))
        if weak:
            float_checks.check_power(ctx, base, operand(ctx, b, aval), found)
        return result(ctx, found, weak)
    if isinstance(b, Static) and b.value == 0.5 and dtype.kind == "f":
        # sqrt differs from pow at -0.0 and -inf only; NumPy uses it too.
        if weak:
            _refuse_complex(ctx, base, None)
        return result(ctx, transcendental.sqrt(base), weak)
    exponent = operand(ctx, b, aval)
    whole = isinstance(b, Static) and b.value == int(b.value) if _finite(b) else False
    if weak and dtype.kind == "f" and not whole and operand_dtype(ctx, b)[0].kind == "f":
        _refuse_complex(ctx, base, exponent)
    found = arithmetic.pow(base, exponent)
    if weak:
        float_checks.check_power(ctx, base, exponent, found)
    return result(ctx, found, weak)


def _squares_bools(ctx: Context, a: Abstract, b: Abstract) -> bool:
    """True for `bools ** 2` of an array: NumPy's operator uses `np.square`, which gives int8."""
    array = ctx.is_array(a) or (isinstance(a, Scalar) and a.boxed is True)
    two = isinstance(b, Static) and type(b.value) is int and b.value == 2
    return two and array and operand_dtype(ctx, a)[0].kind == "b"


def _finite(x: Abstract) -> bool:
    if isinstance(x, Static) and isinstance(x.value, int):  # of any size
        return True
    return isinstance(x, Static) and not isinstance(x.value, complex) and bool(np.isfinite(x.value))


def _refuse_complex(ctx: Context, base: Value, exponent: Value | None) -> None:
    """A negative Python float to a fractional power is complex in Python: refused at run time."""
    failed = logic.lt(base, constant(0, base.dtype))
    if exponent is not None:
        failed = logic.and_(failed, logic.ne(transcendental.floor(exponent), exponent))
    ctx.check(failed, ValueError, COMPLEX_POWER, is_python=False)


def _sequences(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    """`+` and `*` of tuples and lists, `|` of dicts; operators of instances."""
    if any(isinstance(ctx.held(x), BufferObject) for x in (a, b)):
        return list_slices.list_operator(ctx, op, a, b) or _refuse_operands(ctx, op, a, b)
    named = any(isinstance(x, Tuple) and x.cls is not None for x in (a, b))
    if named and (found := by_special_method(ctx, op, a, b)) is not None:
        return found
    x, y = sequence_items(ctx, a), sequence_items(ctx, b)
    if op == "+" and x is not None and y is not None and is_list(a) == is_list(b):
        return ctx.new(ListObject(x + y)) if is_list(a) else Tuple(x + y)
    repeated, items, count = (a, x, b) if y is None else (b, y, a)
    if op == "*" and items is not None and (x is None or y is None) and _may_be_int(count):
        if is_list(repeated) and isinstance(count, Scalar) and list_edits.stacks(ctx, few=True):
            return ctx.call(Static(list_slices.repeated), (repeated, count), {})
        items *= ctx.int_of(count, "how often a sequence is repeated")
        return ctx.new(ListObject(items)) if is_list(repeated) else Tuple(items)
    if op == "+" and (text := concatenated(a, b)) is not None:
        return text
    if is_set(ctx, a) and is_set(ctx, b):
        found = evaluated(ctx, OPERATORS[op][0], a, b, ordered=False)
        if found is None:
            _refuse_operands(ctx, op, a, b)
        contents = ctx.held(found)
        if isinstance(contents, SetObject) and evaluated(ctx, OPERATORS[op][0], a, b) is None:
            return ctx.new(replace(contents, ordered=False))
        return found
    if op == "|" and (p := dict_of(ctx, a)) and (q := dict_of(ctx, b)):
        return ctx.new(_merged_dict(p, q))
    found = by_special_method(ctx, op, a, b)
    return _refuse_operands(ctx, op, a, b) if found is None else found


def _may_be_int(x: Abstract) -> bool:
    """A number that Python takes for a count."""
    if not is_number(x) or kind_of(x) not in "biu":
        return False
    return kind_of(x) != "b" or is_weak(x)  # bools of NumPy are no integers


def _refuse_operands(ctx: Context, op: str, a: Abstract, b: Abstract) -> NoReturn:
    """TypeError where Python raises it."""
    refuse_instance_as_array(ctx, op, a, b)
    what = f"{ctx.describe(a)} and {ctx.describe(b)}"
    if type_error(ctx, op, a, b) is not None:
        ctx.fail(BadType, message=f"unsupported operand types for {op}: {what}")
    ctx.fail(UnsupportedOperator, what=f"`{op}` of {what}")


def is_list(x: Abstract) -> bool:
    """Of two sequences: is this one a list?"""
    return isinstance(x, Ref)


def dict_of(ctx: Context, x: Abstract) -> DictObject | None:
    """What a dict holds whose operators are those of dicts."""
    found = ctx.held(x)
    return found if isinstance(found, DictObject) and not issubclass(found.cls, Counter) else None


def _merged_dict(x: DictObject, y: DictObject) -> DictObject:
    """The items of both; where they share a key, those of `y`. A subclass of dict stays one."""
    found = dict(zip(x.keys, x.values)) | dict(zip(y.keys, y.values))
    reflected = _or_of(x) is dict.__or__ and issubclass(y.cls, x.cls)  # it is asked first
    of = y if reflected else x
    kind: Any = dict if _or_of(of) is dict.__or__ else of.cls
    factory = of.factory if kind is of.cls else None
    return DictObject(tuple(found), tuple(found.values()), kind, factory).copied()


def _or_of(x: DictObject) -> Any:
    cls: Any = x.cls
    return cls.__or__


def sequence_items(ctx: Context, x: Abstract) -> tuple[Abstract, ...] | None:
    if isinstance(x, Tuple):
        return x.items
    if isinstance(x, Static) and isinstance(x.value, tuple):
        return tuple(Static(i) for i in x.value)
    contents = ctx.held(x)
    if isinstance(contents, BufferObject) and is_static_int(ctx.length(x)):
        return ctx.list_items(x)
    return contents.items if isinstance(contents, ListObject) else None


# ----- In place


def inplace(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    """`a op= b`: an array or a list is changed and stays itself, anything else is replaced."""
    a, b = ctx.present(a), ctx.force(b)
    if isinstance(a, Ref) and (is_dynamic(ctx, a) or (ctx.is_array(a) and is_dynamic(ctx, b))):
        with floating_point_errors.after_the_store(ctx):
            assign(ctx, a, binary(ctx, op, a, b))
        return a
    if ctx.is_array(a):
        refuse_elementwise_methods(ctx, op, b, a, in_place=True)
        with floating_point_errors.after_the_store(ctx):
            new, shape = binary(ctx, op, a, b), ctx.shape(a)
            if ctx.shape(new) != shape:
                ctx.fail(BadValue, message=f"non-broadcastable output operand with shape {shape}")
            assign(ctx, a, new)
        return a
    if isinstance(a, Scalar) and a.boxed is not False:
        ctx.fail(
            UnsupportedOperator,
            what="changing an array without dimensions in place",
            help_text="write `x = x + y`, or give the array an axis: shape (1,)",
        )
    if (found := in_place_by_method(ctx, op, a, b)) is not None:
        return found
    if not isinstance(a, Ref) or (is_numpys(ctx, b) and not left_to_python(ctx, op, b, a)):
        return binary(ctx, op, a, b)  # NumPy's: a list is replaced by an array
    if not isinstance(ctx.contents(a), AnyList) or op not in "+*":
        return binary(ctx, op, a, b)
    if (found := by_special_method(ctx, op, a, b)) is not None:
        return found  # Python asks the instance before the list
    if op == "*" and not _may_be_int(b):
        _refuse_operands(ctx, op, a, b)
    if op == "+":
        ctx.call(ctx.getattr(a, "extend"), (b,), {})
    else:
        list_slices.replace_items(ctx, a, as_ref(binary(ctx, op, a, b)))
    return a


# ----- Unary operators


def unary(ctx: Context, op: str, x: Abstract) -> Abstract:
    if op == "truth":
        return truth(ctx, x)
    if op == "not":
        return negate(ctx, truth(ctx, x))
    x = ctx.force(x)
    if is_dynamic(ctx, x):
        return apply_elementwise(ctx, [x], lambda xs: _unary(ctx, op, *xs))
    return with_layout_of(ctx, _unary(ctx, op, x), x)


def _unary(ctx: Context, op: str, x: Abstract) -> Abstract:
    name = {"-": "neg", "+": "pos", "~": "invert"}[op]
    if is_static_number(x):
        try:
            return Static(getattr(operator, name)(x.value))
        except TypeError as e:
            ctx.fail(BadType, message=str(e))
    if isinstance(x, Static) and is_value(x.value):  # a `Decimal`, a `Fraction`, a `timedelta`
        return Static(ctx.fact(Answer(getattr(operator, name), x.value)))
    if not is_numeric(ctx, x):
        if (method := ctx.special_method(x, f"__{name}__")) is not None:
            return ctx.call(method, (), {})
        ctx.fail(BadType, message=f"bad operand type for unary {op}: {ctx.describe(x)}")
    dtype, weak = operand_dtype(ctx, x)
    if dtype.kind == "b" and weak:
        dtype = PYTHON_DTYPES[int]
    elif dtype.kind == "b" and op != "~":
        ctx.fail(BadType, message=f"numpy boolean `{op}` is not supported")
    value = operand(ctx, x, Aval(dtype, ctx.shape(x)))
    if op == "+":
        return result(ctx, value, weak)
    if op == "~":
        if dtype.kind not in "biu":
            ctx.fail(BadType, message=f"bad operand type for unary ~: {dtype}")
        return result(ctx, logic.not_(value), weak)
    if dtype.kind == "i" and weak:
        return integer_checks.negative(ctx, x, value)
    return result(ctx, arithmetic.neg(value), weak)
