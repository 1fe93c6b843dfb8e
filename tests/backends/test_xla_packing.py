"""Scalars and small arrays that travel in vectors."""

import numpy as np
import pytest

import myia
from myia.backends.xla.executable import compile_function
from myia.backends.xla.packing import (
    MAX_PACKED_BYTES,
    Packing,
    arguments_in_vectors,
    results_in_vectors,
)
from myia.ir.avals import F64
from myia.ir.builder import build_region
from myia.ir.core import Function

VECTOR = F64.with_shape((3,))


def body(x, a, y):
    return [x - y, a + a, x * y, y]


F = Function("f", build_region([F64, VECTOR, F64], body))
ARGS = (1.5, np.arange(3.0), 2.5)
WANTED = (-1.0, 2 * np.arange(3.0), 3.75, 2.5)


RESULTS = [F64, VECTOR, F64, F64]


def packing(given=(), hidden=(), results=(), avals=(F64, VECTOR, F64), count=3) -> Packing:
    return Packing(
        arguments_in_vectors(avals[:count], given),
        arguments_in_vectors(avals[count:], hidden),
        results_in_vectors(RESULTS, results),
    )


@pytest.mark.parametrize("given", [(), (0,), (0, 2)])
@pytest.mark.parametrize("results", [(), (0,), (0, 2), (0, 2, 3)])
def test_callers_do_not_see_it(given, results):
    f = compile_function(F, packing=packing(given, results=results))
    for executable in (f, f.compile()):
        got = executable(*ARGS)
        for i, (y, wanted) in enumerate(zip(got, WANTED, strict=True)):
            np.testing.assert_array_equal(y, wanted)
            assert isinstance(y, float if i in results else np.generic if i != 1 else np.ndarray)


def test_hidden_numbers_have_a_vector_of_their_own():
    def hidden_last(a, x, y):
        return body(x, a, y)

    f = Function("f", build_region([VECTOR, F64, F64], hidden_last))
    executable = compile_function(f, packing=packing((), (0, 1), (0, 2, 3), [VECTOR, F64, F64], 1))
    assert "%arg1: tensor<2xf64>" in executable.lower().as_text()
    for keep in (False, True):
        prepared = executable.hidden([1.5, 2.5], keep)
        for y, wanted in zip(executable.bound(prepared)([ARGS[1]]), WANTED, strict=True):
            np.testing.assert_array_equal(y, wanted)


def test_one_argument_travels_alone():
    assert packing([1]).given.positions == ()


def test_donation_counts_past_the_packed():
    packed = Packing(packing([0, 2]).given)
    f = compile_function(F, donate=(0, 1), packing=packed)
    assert packed.given.packed_positions((0, 1)) == (1,)
    assert f.compile().stage.memory_analysis().alias_size_in_bytes == 24


def test_arguments_of_the_program_are_one_vector():
    text = compile_function(F, packing=packing([0, 2], results=[0, 2, 3])).lower().as_text()
    assert "%arg0: tensor<2xf64>" in text
    assert "%arg1: tensor<3xf64>" in text
    assert "%arg2" not in text


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "?", "c16"])
def test_small_arrays_travel_together(dtype):
    """Values, dtypes and shapes; results are arrays of their own."""
    arrays = [
        np.arange(6).astype(dtype),
        np.asfortranarray(np.arange(6).reshape(2, 3).astype(dtype)),
        np.arange(6).astype(dtype)[::-2],
        np.ones((), dtype),
        np.ones((2, 0), dtype),
        np.arange(MAX_PACKED_BYTES + 1).astype(dtype),
    ]
    f = myia.jit(lambda xs: [x.T.copy() for x in xs])
    assert " %arg0: tensor<16x" in f.lower(arrays).as_text().replace("(", " ")
    for _ in range(3):
        results = f(arrays)
        for x, y in zip(arrays, results, strict=True):
            np.testing.assert_array_equal(np.asarray(x).T, y)
            assert y.dtype == x.dtype
            assert y.flags.writeable and y.flags.owndata
        results[0][:] = 0  # which the next call does not see


def test_the_error_code_travels_with_the_result():
    def root(x, y):
        if y < 0:
            raise ValueError("negative")
        return x * y

    f = myia.jit(root)
    assert "-> (tensor<4xf64>" in f.lower(np.ones(3), 2.0).as_text()
    for _ in range(3):
        np.testing.assert_array_equal(f(np.ones(3), 2.0), np.full(3, 2.0))
        with pytest.raises(ValueError, match="negative"):
            f(np.ones(3), -2.0)
