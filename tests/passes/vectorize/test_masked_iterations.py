"""Independent iterations with branches, and inner loops that end at different times: masked."""

import numpy as np
import pytest

import myia
from myia.passes.vectorize.outer_loop import MAX_MASKED_EXAMPLES, MIN_WIDTH, outer_loop
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


# ----- Scalars, under `vmap`


def halved(x, n):
    """The number of steps differs, and is zero for some."""
    k, total = n, 0.0
    while abs(x) > 0.5 and k < 9:
        x = x / (1 + abs(x)) + 0.125 * np.sin(x)
        total += 1 / x
        k += 3
    return total, k, x


def nested_searches(x, n):
    steps = 0
    while x > 0.1 * n:
        y = x
        while y > 0.3:
            y = 0.5 * y
            steps += 1
        x = x - y
    return x, steps, x


@pytest.mark.parametrize("f", [halved, nested_searches])
@pytest.mark.parametrize(("size", "dtype"), [(3, float), (7, float), (67, float), (33, np.float32)])
def test_examples_that_end_at_different_steps(f, size, dtype):
    rng = np.random.default_rng(size)
    x, n = rng.uniform(-2, 3, size).astype(dtype), rng.integers(1, 12, size)
    x[0] = -1.0
    batched = myia.vmap(f)
    want = [np.array(column) for column in zip(*map(f, x, n))]
    for y, z in zip(batched(x, n), want, strict=True):
        np.testing.assert_allclose(y, z, 1e-13 if dtype is float else 1e-5)
    strip = f"bool[{min(size, MAX_MASKED_EXAMPLES)}]"
    assert (strip in batched.ir(x, n)["finish"]) == (size >= MIN_WIDTH and f is halved)
    slope = myia.grad(lambda v, i: f(v, i)[0])
    slopes = myia.vmap(slope)(x, n)
    np.testing.assert_allclose(slopes, list(map(slope, x, n)), 1e-12 if dtype is float else 1e-4)


def test_scalars_of_a_loop_run_one_by_one():
    """Each iteration takes the time of its own steps."""

    def search(x, n):
        for i in range(len(x)):
            x[i] = halved(x[i], n[i])[0]
        return x

    x, n = np.linspace(-2, 3, 40), np.arange(40)
    assert "bool[32]" not in myia.jit(search).ir(x, n)["finish"]


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
