"""Derivatives of NumPy's functions, against central differences of NumPy itself."""

import math

import numpy as np
import pytest
from numpy_cases import sample

import myia

X = sample((2, 3))
P = np.abs(X) + 0.5  # positive
U = X / 4  # inside (-1, 1)
V = sample((3,), seed=3)
Z = sample((2, 3, 4))
M = sample((3, 3), seed=5)
N = sample((4, 2))
Q = sample((3, 4, 2))
STEP = 1e-6

FUNCTIONS = {
    "sin": (np.sin, X), "cos": (np.cos, X), "tan": (np.tan, U), "arcsin": (np.arcsin, U),
    "arccos": (np.arccos, U), "arctan": (np.arctan, X), "sinh": (np.sinh, X), "cosh": (np.cosh, X),
    "tanh": (np.tanh, X), "arcsinh": (np.arcsinh, X), "arccosh": (np.arccosh, P + 1),
    "arctanh": (np.arctanh, U), "exp": (np.exp, X), "exp2": (np.exp2, X), "expm1": (np.expm1, X),
    "log": (np.log, P), "log2": (np.log2, P), "log10": (np.log10, P), "log1p": (np.log1p, P),
    "sqrt": (np.sqrt, P), "cbrt": (np.cbrt, X), "square": (np.square, X), "abs": (np.abs, X),
    "negative": (np.negative, X), "reciprocal": (np.reciprocal, P), "sign": (np.sign, X),
    "deg2rad": (np.deg2rad, X), "rad2deg": (np.rad2deg, X), "sinc": (np.sinc, X),
    "sinc near 0": (np.sinc, X / 100), "sinc at 0": (np.sinc, np.zeros(2)),
    "nan_to_num": (np.nan_to_num, X), "floor": (np.floor, X), "round": (np.round, X),
    "real": (np.real, X), "conj": (np.conj, X), "fix": (np.fix, X),
    "clip": (lambda x: np.clip(x, -0.5, 0.5), X), "where": (lambda x: np.where(x > 0, x, 2 * x), X),
    "heaviside": (lambda x: np.heaviside(x, 0.5) * x, X),
    "add": (lambda x: np.add(x, V), X), "divide": (lambda x: np.divide(V, x), P),
    "power": (lambda x: np.power(x, V), P), "exponent": (lambda x: np.power(P[0], x), V),
    "float_power": (lambda x: np.float_power(x, 2.5), P), "mod": (lambda x: np.mod(x, 0.7), X),
    "divisor": (lambda x: np.mod(3.0, x), P), "fmod": (lambda x: np.fmod(x, 0.7), X),
    "maximum": (lambda x: np.maximum(x, V), X), "minimum": (lambda x: np.minimum(x, V), X),
    "fmax": (lambda x: np.fmax(x, V), X), "fmin": (lambda x: np.fmin(x, V), X),
    "arctan2": (lambda x: np.arctan2(x, V), X), "hypot": (lambda x: np.hypot(x, V), X),
    "hypot of equals": (lambda x: np.hypot(x, x[::-1]), np.array([1.5, 1.5])),
    "logaddexp": (lambda x: np.logaddexp(x, V), X),
    "logaddexp far": (lambda x: np.logaddexp(x, 1000.0), X),
    "logaddexp2": (lambda x: np.logaddexp2(x, V), X),
    "copysign": (lambda x: np.copysign(x, V), X),
    "sum": (np.sum, X), "sum axis": (lambda x: np.sum(x, axis=1), X), "prod": (np.prod, X),
    "prod axis": (lambda x: np.prod(x, axis=0, keepdims=True), X), "mean": (np.mean, X),
    "var": (lambda x: np.var(x, axis=1, ddof=1), X), "std": (np.std, X), "max": (np.max, X),
    "max axis": (lambda x: np.max(x, axis=0), X), "min": (np.min, X), "ptp": (np.ptp, X),
    "median": (np.median, X), "median axis": (lambda x: np.median(x, axis=0), X),
    "average": (lambda x: np.average(x, weights=x**2), X), "cumsum": (lambda x: x.cumsum(1), X),
    "cumprod": (np.cumprod, X), "norm": (np.linalg.norm, X),
    "norm 1": (lambda x: np.linalg.norm(x, 1), V), "norm 3": (lambda x: np.linalg.norm(x, 3), V),
    "norm inf": (lambda x: np.linalg.norm(x, np.inf), X),
    "trace": (np.trace, M), "diagonal": (lambda x: np.diagonal(x, 1), M),
    "diag": (lambda x: np.diag(x, -1), V), "tril": (np.tril, M), "diff": (np.diff, X),
    "maximum.accumulate": (lambda x: np.maximum.accumulate(x, axis=1), X),
    "subtract.outer": (lambda x: np.subtract.outer(x, x), V),
    "full": (lambda x: np.full((2, 2), x[0]), V), "array": (lambda x: np.array([x[0], 2, x[1]]), V),
    "linspace": (lambda x: np.linspace(x[0], x[1], 5), V), "ravel": (np.ravel, X),
    "transpose": (np.transpose, Z), "moveaxis": (lambda x: np.moveaxis(x, 0, -1), Z),
    "flip": (np.flip, X), "broadcast_to": (lambda x: np.broadcast_to(x, (2, 3)), V),
    "concatenate": (lambda x: np.concatenate([x, V[None], x], axis=0), X),
    "stack": (lambda x: np.stack([x, x * x], 1), X), "hstack": (lambda x: np.hstack([x, x]), X),
    "split": (lambda x: np.split(x, 3, axis=1)[1], X), "tile": (lambda x: np.tile(x, (2, 2)), X),
    "repeat": (lambda x: np.repeat(x, 2, axis=0), X), "roll": (lambda x: np.roll(x, 2), X),
    "pad": (lambda x: np.pad(x, 1), X), "pad reflect": (lambda x: np.pad(x, 1, "reflect"), X),
    "sort": (np.sort, X), "take": (lambda x: np.take(x, [0, 2, 0], axis=1), X),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.argsort(x, axis=1), 1), X),
    "matmul": (lambda x: x @ x.T, X), "matmul vector": (lambda x: X @ x, V),
    "matmul batch": (lambda x: np.matmul(x, N), Z),
    "dot": (lambda x: np.dot(x, V), X), "inner": (lambda x: np.inner(x, X), X),
    "outer": (lambda x: np.outer(x, x), V), "vdot": (lambda x: np.vdot(x, x), X),
    "kron": (lambda x: np.kron(x, X), V), "tensordot": (lambda x: np.tensordot(x, Q, 2), Z[0]),
    "einsum": (lambda x: np.einsum("ij,kj->ik", x, x), X),
    "einsum trace": (lambda x: np.einsum("ii", x), M), "astype": (lambda x: x.astype(float), X),
    "complex": (lambda x: np.abs(np.exp(1j * x) + 2), X),
    "angle": (lambda x: np.angle(x + 2j), X),
    "math": (lambda x: math.sqrt(x[0]) * math.exp(x[1]) + math.hypot(x[1], x[2]), P[0]),
    "math.gamma": (lambda x: math.gamma(x[0]) + math.gamma(-0.5 * x[1]), P[0]),
    "math.log": (lambda x: math.log(x[0], x[1] + 1), P[0]),
}  # fmt: skip


def weights(y) -> np.ndarray:
    return np.cos(np.arange(np.size(y), dtype=float)).reshape(np.shape(y))


def loss_of(f, w):
    return lambda x: np.sum(f(x) * w)


def numeric_gradient(loss, x: np.ndarray) -> np.ndarray:
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[i] += sign * STEP
            ends.append(loss(moved))
        found[i] = (ends[0] - ends[1]) / (2 * STEP)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient(name):
    f, x = FUNCTIONS[name]
    loss = loss_of(f, weights(f(x)))
    got = myia.grad(loss)(x)
    np.testing.assert_allclose(got, numeric_gradient(loss, x), rtol=1e-6, atol=1e-7)


TWICE = {
    "hypot of equals": (lambda x: np.hypot(x[0], x[1]), np.array([1.5, 1.5])),
    "math.hypot of equals": (lambda x: math.hypot(x[0], x[1], 2.0), np.array([2.0, -2.0])),
    "logaddexp of equals": (lambda x: np.logaddexp(x[0], x[1]), np.array([0.5, 0.5])),
    "sinc at 0": (lambda x: np.sum(np.sinc(x)), np.array([0.0, 0.02, 0.5])),
    "norm": (np.linalg.norm, V),
    "std": (np.std, V),
    "prod with a zero": (np.prod, np.array([0.0, 2.0, 3.0])),
    "einsum": (lambda x: np.einsum("i,j,ij->", x, x, M), V),
}


@pytest.mark.parametrize("name", TWICE)
def test_second_derivative(name):
    f, x = TWICE[name]
    gradient = myia.grad(f)
    rows = [numeric_gradient(lambda x, i=i: gradient(x)[i], x) for i in range(len(x))]
    np.testing.assert_allclose(myia.hessian(f)(x), np.array(rows), rtol=1e-5, atol=1e-6)


def test_what_is_not_selected_has_no_derivative():
    """A function that is infinite where it is not taken does not poison the gradient."""

    def f(x):
        return np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0))

    np.testing.assert_array_equal(myia.grad(f)(np.array([2.0, 0.0, -1.0])), [0.5, 0.0, 0.0])


@pytest.mark.parametrize(
    "f",
    [np.linalg.norm, lambda x: np.hypot(x[0], x[1]), lambda x: math.hypot(x[0], x[1])],
    ids=["norm", "hypot", "math.hypot"],
)
def test_derivative_of_a_norm_at_zero_is_zero(f):
    """One of its subgradients."""
    np.testing.assert_array_equal(myia.grad(f)(np.zeros(2)), np.zeros(2))


def test_ties_share_evenly():
    x = np.array([1.0, 3.0, 3.0])
    np.testing.assert_array_equal(myia.grad(np.max)(x), [0, 0.5, 0.5])
    np.testing.assert_array_equal(myia.grad(lambda x: np.maximum(x[1], x[2]))(x), [0, 0.5, 0.5])
