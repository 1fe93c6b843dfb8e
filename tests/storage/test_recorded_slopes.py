"""Slopes that XLA would compute again in each fused loop are recorded, not recomputed."""

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.primitives.core.structured import loop_p
from tests.zoo.reference_calls import ReferenceCalls


def pendulum(angle, speed):
    for _ in range(50):
        middle = angle + 0.01 * speed
        speed = speed - 0.2 * np.sin(middle)
        angle = angle + 0.02 * speed
    return angle


def turns(x, y):
    for _ in range(20):
        y = y - 0.2 * np.cos(x + 0.01 * y)
        x = x * 1.01 + 0.02 * y
    return x * y


@pytest.mark.parametrize(
    "f, slopes", [(pendulum, ("cos",)), (turns, ("sin",))], ids=["pendulum", "turns"]
)
def test_the_adjoint_loop_reads_slopes(f, slopes):
    gradient = myia.grad(f, argnums=(0, 1))
    run = ReferenceCalls(gradient)
    found = run(0.7, 0.3)
    loops = [op for op in walk(run.found[0].stages[-1].region) if op.primitive is loop_p]
    ops = [{op.primitive.name for r in loop.regions for op in walk(r)} for loop in loops]
    assert len(loops) == 2
    assert ops[0].issuperset(slopes) and ops[1].isdisjoint(slopes)
    h = 1e-6
    want = [(f(0.7 + h, 0.3) - f(0.7 - h, 0.3)) / (2 * h)]
    want.append((f(0.7, 0.3 + h) - f(0.7, 0.3 - h)) / (2 * h))
    np.testing.assert_allclose(found, want, rtol=1e-8)
    np.testing.assert_allclose(gradient(0.7, 0.3), found, rtol=1e-13)


def test_complex_slopes_are_recomputed():
    """XLA does not compute these twice: what is recorded is what the forward loop has."""

    def f(z):
        for _ in range(20):
            z = z + 0.1 * np.sin(z)
        return (z * np.conj(z)).real

    z = np.complex128(0.3 + 0.2j)
    h = 1e-6
    by_x, by_y = ((f(z + h * e) - f(z - h * e)) / (2 * h) for e in (1.0, 1j))
    np.testing.assert_allclose(myia.grad(f)(z), by_x - 1j * by_y, rtol=1e-8)
