"""Additions into a slice as one op, whose pullback clears nothing."""

import numpy as np
import pytest

import myia
from myia.passes.canonicalize.lowering import lowering
from myia.passes.memory.form_accumulate import form_accumulate
from tests.default_run import every
from tests.passes.before_after import before_after, unchanged


def program(operation: str, store="%i") -> str:
    return f"""
func @f(%a: f64[4,4], %u: f64[], %i: i64[], %j: i64[]) -> f64[4,4] {{
  %1 = dynamic_slice %a, %i, %j {{sizes=(1, 1)}}
  %2 = reshape %1 {{shape=()}}
  %3 = {operation}
  %4 = reshape %3 {{shape=(1, 1)}}
  %b = dynamic_update_slice %a, %4, {store}, %j
  return %b
}}"""


def test_formed_and_expanded(golden):
    golden(before_after(lambda f: lowering(form_accumulate(f)), program("sub %2, %u")))


@pytest.mark.parametrize("operation", ["add %2, %u", "add %u, %2", "add %2, %2", "sub %2, %u"])
def test_additions_into_a_slice(operation):
    assert "dynamic_update_add" in before_after(form_accumulate, program(operation))


def test_other_stores():
    assert unchanged(form_accumulate, program("mul %2, %u"))
    assert unchanged(form_accumulate, program("sub %u, %2"))
    assert unchanged(form_accumulate, program("add %2, %u", store="%j"))


def test_the_cotangent_of_an_accumulated_array_is_not_written():
    def f(a, b, c):
        c = c.copy()
        for i in range(5):
            for j in range(5):
                c[j] += a[i, j] * b[i]
        return c @ c

    text = myia.grad(f).ir(np.ones((5, 5)), np.ones(5), np.ones(5))["finish"]
    stores = [line for line in text.splitlines() if "f64[5] = dynamic_update_slice" in line]
    assert len(stores) == 1, "c going forwards; back only the cotangent of a is written"


@pytest.mark.parametrize("order", every(2, [1, 2]))
def test_gradients(order):
    def f(a, x):
        a, x = a.copy(), x.copy()
        for i in range(3):
            for j in range(3):
                x[j] += np.sin(x[i]) * a[i, j]
                x[(i + j) % 3] -= x[j] * x[i]
                a[j, i] = a[j, i] + a[i, j] * a[j, i]
            x[1:] -= 0.5 * x[:-1]
        return np.sum(a) + x @ x

    rng = np.random.default_rng(0)
    a, x = rng.uniform(0.2, 0.6, (3, 3)), rng.uniform(0.2, 0.6, 3)
    assert myia.jit(f)(a, x) == pytest.approx(f(a, x), rel=1e-13)
    myia.check_grads(f, (a, x), order=order)
