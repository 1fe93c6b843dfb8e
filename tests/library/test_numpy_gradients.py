"""Derivatives of NumPy's functions to second order, in both modes, against central differences."""

import math

import numpy as np
import pytest

import myia
from tests.library.derivative_orders import check_derivatives
from tests.library.samples import (
    in_place_gradient_cases,
    linalg_gradient_cases,
    method_gradient_cases,
    scipy_samples,
)
from tests.library.samples.numpy_cases import sample
from tests.library.samples.numpy_gradient_cases import GRADIENTS

assert (
    in_place_gradient_cases and linalg_gradient_cases and method_gradient_cases and scipy_samples
)  # imported for the cases that they add
M = sample((3, 3), seed=5)
V = sample((3,), seed=3)
STEP = 1e-6


@pytest.mark.parametrize("name", GRADIENTS)
def test_derivatives(name):
    check_derivatives(*GRADIENTS[name])


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
