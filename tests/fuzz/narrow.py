"""Random programs in float32: values against NumPy's float32, gradients against float64.

Two correct programs round differently. NumPy tells how much that matters: it runs the program in
float32 and, on the same numbers, in float64. Where these differ by more than a few roundings
(another branch taken, a cancellation), nothing is compared.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.fuzz.comparisons import Mismatch, Skip, alike, assert_same, vector
from tests.fuzz.grammar.generator import Program
from tests.fuzz.harness import Case, Checks, Report, guarded
from tests.fuzz.programs import ACTIVE, random_arguments

EPS = float(np.finfo(np.float32).eps)
VALUE_RTOL = 16 * EPS
GRADIENT_RTOL = 128 * EPS
NUDGE = 4 * EPS  # perturbation of the arguments, to estimate the effect of rounding on a gradient


def of_dtype(args: tuple, dtype: type) -> tuple:
    """The arguments of floats as numbers and arrays of `dtype`."""
    new = list(args)
    for i in ACTIVE:
        new[i] = np.asarray(args[i]).astype(dtype)[()]
    return tuple(new)


def nudged(args: tuple, rng: np.random.Generator) -> tuple:
    new = list(args)
    for i in ACTIVE:
        new[i] = args[i] * (1 + NUDGE * rng.choice([-1.0, 1.0], size=np.shape(args[i])))
    return tuple(new)


def difference(a: Any, b: Any) -> float:
    """The greatest difference, relative to the greatest number or 1."""
    x, y = vector(a), vector(b)
    if x.shape != y.shape:
        return np.inf
    return float(np.max(np.abs(x - y), initial=0.0) / np.max(np.abs(y), initial=1.0))


class NarrowCase(Case):
    def check(self, args: tuple) -> None:
        narrow, wide = of_dtype(args, np.float32), of_dtype(args, np.float64)
        want = self.calls.in_python(self.f, narrow)
        exact = self.calls.in_python(self.f, wide)
        if type(want.error) is not type(exact.error):
            raise Skip("float32 takes another path")
        if want.error is None and difference(want.result, exact.result) > VALUE_RTOL / 4:
            raise Skip("float32 is not enough")
        self.check_value(self.reference(self.f), narrow, want)
        if want.error is None:
            self.check_narrow_gradient(narrow, wide)

    def check_value(self, run, args: tuple, want) -> None:
        got = self.calls.outcome(run, args)
        if not alike(got.error, want.error):
            raise Mismatch("error", f"{got.error!r}, not {want.error!r}; {got.result}")
        if want.error is None:
            assert_same(got.result, want.result, "value", VALUE_RTOL, wider=True)
            assert_same(got.args, want.args, "arguments", VALUE_RTOL)
        self.report.counts["values"] += 1

    def check_narrow_gradient(self, narrow: tuple, wide: tuple) -> None:
        gradient = self.reference(self.derivatives.gradient)
        want = vector(self.calls.result(gradient, wide))
        rng = np.random.default_rng(0)
        near = [vector(self.calls.result(gradient, nudged(wide, rng))) for _ in range(3)]
        noise = max(difference(other, want) for other in near)
        if noise > GRADIENT_RTOL / 4:
            raise Skip("the gradient is steep")
        got = self.calls.result(gradient, narrow)
        for g, x in zip(got, (narrow[i] for i in ACTIVE), strict=True):
            if np.asarray(g).dtype != np.float32 or np.shape(g) != np.shape(x):
                raise Mismatch("gradient", f"{g!r} of {x!r}")
        if not difference(got, want) <= GRADIENT_RTOL:
            raise Mismatch("gradient", f"{vector(got)!r}, not {want!r}")
        self.report.counts["derivatives"] += len(want)


def check_narrow(program: Program, seed: int) -> Report:
    """Raise unless the compiled float32 program does the same as NumPy, or is refused."""
    report, rng = Report(), Random(seed)
    case = NarrowCase(program, Checks(), report)
    return guarded(case, [random_arguments(rng) for _ in range(2)], report)
