"""Short loops of elementwise ops on large arrays: straight-line code where they are reversed."""

import numpy as np
import pytest

import myia
from myia.passes.loops import unroll_over_arrays as this
from myia.passes.loops.unroll_over_arrays import unroll_over_arrays
from myia.pipeline import Options
from tests.passes.before_after import before_after, unchanged

N = 12
COEFFICIENTS = np.array([0.5, -1.0, 0.25, 2.0])


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch):
    monkeypatch.setattr(this, "MIN_ELEMENTS", N)
    monkeypatch.setattr(this, "MIN_ELEMENTS_OF_FUNCTIONS", N)


def polynomial(x):
    return np.sum(np.polyval(COEFFICIENTS, x))


def newton(x):
    y = np.ones_like(x)
    for _ in range(6):
        y = 0.5 * (y + (x * x + 1) / y)
    return np.sum(y * x)


def series(x):
    term, total = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 7):
        total, term = total + term, term * x / k
    return np.sum(total)


def selected(x):
    y, count = x, 0
    for k in range(5):
        y = np.where(y > 0.3 * k, np.sqrt(np.abs(y)), y - 0.1 * np.sin(y))
        count += 1
    return np.sum(y**2) * count


def twice(x):
    for _ in range(2):
        x = x * 1.1
    for _ in range(3):
        x = x - 0.1 * x**2
    return np.sum(x)


def in_place(x):
    y = x.copy()
    for k in range(3):
        y *= x + k
    return np.sum(y)


def of_a_derivative(x):
    return np.sum(myia.grad(newton)(x) ** 2)


FORMS = [polynomial, newton, series, selected, twice, in_place, of_a_derivative]


def without(**options):
    return Options(disable=frozenset({"unroll_over_arrays"}), **options)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("f", FORMS)
def test_gradients(f, dtype):
    rng = np.random.default_rng(0)
    x, v, h = rng.normal(size=N).astype(dtype), rng.normal(size=N), 1e-6
    gradient = myia.grad(f)
    text = str(gradient.ir(x)["finish"])
    assert "for %" not in text
    assert "for %" in str(myia.grad(f, pipeline=without()).ir(x)["finish"])
    found, expected = gradient(x), myia.grad(f, pipeline=without())(x)
    assert found.dtype == expected.dtype == dtype
    close = 1e-12 if dtype == "f8" else 1e-4
    np.testing.assert_allclose(found, expected, rtol=close, atol=close)
    if dtype == "f8":
        steps = (f(x + h * v) - f(x - h * v)) / (2 * h)
        np.testing.assert_allclose(found @ v, steps, rtol=1e-6)
        _, forward = myia.jvp(f, (x,), (v,))
        np.testing.assert_allclose(found @ v, forward, rtol=1e-11)
        _, second = myia.jvp(lambda x: gradient(x), (x,), (v,))
        steps = (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)
        np.testing.assert_allclose(second, steps, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("options", [{"memory": 10**6}, {"checkpoint": "trail"}])
def test_loops_whose_storage_is_planned_stay_loops(options):
    x = np.linspace(0.1, 0.9, N)
    gradient = myia.grad(newton, **options)
    assert "for %" in str(gradient.ir(x)["finish"])
    np.testing.assert_allclose(gradient(x), myia.grad(newton)(x), rtol=1e-12)


@pytest.mark.parametrize("f", [newton, series])
def test_what_is_not_reversed_stays_a_loop(f):
    x, v = np.linspace(0.1, 0.9, N), np.ones(N)
    assert "for %" in str(myia.jit(f).ir(x)["finish"])
    forward = myia.jit(lambda x: myia.jvp(f, (x,), (v,)))
    assert "for %" in str(forward.ir(x)["finish"])


def reversed_loop(count, body):
    return f"""
func @f(%x: f64[12], %n: i64[]) -> f64[12], f64[12] {{
  %s = 1.0: f64[12]
  %y, %ct = derivative vjp wrt (0,) of (0,) (%a = %x, %m = %n) seeds (%s) {{
    %c = {count}: i64[]
    %r = for %k < {"%m" if count == "%m" else "%c"} (%v = %a) bound 20 {{
      {body}
      yield %w
    }}
    yield %r
  }}
  return %y, %ct
}}""".replace("%c = %m: i64[]", "%c = 1: i64[]")


def test_two_iterations(golden):
    golden(before_after(unroll_over_arrays, reversed_loop(2, "%w = mul %v, %a")))


@pytest.mark.parametrize("count", ["%m", str(this.MAX_ITERATIONS + 1)])
def test_many_iterations(count):
    assert unchanged(unroll_over_arrays, reversed_loop(count, "%w = mul %v, %a"))


@pytest.mark.parametrize("function", ["tanh", "sqrt"])
def test_functions_need_larger_arrays(function, monkeypatch):
    monkeypatch.setattr(this, "MIN_ELEMENTS_OF_FUNCTIONS", N + 1)
    text = reversed_loop(2, f"%w = {function} %v")
    assert unchanged(unroll_over_arrays, text) == (function == "tanh")


@pytest.mark.parametrize(
    "body",
    [
        "%w = cumsum %v {axis=0, reverse=False}",
        "%t = reduce_sum %v {axes=(0,)}\n %w = broadcast %t {dims=(), shape=(12,)}",
    ],
)
def test_other_ops(body):
    assert unchanged(unroll_over_arrays, reversed_loop(2, body))
