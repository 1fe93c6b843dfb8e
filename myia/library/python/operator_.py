"""The `operator` module, and special methods by name.

    operator.itemgetter(1)(xs)      ->      xs[1]
    x.__add__(y)                    ->      x + y, or NotImplemented

Python is asked, on samples, whether the method of a built-in type takes such an operand; where it
does but the operator has a result of another type (that of `y.__radd__`), it is refused.
"""

from __future__ import annotations

import functools
import operator
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.attributes import kind_of
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import is_fixed
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import NONE, Abstract, Method, Partial, Static, Tuple
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.infer.indexing import indexing
from myia.infer.numeric.constant_methods import evaluate_constant, evaluated
from myia.infer.numeric.samples import OPERATORS, NoSample, has, index_of, sample, type_of
from myia.infer.operators import comparison, operators
from myia.infer.operators.truth import negate, truth
from myia.infer.parameters import keeps_none, keeps_views
from myia.infer.registry import METHODS, as_is, function, method
from myia.infer.unsupported import UnsupportedOperator

Apply = Callable[..., Abstract]
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
UNARY = {"-": "neg", "+": "pos", "~": "invert"}


def _compare(op: str) -> Apply:
    return lambda ctx, a, b: comparison.compare(ctx, op, a, b)


def _binary(op: str) -> Apply:
    if op in ("==", "!="):
        return keeps_none(_compare(op))
    return _compare(op) if op in COMPARISONS else lambda ctx, a, b: operators.binary(ctx, op, a, b)


def _unary(op: str) -> Apply:
    return lambda ctx, x: operators.unary(ctx, op, x)


def _inplace(op: str) -> Apply:
    return lambda ctx, a, b: operators.inplace(ctx, op, a, b)


def _contains(ctx: Context, container: Abstract, x: Abstract) -> Abstract:
    return comparison.compare(ctx, "in", x, container)


def _setitem(ctx: Context, x: Abstract, key: Abstract, value: Abstract) -> Abstract:
    indexing.setitem(ctx, ctx.force(x), ctx.force(key), value)
    return NONE


def _delitem(ctx: Context, x: Abstract, key: Abstract) -> Abstract:
    indexing.delitem(ctx, x, key)
    return NONE


def _by_function(f: Callable[..., Any]) -> Apply:
    return lambda ctx, *args: ctx.call(Static(f), args, {})


# ----- The functions of `operator`

for _op, (_function, _name) in OPERATORS.items():
    function(_function, dynamic=as_is)(_binary(_op))
    if _op not in COMPARISONS:
        function(getattr(operator, f"i{_name}"), dynamic=as_is)(keeps_views(_inplace(_op)))
for _op, _name in UNARY.items():
    function(getattr(operator, _name), dynamic=as_is)(_unary(_op))

function(operator.abs, dynamic=as_is)(_by_function(abs))
function(operator.inv, dynamic=as_is)(_unary("~"))
function(operator.contains, dynamic=as_is)(_contains)
function(operator.getitem, dynamic=as_is)(
    keeps_views(lambda ctx, a, b: indexing.getitem(ctx, a, b))
)
function(operator.setitem, dynamic=as_is)(keeps_none(_setitem))
function(operator.delitem, dynamic=as_is)(_delitem)
function(operator.is_, dynamic=as_is)(keeps_none(_compare("is")))
function(operator.is_not, dynamic=as_is)(keeps_none(_compare("is not")))
function(operator.truth, dynamic=as_is)(keeps_none(lambda ctx, x: truth(ctx, x)))
function(operator.not_, dynamic=as_is)(keeps_none(lambda ctx, x: negate(ctx, truth(ctx, x))))
function(operator.length_hint, dynamic=as_is)(lambda ctx, x: ctx.length(x))
function(operator.call, dynamic=as_is)(lambda ctx, f, *args, **kwargs: ctx.call(f, args, kwargs))


@function(operator.index)
def _index(ctx: Context, x: Abstract) -> Abstract:
    return ctx.call(Static(int), (index_of(ctx, x),), {})


@function(operator.concat)
def _concat(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    cls = _concatenated(ctx, a)
    other = type_of(ctx, b)
    if cls in (list, tuple, str) and not (other is not None and issubclass(other, cls)):
        name = "this" if other is None else other.__name__
        ctx.fail(BadType, message=f"can only concatenate {cls.__name__} (not {name!r})")
    return operators.binary(ctx, "+", a, b)


@function(operator.iconcat)
def _iconcat(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    if _concatenated(ctx, a) is not list:
        return _concat(ctx, a, b)
    ctx.call(ctx.getattr(a, "extend"), (b,), {})
    return a


def _concatenated(ctx: Context, a: Abstract) -> type | None:
    cls = type_of(ctx, a)
    no_sequences = (dict, set, frozenset, np.ndarray)
    if is_number(a) or (cls is not None and issubclass(cls, no_sequences)):
        ctx.fail(BadType, message=f"{ctx.describe(a)} can't be concatenated")
    return cls


def _of_constants(f: Callable) -> Apply:
    def handler(ctx: Context, *args: Abstract) -> Abstract:
        found = evaluated(ctx, f, *args)
        if found is None:
            ctx.fail(UnsupportedOperator, what=f"`operator.{f.__name__}` of run-time values")
        return found

    return handler


for _function in (operator.countOf, operator.indexOf):
    function(_function)(_of_constants(_function))


# ----- Getters


@function(operator.itemgetter)
def _itemgetter(ctx: Context, *keys: Abstract) -> Abstract:
    return Partial(_get_items, keys)


def _get_items(ctx: Context, getter: Partial, args: tuple, kwargs: dict) -> Abstract:
    return _one_or_all([indexing.getitem(ctx, args[0], key) for key in getter.items])


@function(operator.attrgetter)
def _attrgetter(ctx: Context, *names: Abstract) -> Abstract:
    return Partial(_get_attributes, names)


def _get_attributes(ctx: Context, getter: Partial, args: tuple, kwargs: dict) -> Abstract:
    found = []
    for name in getter.items:
        path: str = ctx.static(name, "the name of an attribute")
        found.append(functools.reduce(ctx.getattr, path.split("."), args[0]))
    return _one_or_all(found)


def _one_or_all(found: list[Abstract]) -> Abstract:
    return found[0] if len(found) == 1 else Tuple(tuple(found))


@function(operator.methodcaller)
def _methodcaller(ctx: Context, name: Abstract, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    return Partial(_call_method, (*args, *kwargs.values()), (name, tuple(kwargs)))


def _call_method(ctx: Context, caller: Partial, args: tuple, kwargs: dict) -> Abstract:
    name, names = caller.meta
    count = len(caller.items) - len(names)
    f = ctx.getattr(args[0], ctx.static(name, "the name of a method"))
    return ctx.call(f, caller.items[:count], dict(zip(names, caller.items[count:])))


def _call_getter(ctx: Context, f: Any, args: tuple, kwargs: dict) -> Abstract:
    """A getter that Python has made: it tells how."""
    make: Any
    make, given = f.__reduce__()
    keywords: dict[str, Any] = {}
    if isinstance(make, functools.partial):
        make, given, keywords = make.func, (*make.args, *given), make.keywords
    if not all(map(is_fixed, (*given, *keywords.values()))):
        what = f"`operator.{type(f).__name__}` of objects that may change"
        ctx.fail(UnsupportedOperator, what=what, help_text="write a lambda")
    named: dict[str, Abstract] = {name: Static(x) for name, x in keywords.items()}
    return ctx.call(ctx.call(Static(make), tuple(map(Static, given)), named), args, kwargs)


for _cls in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    CALLABLE_TYPES[_cls] = _call_getter


# ----- Special methods of built-in types

TYPES: dict[str, tuple[type, ...]] = {
    "python": (bool, int, float, complex),
    "number": (np.generic,),
    "array": (np.ndarray,),
    **{"list": (list,), "tuple": (tuple,), "dict": (dict,), "str": (str,)},
}


SPECIAL: dict[str, Apply] = {
    "__getitem__": lambda ctx, x, key: indexing.getitem(ctx, x, key),
    "__setitem__": _setitem,
    "__delitem__": _delitem,
    "__contains__": _contains,
    **{f"__{name}__": _unary(op) for op, name in UNARY.items()},
    **{f"__i{name}__": _inplace(op) for op, (_, name) in OPERATORS.items()},
    **{f"__{f.__name__}__": _by_function(f) for f in (len, iter, abs, float, int, bool, complex)},
    **{f"__{f.__name__}__": _by_function(f) for f in (round, str, repr, format, reversed)},
}
IN_PLACE = {f"__i{name}__" for _, name in OPERATORS.values()}
BINARY = {f"__{name}__": op for op, (_, name) in OPERATORS.items()}
REFLECTED = {f"__r{name}__": op for op, (_, name) in OPERATORS.items()}


def _register(name: str, apply: Apply) -> None:
    def handler(ctx: Context, x: Abstract, *args: Abstract) -> Abstract:
        return _special(ctx, name, apply, x, args)

    kinds = [kind for kind, types_ in TYPES.items() if any(hasattr(t, name) for t in types_)]
    for kind in kinds:
        if (kind, name) not in METHODS:
            method(kind, name, dynamic=as_is)(handler)
    if name.endswith("item__") or name in IN_PLACE:
        keeps_views(handler)


def _special(
    ctx: Context, name: str, apply: Apply, x: Abstract, args: tuple[Abstract, ...]
) -> Abstract:
    cls = type_of(ctx, x)
    if cls is None:
        ctx.fail(UnsupportedOperator, what=f"`{name}` of {ctx.describe(x)}")
    if not has(cls, name):
        message = f"{cls.__name__!r} object has no attribute {name!r}"
        ctx.fail(BadValue, message=message, exception="AttributeError")
    known = [y.value for y in args if isinstance(y, Static)]
    if isinstance(x, Static) and len(known) == len(args):
        return evaluate_constant(ctx, getattr(cls, name), x.value, *known)
    return apply(ctx, x, *args)


def _operator(name: str, op: str) -> Apply:
    """`x.__add__(y)` or, of the same operator, `x.__radd__(y)`."""
    apply = _binary(op)

    def handler(ctx: Context, x: Abstract, y: Abstract) -> Abstract:
        operands = (y, x) if name in REFLECTED else (x, y)
        if not _takes(ctx, name, op, x, y):
            return Static(NotImplemented)
        return apply(ctx, *operands)

    return handler


def _takes(ctx: Context, name: str, op: str, x: Abstract, y: Abstract) -> bool:
    """False where Python's method gives NotImplemented."""
    if isinstance(ctx.held(y), InstanceObject) and kind_of(ctx, x) == "python":
        return False  # a number of Python takes numbers of Python
    try:
        a, b = sample(ctx, x), sample(ctx, y)
        if type(b).__module__.partition(".")[0] not in ("builtins", "numpy"):
            raise NoSample
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = getattr(type(a), name)(a, b)
            if found is NotImplemented:
                return False
            same = OPERATORS[op][0](*((b, a) if name in REFLECTED else (a, b)))
        if type(found) is type(same):
            return True
    except NoSample:
        pass
    except (TypeError, ValueError) as error:
        ctx.fail(BadValue, message=str(error), exception=type(error).__name__)
    what = f"`{name}` of {ctx.describe(x)} and {ctx.describe(y)}"
    ctx.fail(UnsupportedOperator, what=what, help_text=f"write the operator `{op}`")


for _name, _handler in SPECIAL.items():
    _register(_name, _handler)
for _name, _op in (*BINARY.items(), *REFLECTED.items()):
    _register(_name, _operator(_name, _op))


def _call_of_class(ctx: Context, f: Any, args: tuple, kwargs: dict) -> Abstract:
    """`float.__add__(x, y)`, `list.append(xs, y)`: the method of that very class."""
    cls = type_of(ctx, args[0]) if args else None
    name: str = f.__name__
    key = (kind_of(ctx, args[0]) if args else None, name)
    if getattr(cls, name, None) is not f or key not in METHODS:
        what = f"`{f.__objclass__.__name__}.{name}` of such an argument"
        ctx.fail(UnsupportedOperator, what=what)
    return ctx.call(Method(key, args[0]), args[1:], kwargs)


CALLABLE_TYPES[types.WrapperDescriptorType] = _call_of_class
CALLABLE_TYPES[types.MethodDescriptorType] = _call_of_class
