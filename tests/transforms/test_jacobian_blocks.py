"""Blocks of Jacobians that are zero whatever the numbers: they are constants, and no seed runs."""

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from tests.zoo.reference_calls import ReferenceCalls

A, B = np.array([0.3, 1.2, 0.7]), np.array([2.0, 0.5])


def parts(a, b):
    return np.sin(a) * a[0], np.tanh(b) * b[1]


def separable(a, b):
    return np.sum(np.sin(a) * np.exp(a[0])) + np.sum(np.tanh(b) * b[1])


def in_loops(a, b):
    """Each in a loop of its own, of a trip count that the numbers decide."""
    p, q = 0.0, 1.0
    while p < 3.0:
        p = p + np.sum(a * a) + 0.1
    while q < 20.0:
        q = q * (b[0] + b[1])
    return p, q


def one_loop(a, b):
    y, z = a.copy(), b.copy()
    for i in range(3):
        y = np.sin(y) + y[0]
        if i > 0:
            z[i - 1] = z[i - 1] * z[0]
    return y, z


def central(f, args, which, h=1e-5):
    """The Jacobians of all results by argument `which`."""
    columns = []
    for k in range(args[which].size):
        moved = []
        for sign in (1.0, -1.0):
            xs = [x.copy() for x in args]
            xs[which][k] += sign * h
            moved.append(f(*xs))
        columns.append([(np.asarray(p) - np.asarray(m)) / (2 * h) for p, m in zip(*moved)])
    return [np.stack(c, axis=-1) for c in zip(*columns)]


@pytest.mark.parametrize("f", [parts, in_loops, one_loop], ids=lambda f: f.__name__)
@pytest.mark.parametrize("jacobian", [myia.jacfwd, myia.jacrev])
def test_values(jacobian, f):
    found = jacobian(f, argnums=(0, 1))(A, B)
    for which in (0, 1):
        wanted = central(f, (A, B), which)
        for i, want in enumerate(wanted):
            np.testing.assert_allclose(found[i][which], want, rtol=1e-7, atol=1e-8)
    assert not found[0][1].any() and not found[1][0].any()


@pytest.mark.parametrize("f", [separable, lambda a, b: sum(in_loops(a, b))], ids=["sum", "loops"])
def test_second_order(f):
    found = myia.hessian(f, argnums=(0, 1))(A, B)
    gradient = myia.grad(f, argnums=(0, 1))
    for which in (0, 1):
        wanted = central(gradient, (A, B), which)
        for i, want in enumerate(wanted):
            np.testing.assert_allclose(found[i][which], want, rtol=1e-6, atol=1e-7)
    assert not found[0][1].any() and not found[1][0].any()


def depends(function, i):
    """The arguments on which result number `i` of a program depends."""
    ops = {y: op for op in walk(function.region) for y in op.results}
    todo, seen = [function.results[i]], set()
    while todo:
        x = todo.pop()
        if x not in seen:
            seen.add(x)
            op = ops.get(x)
            todo += [*op.operands, *(y for r in op.regions for y in r.captured)] if op else []
    return {k for k, x in enumerate(function.args) if x in seen}


@pytest.mark.parametrize(
    "program",
    [
        myia.jacfwd(parts, argnums=(0, 1)),
        myia.jacrev(parts, argnums=(0, 1)),
        myia.hessian(separable, argnums=(0, 1)),
    ],
    ids=["jacfwd", "jacrev", "hessian"],
)
def test_a_block_of_zeros_is_a_constant(program):
    run = ReferenceCalls(program)
    run(A, B)
    function = run.found[0].stages[-1]
    assert [depends(function, i) for i in range(4)] == [{0}, set(), set(), {1}]
    constants = {y: op for op in walk(function.region) for y in op.results}
    for i in (1, 2):
        assert constants[function.results[i]].primitive.name == "constant"


def test_what_has_no_seed_is_not_multiplied_by_zero():
    """The slope by one argument is infinite: that by the other does not become NaN."""
    for jacobian in (myia.jacfwd, myia.jacrev):
        by_x, by_y = jacobian(lambda x, y: np.sqrt(x) + np.sqrt(y), argnums=(0, 1))(1.0, 0.0)
        assert by_x == 0.5 and by_y == np.inf
        first, second = jacobian(lambda x: (np.sqrt(x[0]), np.sum(x * x)))(np.array([0.0, 3.0]))
        assert first[0] == np.inf
        np.testing.assert_array_equal(second, [0.0, 6.0])


def test_structures_and_shared_outputs():
    def f(p):
        y = np.exp(p["w"])
        return {"y": y, "again": y, "b": 2.0 * p["b"], "n": np.ones(2)}

    for jacobian in (myia.jacfwd, myia.jacrev):
        found = jacobian(f)({"w": A, "b": B})
        np.testing.assert_allclose(found["again"]["w"], np.diag(np.exp(A)))
        np.testing.assert_array_equal(found["y"]["b"], np.zeros((3, 2)))
        np.testing.assert_array_equal(found["b"]["b"], 2.0 * np.eye(2))
        np.testing.assert_array_equal(found["b"]["w"], np.zeros((2, 3)))
        assert not found["n"]["w"].any() and found["n"]["b"].shape == (2, 2)
