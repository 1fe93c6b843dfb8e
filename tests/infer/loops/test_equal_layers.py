"""Loops over lists of equal arrays: short code is repeated, long code is one loop."""

import numpy as np
import pytest

import myia

RNG = np.random.default_rng(0)


def layers(count, size=3):
    return [(0.5 * RNG.normal(size=(size, size)), RNG.normal(size=size)) for _ in range(count)]


def tanh(params, x):
    for w, b in params:
        x = np.tanh(w @ x + b)
    return np.sum(x**2)


def numbered(params, x):
    for i, (w, b) in enumerate(params):
        x = np.sin(w @ x + i * b)
    return x @ x


def by_index(params, x):
    for i in range(len(params)):
        w, b = params[i]
        x = np.tanh(w @ x + b)
    return np.sum(x**2)


def until(params, x):
    for w, b in params:
        x = np.tanh(w @ x + b)
        if x[0] < -0.9:
            break
    return np.sum(x**2)


def written(params, x):
    for w, b in params:
        b[0] = 2.0 * x[0]
        x = np.tanh(w @ x + b)
    return np.sum(x**2) + params[1][1][0]


def has_loop(f, *args):
    return " = for " in myia.jit(f).ir(*args)["finish"]


@pytest.mark.parametrize("f", [tanh, numbered, by_index, until, written])
def test_values_and_derivatives(f):
    params, x = layers(12), RNG.normal(size=3)

    def of_copies(params, x):
        return f([(w, b.copy()) for w, b in params], x)

    value, grads = myia.value_and_grad(f, argnums=(0, 1))(params, x)
    np.testing.assert_allclose(value, of_copies(params, x), rtol=1e-12)
    step = 1e-6 * RNG.normal(size=3)
    sides = [
        of_copies([params[0], (params[1][0], params[1][1] + s * step), *params[2:]], x)
        for s in (1, -1)
    ]
    np.testing.assert_allclose(
        grads[0][1][1] @ step, (sides[0] - sides[1]) / 2, rtol=1e-5, atol=1e-15
    )
    sides = [of_copies(params, x + s * step) for s in (1, -1)]
    np.testing.assert_allclose(grads[1] @ step, (sides[0] - sides[1]) / 2, rtol=1e-5, atol=1e-15)


def test_second_order():
    params, x, v = layers(12), RNG.normal(size=3), RNG.normal(size=3)
    step = 1e-5 * v
    gradient = myia.grad(tanh, argnums=1)
    found = myia.hvp(tanh, argnums=1)(params, x, v)
    numeric = (gradient(params, x + step) - gradient(params, x - step)) / 2e-5
    np.testing.assert_allclose(found, numeric, rtol=1e-6, atol=1e-12)


def test_short_code_is_repeated():
    assert not has_loop(tanh, layers(20), np.ones(3))


def test_long_code_is_one_loop():
    assert has_loop(tanh, layers(1_000, 2), np.ones(2))


def test_a_list_of_numbers_is_one_loop():
    def horner(cs, x):
        y = 0.0
        for c in cs:
            y = y * x + c
        return y

    assert has_loop(horner, list(RNG.normal(size=30)), 0.5)


def test_a_loop_that_may_end_early_stays_one():
    assert has_loop(until, layers(20), np.ones(3))
