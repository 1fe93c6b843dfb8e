"""Derivatives of functions that call the host: each call is made once, as Python makes it."""

from __future__ import annotations

import numpy as np
import pytest

import myia

LOG = []


@pytest.fixture(autouse=True)
def _empty_log():
    LOG.clear()


@myia.host(like=0.0)
def draw(i):
    LOG.append(("draw", i))
    return [0.5, 1.5, 2.5, -1.0][i % 4]


@myia.host(like=None)
def log(*args):
    LOG.append(args)


@myia.host(like=(0, np.zeros(2)))
def pair(n):
    LOG.append(("pair", n))
    return n % 3, np.array([n, 0.5])


@myia.host(like=0.0)
def sin(x):
    LOG.append(("sin", x))
    return np.sin(x)


@myia.host(like=0.0)
def cos(x):
    LOG.append(("cos", x))
    return np.cos(x)


def straight(x):
    log("start")
    y = draw(1) * x
    k, v = pair(4)
    return y * x + v[0] * x + k * np.sin(x) + draw(int(k))


def branches(x, n=5):
    s = 0.0
    for i in range(n):
        if i % 2 == 0 or x > 1.23:
            s += draw(i) * np.sin(x)
        x = x * 1.01
        log(i, float(myia.stop_gradient(s)))
    return s


def nested(x):
    s = 0.0
    for i in range(3):
        for j in range(i + 1):
            s = s + draw(i + j) * x**2
            if j == 1:
                s = s * (1.0 + pair(j)[1][1])
        x = x + 0.1 * draw(i)
    return s


def while_loop(x):
    for _ in myia.bounded(range(10**9), 20):
        if x > 100:
            break
        x = x * x + draw(0)
    return x


def no_derivative_through_the_loop(x):
    n, t = 0, 0.0
    while t < 5.0:
        t = t + abs(draw(n))
        n += 1
    return x * x * n


def cut(x):
    return x * sin(myia.stop_gradient(x))


def arrays(x):
    v = np.array([x, x * x, 1.0])
    for i in range(3):
        v[i] = v[i] * draw(i)
        v = v + pair(i)[1][1]
    return np.sum(v * v)


def rematerialized(x):
    return myia.checkpoint(branches)(x) * x


FUNCTIONS = [
    straight, branches, nested, while_loop, no_derivative_through_the_loop, arrays, rematerialized
]  # fmt: skip


def difference(f, x, h=1e-4):
    found = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)
    LOG.clear()
    return found


def rounded(log):
    return [tuple(x if isinstance(x, str) else round(x, 9) for x in record) for record in log]


def check(f, wanted_log, found, want, rtol=1e-7):
    assert rounded(LOG) == rounded(wanted_log) and LOG
    np.testing.assert_allclose(found, want, rtol=rtol)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_first_derivatives(f):
    x = 1.2
    want = f(x), difference(f, x)
    f(x)
    wanted_log = list(LOG)
    LOG.clear()
    check(f, wanted_log, myia.value_and_grad(f)(x), want)
    LOG.clear()
    check(f, wanted_log, myia.jvp(f, (x,), (1.0,)), want)


@pytest.mark.parametrize(
    "f",
    [
        f if f in (straight, while_loop) else pytest.param(f, marks=pytest.mark.slow)
        for f in FUNCTIONS
    ],
)
def test_second_derivatives(f):
    x = 1.2
    want = difference(lambda x: difference(f, x), x, h=1e-3)
    f(x)
    wanted_log = list(LOG)
    LOG.clear()
    check(f, wanted_log, myia.grad(myia.grad(f))(x), want, rtol=1e-5)
    LOG.clear()
    check(f, wanted_log, myia.jvp(myia.grad(f), (x,), (1.0,))[1], want, rtol=1e-5)


@pytest.mark.parametrize("checkpoint", ["tape", "trail", "recompute"])
@pytest.mark.parametrize("f", [nested, while_loop])
def test_records_in_every_storage(f, checkpoint):
    want = difference(f, 1.2)
    f(1.2)
    wanted_log = list(LOG)
    LOG.clear()
    check(f, wanted_log, myia.grad(f, checkpoint=checkpoint)(1.2), want)


def test_a_cut_derivative():
    assert myia.grad(cut)(1.2) == np.sin(1.2) and LOG == [("sin", 1.2)]


# ----- Rules that call the host


def with_jvp():
    f = myia.custom_jvp(lambda x: sin(x))
    f.defjvp(lambda primals, tangents: (f(*primals), cos(primals[0]) * tangents[0]))
    return f


def with_slope_as_residual():
    f = myia.custom_vjp(lambda x: sin(x))
    f.defvjp(lambda x: (sin(x), cos(x)), lambda slope, ct: (ct * slope,))
    return f


def with_call_in_the_backward_rule():
    f = myia.custom_vjp(lambda x: sin(x))
    f.defvjp(lambda x: (f(x), x), lambda x, ct: (ct * cos(x),))
    return f


RULED = [with_jvp, with_slope_as_residual, with_call_in_the_backward_rule]


@pytest.mark.parametrize("make", RULED)
def test_rules(make):
    q = make()
    value, slope = myia.value_and_grad(lambda x: q(x) * x if x > 0 else x)(1.2)
    np.testing.assert_allclose([value, slope], [np.sin(1.2) * 1.2, np.sin(1.2) + 1.2 * np.cos(1.2)])
    assert LOG == [("sin", 1.2), ("cos", 1.2)]


@pytest.mark.parametrize("checkpoint", ["auto", "trail"])
@pytest.mark.parametrize("make", RULED[:2])
def test_rules_in_loops(make, checkpoint):
    q = make()

    def loss(f, x):
        for i in range(4):
            x = f(x) + 0.1 * draw(i)
        return x

    want = difference(lambda x: loss(np.sin, x), 1.2)
    found = myia.grad(lambda x: loss(q, x), checkpoint=checkpoint)(1.2)
    np.testing.assert_allclose(found, want, rtol=1e-7)
    assert [record[0] for record in LOG] == ["sin", "cos", "draw"] * 4


def test_rules_of_second_order():
    slope = myia.custom_jvp(lambda x: cos(x))
    slope.defjvp(lambda primals, tangents: (slope(*primals), -sin(primals[0]) * tangents[0]))
    q = myia.custom_jvp(lambda x: sin(x))
    q.defjvp(lambda primals, tangents: (q(*primals), slope(primals[0]) * tangents[0]))
    found = myia.grad(myia.grad(lambda x: q(x) * x))(1.2)
    np.testing.assert_allclose(found, 2 * np.cos(1.2) - 1.2 * np.sin(1.2), rtol=1e-12)
    with pytest.raises(myia.MyiaError, match="`cos` runs on the host, so it has no derivative"):
        myia.grad(myia.grad(with_jvp()))(1.2)


def test_a_rule_where_no_derivative_flows():
    q = with_jvp()
    assert myia.grad(lambda x: x * q(0.5))(1.2) == np.sin(0.5) and LOG == [("sin", 0.5)]
    LOG.clear()
    outer = myia.grad(lambda y: myia.grad(lambda x: x * q(y))(2.0))
    assert outer(0.5) == np.cos(0.5) and LOG == [("sin", 0.5), ("cos", 0.5)]


def test_in_a_training_step():
    @myia.jit
    def train(w, n):
        for step in range(n):
            loss, g = myia.value_and_grad(lambda w, k: np.sum((w - draw(k)) ** 2))(w, step)
            w = w - 0.1 * g
            log(step, float(loss))
        return w

    w = np.zeros(2)
    for step in range(6):
        w = w - 0.2 * (w - draw(step))
    LOG.clear()
    np.testing.assert_allclose(train(np.zeros(2), 6), w, rtol=1e-12)
    assert [record[0] for record in LOG] == [x for step in range(6) for x in ("draw", step)]
