"""Residual networks: the code of a layer does not grow with the layers before it."""

import jax
import numpy as np

import myia

RNG = np.random.default_rng(0)


def residual(ws, x):
    for w in ws:
        centred = x - np.mean(x, axis=-1, keepdims=True)
        scale = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
        x = x + np.maximum(centred / scale @ w, 0.0)
    return np.sum(x**2)


def arguments(layers):
    return [jax.numpy.asarray(0.1 * RNG.normal(size=(6, 6))) for _ in range(layers)], np.ones(
        (4, 6)
    )


def hlo_lines(layers):
    return len(myia.grad(residual).lower(*arguments(layers)).compile().as_text().splitlines())


def test_code_is_linear_in_the_layers():
    few, many = hlo_lines(12), hlo_lines(36)
    assert many < 3.3 * few


def test_values_are_those_of_numpy():
    ws, x = arguments(20)
    x = RNG.normal(size=x.shape)
    expected = residual([np.asarray(w) for w in ws], x)
    np.testing.assert_allclose(myia.jit(residual)(ws, x), expected, rtol=1e-12)
    ours = myia.grad(residual)(ws, x)
    step = 1e-6 * RNG.normal(size=(6, 6))
    moved = [
        residual([np.asarray(w) + (s * step if i == 0 else 0) for i, w in enumerate(ws)], x)
        for s in (1, -1)
    ]
    np.testing.assert_allclose(np.sum(ours[0] * step), (moved[0] - moved[1]) / 2, rtol=1e-6)


def test_sums_of_empty_arrays():
    def f(*xs):
        total = np.zeros((0, 3))
        for x in xs:
            total = total + np.broadcast_to(x, (0, 3))
        return total * 2.0, total.sum()

    empty, total = myia.jit(f)(*np.ones((20, 3)))
    assert empty.shape == (0, 3) and total == 0.0
