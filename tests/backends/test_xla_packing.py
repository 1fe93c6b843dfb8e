"""Scalars that travel in one vector."""

import jax
import numpy as np
import pytest

from myia.backends.xla.executable import compile_function
from myia.backends.xla.scalar_packing import Packing
from myia.ir.avals import F64
from myia.ir.builder import build_region
from myia.ir.core import Function

VECTOR = F64.with_shape((3,))


def body(x, a, y):
    return [x - y, a + a, x * y, y]


F = Function("f", build_region([F64, VECTOR, F64], body))
ARGS = (1.5, np.arange(3.0), 2.5)
WANTED = (-1.0, 2 * np.arange(3.0), 3.75, 2.5)


def packing(given=(), hidden=(), results=(), count=3) -> Packing:
    return Packing.of(count, given, hidden, results)


@pytest.mark.parametrize("given", [(), (0,), (0, 2)])
@pytest.mark.parametrize("results", [(), (0,), (0, 2), (0, 2, 3)])
def test_callers_do_not_see_it(given, results):
    f = compile_function(F, packing=packing(given, results=results))
    for executable in (f, f.compile()):
        got = executable(*ARGS)
        for i, (y, wanted) in enumerate(zip(got, WANTED, strict=True)):
            np.testing.assert_array_equal(y, wanted)
            assert isinstance(y, float if i in results else jax.Array)


def test_hidden_numbers_have_a_vector_of_their_own():
    def hidden_last(a, x, y):
        return body(x, a, y)

    f = Function("f", build_region([VECTOR, F64, F64], hidden_last))
    executable = compile_function(f, packing=packing((), (0, 1), (0, 2, 3), count=1))
    assert "%arg1: tensor<2xf64>" in executable.lower().as_text()
    for keep in (False, True):
        prepared = executable.hidden([1.5, 2.5], keep)
        for y, wanted in zip(executable.run([ARGS[1]], prepared), WANTED, strict=True):
            np.testing.assert_array_equal(y, wanted)


def test_one_argument_travels_alone():
    assert packing([1]).given.positions == ()


def test_donation_counts_past_the_packed():
    packed = packing([0, 2])
    f = compile_function(F, donate=(0, 1), packing=packed)
    assert packed.given.packed_positions((0, 1)) == (1,)
    assert f.compile().stage.memory_analysis().alias_size_in_bytes == 24


def test_arguments_of_the_program_are_one_vector():
    text = compile_function(F, packing=packing([0, 2], results=[0, 2, 3])).lower().as_text()
    assert "%arg0: tensor<2xf64>" in text
    assert "%arg1: tensor<3xf64>" in text
    assert "%arg2" not in text
