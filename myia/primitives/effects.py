"""Operations that are done for their effect, once and in order."""

from __future__ import annotations

import jax
import numpy as np

from myia.ir.builder import emit
from myia.ir.core import Value
from myia.ir.primitive import NONDIFFERENTIABLE, Primitive


def _print(fmt: str, *xs) -> None:
    print(fmt.format(*(np.asarray(x)[()] for x in xs)))


def _lower_print(*xs, fmt):
    jax.debug.callback(lambda *ys: _print(fmt, *ys), *xs, ordered=True)
    return ()


def _evaluate_print(*xs, fmt):
    _print(fmt, *xs)
    return ()


debug_print_p = Primitive(
    name="debug_print",
    avals=lambda *xs, fmt: (),
    lower=_lower_print,
    evaluate=_evaluate_print,
    derivative=NONDIFFERENTIABLE,
    effect=True,
)


def debug_print(fmt: str, *xs: Value) -> None:
    """Print `fmt.format(*xs)` when the program runs."""
    emit(debug_print_p, *xs, fmt=fmt)
