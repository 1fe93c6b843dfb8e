"""Products beside a recurrence: made before the loop, or after it, for all iterations at once."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import myia
from tests.default_run import every
from tests.zoo.reference_calls import ReferenceCalls

N = 40  # 40 x 40 matrices are written at once


def arguments(n=N, d=36, trips=9, dtype=float):
    rng = np.random.default_rng(0)

    def normal(*shape):
        x = rng.normal(size=shape)
        return (x + 1j * rng.normal(size=shape) if dtype is complex else x).astype(dtype)

    w, u = 0.1 * normal(n, d) / np.sqrt(d), 0.1 * normal(n, n) / np.sqrt(n)
    return w.astype(dtype), u.astype(dtype), normal(trips, d)


def network(w, u, xs):
    h = np.zeros(len(u), xs.dtype)
    for t in range(len(xs)):
        h = np.tanh(w @ xs[t] + u @ h)
    return h


def of_a_batch(w, u, xs):
    h = np.zeros((3, len(u)), xs.dtype)
    for t in range(len(xs)):
        h = np.tanh(np.stack([xs[t], xs[0], xs[len(xs) - 1 - t]]) @ w.T + h @ u)
    return h


def gated(w, u, xs):
    """Two products of one sum, and terms that only some iterations have."""
    h = np.zeros(len(u), xs.dtype)
    for t in range(len(xs)):
        z = np.tanh(u.T @ h + w @ xs[t])
        h = h + z * np.tanh(u @ z)
        if t % 3 == 0:
            h = h - 0.1 * (w @ xs[t - 2])
    return h


def backwards(w, u, xs):
    h, hs = np.zeros(len(u), xs.dtype), []
    for x in xs[::-1]:
        h = 0.5 * np.tanh(w @ (x * x)) + np.tanh(u @ h)
        hs.append(h)
    return np.stack(hs)


def in_a_nest(w, u, xs):
    total = np.zeros(len(u), xs.dtype)
    for s in range(3):
        h = total * 0.3
        for t in range(len(xs)):
            h = np.tanh(w @ xs[t] * (s + 1.0) + u @ h)
        total = total + h
    return total


def changed_matrix(w, u, xs):
    """The matrix of the products is not the same in all iterations."""
    w = w.copy()
    h = np.zeros(len(u), xs.dtype)
    for t in range(len(xs)):
        h = np.tanh(w @ xs[t] + u @ h)
        w[:, t] = h
    return h


def read_sum(w, u, xs):
    """A sum of outer products that the recurrence reads."""
    fast = np.zeros_like(u)
    h = np.ones(len(u), xs.dtype)
    for t in range(len(xs)):
        z = np.tanh(w @ xs[t] + fast @ h)
        fast = fast + 0.1 * np.outer(z, h)
        h = z
    return h


PROGRAMS = [network, of_a_batch, gated, backwards, in_a_nest, changed_matrix, read_sum]
each = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


@each
@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("shape", [(N, 36, 9), (136, 130, 6)], ids=str)
def test_values(f, dtype, shape):
    args = arguments(*shape, dtype=dtype)
    want, found = f(*args), myia.jit(f)(*args)
    assert found.dtype == want.dtype
    tolerance = 3e-5 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(found, want, rtol=tolerance, atol=tolerance)


@functools.cache
def loss_of(f):
    def loss(w, u, xs):
        return np.sum(np.cos(f(w, u, xs)))

    return loss


def along(f, args, direction):
    """Central differences of fourth order."""

    def at(step):
        return f(*(x + step * v for x, v in zip(args, direction)))

    h = 2e-3
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


@each
@pytest.mark.parametrize("trips", every(2, [9, 4]))
def test_derivatives(f, trips):
    args, rng = arguments(trips=trips), np.random.default_rng(2)
    directions = [[rng.normal(size=x.shape) for x in args] for _ in range(2)]
    v, u = ([x / np.sqrt(x.size) for x in direction] for direction in directions)
    loss = loss_of(f)
    gradient = myia.grad(loss, argnums=(0, 1, 2))

    def slope(*args):
        return sum(np.vdot(g, x) for g, x in zip(gradient(*args), v))

    assert slope(*args) == pytest.approx(along(loss, args, v), rel=1e-6, abs=1e-6)
    _, tangent = myia.jvp(loss, args, tuple(v))
    assert slope(*args) == pytest.approx(tangent, rel=1e-10, abs=1e-10)
    second = myia.jvp(lambda *xs: myia.grad(loss, argnums=(0, 1, 2))(*xs), args, tuple(u))[1]
    found = sum(np.vdot(g, x) for g, x in zip(second, v))
    assert found == pytest.approx(along(slope, args, u), rel=1e-6, abs=1e-6)


@each
def test_with_the_pass_and_without(f):
    args = arguments(136, 130, 6)
    gradient = myia.value_and_grad(loss_of(f), argnums=(0, 1, 2))
    (value, grads), (want, expected) = (
        ReferenceCalls(gradient, "finish", disable)(*args) for disable in (None, "outer_loop")
    )
    assert value == pytest.approx(want, rel=1e-12)
    for x, y in zip(grads, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)


# ----- What is where


def products(f, args):
    """The products in loops, and those outside, of the value and of the gradient."""
    found = []
    for transform in (myia.jit, functools.partial(myia.grad, argnums=(0, 1))):
        text = str(transform(f).ir(*args)["finish"])
        lines = [line for line in text.splitlines() if " dot_general " in line]
        found.append(
            [sum(line.startswith("    ") is inside for line in lines) for inside in (True, False)]
        )
    return found


@pytest.mark.parametrize(
    "f, inside, outside",
    [(network, (1, 2), (1, 3)), (of_a_batch, (1, 2), (1, 3)), (gated, (3, 7), (1, 3))],
    ids=["network", "of_a_batch", "gated"],
)
def test_products_apart(f, inside, outside):
    found = products(loss_of(f), arguments(136, 130, 6))
    assert [tuple(x) for x in zip(*found)] == [inside, outside]


def test_small_matrices_stay():
    assert products(loss_of(network), arguments(8, 8, 20)) == [[2, 0], [5, 0]]


def test_a_run_time_number_of_iterations():
    def network_of(n, w, u, xs):
        h = np.zeros(len(u))
        for t in range(int(n)):
            h = np.tanh(w @ xs[t] + u @ h)
        return np.sum(h * h)

    args = arguments(136, 130, 6)
    gradient = myia.grad(network_of, argnums=(1, 2))
    for n in (0.0, 1.0, 6.0):
        want = slope(network_of, n, args)
        assert np.sum(gradient(n, *args)[0]) == pytest.approx(want, rel=1e-6, abs=1e-9)


def slope(f, n, args, h=1e-6):
    w, u, xs = args
    return (f(n, w + h, u, xs) - f(n, w - h, u, xs)) / (2 * h)


def test_what_is_printed_stays_in_order(capsys):
    def loss(w, u, xs):
        h = np.zeros(len(u))
        for t in range(len(xs)):
            h = np.tanh(w @ xs[t] + u @ h)
            print(t, h[0] > 0)
        return np.sum(h)

    args = arguments(136, 130, 6)
    loss(*args)
    want = capsys.readouterr().out
    myia.grad(loss)(*args)
    assert capsys.readouterr().out == want
