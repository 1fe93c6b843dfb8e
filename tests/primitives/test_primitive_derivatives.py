"""Every rule, forward and reverse, first and second order, against differences of NumPy's values.

Tangent and cotangent spaces pair by <a, b> = sum Re(a b), without conjugation: JAX's convention,
under which one formula serves real, complex and mixed operations.
"""

from __future__ import annotations

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region, emit
from myia.ir.core import Region
from myia.ir.primitive import NONDIFFERENTIABLE
from myia.primitives.core.define import array_constant
from tests.primitives.case import Case, sample
from tests.primitives.cases import CASES
from tests.primitives.derivatives import active, jvp, vjp

STEP = 1e-5


def differentiable(case: Case) -> bool:
    """In double precision, with a differentiable operand and a differentiable result."""
    avals = [aval_of(x) for x in case.inputs]
    ys = case.primitive.avals(*avals, **case.params)
    wide = all(a.dtype.char in "dD" for a in (*avals, *ys) if a.differentiable)
    nonempty = all(a.size for a in avals)
    ends = any(a.differentiable for a in avals) and any(y.differentiable for y in ys)
    declared = case.primitive.derivative is not NONDIFFERENTIABLE
    finite = all(np.all(np.isfinite(x)) for x in case.inputs)
    return case.order > 0 and wide and nonempty and ends and declared and finite


SMOOTH = {
    name: [c for c in cases if differentiable(c)]
    for name, cases in CASES.items()
    if any(map(differentiable, cases))
}


def moving(case: Case) -> list[np.ndarray]:
    """The operands that are not held constant."""
    return [x for i, x in enumerate(case.inputs) if i not in case.held]


def region_of(case: Case) -> Region:
    def body(*args):
        rest = iter(args)
        operands = [
            array_constant(x) if i in case.held else next(rest) for i, x in enumerate(case.inputs)
        ]
        return emit(case.primitive, *operands, **case.params)

    return build_region([aval_of(x) for x in moving(case)], body)


def directions(values, seed: int) -> list[np.ndarray]:
    """A direction for each differentiable one of `values` (anything with an aval)."""
    chosen = [values[i].aval for i in active(values)]
    return [sample(a.shape, a.dtype, -1, 1, seed + k) for k, a in enumerate(chosen)]


def moved(region: Region, inputs, ts, distance: float) -> list:
    """The differentiable results at `inputs` moved along `ts`."""
    inputs = list(inputs)
    for i, t in zip(active(region.args), ts):
        inputs[i] = inputs[i] + np.asarray(distance * t, inputs[i].dtype)
    ys = evaluate(region, inputs)
    return [ys[i] for i in active(region.yields)]


def central_difference(region: Region, inputs, ts) -> list[np.ndarray]:
    ahead, behind = (moved(region, inputs, ts, d) for d in (STEP, -STEP))
    return [(a - b) / (2 * STEP) for a, b in zip(ahead, behind)]


def pair(xs, ys) -> float:
    return sum(float(np.sum(np.real(x * y))) for x, y in zip(xs, ys, strict=True))


def check(region: Region, inputs, what: str, order: int) -> None:
    """Forward against differences, reverse against forward; then the same of both, `order` deep."""
    forward, reverse = jvp(region), vjp(region)
    ts, cts = directions(region.args, 10), directions(region.yields, 20)
    tangents = evaluate(forward, [*inputs, *ts])
    for t, d in zip(tangents, central_difference(region, inputs, ts), strict=True):
        np.testing.assert_allclose(t, d, rtol=1e-5, atol=1e-6, err_msg=f"forward: {what}")
    pulled = evaluate(reverse, [*inputs, *cts])
    left, right = pair(cts, tangents), pair(pulled, ts)
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9, err_msg=f"reverse: {what}")
    if order > 1:
        check(reverse, [*inputs, *cts], f"reverse of {what}", order - 1)
        check(forward, [*inputs, *ts], f"forward of {what}", order - 1)


@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_rules(name):
    for case in SMOOTH[name]:
        check(region_of(case), moving(case), f"{case} {case.params}", case.order)


def test_every_derivative_is_tried():
    """A rule is tested only by cases that have a derivative: each has one."""
    for name, cases in CASES.items():
        tried = any(case.order > 0 for case in cases)
        if tried and cases[0].primitive.derivative is not NONDIFFERENTIABLE:
            assert name in SMOOTH, name


@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_single_precision_stays_single(name):
    """Rules introduce no other dtype: the shape rules of what they emit would refuse it."""
    for case in CASES[name]:
        if any(x.dtype in (np.float32, np.complex64) for x in case.inputs):
            region = region_of(case)
            if active(region.yields) and case.order > 1:
                jvp(vjp(region)), vjp(jvp(region))
            elif active(region.yields):
                jvp(region), vjp(region)
