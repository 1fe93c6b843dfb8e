"""Jacobians that are known to be sparse: as those by all directions, from a few of them."""

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.transforms.jacobians import blocks
from myia.transforms.jacobians.patterns import ANY
from tests.zoo.reference_calls import ReferenceCalls

X = np.linspace(0.3, 1.4, 6)
C = np.array([2.0, -1.0, 0.5, 3.0, 1.5, -0.7])
A = np.outer(C, C) + np.eye(6)


def stores(x):
    y = np.ones(6)
    y[1:4] = x[:3] ** 2
    y[5] = x[0]
    return y * C


def swapped(x):
    y = x.copy()
    y[0], y[5] = x[5], x[0] * 2.0
    y[2] += y[0]
    return y


def store_at_run_time(x):
    y = x.copy()
    y[int(x[0] * 3.0)] = x[4]
    return y


def in_loop(x):
    y = x
    for _ in range(3):
        y = np.sin(y) + x * C
    return y


def until(x):
    y = x * 1.0
    while np.sum(y) < 40.0:
        y = y * 1.5 + x
    return y


def swapping(x):
    """The second carry moves into the first one from the second iteration on."""
    y, z = x, x[::-1]
    for _ in range(3):
        y, z = np.sin(z), y * C
    return y


def diffusion(x):
    y = x.copy()
    for _ in range(int(C[0] * 3)):
        y[1:-1] += 0.1 * (y[2:] - 2.0 * y[1:-1] + y[:-2])
    return y


def branch(x):
    return np.sin(x) if x[0] > 0.2 else x * x[3]


def helper(x):
    return np.where(x > 0.8, x, 2.0 * x)


def bands(x):
    return np.concatenate([x[:1], x[1:-1] * (x[2:] - x[:-2]), -x[-1:]])


@myia.custom_jvp
def ruled(x):
    return x * x


@ruled.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return x * x, 2.0 * x * np.sum(t)  # no derivative of x * x, but the rule


# Of each program the directions of forward and of reverse mode; 6: all of X, by any pattern.
PROGRAMS = {
    "product": (lambda x: np.sin(x) * x, 1, 1),
    "constants": (lambda x: (x + 2.0) * C - x / 3.0, 1, 1),
    "mask": (lambda x: np.where(x > 0.8, x * x, -x), 1, 1),
    "mask of another": (lambda x: np.where(x[::-1] > x[0], x * x, -x), 1, 1),
    "clip": (lambda x: np.clip(x, 0.5, 1.0), 1, 1),
    "abs, maximum": (lambda x: np.maximum(np.abs(x), 0.7), 1, 1),
    "reverse": (lambda x: x[::-1] ** 2, 1, 1),
    "roll": (lambda x: np.roll(x, 2) * C, 1, 1),
    "roll and itself": (lambda x: np.roll(x, 1) * x, 2, 2),
    "difference": (lambda x: x[1:] - x[:-1] ** 2, 2, 2),
    "bands": (bands, 3, 3),
    "column": (lambda x: np.exp(x)[:, None], 1, 1),
    "repeated": (lambda x: np.sin(x)[:, None] * np.ones(3), 1, 3),
    "matrix": (lambda x: np.tanh(x).reshape(2, 3).T, 1, 1),
    "short sums": (lambda x: np.sum((x * x).reshape(3, 2), axis=1), 2, 1),
    "strided": (lambda x: x[1::2] * 3.0, 1, 1),
    "gather": (lambda x: np.sin(x)[np.array([3, 1, 1, 0])], 1, 2),
    "arrow": (lambda x: x * x[0], 2, 6),
    "stores": (stores, 1, 2),
    "swapped": (swapped, 2, 2),
    "store at run time": (store_at_run_time, 6, 6),
    "loop": (in_loop, 1, 1),
    "while": (until, 1, 1),
    "swapping": (swapping, 2, 2),
    "diffusion": (diffusion, 6, 6),
    "branch": (branch, 2, 6),
    "helper": (lambda x: helper(x) + helper(-x), 1, 1),
    "stop": (lambda x: x * myia.stop_gradient(np.sum(x)), 1, 1),
    "integers": (lambda x: x * np.floor(x * 3.0).astype(int).cumsum(), 1, 1),
    "cumsum": (lambda x: np.cumsum(x), 6, 6),
    "sort": (lambda x: np.sort(x), 6, 6),
    "product of a matrix": (lambda x: A @ x, 6, 6),
    "normalized": (lambda x: x / np.sum(x), 6, 6),
    "softmax": (lambda x: np.exp(x - np.max(x)), 6, 6),
    "norm": (lambda x: np.array([np.sum(x), x[0]]), 6, 2),
    "rule": (ruled, 6, 6),
}


# Losses, and the directions of their Hessians.
LOSSES = {
    "separable": (lambda x: np.sum(np.sin(x) * x), 1),
    "in a loop": (lambda x: np.sum(in_loop(x)), 1),
    "in a while": (lambda x: np.sum(until(x) ** 2), 1),
    "swaps": (lambda x: np.sum(swapping(x) * x), 2),
    "differences": (lambda x: np.sum((x[1:] - x[:-1]) ** 4), 3),
    "Rosenbrock": (lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2), 3),
    "stores": (lambda x: np.sum(stores(x) ** 2), 1),
    "branch": (lambda x: np.sum(x**3 if x[1] > 0.0 else x**2), 1),
    "square of a sum": (lambda x: np.sum(x) ** 2, 6),
    "logarithm of a sum": (lambda x: np.log(np.sum(np.exp(x))), 6),
    "rule": (lambda x: np.sum(ruled(x) * x), 6),
}


def counted(monkeypatch, jacobian, f, *args):
    """The Jacobian, and how many directions each sweep over directions has."""
    seen, along = [], blocks._Seeded.along
    with monkeypatch.context() as m:
        m.setattr(blocks._Seeded, "along", lambda *a: seen.append(a[-1]) or along(*a))
        return ReferenceCalls(jacobian(f))(*args), seen


def dense(monkeypatch, jacobian, f, *args):
    with monkeypatch.context() as m:
        m.setattr(blocks, "patterns", lambda region, x, ys: [ANY for _ in ys])
        return ReferenceCalls(jacobian(f))(*args)


def same(found, want):
    assert found.dtype == want.dtype
    np.testing.assert_allclose(found, want, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", PROGRAMS)
def test_jacobians(name, monkeypatch):
    f, *wanted = PROGRAMS[name]
    for jacobian, directions in zip((myia.jacfwd, myia.jacrev), wanted):
        found, seen = counted(monkeypatch, jacobian, f, X)
        assert seen == [directions]
        same(found, dense(monkeypatch, jacobian, f, X))


@pytest.mark.parametrize("name", LOSSES)
def test_hessians(name, monkeypatch):
    f, directions = LOSSES[name]
    found, seen = counted(monkeypatch, myia.hessian, f, X)
    assert seen == [1, directions]  # the gradient, and the directions of its derivative
    same(found, dense(monkeypatch, myia.hessian, f, X))


@pytest.mark.parametrize("jacobian", [myia.jacfwd, myia.jacrev])
def test_what_it_costs(jacobian):
    """As many sines of a number as there are numbers, no loop, and matrices that are selected."""
    run = ReferenceCalls(jacobian(lambda x: np.sin(x) * np.exp(x) + C))
    run(X)
    ops = list(walk(run.found[0].stages[-1].region))
    count = {"sin": 0, "cos": 0, "exp": 0, "loop": 0}
    for op in ops:
        count[op.primitive.name] = count.get(op.primitive.name, 0) + 1
    assert (count["sin"], count["cos"], count["exp"], count["loop"]) == (1, 1, 1, 0)
    large = {op.primitive.name for op in ops if op.results[0].aval.size >= X.size**2}
    assert large <= {"iota", "broadcast", "constant", "eq", "select"}


def test_a_pole_off_the_diagonal():
    """An infinite slope by one element is multiplied by no zero of the others."""
    for jacobian in (myia.jacfwd, myia.jacrev):
        found = jacobian(np.sqrt)(np.array([0.0, 4.0]))
        np.testing.assert_array_equal(found, [[np.inf, 0.0], [0.0, 0.25]])


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_sizes_and_dtypes(n, dtype, monkeypatch):
    x = X[:n].astype(dtype)
    for jacobian in (myia.jacfwd, myia.jacrev):
        f = lambda x: x * x  # noqa: E731
        same(jacobian(f)(x), dense(monkeypatch, jacobian, f, x))
        same(jacobian(lambda x: x[:, None] * 2)(x)[:, 0], np.diag(np.full(n, 2, dtype)))


def test_blocks_of_several_arguments_and_results(monkeypatch):
    """Sparse ones, dense ones and those of zeros beside each other."""

    def f(a, b):
        return np.sin(a) * b, np.cumsum(a), b[1:] - b[:-1], {"n": np.ones(2)}

    for jacobian in (myia.jacfwd, myia.jacrev):
        both = lambda g, j=jacobian: j(g, argnums=(0, 1))  # noqa: E731
        found, wanted = ReferenceCalls(both(f))(X, C), dense(monkeypatch, both, f, X, C)
        for row, want in zip((*found[:3], found[3]["n"]), (*wanted[:3], wanted[3]["n"])):
            for block, of in zip(row, want):
                same(block, of)
        assert not found[1][1].any() and not found[2][0].any()


def test_derivatives_of_sparse_jacobians():
    def norm(x):
        return np.sum(myia.jacfwd(lambda x: np.sin(x) * x)(x) ** 2)

    def directly(x):
        return np.sum((np.cos(x) * x + np.sin(x)) ** 2)

    same(myia.grad(norm)(X), myia.grad(directly)(X))
    third = myia.jacfwd(myia.hessian(lambda x: np.sum(x**4)))(X)
    want = np.zeros((6, 6, 6))
    want[np.arange(6), np.arange(6), np.arange(6)] = 24.0 * X
    same(third, want)
    rows = np.stack([X, C])
    each = myia.vmap(myia.jacrev(lambda x: np.exp(x) * x))(rows)
    same(each, np.stack([np.diag(np.exp(x) * (1.0 + x)) for x in rows]))
