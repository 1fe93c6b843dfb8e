"""What `scipy.linalg` raises, where a handler may catch it.

    try:                                     check: a is not finite; cholesky(a) is NaN
        c = scipy.linalg.cholesky(a)   ->    if no error: c = cholesky(a)
    except ValueError: ...

Its texts depend on the version of SciPy: it is asked for that of a matrix of one zero.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from myia.infer.domain.checks import Check
from myia.infer.domain.context import Context
from myia.infer.domain.values import FALSE, NONE, TRUE, Abstract, Static, Tuple
from myia.infer.numeric.float_checks import raise_where
from myia.infer.registry import raises, when_imported
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.library.numpy import linalg_errors as lapack
from myia.library.numpy.linalg_errors import Call
from myia.library.support.arguments import static_flag, value_of
from myia.primitives.linalg.matrix_formulas import diagonal
from myia.primitives.pointwise import logic
from myia.source.hidden import HIDDEN

NOT_FINITE = ValueError("array must not contain infs or NaNs")
LinAlgError = np.linalg.LinAlgError


@when_imported("scipy.linalg")
def _register(module: ModuleType) -> None:
    public = (getattr(module, name) for name in module.__all__)
    for f in filter(inspect.isfunction, public):
        if "check_finite" in inspect.signature(f).parameters:
            raises(ValueError, f)(_finite)
    text = _text(module.inv, np.zeros((1, 1)))
    singular = LinAlgError(text)

    def solve(ctx: Context, call: Call, a: Abstract, b: Abstract, **options: Abstract) -> None:
        (x, _), kind = lapack.operands(ctx, a, b), options.get("assume_a", NONE)
        if isinstance(kind, Static) and kind.value in ("pos", "positive definite"):
            ctx.call(Static(module.cholesky), (a,), {})
        elif x.shape[-1] != x.shape[-2]:
            call()  # which has its own error
        elif x.aval.size:
            raise_where(ctx, lapack.is_singular(ctx, x), singular)

    def inv(ctx: Context, call: Call, a: Abstract, **options: Abstract) -> None:
        solve(ctx, call, a, a, **options)

    raises(LinAlgError, module.solve)(solve)
    raises(LinAlgError, module.inv)(inv)
    raises(LinAlgError, module.cholesky)(_cholesky)
    raises(LinAlgError, module.solve_triangular)(_triangular)


def _text(f: Callable, *args: Any) -> str:
    try:
        f(*args)
    except LinAlgError as error:
        return str(error)
    raise AssertionError(f)


def _finite(ctx: Context, call: Call, *args: Abstract, **options: Abstract) -> None:
    if static_flag(ctx, options.get("check_finite", TRUE), "`check_finite`"):
        for x in _floats(ctx, args):
            raise_where(ctx, lapack.not_finite(ctx, x), NOT_FINITE)


def _floats(ctx: Context, args: tuple[Abstract, ...]) -> Iterator[Value]:
    for x in args:
        if isinstance(x, Tuple):
            yield from _floats(ctx, x.items)
        elif ctx.is_array(x) and (value := ctx.read(x)).dtype.kind in "fc":
            yield value


def _cholesky(ctx: Context, call: Call, a: Abstract, **options: Abstract) -> None:
    (x,) = lapack.operands(ctx, a)
    if x.aval.size:
        failed = lapack.not_positive(ctx, x, value_of(ctx, call()))
        _raise_numbered(
            ctx, failed, f"{HIDDEN}-th leading minor of the array is not positive definite"
        )


def _triangular(
    ctx: Context,
    call: Call,
    a: Abstract,
    b: Abstract,
    trans: Abstract = NONE,
    lower: Abstract = FALSE,
    unit_diagonal: Abstract = FALSE,
    **options: Abstract,
) -> None:
    if not static_flag(ctx, unit_diagonal, "`unit_diagonal`"):
        failed = ctx.any(logic.eq(diagonal(lapack.operands(ctx, a, b)[0]), 0))
        text = f"singular matrix: resolution failed at diagonal {HIDDEN}"
        _raise_numbered(ctx, failed, text)


def _raise_numbered(ctx: Context, failed: Value, text: str) -> None:
    """A `LinAlgError` whose text has a number that is not computed."""
    ctx.add_check(failed, Check(LinAlgError, text, current_span()))
