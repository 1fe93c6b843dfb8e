"""Python's operators on abstract values.

Compile-time numbers are computed by Python itself. Run-time numbers follow Python's rules when
both are Python's (weak), else NumPy's: dtypes by NEP 50, shapes by broadcasting.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
from collections.abc import Callable

import numpy as np

from myia.infer import integers
from myia.infer.branches import branch
from myia.infer.context import Context, array_aval
from myia.infer.errors import BadType, BadValue, StaleRead, Unsupported
from myia.infer.heap import BufferObject, DictObject, InstanceObject, ListObject
from myia.infer.layout import laid_out_like
from myia.infer.numbers import PYTHON_DTYPES, promote
from myia.infer.operands import (
    PRIMITIVES,
    broadcast_shapes,
    is_numeric,
    operand,
    operand_dtype,
    result,
)
from myia.infer.sized.aligned import assign, lifted
from myia.infer.sized.elements import is_sized, refuse
from myia.infer.static_calls import modulo
from myia.infer.values import (
    FALSE,
    TRUE,
    Abstract,
    Optional,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_none,
    static_int,
    static_number,
)
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives import arithmetic, elementwise, logic
from myia.primitives.define import constant

PYTHON: dict[str, Callable] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SPECIAL = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "==": "eq",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}
COMPARISONS = {  # the method of the left operand, and that of the right one
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "<": ("__lt__", "__gt__"),
    "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"),
    ">=": ("__ge__", "__le__"),
}
MAX_STATIC_BITS = 1 << 16  # no compile-time integer grows beyond this many bits


# ----- Binary operators


def binary(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    a, b = ctx.force(a), ctx.force(b)
    if isinstance(a, Static) and isinstance(b, Static):
        return _static_binary(ctx, op, a, b)
    if op == "%" and isinstance(a, Static) and isinstance(a.value, str):
        return modulo(ctx, a.value, b)
    if is_sized(ctx, a) or is_sized(ctx, b):
        return _of_sized(ctx, op, a, b, binary)
    if is_numeric(ctx, a) and is_numeric(ctx, b):
        if op == "@":
            return ctx.matmul(a, b)
        return laid_out_like(ctx, _numeric(ctx, op, a, b), a, b)
    return _sequences(ctx, op, a, b)


def _static_binary(ctx: Context, op: str, a: Static, b: Static) -> Abstract:
    integers_only = isinstance(a.value, int) and isinstance(b.value, int)
    if op == "**" and integers_only and a.value.bit_length() * b.value > MAX_STATIC_BITS:
        ctx.fail(BadValue, message="this integer is too large", exception="OverflowError")
    try:
        with np.errstate(all="ignore"):
            return Static(PYTHON[op](a.value, b.value))
    except TypeError as e:
        ctx.fail(BadType, message=str(e))
    except (ArithmeticError, ValueError) as e:
        ctx.fail(BadValue, message=str(e), exception=type(e).__name__)


def _of_sized(ctx: Context, op: str, a: Abstract, b: Abstract, apply: Callable) -> Abstract:
    """`apply(ctx, op, a, b)` where an operand is an array of run-time size."""
    if op == "@":
        return ctx.matmul(a, b)
    xs = [x if is_numeric(ctx, x) or is_sized(ctx, x) else ctx.as_array(x) for x in (a, b)]
    return lifted(ctx, xs, lambda xs: apply(ctx, op, *xs))


def _numeric(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    if op == "**":
        return _power(ctx, a, b)
    dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
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
        return integers.binary(ctx, op, a, b, dtype, weak)
    if dtype.kind == "c" and op in ("//", "%"):
        ctx.fail(BadType, message=f"unsupported operand types for {op}: {dtype}")
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    value = PRIMITIVES[op](operand(ctx, a, aval), operand(ctx, b, aval))
    return result(ctx, value, weak)


def _divide(ctx: Context, a: Abstract, b: Abstract, dtype: np.dtype, weak: bool) -> Abstract:
    if dtype.kind in "biu":
        if weak and dtype.kind in "bi":
            integers.check_divisor(ctx, b, dtype)
        one = np.ones((), dtype)
        dtype = PYTHON_DTYPES[float] if weak else np.true_divide(one, one).dtype
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    value = arithmetic.div(operand(ctx, a, aval), operand(ctx, b, aval))
    return result(ctx, value, weak)


def _power(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
    if dtype.kind == "b" or _squares_bools(ctx, a, b):
        dtype = PYTHON_DTYPES[int] if weak else np.dtype(np.int8)
    if dtype.kind in "iu":
        return integers.power(ctx, a, b, dtype, weak)
    aval = Aval(dtype, broadcast_shapes(ctx, a, b))
    base = operand(ctx, a, aval)
    if static_int(b) and not isinstance(b.value, (bool, np.bool_)) and abs(b.value) <= 1024:
        return result(ctx, arithmetic.integer_pow(base, y=int(b.value)), weak)
    if isinstance(b, Static) and b.value == 0.5 and dtype.kind == "f":
        # sqrt differs from pow at -0.0 and -inf only; NumPy takes it too.
        if weak:
            _refuse_complex(ctx, base, None)
        return result(ctx, elementwise.sqrt(base), weak)
    exponent = operand(ctx, b, aval)
    whole = isinstance(b, Static) and b.value == int(b.value) if _finite(b) else False
    if weak and dtype.kind == "f" and not whole and operand_dtype(ctx, b)[0].kind == "f":
        _refuse_complex(ctx, base, exponent)
    return result(ctx, arithmetic.pow(base, exponent), weak)


def _squares_bools(ctx: Context, a: Abstract, b: Abstract) -> bool:
    """`bools ** 2` of an array: NumPy's operator takes `np.square`, which is int8."""
    array = ctx.is_array(a) or (isinstance(a, Scalar) and a.boxed is True)
    two = isinstance(b, Static) and type(b.value) is int and b.value == 2
    return two and array and operand_dtype(ctx, a)[0].kind == "b"


def _finite(x: Abstract) -> bool:
    return isinstance(x, Static) and not isinstance(x.value, complex) and bool(np.isfinite(x.value))


def _refuse_complex(ctx: Context, base: Value, exponent: Value | None) -> None:
    """A negative Python float to a fractional power is complex in Python: refused at run time."""
    failed = logic.lt(base, constant(0, base.dtype))
    if exponent is not None:
        failed = logic.and_(failed, logic.ne(elementwise.floor(exponent), exponent))
    ctx.check(failed, ValueError, "a negative number to a fractional power is complex")


def _sequences(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    """`+` and `*` of tuples and lists; operators of instances."""
    x, y = _items(ctx, a), _items(ctx, b)
    if op == "+" and x is not None and y is not None and type(a) is type(b):
        items = x + y
        return Tuple(items) if isinstance(a, Tuple) else ctx.new(ListObject(items))
    if op == "*" and (x is None) != (y is None):
        items, count = (x, b) if y is None else (y, a)
        times = ctx.int_of(count, "how often a sequence is repeated")
        sequence = a if y is None else b
        items = items * times
        return Tuple(items) if isinstance(sequence, Tuple) else ctx.new(ListObject(items))
    if op == "|" and all(_is_dict(ctx, x) for x in (a, b)):
        return ctx.new(_updated(ctx.contents(a), ctx.contents(b)))
    if op in SPECIAL:
        for self, other, prefix in ((a, b, "__"), (b, a, "__r")):
            found = ctx.special_method(self, f"{prefix}{SPECIAL[op]}__")
            if found is not None:
                return ctx.call(found, (other,), {})
    if any(isinstance(x, Ref) and isinstance(ctx.contents(x), BufferObject) for x in (a, b)):
        ctx.fail(Unsupported, what=f"`{op}` on a list built in a loop")
    message = f"unsupported operand types for {op}: {ctx.describe(a)} and {ctx.describe(b)}"
    ctx.fail(BadType, message=message)


def _is_dict(ctx: Context, x: Abstract) -> bool:
    return isinstance(x, Ref) and isinstance(ctx.contents(x), DictObject)


def _updated(x: DictObject, y: DictObject) -> DictObject:
    """The items of both; where they share a key, those of `y`."""
    found = dict(zip(x.keys, x.values)) | dict(zip(y.keys, y.values))
    return DictObject(tuple(found), tuple(found.values()))


def _items(ctx: Context, x: Abstract) -> tuple[Abstract, ...] | None:
    if isinstance(x, Tuple):
        return x.items
    if isinstance(x, Static) and isinstance(x.value, tuple):
        return tuple(Static(i) for i in x.value)
    if isinstance(x, Ref) and isinstance(ctx.contents(x), ListObject):
        return ctx.contents(x).items
    return None


# ----- In place


def inplace(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    """`a op= b`: an array or a list is changed and stays itself, anything else is replaced."""
    a = ctx.force(a)
    if is_sized(ctx, a) or (ctx.is_array(a) and is_sized(ctx, b)):
        assign(ctx, a, binary(ctx, op, a, b))
        return a
    if ctx.is_array(a):
        aval = array_aval(ctx.heap, a.id)
        new = binary(ctx, op, a, b)
        dtype, _ = operand_dtype(ctx, new)
        if ctx.shape(new) != aval.shape:
            message = f"non-broadcastable output operand with shape {aval.shape}"
            ctx.fail(BadValue, message=message)
        if not np.can_cast(dtype, aval.dtype, "same_kind"):
            message = f"cannot cast ufunc output from {dtype} to {aval.dtype} in place"
            ctx.fail(BadType, message=message)
        ctx.store(a, operand(ctx, new, aval))
        return a
    if isinstance(a, Scalar) and a.boxed is not False:
        ctx.fail(
            Unsupported,
            what="changing an array without dimensions in place",
            help_text="write `x = x + y`, or give the array an axis: shape (1,)",
        )
    if isinstance(a, Ref) and isinstance(ctx.contents(a), ListObject) and op in "+*":
        items = _items(ctx, a)
        if op == "*":
            items = items * ctx.int_of(b, "how often a list is repeated")
        else:
            items += ctx.list_items(b)
        ctx.write(a, ListObject(items))
        return a
    if op == "|" and _is_dict(ctx, a) and _is_dict(ctx, b):
        ctx.write(a, _updated(ctx.contents(a), ctx.contents(b)))
        return a
    if isinstance(a, Ref) and op in SPECIAL:
        found = ctx.special_method(a, f"__i{SPECIAL[op]}__")
        if found is not None:
            return ctx.call(found, (b,), {})
    return binary(ctx, op, a, b)


# ----- Unary operators


def unary(ctx: Context, op: str, x: Abstract) -> Abstract:
    if op == "not":
        return negate(ctx, truth(ctx, x))
    x = ctx.force(x)
    if is_sized(ctx, x):
        return lifted(ctx, [x], lambda xs: _unary(ctx, op, *xs))
    return laid_out_like(ctx, _unary(ctx, op, x), x)


def _unary(ctx: Context, op: str, x: Abstract) -> Abstract:
    if static_number(x):
        python = {"-": operator.neg, "+": operator.pos, "~": operator.invert}[op]
        try:
            return Static(python(x.value))
        except TypeError as e:
            ctx.fail(BadType, message=str(e))
    if not is_numeric(ctx, x):
        method = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op]
        found = ctx.special_method(x, method)
        if found is not None:
            return ctx.call(found, (), {})
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
        return integers.negative(ctx, x, value)
    return result(ctx, arithmetic.neg(value), weak)


def negate(ctx: Context, x: Abstract) -> Abstract:
    """`not` of a truth value."""
    if isinstance(x, Static):
        return Static(not x.value)
    return Scalar(logic.not_(x.value), weak=True)


def truth(ctx: Context, x: Abstract) -> Abstract:
    """`bool(x)`: a static bool, or a bool scalar."""
    if isinstance(x, Optional):
        x = x if isinstance(x.absent, Static) else ctx.force(x)
    if isinstance(x, Optional):
        return branch(ctx, x.present, lambda: truth(ctx, x.value), lambda: FALSE)
    if isinstance(x, Static):
        return Static(bool(x.value))
    if isinstance(x, Scalar):
        if x.dtype.kind == "b":
            return Scalar(x.value, weak=True)
        return Scalar(logic.ne(x.value, constant(0, x.dtype)), weak=True)
    if isinstance(x, Tuple):
        return Static(bool(x.items))
    if is_sized(ctx, x):
        refuse(ctx, "the truth value")
    if ctx.is_array(x):
        value = ctx.read(x)
        if value.aval.size != 1:
            message = "the truth value of an array with more than one element is ambiguous"
            ctx.fail(BadValue, message=f"{message}: use .any() or .all()")
        return truth(ctx, Scalar(ctx.reshape(value, ()), weak=False))
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        if isinstance(contents, (ListObject, DictObject)):
            return Static(bool(contents.children()))
        if isinstance(contents, InstanceObject):
            for name in ("__bool__", "__len__"):
                if (found := ctx.special_method(x, name)) is not None:
                    return truth(ctx, ctx.call(found, (), {}))
    if isinstance(x, Ref) and isinstance(ctx.contents(x), BufferObject):
        return truth(ctx, ctx.length(x))
    return TRUE


# ----- Comparison


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
        return _static_binary(ctx, op, a, b)
    if is_sized(ctx, a) or is_sized(ctx, b):
        return _of_sized(ctx, op, a, b, compare)
    if is_numeric(ctx, a) and is_numeric(ctx, b):
        dtype, weak = promote(operand_dtype(ctx, a), operand_dtype(ctx, b))
        if dtype.kind == "c" and op not in ("==", "!="):
            if weak:
                ctx.fail(BadType, message=f"`{op}` is not defined for complex numbers")
            ctx.fail(Unsupported, what="the order of complex numbers")
        aval = Aval(dtype, broadcast_shapes(ctx, a, b))
        value = PRIMITIVES[op](operand(ctx, a, aval), operand(ctx, b, aval))
        return laid_out_like(ctx, result(ctx, value, weak), a, b)
    return _compare_structures(ctx, op, a, b)


def _compare_optional(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    x, other = (a, b) if isinstance(a, Optional) else (b, a)
    if is_none(other):
        return compare(ctx, "is" if op == "==" else "is not", x, other)
    absent = Static(op == "!=")
    return branch(ctx, x.present, lambda: compare(ctx, op, x.value, other), lambda: absent)


def _compare_structures(ctx: Context, op: str, a: Abstract, b: Abstract) -> Abstract:
    x, y = _items(ctx, a), _items(ctx, b)
    if _is_dict(ctx, a) and _is_dict(ctx, b) and op in ("==", "!="):
        equal = _equal_dicts(ctx, ctx.contents(a), ctx.contents(b))
        return equal if op == "==" else negate(ctx, equal)
    if x is not None and y is not None and op in ("==", "!="):
        equal: Abstract = Static(len(x) == len(y) and isinstance(a, Ref) == isinstance(b, Ref))
        for p, q in zip(x, y):
            equal = both(ctx, equal, lambda p=p, q=q: truth(ctx, compare(ctx, "==", p, q)))
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
            equal = both(ctx, equal, lambda p=p, q=q: truth(ctx, compare(ctx, "==", p, q)))
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
        return Static(PYTHON[op](len(x), len(y)))
    strict = op.rstrip("=")
    same = truth(ctx, compare(ctx, "==", x[0], y[0]))
    return branch(
        ctx,
        same,
        lambda: _lexicographic(ctx, op, x[1:], y[1:]),
        lambda: truth(ctx, compare(ctx, strict, x[0], y[0])),
    )


def both(ctx: Context, a: Abstract, b: Callable[[], Abstract]) -> Abstract:
    """`a and b()` of truth values."""
    return branch(ctx, a, b, lambda: FALSE)


def either(ctx: Context, a: Abstract, b: Callable[[], Abstract]) -> Abstract:
    """`a or b()` of truth values."""
    return branch(ctx, a, lambda: TRUE, b)


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
        if a.id != b.id and b.id in ctx.heap.links.get(a.id, ()):
            ctx.fail(StaleRead, where="the line where one name was given two objects")
        return Static(a.id == b.id)
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
        answer = either(ctx, answer, lambda i=item: truth(ctx, compare(ctx, "==", x, i)))
    return answer
