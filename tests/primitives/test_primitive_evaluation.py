"""Evaluation by NumPy, lowering to XLA and the shape rule agree, and no cell is empty."""

from __future__ import annotations

import itertools

import jax
import numpy as np
import pytest

import myia.primitives  # noqa: F401  fills the registry
from myia.ir.avals import Aval, aval_of
from myia.ir.primitive import PRIMITIVES
from tests.primitives.case import Case
from tests.primitives.cases import CASES
from tests.quick_compiles import QUICKLY

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-300, 7.0, np.inf, -np.inf, np.nan]
TYPED = sorted(name for name in PRIMITIVES if not name.startswith("py."))


@pytest.mark.parametrize("name", TYPED)
def test_every_cell_of_the_matrix_is_filled(name):
    primitive = PRIMITIVES[name]
    if primitive.structured:
        return
    assert primitive.derivative is not None, "say NONDIFFERENTIABLE if it has no derivative"
    assert primitive.lower is not None
    assert primitive.evaluate is not None
    assert CASES.get(name), "give it a line in cases.py"


def specials(case: Case) -> Case:
    """The same operation on all combinations of special values."""
    dtype = case.inputs[0].dtype
    grid = np.array(list(itertools.product(SPECIAL, repeat=len(case.inputs)))).T
    with np.errstate(all="ignore"):
        return Case(case.primitive, tuple(grid.astype(dtype)), case.params)


def on_xla(cases: list[Case], options: dict | None) -> list[list[np.ndarray]]:
    """All cases in one executable: compiling is what takes the time."""

    def program(inputs):
        return [c.primitive.lower(*xs, **c.params) for c, xs in zip(cases, inputs)]

    with jax.enable_x64(True):
        results = jax.jit(program, compiler_options=options)([c.inputs for c in cases])
        return [[np.asarray(y) for y in as_list(ys)] for ys in results]


# XLA's emitters of old, with which it compiles quickly, round NaN to infinity.
OPTIMISED = {"reduce_precision"}


def on_numpy(case: Case) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        ys = case.primitive.evaluate(*case.inputs, **case.params)
    return [np.asarray(y) for y in as_list(ys)]


def as_list(ys) -> list:
    return list(ys) if isinstance(ys, (tuple, list)) else [ys]


def tolerance(dtype: np.dtype) -> float:
    """A few units in the last place, as the two libraries approximate functions differently."""
    return 0 if dtype.kind in "biu" else 200 * float(np.finfo(dtype).eps)


def assert_same(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    assert aval_of(actual) == aval_of(expected), what
    rtol = tolerance(expected.dtype)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol, err_msg=what)


@pytest.mark.parametrize(
    "options", [QUICKLY, pytest.param(None, marks=pytest.mark.slow)], ids=["quickly", "optimised"]
)
@pytest.mark.parametrize("name", sorted(CASES))
def test_numpy_and_xla_agree(name, options):
    """By default as the translation says it; in the slow run as XLA optimises it, too."""
    cases = CASES[name] + [specials(c) for c in CASES[name] if c.special]
    for case, actual in zip(cases, on_xla(cases, None if name in OPTIMISED else options)):
        expected = on_numpy(case)
        avals = case.primitive.avals(*map(aval_of, case.inputs), **case.params)
        assert [aval_of(y) for y in expected] == list(avals), f"shape rule of {case}"
        for y, z in zip(actual, expected, strict=True):
            assert_same(y, z, str(case))


@pytest.mark.parametrize("name", sorted(CASES))
def test_evaluation_leaves_its_operands_alone(name):
    for case in CASES[name]:
        before = [np.array(x) for x in case.inputs]
        on_numpy(case)
        for x, y in zip(before, case.inputs):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", sorted(CASES))
def test_params_are_hashable(name):
    for case in CASES[name]:
        hash(tuple(case.params.items()))
        assert isinstance(case.primitive.avals(*map(aval_of, case.inputs), **case.params), tuple)


def test_avals_compare_by_value():
    assert aval_of(np.zeros((2, 3))) == Aval(np.dtype(float), (2, 3))


@pytest.mark.parametrize("name", ["eig", "eigh", "svd"])
def test_factors_of_a_matrix_that_is_not_finite_are_nan(name):
    case = CASES[name][0]
    spoiled = Case(case.primitive, (np.full_like(case.inputs[0], np.inf),), case.params)
    assert all(np.isnan(y).all() for y in on_numpy(spoiled))
