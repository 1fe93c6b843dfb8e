"""What Python itself does with objects of given types: it is asked, on samples of them.

    {} + x, x a Python float   ->   `{} + 1.0` raises TypeError, and so would the program

A sample has the type (and the shape) of an abstract value, not its numbers. No code of a user
runs: an operator that the class of a sample defines in Python is not called.
"""

from __future__ import annotations

import operator
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.lib.stride_tricks import as_strided

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.errors import BadType
from myia.infer.domain.heap import (
    KNOWN_DICTS,
    BufferObject,
    DictObject,
    InstanceObject,
    ListObject,
    SetObject,
)
from myia.infer.domain.heap_arrays import type_of_array
from myia.infer.domain.values import (
    Abstract,
    Closure,
    Method,
    Outside,
    PyFunction,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Text,
    Tuple,
)
from myia.infer.numeric.integer_checks import as_index
from myia.infer.stand_ins import in_python
from myia.infer.tuple_classes import can_be_remade, new_tuple
from myia.infer.unsupported import UnsupportedFunction

OPERATORS: dict[str, tuple[Callable, str]] = {  # the function, and the name of its method
    "+": (operator.add, "add"),
    "-": (operator.sub, "sub"),
    "*": (operator.mul, "mul"),
    "/": (operator.truediv, "truediv"),
    "//": (operator.floordiv, "floordiv"),
    "%": (operator.mod, "mod"),
    "**": (operator.pow, "pow"),
    "@": (operator.matmul, "matmul"),
    "<<": (operator.lshift, "lshift"),
    ">>": (operator.rshift, "rshift"),
    "&": (operator.and_, "and"),
    "|": (operator.or_, "or"),
    "^": (operator.xor, "xor"),
    "==": (operator.eq, "eq"),
    "!=": (operator.ne, "ne"),
    "<": (operator.lt, "lt"),
    "<=": (operator.le, "le"),
    ">": (operator.gt, "gt"),
    ">=": (operator.ge, "ge"),
}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}  # a < b: b > a
NUMBERS = {"b": (False, True), "i": (0, 1), "f": (0.0, 1.5), "c": (0j, 1j)}

# What a matrix of equal elements is, and others of its shape are not.
OF_NUMBERS = ("Singular", "converge", "positive definite")


class NoSample(Exception):
    """No object of this type can be made, or code of a user would run."""


def type_of(ctx: Context, x: Abstract) -> type | None:
    """The type of `x`; None where it is not known."""
    contents = ctx.contents(x) if isinstance(x, Ref) else None
    if isinstance(contents, (InstanceObject, SetObject)):
        return in_python(contents.cls)
    try:
        return type(sample(ctx, x))
    except NoSample:
        return None


def has(cls: type, name: str) -> bool:
    """Has the class (its metaclass does not count) an attribute of that name?"""
    return any(name in vars(base) for base in cls.__mro__)


def fail_without(
    ctx: Context, x: Abstract, methods: Sequence[str], message: str, what: str
) -> NoReturn:
    """TypeError if the type of `x` has none of these methods, else `what` is not supported.

    `message` is Python's, for the name of the type.
    """
    cls = type_of(ctx, x)
    if cls is not None and not any(has(cls, name) for name in methods):
        ctx.fail(BadType, message=message.format(name_of_type(cls)))
    ctx.fail(UnsupportedFunction, what=what)


def name_of_type(cls: type) -> str:
    """The name in Python's messages: `'float'`, `'numpy.float64'`."""
    return repr(f"numpy.{cls.__name__}" if cls.__module__ == "numpy" else cls.__name__)


def accepts(ctx: Context, f: Any, args: Sequence[Abstract], kwargs: dict[str, Abstract]) -> bool:
    """Does the library's function `f` take arguments of these types?"""
    try:
        f(*(sample(ctx, x) for x in args), **{k: sample(ctx, x) for k, x in kwargs.items()})
    except TypeError:
        return False
    except Exception:  # of the values, or there is no sample
        return True
    return True


def error_of(
    ctx: Context, f: Any, args: Sequence[Abstract], kwargs: dict[str, Abstract]
) -> Exception | None:
    """The error that `f` raises for samples of these types, with other numbers too."""
    error: Exception | None = None
    for number in (0, 1):
        try:
            found = [sample(ctx, x, number) for x in args]
            options = {k: sample(ctx, x, number) for k, x in kwargs.items()}
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                f(*found, **options)
            return None
        except NoSample:
            return None
        except np.linalg.LinAlgError as e:
            if any(words in str(e) for words in OF_NUMBERS):
                return None
            error = e
        except (TypeError, ValueError, IndexError, ArithmeticError) as e:
            error = e
        except Exception:  # of a library below, in no words of NumPy's
            return None
    return error


def require_hashable(ctx: Context, x: Abstract) -> None:
    """TypeError for what cannot be the key of a dict, or an item of a set."""
    try:
        hash(sample(ctx, x))
    except NoSample:
        return
    except TypeError as e:
        ctx.fail(BadType, message=str(e))


def index_of(ctx: Context, x: Abstract) -> Abstract:
    """`operator.index(x)`, an instance with such a method itself; TypeError for other objects."""
    if ctx.special_method(x, "__index__") is None:
        error = error_of(ctx, operator.index, (x,), {})
        if isinstance(error, TypeError):
            ctx.fail(BadType, message=str(error))
    return as_index(ctx, x) if is_number(x) else x


def type_error(ctx: Context, op: str, *operands: Abstract) -> str | None:
    """The message of the TypeError that Python raises for operands of these types, if it does."""
    try:
        apply(op, *(sample(ctx, x) for x in operands))
    except TypeError as error:
        return str(error)
    except Exception:  # of these numbers, not of the types; or there is no sample
        return None
    return None


def answers(ctx: Context, op: str, a: Abstract, b: Abstract) -> list[Any]:
    """What Python's operator gives for some operands of these types; raises `NoSample`."""
    return [apply(op, sample(ctx, a, i), sample(ctx, b, j)) for i in (0, 1) for j in (0, 1)]


def defers(op: str, a: Any, b: Any) -> bool:
    """Do the methods of both objects leave the comparison to the other one?"""
    _refuse_methods_in_python(op, a, b)
    left = getattr(type(a), f"__{OPERATORS[op][1]}__")(a, b)
    right = getattr(type(b), f"__{OPERATORS[MIRRORED[op]][1]}__")(b, a)
    return left is NotImplemented and right is NotImplemented


def apply(op: str, *xs: Any) -> Any:
    """The operator on samples; raises `NoSample` where a method written in Python would run."""
    function, _ = OPERATORS[op]
    _refuse_methods_in_python(op, *xs)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*xs)


def _refuse_methods_in_python(op: str, *xs: Any) -> None:
    name, mirrored = OPERATORS[op][1], OPERATORS[MIRRORED.get(op, op)][1]
    for x in xs:
        for method in (f"__{name}__", f"__r{name}__", f"__{mirrored}__"):
            found = getattr(type(x), method, None)
            if found is not None and not isinstance(found, types.WrapperDescriptorType):
                raise NoSample


def sample(ctx: Context, x: Abstract, number: int = 1) -> Any:
    """An object of the type of `x`; of numbers, the first or the second of two."""
    if isinstance(x, (Static, Outside)):
        return x.value
    if isinstance(x, Scalar):
        if x.boxed is None:
            raise NoSample
        value = np.array(number, x.dtype)
        if x.weak:
            return NUMBERS[x.dtype.kind][number]
        return value if x.boxed else value[()]
    if isinstance(x, Tuple):
        items = tuple(sample(ctx, item, number) for item in x.items)
        if x.cls is not None and not can_be_remade(x.cls):
            raise NoSample
        return items if x.cls is None else new_tuple(x.cls, items)
    if isinstance(x, Ref):
        return _object(ctx, x, number)
    if isinstance(x, (Closure, PyFunction, Method)):
        return _object
    if isinstance(x, Range):
        return range(number)
    if isinstance(x, SliceValue):
        return slice(number)
    if isinstance(x, Text):
        return str(number)
    raise NoSample


def _object(ctx: Context, x: Ref, number: int) -> Any:
    contents = ctx.contents(x)
    if isinstance(contents, (ListObject, DictObject)):
        with ctx.inside("sample", x) as is_again:
            if is_again:
                raise NoSample
            parts = [sample(ctx, child, number) for child in contents.children()]
        if isinstance(contents, ListObject):
            return parts
        cls = contents.cls if contents.cls in KNOWN_DICTS else dict
        return cls(dict(zip(contents.keys, parts)))
    if isinstance(contents, BufferObject):
        shapes = [row.value.shape[1:] for row in contents.rows]
        if shapes == [()]:
            return [number]
        if len(shapes) != 1:
            raise NoSample
        return [_array(number, contents.rows[0].value.dtype, shapes[0])]
    if isinstance(contents, SetObject):
        return contents.cls([number])
    if isinstance(contents, InstanceObject):
        if any(base.__module__ == "builtins" for base in contents.cls.__mro__[:-1]):
            raise NoSample
        return object.__new__(_without_methods(contents.cls))
    try:
        aval, _ = type_of_array(ctx.heap, x.id)
    except AttributeError:
        raise NoSample from None
    return _array(number, aval.dtype, aval.shape)


def _array(number: int, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """One element in all places, which functions may write."""
    return as_strided(np.array(number, dtype), shape, (0,) * len(shape))


def _without_methods(cls: type) -> type:
    """A class of that name. Operators that `cls` defines have been tried before."""
    names = ("__array_ufunc__", "__array_priority__")
    kept = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
    if not all(x is None or isinstance(x, (int, float)) for x in kept.values()):
        raise NoSample
    if cls.__hash__ is None:
        kept["__hash__"] = None
    return type(cls.__name__, (), kept)
