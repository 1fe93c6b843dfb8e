"""Python's operations on objects that are known when compiling: those that Python itself may run.

All operands have types in which an operation reads and changes nothing but them: numbers, strings,
and the lists, tuples, dicts and sets of static code. Anything else is `NotKnown`: the code is
inferred as usual. So are all errors, whose messages are those of inference, and integers of
enormous size.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, GeneratorType, ModuleType
from typing import Any

from myia.infer.numeric.f_strings import CONVERSIONS
from myia.infer.numeric.samples import OPERATORS
from myia.infer.numeric.settings import settings_of

MAX_ITEMS = 1 << 18  # of a sequence that an operator makes
MAX_BITS = 1 << 13  # of an integer, by a product or a power


class NotKnown(Exception):
    """An object is not known when compiling, or an operation on it is not one of these."""


NUMBERS = frozenset({bool, int, float, complex})
PLAIN = NUMBERS | {str, bytes, type(None), type(Ellipsis)}
SEQUENCES = frozenset({list, tuple, str, bytes, range})
# A set has an order that depends on how it was made: no code here looks at it.
SETS = frozenset({set, frozenset})
MODULE = ModuleType
KNOWN = PLAIN | SEQUENCES | {dict, slice} | SETS
VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})
ITERATORS: tuple[Any, ...] = (
    *(map, zip, filter, enumerate, reversed, type(iter([])), type(iter(())), type(iter(""))),
    *(type(iter(range(0))), type(iter({})), type(reversed([])), GeneratorType),
)
FROM_ITERTOOLS = (
    *(itertools.accumulate, itertools.chain, itertools.combinations, itertools.count),
    *(itertools.combinations_with_replacement, itertools.islice, itertools.pairwise),
    *(itertools.permutations, itertools.product, itertools.repeat, itertools.starmap),
    *(itertools.takewhile, itertools.zip_longest, itertools.cycle),
)
ITERABLES = VIEWS | {*ITERATORS, *FROM_ITERTOOLS, list, tuple, str, bytes, range, dict}

BUILTINS = (
    *(abs, all, any, bin, chr, divmod, format, hex, isinstance, iter, len, max, min, next, oct),
    *(ord, pow, repr, round, sorted, sum, functools.reduce),
    *(bool, complex, dict, float, frozenset, int, list, range, set, str, tuple),
    *(enumerate, filter, map, reversed, zip, *FROM_ITERTOOLS),
    *(f for name, f in vars(math).items() if isinstance(f, BuiltinFunctionType)),
)
FUNCTIONS = {id(f): f for f in BUILTINS}
# Of functions whose results grow fast.
MAX_ARGUMENTS: dict[Any, int] = {math.factorial: 1_000, math.comb: 10_000, math.perm: 1_000}
OF_SETS = (len, sorted, bool, set, frozenset, isinstance)  # that look at no order
METHODS_OF_SETS = frozenset(name for name in dir(set) if not name.startswith("_") and name != "pop")

UNARY: dict[str, Callable[[Any], Any]] = {
    "+": operator.pos,
    "-": operator.neg,
    "~": operator.invert,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {op: f for op, (f, _) in OPERATORS.items()}
INPLACE: dict[str, Callable[[Any, Any], Any]] = {
    **BINARY,
    **{"+": operator.iadd, "-": operator.isub, "*": operator.imul, "&": operator.iand},
    **{"^": operator.ixor, "|": operator.ior},
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    **BINARY,
    "in": lambda x, y: x in y,
    "not in": lambda x, y: x not in y,
}


def require(known: bool) -> None:
    if not known:
        raise NotKnown


def unary(op: str, x: Any) -> Any:
    if op in ("not", "truth"):
        return not x if op == "not" else bool(x)
    require(type(x) in NUMBERS)
    return UNARY[op](x)


def binary(op: str, x: Any, y: Any, table: dict[str, Callable[[Any, Any], Any]] = BINARY) -> Any:
    a, b = type(x), type(y)
    if op in ("*", "**", "<<"):
        _require_small(op, x, y)
    elif a not in NUMBERS or b not in NUMBERS:
        require(a in KNOWN and b in KNOWN and (a in SETS) == (b in SETS))
        require(op != "+" or len(x) + len(y) <= MAX_ITEMS)
    return table[op](x, y)


def _require_small(op: str, x: Any, y: Any) -> None:
    a, b = type(x), type(y)
    if op == "*" and (a in SEQUENCES or b in SEQUENCES):
        times, items = (y, x) if a in SEQUENCES else (x, y)
        require(type(times) in (int, bool) and len(items) * times <= MAX_ITEMS)
        return
    require(a in NUMBERS and b in NUMBERS)
    if isinstance(x, int) and isinstance(y, int):
        bits = x.bit_length()
        if op == "*":
            bits += y.bit_length()
        else:
            bits = bits * y if op == "**" else bits + y
        require(bits <= MAX_BITS)


def compare(op: str, x: Any, y: Any) -> bool:
    if op in ("is", "is not"):
        same = x is y
        # Whether two equal numbers or strings are one object is up to Python.
        singletons = (None, True, False, Ellipsis)
        sure = any(z is s for z in (x, y) for s in singletons)
        require(sure or type(x) in (list, dict, set) or type(y) in (list, dict, set))
        return same if op == "is" else not same
    require(type(x) in KNOWN and type(y) in KNOWN)
    return bool(COMPARE[op](x, y))


def getitem(x: Any, key: Any) -> Any:
    require((type(x) in SEQUENCES or type(x) is dict) and type(key) in KNOWN)
    return x[key]


def setitem(x: Any, key: Any, value: Any) -> None:
    require(type(x) in (list, dict) and type(key) in KNOWN)
    if type(key) is slice:
        require(type(value) in ITERABLES)
    x[key] = value


def delitem(x: Any, key: Any) -> None:
    require(type(x) in (list, dict) and type(key) in KNOWN)
    del x[key]


def attribute(x: Any, name: str) -> Any:
    """A method or an attribute of a number, a string, a container."""
    require(type(x) in KNOWN and not name.startswith("_"))
    require(type(x) not in SETS or name in METHODS_OF_SETS)
    return getattr(x, name)


def formatted(parts: tuple, values: list[Any]) -> str:
    """An f-string."""
    rest, found = iter(values), ""
    for part in parts:
        if isinstance(part, str):
            found += part
        else:
            conversion, spec = part
            value = next(rest)
            require(type(value) in KNOWN - SETS and not (spec or "").endswith("n"))  # by the locale
            found += format(CONVERSIONS.get(conversion, lambda v: v)(value), spec or "")
    return found


def items(x: Any) -> Iterator[Any]:
    require(type(x) in ITERABLES)
    return iter(x)


def call(f: Any, args: list[Any], kwargs: dict[str, Any], step: Callable[[int], None]) -> Any:
    """`f(*args, **kwargs)` for a function of Python's own; `step(n)` counts n items it takes."""
    of_object = type(f) is BuiltinFunctionType and type(f.__self__) in KNOWN
    require(of_object or FUNCTIONS.get(id(f)) is f)
    require(f.__name__ != "format" or not any(settings_of(f, args)))
    if f is isinstance:
        classes = args[1] if type(args[1]) is tuple else (args[1],)
        require(type(args[0]) in KNOWN and all(cls in PLAIN | KNOWN for cls in classes))
        return isinstance(args[0], args[1])
    if f is pow and len(args) == 2:
        return binary("**", *args)
    if f is sorted and type(args[0]) in SETS:
        require(not kwargs and all(type(x) in (bool, int, str) for x in args[0]))
    limit = MAX_ITEMS if of_object and type(f.__self__) in PLAIN else MAX_ARGUMENTS.get(f)
    require(limit is None or all(x <= limit for x in args if isinstance(x, int)))
    sets = (of_object and type(f.__self__) in SETS) or f in OF_SETS
    xs = [_argument(x, f, sets, step) for x in args]
    return f(*xs, **{name: _argument(x, f, sets, step) for name, x in kwargs.items()})


def _argument(x: Any, f: Any, sets: bool, step: Callable[[int], None]) -> Any:
    cls = type(x)
    if cls in PLAIN:
        return x
    if cls in KNOWN or cls in VIEWS:
        require(sets or cls not in SETS)
        if cls not in (dict, slice) and f is not len:
            step(len(x))
        return x
    if cls in ITERABLES:
        return _counted(x, step)
    # A function of the program, which counts its own steps.
    require(hasattr(cls, "is_static_function") or FUNCTIONS.get(id(x)) is x)
    return x


def _counted(iterator: Any, step: Callable[[int], None]) -> Iterator[Any]:
    for x in iterator:
        step(1)
        yield x
