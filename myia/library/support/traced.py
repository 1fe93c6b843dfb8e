"""Library functions traced from JAX: looked up by name, traced at the arguments' avals, translated.

    traced(np.cov, "numpy.cov", arrays="m y fweights aweights", dtypes=one_inexact)

The arguments are bound as NumPy binds them. Those named in `arrays` are values; all others are
compile-time options. The operands are converted to NumPy's choice of dtype before tracing: a result
that is cast afterwards was computed in the wrong precision.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import convert, promote
from myia.infer.domain.errors import BadType, Untraceable
from myia.infer.domain.heap import DictObject
from myia.infer.domain.memory_order import result_like
from myia.infer.domain.values import Abstract, Ref, Scalar, SliceValue, Static, Tuple, is_none
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import function
from myia.infer.unsupported import UnsupportedFunction
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.library.formulas.lookup import FlatCall, accepts_keyword, jax_function
from myia.library.support.arguments import (
    boxed,
    dtype_of,
    inexact,
    numeric,
    sum_dtype,
    value_of,
)
from myia.library.support.ways import TRACED, defined_by
from myia.source.diagnostics import MyiaError

# Options without effect in a functional program: memory to reuse, checks of finiteness.
WITHOUT_MEANING = frozenset({"overwrite_a", "overwrite_b", "overwrite_x", "check_finite", "subok"})

Dtypes = Callable[[list[tuple[np.dtype, bool]]], list[np.dtype]]
Pack = Callable[[list[Abstract]], Abstract]
Result = Callable[[Context, Value, Abstract], Abstract]


# ----- Which dtypes a function computes in


def one_dtype(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """All operands at their common dtype."""
    return [promote(*found)[0]] * len(found)


def one_strong(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """As `one_dtype`, for functions that convert Python numbers to arrays first."""
    return [np.result_type(*(dtype for dtype, _ in found))] * len(found)


def summed(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """The dtypes of cumulative sums and products: small integers are widened."""
    return [sum_dtype(dtype) for dtype in one_dtype(found)]


def one_inexact(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """All operands at their common dtype; float64 for integers."""
    return [inexact(dtype) for dtype in one_dtype(found)]


def strong_inexact(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """As `one_inexact`, for functions that convert Python numbers to arrays first."""
    return [inexact(dtype) for dtype in one_strong(found)]


def like_first(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """As `one_inexact`; the first operand has the dtype of the result (`inexact_as_first`)."""
    (dtype, weak), *others = found
    return one_inexact([(inexact(dtype), weak), *others])


def lapack(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """As `one_inexact`, but single precision for integers below 32 bits, as SciPy calls LAPACK."""
    small = all(dtype.kind in "biu" and dtype.itemsize <= 2 for dtype, _ in found)
    return [np.dtype(np.float32)] * len(found) if small else one_inexact(found)


def each_inexact(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """Each operand at its own dtype; integers as float64."""
    return [inexact(dtype) for dtype, _ in found]


def single_or_double(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """As `each_inexact`; half precision as single."""
    return [dtype if dtype != np.float16 else np.dtype(np.float32) for dtype in each_inexact(found)]


def each_own(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """Each operand at its own dtype."""
    return [dtype for dtype, _ in found]


def double(found: list[tuple[np.dtype, bool]]) -> list[np.dtype]:
    """float64, or complex128 for complex numbers."""
    return [np.result_type(dtype, np.float64) for dtype, _ in found]


# ----- How the results are packed


def plain(results: list[Abstract]) -> Abstract:
    """One result as it is, several as a tuple."""
    return results[0] if len(results) == 1 else Tuple(tuple(results))


def named(cls: type) -> Pack:
    """Several results as a named tuple."""
    return lambda results: results[0] if len(results) == 1 else Tuple(tuple(results), cls)


# ----- What a result is, given the first operand


def array_of(ctx: Context, value: Value) -> Abstract:
    """NumPy's memory layout of the result is unknown."""
    return ctx.array(value, contiguous=value.aval.ndim < 2)


def in_unknown_order(ctx: Context, value: Value, first: Abstract) -> Abstract:
    return array_of(ctx, value)


def in_c_order(ctx: Context, value: Value, first: Abstract) -> Abstract:
    return ctx.array(value)


def in_order_of_first(ctx: Context, value: Value, first: Abstract) -> Abstract:
    return result_like(ctx, value, first)


def inexact_as_first(ctx: Context, value: Value, first: Abstract) -> Abstract:
    """In the dtype of the first operand, whatever it was computed in; float64 for integers."""
    return array_of(ctx, convert(value, inexact(dtype_of(ctx, first))))


def always_array(ctx: Context, value: Value, first: Abstract) -> Abstract:
    """NumPy returns an array also where the result has no dimension."""
    return boxed(ctx, array_of(ctx, value))


# ----- Registration


@dataclass(frozen=True)
class TracedFunction:
    """How a function is traced: see `traced`."""

    numpy: Callable
    name: str
    arrays: tuple[str, ...]
    dtypes: Dtypes
    pack: Pack = plain
    result: Result = in_unknown_order
    like: Callable | None = None
    convert: Callable[[Context, dict[str, Any]], None] | None = None

    def __call__(self, ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        bound = bind(ctx, self.like or self.numpy, self.name, args, kwargs)
        if self.convert is not None:
            self.convert(ctx, bound)
        call = _parse_arguments(ctx, self, bound)
        values = _values(ctx, call, self.dtypes)
        results = apply_traced(ctx, self.name, tuple(call.layout), values, call.options)
        return self.pack([self.result(ctx, value, call.operands[0]) for value in results])


def traced(numpy: Callable, name: str, arrays: str, dtypes: Dtypes, **more: Any) -> None:
    """Register `numpy`, implemented by the function `jax_function(name)`.

    `arrays` names the parameters that are values. `choices*` is a sequence of values; `~where`
    keeps its own dtype; `?rcond` too, and is an option if it is a compile-time value. `dtypes`
    chooses the dtypes of the operands, `pack` packs several results, `result` makes an abstract
    value of each. `like`: a function with the same parameters, where `numpy` has no signature.
    `convert` changes the arguments by name before that.
    """
    handler = TracedFunction(numpy, name, tuple(arrays.split()), dtypes, **more)
    function(numpy)(defined_by(TRACED, handler))


def traced_by_name(
    module: ModuleType, dtypes: Dtypes, functions: dict[str, str], **more: Any
) -> None:
    """Register functions of a module: `functions` has the names for each form of `arrays`."""
    for arrays, names in functions.items():
        for name in names.split():
            traced(getattr(module, name), f"{module.__name__}.{name}", arrays, dtypes, **more)


# ----- Arguments


@cache
def _signature(f: Callable) -> inspect.Signature:
    return inspect.signature(f)


def bind(ctx: Context, f: Callable, name: str, args: tuple, kwargs: dict) -> dict[str, Any]:
    """The arguments by the names of their parameters, without options that are not given."""
    try:
        bound = _signature(f).bind(*args, **kwargs).arguments
    except TypeError as error:
        ctx.fail(BadType, message=f"{name}: {error}")
    return {n: x for n, x in bound.items() if not _is_not_given(n, x)}


def _is_not_given(name: str, x: Any) -> bool:
    return isinstance(x, Static) and (
        x.value is np._NoValue or (name in ("out", "order", "where") and x.value in (None, "K"))
    )


@dataclass
class _ParsedCall:
    """The parsed arguments of a call: the arrays, where each goes (`FlatCall`), the options."""

    parameters: tuple[str, ...]
    layout: list[tuple[str | None, int | None]] = field(default_factory=list)
    operands: list[Abstract] = field(default_factory=list)
    keep_dtype: set[int] = field(default_factory=set)  # operands that keep their own dtype
    options: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, x: Abstract, *, keep_dtype: bool = False) -> None:
        if keep_dtype:
            self.keep_dtype.add(len(self.operands))
        self.layout.append((self.keyword(name), None))
        self.operands.append(x)

    def add_sequence(self, name: str, items: list[Abstract]) -> None:
        self.layout.append((self.keyword(name), len(items)))
        self.operands += items

    def keyword(self, name: str) -> str | None:
        """None for leading parameters, given by position: JAX may name them otherwise."""
        first = self.parameters.index(name) == len(self.layout)
        return None if first and not self.options else name


def _parse_arguments(ctx: Context, spec: TracedFunction, bound: dict[str, Any]) -> _ParsedCall:
    call = _ParsedCall(tuple(_signature(spec.like or spec.numpy).parameters))
    for name, x in bound.items():
        if isinstance(x, tuple):  # *args
            items = [numeric(ctx, item) for item in x]
            call.layout += [(None, None)] * len(items)
            call.operands += items
        elif f"{name}*" in spec.arrays:
            call.add_sequence(name, [numeric(ctx, i) for i in ctx.list_items(ctx.force(x))])
        elif _is_array(name, x, spec.arrays):
            call.add(name, numeric(ctx, x), keep_dtype=name not in spec.arrays)
        elif name not in WITHOUT_MEANING:
            call.options[name] = python_value(ctx, x, f"`{name}` of `{spec.name}`")
    return call


def _values(ctx: Context, call: _ParsedCall, dtypes: Dtypes) -> list[Value]:
    """The operands at the dtypes that the function computes in."""
    found = [operand_dtype(ctx, x) for x in call.operands]
    chosen = iter(dtypes([d for i, d in enumerate(found) if i not in call.keep_dtype]))
    return [
        value_of(ctx, x, found[i][0] if i in call.keep_dtype else next(chosen))
        for i, x in enumerate(call.operands)
    ]


def _is_array(name: str, x: Abstract, arrays: tuple[str, ...]) -> bool:
    if is_none(x):
        return False
    return bool({name, f"~{name}"} & {*arrays}) or (
        f"?{name}" in arrays and not isinstance(x, Static)
    )


def python_value(ctx: Context, x: Any, what: str) -> Any:
    """An option as a Python object."""
    if isinstance(x, Static):
        return x.value
    if isinstance(x, SliceValue):
        return slice(*(python_value(ctx, i, what) for i in (x.start, x.stop, x.step)))
    if isinstance(x, dict):
        return {name: python_value(ctx, i, what) for name, i in x.items()}
    if isinstance(x, tuple):
        return tuple(python_value(ctx, i, what) for i in x)
    if isinstance(x, Scalar) or ctx.is_array(x):
        ctx.needs_static(what)
    if isinstance(x, Tuple) or (isinstance(x, Ref) and not isinstance(ctx.contents(x), DictObject)):
        return tuple(python_value(ctx, i, what) for i in ctx.list_items(x))
    ctx.fail(UnsupportedFunction, what=f"{what} that is {ctx.describe(x)}")


# ----- Application


def apply_traced(
    ctx: Context, name: str, layout: tuple, values: Sequence[Value], options: dict[str, Any]
) -> list[Value]:
    """The results of the JAX function for `name`, traced and translated."""
    f = jax_function(name)
    assert f is not None
    for option in options:
        if not accepts_keyword(f, option):
            ctx.fail(UnsupportedFunction, what=f"`{option}=` of `{name}`")
    try:
        closed = trace(FlatCall(f, layout), [v.aval for v in values], options)
    except MyiaError:
        raise
    except NotImplementedError as error:
        ctx.fail(
            UnsupportedFunction, what=f"`{name}` of these arguments", label_text=_first_line(error)
        )
    except (TypeError, ValueError, IndexError, ArithmeticError) as error:
        exception = type(error).__name__
        ctx.fail(Untraceable, message=f"{name}: {_first_line(error)}", exception=exception)
    return translate(closed, values)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def traced_values(name: str) -> Callable[..., Value | list[Value]]:
    """The JAX function for `name` as a function of IR values: see `ufuncs.ufunc`."""

    def emit(*values: Value) -> Value | list[Value]:
        f = jax_function(name)
        assert f is not None
        call = FlatCall(f, ((None, None),) * len(values))
        try:
            closed = trace(call, [v.aval for v in values], {})
        except (TypeError, ValueError, NotImplementedError) as error:
            what = f"`{name}` of {', '.join(sorted({str(v.dtype) for v in values}))}"
            told = UnsupportedFunction(
                span=current_span(), what=what, label_text=_first_line(error)
            )
            raise MyiaError(told) from None
        results = translate(closed, values)
        return results[0] if len(results) == 1 else results

    return defined_by(TRACED, emit)
