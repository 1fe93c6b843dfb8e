"""Extrema that cancel out: where that is proved, where not; the derivatives of both."""

import numpy as np
import pytest

import myia
from myia.ir.parser import parse
from myia.passes.idioms.shift_invariance import shift_invariance
from tests.passes.before_after import before_after, unchanged

LOG_SUM_EXP = """
func @f(%x: f64[6]) -> f64[] {
  %m = reduce_max %x {axes=(0,)}
  %1 = broadcast %m {dims=(), shape=(6,)}
  %z = sub %x, %1
  %e = exp %z
  %s = reduce_sum %e {axes=(0,)}
  %l = log %s
  %y = add %m, %l
  return %y
}"""


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def of_softmax(x):
    return np.sum(np.sin(softmax(x.reshape(3, 4))) * np.arange(12.0).reshape(3, 4))


def of_log_softmax(x):
    z = x.reshape(3, 4) - np.max(x.reshape(3, 4), axis=0)
    return np.sum(np.cos(z - np.log(np.sum(np.exp(z), axis=0))))


def attention(x):
    q = x.reshape(3, 2, 2)
    scores = np.einsum("hid,hjd->hij", q, q)
    mask = np.tril(np.ones((2, 2))) > 0
    scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - np.max(scores, axis=2, keepdims=True))
    mixed = np.einsum("hij,hjd->hid", weights, q) / np.sum(weights, axis=2, keepdims=True)
    return np.sum(mixed**3)


def guarded(x):
    m = np.max(x)
    m = np.where(np.isfinite(m), m, 0.0)
    return m + np.log(np.sum(np.where(x > -1.0, np.exp(x - m), 0.0)))


def weighted(x):
    m = np.max(x)
    return np.log(np.sum(np.cos(x) ** 2 * np.exp(x - m))) + m


def of_minimum(x):
    e = np.exp(np.min(x) - x)
    return np.sum(e * e) / np.sum(e) ** 2


def also_read(x):  # the maximum is read besides
    return log_sum_exp(x) + x.max()


def other_axis(x):  # the sum mixes what different maxima were subtracted from
    x = x.reshape(3, 4)
    return np.log(np.sum(np.exp(x - np.max(x, axis=0)), axis=1)).sum()


def scaled(x):  # nothing cancels
    m = np.max(x)
    return m + 2 * np.log(np.sum(np.exp(x - m)))


def squared(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m) ** 2))


def compared(x):
    m = np.max(x)
    e = np.exp(x - m)
    return np.sum(np.where(e > 0.5, e, 0.0)) / np.sum(e)


CANCELS = [log_sum_exp, of_softmax, of_log_softmax, attention, guarded, weighted, of_minimum]
REMAINS = [also_read, other_axis, scaled, squared, compared]
X = np.random.default_rng(3).normal(size=12)


def test_log_sum_exp(golden):
    golden(before_after(shift_invariance, LOG_SUM_EXP))


def test_it_runs_once():
    once = shift_invariance(parse(LOG_SUM_EXP))
    assert shift_invariance(once) is once


@pytest.mark.parametrize(
    "changed",
    [
        ("return %y", "return %l"),
        ("%y = add %m, %l", "%y = sub %m, %l"),
        ("%y = add %m, %l", "%y = mul %m, %l"),
        ("%e = exp %z", "%e = sin %z"),
        ("%1 = broadcast %m {dims=(), shape=(6,)}\n  %z = sub %x, %1", "%z = add %x, %x"),
    ],
)
def test_what_does_not_cancel_stays(changed):
    assert unchanged(shift_invariance, LOG_SUM_EXP.replace(*changed))


def extremum_is_differentiated(f) -> bool:
    texts = myia.grad(f).ir(X)
    return " eq " in texts["finish"]


@pytest.mark.parametrize("f", CANCELS)
def test_no_derivative_where_it_cancels(f):
    assert not extremum_is_differentiated(f)


@pytest.mark.parametrize("f", REMAINS)
def test_a_derivative_where_it_does_not(f):
    assert extremum_is_differentiated(f)


@pytest.mark.parametrize("f", CANCELS + REMAINS)
def test_derivatives(f):
    assert float(myia.jit(f)(X)) == pytest.approx(f(X), rel=1e-14)
    gradient, v, h = myia.grad(f), np.cos(np.arange(12.0)), 1e-6
    step = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(12)]
    np.testing.assert_allclose(gradient(X), step, rtol=1e-7, atol=1e-8)
    _, slope = myia.jvp(f, (X,), (v,))
    assert float(slope) == pytest.approx(float(gradient(X) @ v), rel=1e-12)
    step = (gradient(X + h * v) - gradient(X - h * v)) / (2 * h)
    _, second = myia.jvp(gradient, (X,), (v,))
    np.testing.assert_allclose(second, step, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("x", [np.array([1.0, np.nan, 2.0]), np.array([1.0, np.inf, 2.0])])
def test_what_is_not_a_number_spreads(x):
    assert np.isnan(myia.grad(log_sum_exp)(x)).all()


def test_equal_maxima():
    np.testing.assert_allclose(myia.grad(log_sum_exp)(np.ones(4)), np.full(4, 0.25), rtol=1e-15)
