"""Linear equations solved by an iteration that only multiplies: the derivative is the implicit one.

The oracle is the dense solution of the same equation, and its derivatives by central differences.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.scipy.sparse.linalg import bicgstab, cg, gmres

import myia
from myia.source.diagnostics import MyiaError

RNG = np.random.default_rng(0)
S = RNG.normal(size=(4, 4)) / 4
A = S + 3 * np.eye(4)
P = S @ S.T + np.eye(4)
B, V, W = RNG.normal(size=(3, 4))
STEP = 1e-5
SOLVERS = {"cg": cg, "gmres": gmres, "bicgstab": bicgstab}


@myia.staged
def along_a_chain(solve, stiffness, b, preconditioner=None):
    """(1 + K) x = b with the stiffness matrix K of a chain of springs, which is never formed."""

    def matvec(x):
        ends = jnp.pad(x, 1)
        forces = stiffness * (ends[1:] - ends[:-1])
        return x - (forces[1:] - forces[:-1])

    return solve(matvec, b, tol=1e-13, M=preconditioner)[0]


def chain(stiffness):
    k = stiffness
    return np.eye(4) + np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)


def difference(f, x, direction):
    return (f(x + STEP * direction) - f(x - STEP * direction)) / (2 * STEP)


@pytest.fixture(autouse=True)
def in_double_precision():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("name", SOLVERS)
def test_matrix_free(name):
    """To second order in all modes, with respect to the operator and to the right-hand side."""
    solve = SOLVERS[name]
    k, dk = np.array([1.0, 0.5, 2.0, 1.5, 0.7]), np.array([0.3, -0.2, 0.5, 0.1, -0.4])

    def loss(k, b):
        return np.sum(along_a_chain(solve, k, b) ** 2 * W)

    def dense(k, b=B):
        return np.sum(np.linalg.solve(chain(k), b) ** 2 * W)

    @myia.jit
    def derivatives(k, b, dk):
        gradient = myia.grad(loss, (0, 1))

        def slope(k):
            return myia.jvp(loss, (k, b), (dk, np.zeros(4)))[1]

        return (
            loss(k, b),
            gradient(k, b),
            slope(k),
            myia.jvp(slope, (k,), (dk,))[1],
            np.sum(myia.grad(slope)(k) * dk),
            np.sum(myia.grad(lambda k: np.sum(gradient(k, b)[0] * dk))(k) * dk),
        )

    value, (of_k, of_b), slope, *second = derivatives(k, B, dk)
    np.testing.assert_allclose(value, dense(k), rtol=1e-9)
    wanted = difference(dense, k, dk)
    np.testing.assert_allclose([slope, np.sum(of_k * dk)], wanted, rtol=1e-7)
    in_b = difference(lambda b: dense(k, b), B, V)
    np.testing.assert_allclose(np.sum(of_b * V), in_b, rtol=1e-7)
    curvature = difference(lambda k: difference(dense, k, dk), k, 100 * dk) / 100
    np.testing.assert_allclose(second, second[0], rtol=1e-7)
    np.testing.assert_allclose(second[0], curvature, rtol=1e-3)


@pytest.mark.parametrize("name", SOLVERS)
def test_by_a_matrix(name):
    """The matrix is given as it is; for `cg` it is symmetric, and so are its changes."""
    solve, a = SOLVERS[name], P if name == "cg" else A

    def loss(a, b):
        return np.sum(solve(a, b, tol=1e-13)[0] * W)

    of_a, of_b = myia.grad(loss, (0, 1))(a, B)
    back = np.linalg.solve(a.T, W)
    np.testing.assert_allclose(of_a, -np.outer(back, np.linalg.solve(a, B)), rtol=1e-7)
    np.testing.assert_allclose(of_b, back, rtol=1e-8)


def test_a_preconditioner_and_a_first_guess_have_no_derivative():
    def loss(m, x0, b):
        return np.sum(cg(P, b, x0=x0, M=m, tol=1e-13)[0] * W)

    m = np.diag(1 / np.diag(P))
    of_m, of_x0, of_b = myia.grad(loss, (0, 1, 2))(m, V, B)
    np.testing.assert_array_equal(of_m, 0)
    np.testing.assert_array_equal(of_x0, 0)
    np.testing.assert_allclose(of_b, np.linalg.solve(P, W), rtol=1e-8)


def assert_solves_three_times(final):
    """The derivative of `final(P, B)` in P is that of W . P^-3 B."""

    def dense(a):
        return W @ np.linalg.matrix_power(np.linalg.inv(a), 3) @ B

    change = S + S.T
    found = np.sum(myia.grad(final)(P, B) * change)
    np.testing.assert_allclose(found, difference(dense, P, change), rtol=1e-6)


def test_in_a_loop():
    """Implicit Euler steps: an equation is solved in each iteration."""

    def final(a, x):
        for _ in range(3):
            x = cg(a, x, tol=1e-13)[0]
        return np.sum(x * W)

    assert_solves_three_times(final)


def test_complex():
    a, b = A + 1j * S.T, B + 1j * V
    found = myia.grad(lambda a: np.sum(np.abs(gmres(a, b, tol=1e-13)[0]) ** 2))(a)
    change = S + 1j * P
    wanted = difference(lambda a: np.sum(np.abs(np.linalg.solve(a, b)) ** 2), a, change)
    np.testing.assert_allclose(np.sum((found * change).real), wanted, rtol=1e-6)


def test_pytrees():
    """An equation between dicts of arrays."""

    @myia.staged
    def solved(a, b):
        def matvec(x):
            return {"u": a @ x["u"] + x["v"], "v": x["v"] * 2 + jnp.sum(x["u"])}

        return gmres(matvec, {"u": b, "v": b[:1]}, tol=1e-13)[0]["u"]

    whole = np.zeros((5, 5))
    whole[:4, 4], whole[4, :4], whole[4, 4] = 1, 1, 2

    def dense(a):
        whole[:4, :4] = a
        return W @ np.linalg.solve(whole, np.append(B, B[0]))[:4]

    found = myia.grad(lambda a: np.sum(solved(a, B) * W))(A)
    np.testing.assert_allclose(np.sum(found * S), difference(dense, A, S), rtol=1e-6)


@myia.staged
def without_transpose(a, b):
    def solve(matvec, b):
        return jnp.linalg.solve(a, b)

    return jax.lax.custom_linear_solve(lambda x: a @ x + 0 * x, b, solve)


def test_without_a_transposed_solver_reverse_mode_is_refused():
    def loss(a):
        return np.sum(without_transpose(a, B) * W)

    moved = myia.jvp(loss, (A,), (S,))[1]
    dense = difference(lambda a: W @ np.linalg.solve(a, B), A, S)
    np.testing.assert_allclose(moved, dense, rtol=1e-6)
    with pytest.raises(MyiaError, match="but not the transposed one"):
        myia.grad(loss)(A)


# ----- An operator that is compiled from its source


def shifted(a, b):
    return cg(lambda v: a @ v + v * np.sum(b**2), b, tol=1e-13)[0]


def test_an_operator_of_the_user():
    def loss(a, b):
        return np.sum(shifted(a, b) * W)

    def dense(a, b):
        return W @ np.linalg.solve(a + np.eye(4) * np.sum(b**2), b)

    change = S + S.T
    of_a, of_b = myia.grad(loss, (0, 1))(P, B)
    np.testing.assert_allclose(myia.jit(loss)(P, B), dense(P, B), rtol=1e-12)
    by_a = difference(lambda a: dense(a, B), P, change)
    by_b = difference(lambda b: dense(P, b), B, V)
    np.testing.assert_allclose(np.sum(of_a * change), by_a, rtol=1e-7)
    np.testing.assert_allclose(np.sum(of_b * V), by_b, rtol=1e-7)
    np.testing.assert_allclose(myia.jvp(loss, (P, B), (change, V))[1], by_a + by_b, rtol=1e-7)

    def slope(a):
        return np.sum(myia.grad(loss)(a, B) * change)

    wanted = difference(slope, P, change)
    np.testing.assert_allclose(np.sum(myia.grad(slope)(P) * change), wanted, rtol=1e-6)


def test_an_operator_of_the_user_in_a_loop():
    def final(a, x):
        for _ in range(3):
            x = cg(lambda v: a @ v, x, x * 0.1, tol=1e-13, M=lambda r: r / np.diag(a))[0]
        return np.sum(x * W)

    assert_solves_three_times(final)


def test_iterations_are_those_of_jax():
    with jax.enable_x64(True):
        wanted = jax.jit(lambda b: cg(lambda v: P @ v, b, maxiter=2)[0])(B)
    found = myia.jit(lambda b: cg(lambda v: P @ v, b, maxiter=2)[0])(B)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


NOTED = np.zeros(4)


def noted(v):
    NOTED[0] = 1.0
    return P @ v


@pytest.mark.parametrize(
    ("reason", "operator"),
    [
        ("makes f64.2. of f64.4.", lambda v: v[:2]),
        ("run-time check", lambda v: v * NOTED[int(np.sum(v))]),
        ("changes an object from outside", noted),
    ],
)
def test_operators_that_are_refused(reason, operator):
    with pytest.raises(MyiaError, match=reason):
        myia.jit(lambda b: cg(operator, b)[0]).ir(B)
