"""Functions of `scipy.linalg` with primitives: the exponential, the polar decomposition."""

from __future__ import annotations

from types import ModuleType

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.values import NONE, TRUE, Abstract, Static, Tuple
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.registry import function, when_imported
from myia.ir.core import Value
from myia.library.support.arguments import numeric, static_flag, static_value, value_of
from myia.library.support.traced import Dtypes, array_of, double, lapack, one_inexact
from myia.primitives.linalg import matrix_functions
from myia.primitives.linalg.matrix_functions import expm_derivative

RIGHT = Static("right")


@when_imported("scipy.linalg")
def _register(module: ModuleType) -> None:
    function(module.expm)(_expm)
    function(module.expm_frechet)(_expm_frechet)
    function(module.polar)(_polar)


def _expm(ctx: Context, A: Abstract) -> Abstract:
    (a,) = _matrices(ctx, one_inexact, A)
    return array_of(ctx, matrix_functions.expm(a))


def _expm_frechet(
    ctx: Context,
    A: Abstract,
    E: Abstract,
    method: Abstract = NONE,
    compute_expm: Abstract = TRUE,
    check_finite: Abstract = TRUE,
) -> Abstract:
    """All methods of SciPy give the same numbers."""
    a, e = _matrices(ctx, double, A, E)
    if a.aval != e.aval:
        ctx.fail(BadValue, message="expected A and E to be the same shape")
    derivative = array_of(ctx, expm_derivative(a, e))
    if not static_flag(ctx, compute_expm, "`compute_expm`"):
        return derivative
    return Tuple((array_of(ctx, matrix_functions.expm(a)), derivative))


def _polar(ctx: Context, a: Abstract, side: Abstract = RIGHT) -> Abstract:
    which = static_value(ctx, side, "`side`")
    if which not in ("right", "left"):
        ctx.fail(BadValue, message="`side` must be either 'right' or 'left'")
    (x,) = _matrices(ctx, lapack, a, square=False)
    return Tuple(tuple(array_of(ctx, y) for y in matrix_functions.polar(x, left=which == "left")))


def _matrices(ctx: Context, dtypes: Dtypes, *arrays: Abstract, square: bool = True) -> list[Value]:
    """Matrices, or batches of them, at the dtypes that SciPy computes in."""
    xs = [numeric(ctx, x) for x in arrays]
    for x in xs:
        shape = ctx.shape(x)
        if len(shape) < 2 or (square and shape[-1] != shape[-2]):
            message = f"expected {'a square' if square else 'a'} matrix, not the shape {shape}"
            ctx.fail(BadValue, message=message)
    chosen = dtypes([operand_dtype(ctx, x) for x in xs])
    return [value_of(ctx, x, dtype) for x, dtype in zip(xs, chosen)]
