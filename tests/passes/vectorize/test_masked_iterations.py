"""Independent iterations with branches, and inner loops that end at different times: masked."""

import numpy as np
import pytest

import myia
from myia.passes.vectorize.outer_loop import outer_loop
from myia.pipeline import Options
from tests.passes.before_after import unchanged

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(9, 6)), RNG.normal(size=(6, 6)) / 2.5
N = RNG.integers(-1, 5, 9)
PLAIN = Options(disable=frozenset({"outer_loop"}))


def until(x, w, n):
    for i in range(len(x)):
        y, m = x[i].copy(), 0
        while np.abs(y).max() > 0.3 and m < 60:
            y = np.tanh(w @ y)
            m += 1
        x[i] = y + m
    return x


def counted(x, w, n):
    for i in range(len(x)):
        y = x[i].copy()
        for k in range(n[i]):
            y = np.tanh(w @ y) + k
        x[i] = y
    return x


def branches(x, w, n):
    """Roots of negative numbers are in no result; the loop would not end for these."""
    for i in range(len(x)):
        y = x[i].copy()
        if y[0] > 0:
            z = np.sqrt(y[0]) * (w @ y) / y[0]
            while z @ z > 1e-3 * y[0]:
                z = 0.5 * np.sin(w @ z)
            y = z
        else:
            y = np.exp(y) @ w
        x[i] = y
    return x


def nested(x, w, n):
    for i in range(len(x)):
        y = x[i].copy()
        for _ in range(3):
            while y @ y > 2.0:
                y = 0.7 * np.cos(w @ y)
                if y[0] > 0.2:
                    for _ in range(4):
                        y = np.sin(w @ y)
            y = y + w[0]
        x[i] = y
    return x


@pytest.mark.parametrize("f", [until, counted, branches, nested])
def test_the_same_numbers(f):
    want = f(X.copy(), W, N)
    np.testing.assert_allclose(myia.jit(f, pipeline=PLAIN)(X.copy(), W, N), want, rtol=1e-13)
    np.testing.assert_allclose(myia.jit(f)(X.copy(), W, N), want, rtol=1e-13)
    assert "f64[9,6]" in myia.jit(f).ir(X, W, N)["finish"].partition(" while ")[2] or f is counted


@pytest.mark.parametrize("f", [until, branches])
def test_derivatives(f):
    def loss(x, w):
        return np.sum(np.cos(f(x.copy(), w, N)))

    for by in (0, 1):
        plain = myia.grad(loss, argnums=by, pipeline=PLAIN)(X, W)
        np.testing.assert_allclose(myia.grad(loss, argnums=by)(X, W), plain, rtol=1e-12)
        slopes = myia.jacfwd(loss, argnums=by)(X, W)
        np.testing.assert_allclose(slopes, plain, rtol=1e-11, atol=1e-13)


# ----- Loops that stay

TEXT = """
func @f(%a: f64[9,5], %s: f64[5], %l: f64[]) -> f64[9,5], f64[5] {
  %n = 9: i64[]
  %0 = 0: i64[]
  %a, %s = for %k < %n (%a = %a, %s = %s) bound 9 {
    %1 = dynamic_slice %a, %k, %0 {sizes=(1, 5)}
    %2 = reshape %1 {shape=(5,)}
    %y, %s = while (%y = %2, %s = %s) {
      cond { %t = reduce_sum {read} {axes=(0,)}
        %c = gt %t, %l
        yield %c }
      body { %4 = sin %y
        %5 = add %s, %4 {reassoc=True}
        yield %4, %5 }
    }
    %6 = reshape %y {shape=(1, 5)}
    %7 = dynamic_update_slice %a, %6, %k, %0
    yield %7, %s
  }
  return %a, %s
}"""


def test_a_condition_on_a_sum_over_the_iterations():
    assert not unchanged(outer_loop, TEXT.replace("{read}", "%y"))
    assert unchanged(outer_loop, TEXT.replace("{read}", "%s"))


def test_a_store_under_a_condition():
    def f(x, w, n):
        for i in range(len(x)):
            if x[i, 0] > 0:
                x[i] = np.tanh(w @ np.exp(w @ x[i]))
        return x

    want = f(X.copy(), W, N)
    np.testing.assert_allclose(myia.jit(f)(X.copy(), W, N), want, rtol=1e-13)
