"""Python's built-in functions."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import operator
from typing import Any

import numpy as np

from myia.infer import operators
from myia.infer.arguments import call_partial
from myia.infer.branches import branch
from myia.infer.context import Context
from myia.infer.errors import BadType, BadValue, Unsupported
from myia.infer.heap import DictObject, InstanceObject, ListObject
from myia.infer.loops import LoopCode, loop
from myia.infer.numbers import (
    INT64_MIN,
    PYTHON_DTYPES,
    bounds,
    convert,
    is_number,
    is_weak,
    kind_of,
    number_dtype,
)
from myia.infer.operands import operand_dtype
from myia.infer.registry import function
from myia.infer.strings import format_parts, printed, values_of
from myia.infer.values import (
    FALSE,
    NONE,
    TRUE,
    Abstract,
    Closure,
    Iterator,
    Method,
    Partial,
    PyFunction,
    Range,
    Ref,
    Scalar,
    Static,
    Super,
    Tuple,
    is_none,
    static_int,
    static_number,
)
from myia.primitives import arithmetic, elementwise, logic
from myia.primitives.define import constant
from myia.primitives.effects import debug_print

# ----- Sequences


@function(len)
def _len(ctx: Context, x: Abstract) -> Abstract:
    return ctx.length(x)


@function(range)
def _range(ctx: Context, *args: Abstract) -> Abstract:
    for x in args:
        if not is_number(x) or kind_of(x) not in "iub":
            ctx.fail(BadType, message=f"range() of {ctx.describe(x)}: an integer is needed")
    if len(args) == 1:
        return Range(Static(0), args[0], Static(1))
    start, stop, step = (*args, Static(1))[:3]
    return Range(start, stop, step)


@function(enumerate)
def _enumerate(ctx: Context, iterable: Abstract, start: Abstract = Static(0)) -> Abstract:  # noqa: B008
    return Iterator("enumerate", (iterable, start))


@function(zip)
def _zip(ctx: Context, *iterables: Abstract, strict: Abstract = FALSE) -> Abstract:
    if strict.value:
        counts = [ctx.sequence(x).count for x in iterables]
        if not all(map(static_int, counts)) or len({c.value for c in counts}) > 1:
            ctx.fail(BadValue, message="zip() arguments have different lengths")
    return Iterator("zip", iterables)


@function(reversed)
def _reversed(ctx: Context, x: Abstract) -> Abstract:
    return Iterator("reversed", (x,))


@function(list)
def _list(ctx: Context, x: Abstract | None = None) -> Abstract:
    if x is None:
        return ctx.new(ListObject(()))
    if isinstance(x, Ref) and not ctx.is_array(x) and ctx.contents(x).key()[0] is not DictObject:
        return ctx.new(ctx.contents(x))
    return ctx.new(ListObject(ctx.list_items(x)))


@function(tuple)
def _tuple(ctx: Context, x: Abstract | None = None) -> Abstract:
    return Tuple(() if x is None else tuple(ctx.list_items(x)))


@function(dict)
def _dict(ctx: Context, x: Abstract | None = None, /, **items: Abstract) -> Abstract:
    found: dict[Any, Abstract] = {}
    if isinstance(x, Ref) and isinstance(ctx.contents(x), DictObject):
        contents = ctx.contents(x)
        found.update(zip(contents.keys, contents.values))
    elif x is not None:
        for pair in ctx.list_items(x):
            key, value = ctx.list_items(pair)
            found[_static(ctx, key, "a key")] = value
    found.update(items)
    return ctx.new(DictObject(tuple(found), tuple(found.values())))


@function(set, frozenset)
def _set(ctx: Context, x: Abstract | None = None) -> Abstract:
    items = () if x is None else ctx.list_items(x)
    return Static(frozenset(_static(ctx, i, "an item of a set") for i in items))


def _static(ctx: Context, x: Abstract, what: str) -> Any:
    if not isinstance(x, Static):
        ctx.needs_static(what)
    return x.value


@function(map)
def _map(ctx: Context, f: Abstract, *iterables: Abstract) -> Abstract:
    """The items, computed at once: in one loop where they are of one type."""
    return _collect(ctx, Iterator("zip", iterables), lambda item: ctx.call(f, item.items, {}))


def _collect(ctx: Context, iterable: Abstract, make) -> Abstract:
    """`[make(item) for item in iterable]`"""
    found = ctx.new(ListObject(()))

    def body(item, xs):
        ctx.call(ctx.getattr(found, "append"), (make(item),), {})
        return xs

    loop(ctx, LoopCode(("collect", iterable.key()), ctx.sequence(iterable), None, body), [])
    return found


@function(filter)
def _filter(ctx: Context, f: Abstract, iterable: Abstract) -> Abstract:
    found = ctx.new(ListObject(()))

    def body(item, xs):
        kept = item if is_none(f) else ctx.call(f, (item,), {})

        def keep():
            ctx.call(ctx.getattr(found, "append"), (item,), {})
            return NONE

        branch(ctx, operators.truth(ctx, kept), keep, lambda: NONE)
        return xs

    loop(ctx, LoopCode(("filter", iterable.key()), ctx.sequence(iterable), None, body), [])
    return found


@function(sorted)
def _sorted(
    ctx: Context, iterable: Abstract, *, key: Abstract = NONE, reverse: Abstract = FALSE
) -> Abstract:
    items = ctx.list_items(iterable)
    by = [x if is_none(key) else ctx.call(key, (x,), {}) for x in items]
    if all(isinstance(x, Static) for x in by):
        order = sorted(range(len(by)), key=lambda i: by[i].value, reverse=bool(reverse.value))
        return ctx.new(ListObject(tuple(items[i] for i in order)))
    ctx.fail(Unsupported, what="`sorted` by run-time values", help_text="use `np.sort` on an array")


# ----- Reductions


def _fold(ctx: Context, iterable: Abstract, start: Abstract, step) -> Abstract:
    code = LoopCode(
        ("fold", step), ctx.sequence(iterable), None, lambda item, xs: [step(ctx, xs[0], item)]
    )
    return loop(ctx, code, [start])[0]


def _add(ctx: Context, total: Abstract, item: Abstract) -> Abstract:
    return operators.binary(ctx, "+", total, item)


@function(sum)
def _sum(ctx: Context, iterable: Abstract, start: Abstract = Static(0)) -> Abstract:  # noqa: B008
    return _fold(ctx, iterable, start, _add)


def _all_step(ctx: Context, so_far: Abstract, item: Abstract) -> Abstract:
    return operators.both(ctx, so_far, lambda: operators.truth(ctx, item))


def _any_step(ctx: Context, so_far: Abstract, item: Abstract) -> Abstract:
    return operators.either(ctx, so_far, lambda: operators.truth(ctx, item))


@function(all)
def _all(ctx: Context, iterable: Abstract) -> Abstract:
    return _fold(ctx, iterable, TRUE, _all_step)


@function(any)
def _any(ctx: Context, iterable: Abstract) -> Abstract:
    return _fold(ctx, iterable, FALSE, _any_step)


def _extremum(op: str):
    """Python's rule: a later item is taken if it is truly greater (less) than the one so far."""

    def better(ctx: Context, best: Abstract, item: Abstract, key: Abstract) -> Abstract:
        a, b = (best, item) if is_none(key) else (ctx.call(key, (x,), {}) for x in (best, item))
        return branch(
            ctx,
            operators.truth(ctx, operators.compare(ctx, op, b, a)),
            lambda: item,
            lambda: best,
        )

    def extremum(ctx: Context, *args: Abstract, key: Abstract = NONE, **options) -> Abstract:
        default = options.pop("default", None)
        if options:
            ctx.fail(BadType, message=f"unexpected keyword argument {next(iter(options))!r}")
        if len(args) > 1:
            return functools.reduce(lambda a, b: better(ctx, a, b, key), args)
        items = ctx.sequence(args[0])
        if static_int(items.count) and items.count.value == 0:
            if default is None:
                ctx.fail(BadValue, message="the iterable argument is empty")
            return default
        if not static_int(items.count):
            empty = logic.eq(items.count.value, constant(0, np.int64))
            ctx.check(empty, ValueError, "the iterable argument is empty")

        def step(item, xs):
            return [better(ctx, xs[0], item, key)]

        first = items.item(Static(0))
        return loop(ctx, LoopCode(("extremum", op), items, None, step), [first])[0]

    return extremum


function(max)(_extremum(">"))
function(min)(_extremum("<"))

# ----- Numbers


@function(abs, operator.abs)
def _abs(ctx: Context, x: Abstract) -> Abstract:
    if static_number(x):
        return Static(abs(x.value))
    if not isinstance(x, Scalar) or not x.weak:
        return ctx.call(Static(np.absolute), (x,), {})
    if x.dtype.kind == "b":
        return Scalar(convert(x.value, PYTHON_DTYPES[int]), True, 0, 1)
    if x.dtype.kind != "i":
        return Scalar(arithmetic.abs(x.value), weak=True)
    if x.lo is None:
        failed = logic.eq(x.value, constant(INT64_MIN, x.dtype))
        ctx.check(failed, OverflowError, "integer overflow beyond 64 bits")
    lo, hi = bounds(x)
    known = None not in (lo, hi)
    return Scalar(arithmetic.abs(x.value), True, 0, max(abs(lo), abs(hi)) if known else None)


@function(float)
def _float(ctx: Context, x: Abstract = Static(0.0)) -> Abstract:  # noqa: B008
    if isinstance(x, Static):
        return Static(_python(ctx, float, x.value))
    return _scalar(ctx, x, PYTHON_DTYPES[float], "float")


@function(complex)
def _complex(ctx: Context, real: Abstract = Static(0), imag: Abstract = Static(0)) -> Abstract:  # noqa: B008
    if isinstance(real, Static) and isinstance(imag, Static):
        return Static(_python(ctx, complex, real.value, imag.value))
    j = operators.binary(ctx, "*", imag, Static(1j))
    return _scalar(ctx, operators.binary(ctx, "+", real, j), PYTHON_DTYPES[complex], "complex")


@function(bool)
def _bool(ctx: Context, x: Abstract = FALSE) -> Abstract:
    return operators.truth(ctx, x)


@function(int)
def _int(ctx: Context, x: Abstract = Static(0)) -> Abstract:  # noqa: B008
    if isinstance(x, Static):
        return Static(_python(ctx, int, x.value))
    kind = operand_dtype(ctx, x)[0].kind if is_number(x) or ctx.is_array(x) else ""
    if kind == "f":
        wide = _scalar(ctx, x, PYTHON_DTYPES[float], "int").value
        inside = logic.lt(arithmetic.abs(wide), constant(2.0**63, np.float64))
        ctx.check(logic.not_(inside), OverflowError, "cannot convert this float to an int")
        return Scalar(convert(elementwise.trunc(wide), PYTHON_DTYPES[int]), True)
    found = _scalar(ctx, x, PYTHON_DTYPES[int], "int")
    lo, hi = (0, 1) if kind == "b" else bounds(x) if isinstance(x, Scalar) else (None, None)
    return Scalar(found.value, True, lo, hi)


def _scalar(ctx: Context, x: Abstract, dtype: np.dtype, name: str) -> Scalar:
    """The one number in `x`, as a Python number of `dtype`."""
    if is_number(x):
        value = x.value
    elif ctx.is_array(x) and int(np.prod(ctx.shape(x))) == 1:
        value = ctx.reshape(ctx.read(x), ())
    else:
        ctx.fail(BadType, message=f"{name}() of {ctx.describe(x)}")
    if value.dtype.kind == "c" and dtype.kind != "c":
        ctx.fail(BadType, message=f"{name}() of a complex number")
    return Scalar(convert(value, dtype), weak=True)


def _python(ctx: Context, f, *args):
    try:
        return f(*args)
    except (TypeError, ValueError, OverflowError) as e:
        ctx.fail(BadValue, message=str(e), exception=type(e).__name__)


@function(round)
def _round(ctx: Context, x: Abstract, ndigits: Abstract = NONE) -> Abstract:
    if isinstance(x, Static) and isinstance(ndigits, Static):
        return Static(_python(ctx, round, x.value, ndigits.value))
    if not is_none(ndigits):
        ctx.fail(
            Unsupported,
            what="`round` to digits of a run-time value",
            help_text="use `np.round(x * 10**n) / 10**n`",
        )
    rounded = Scalar(elementwise.round(_scalar(ctx, x, PYTHON_DTYPES[float], "round").value), True)
    return _int(ctx, rounded)


@function(divmod)
def _divmod(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    return Tuple((operators.binary(ctx, "//", a, b), operators.binary(ctx, "%", a, b)))


@function(pow)
def _pow(ctx: Context, a: Abstract, b: Abstract, mod: Abstract = NONE) -> Abstract:
    power = operators.binary(ctx, "**", a, b)
    return power if is_none(mod) else operators.binary(ctx, "%", power, mod)


for _symbol, _names in {
    "+": "add iadd", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and_", "|": "or_", "^": "xor",
}.items():  # fmt: skip
    for _name in _names.split():
        function(getattr(operator, _name))(
            lambda ctx, a, b, op=_symbol: operators.binary(ctx, op, a, b)
        )
function(operator.neg)(lambda ctx, x: operators.unary(ctx, "-", x))

# ----- Types and attributes

_CLASSES = {"b": bool, "i": int, "f": float, "c": complex}


def class_of(ctx: Context, x: Abstract) -> type:
    """`type(x)`"""
    if isinstance(x, Static):
        return type(x.value)
    if isinstance(x, Scalar):
        return _CLASSES[x.dtype.kind] if is_weak(x) else number_dtype(x).type
    if isinstance(x, Tuple):
        return x.cls or tuple
    if isinstance(x, Range):
        return range
    if isinstance(x, (Closure, PyFunction)):
        return type(class_of)
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        if isinstance(contents, InstanceObject):
            return contents.cls
        if isinstance(contents, DictObject):
            return dict
        return np.ndarray if ctx.is_array(x) else list
    ctx.fail(Unsupported, what=f"the type of {ctx.describe(x)}")


@function(isinstance)
def _isinstance(ctx: Context, x: Abstract, classes: Abstract) -> Abstract:
    if isinstance(classes, Tuple):
        classes = Static(tuple(c.value for c in classes.items))
    return Static(issubclass(class_of(ctx, x), classes.value))


@function(type)
def _type(ctx: Context, x: Abstract) -> Abstract:
    return Static(class_of(ctx, x))


@function(super)
def _super(ctx: Context, cls: Abstract, x: Abstract) -> Abstract:
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if not isinstance(contents, InstanceObject) or not issubclass(contents.cls, cls.value):
        ctx.fail(Unsupported, what=f"`super` of {ctx.describe(x)}")
    return Super(cls.value, x)


@function(object.__init__)
def _init(ctx: Context, self: Abstract) -> Abstract:
    return NONE


@function(callable)
def _callable(ctx: Context, x: Abstract) -> Abstract:
    if isinstance(x, Static):
        return Static(callable(x.value))
    known = isinstance(x, (Closure, PyFunction, Partial, Method))
    return Static(known or ctx.special_method(x, "__call__") is not None)


@function(getattr)
def _getattr(ctx: Context, x: Abstract, name: Abstract, *default: Abstract) -> Abstract:
    if default and not _hasattr(ctx, x, name).value:
        return default[0]
    return ctx.getattr(x, _static(ctx, name, "the name of an attribute"))


@function(hasattr)
def _hasattr(ctx: Context, x: Abstract, name: Abstract) -> Abstract:
    wanted = _static(ctx, name, "the name of an attribute")
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, InstanceObject) and wanted in contents.names:
        return TRUE
    if isinstance(x, Static):
        return Static(hasattr(x.value, wanted))
    return Static(hasattr(class_of(ctx, x), wanted))


@function(str, repr, builtins.format)
def _text(ctx: Context, x: Abstract, spec: Abstract = Static("")) -> Abstract:  # noqa: B008
    return format_parts(ctx, ((None, spec.value),), (x,))


@function(functools.partial)
def _partial(ctx: Context, f: Abstract, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    meta = (len(args), *kwargs)
    return Partial(call_partial, (f, *args, *kwargs.values()), meta)


@function(functools.reduce)
def _reduce(ctx: Context, f: Abstract, iterable: Abstract, *initial: Abstract) -> Abstract:
    items = ctx.list_items(iterable)
    return functools.reduce(lambda a, b: ctx.call(f, (a, b), {}), (*initial, *items))


@function(dataclasses.replace)
def _replace(ctx: Context, x: Abstract, /, **changes: Abstract) -> Abstract:
    contents = ctx.contents(x)
    fields = {**dict(zip(contents.names, contents.values)), **changes}
    return ctx.call(Static(contents.cls), (), fields)


# ----- Effects


@function(print)
def _print(ctx: Context, *args: Abstract, **options: Abstract) -> Abstract:
    """Run-time values are printed when the program runs, with `str`."""
    sep = options.pop("sep", NONE)
    if any(name not in ("end", "flush") for name in options):
        ctx.fail(Unsupported, what="`print` to a file")
    found = [printed(ctx, x) for x in args]
    separator = " " if is_none(sep) else sep.value
    items = [x for _, xs in found for x in xs]
    debug_print(separator.join(text for text, _ in found), *values_of(ctx, items))
    return NONE
