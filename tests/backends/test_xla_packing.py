"""Scalars that travel in one vector."""

import jax
import numpy as np
import pytest

from myia.backends.xla.executable import compile_function
from myia.backends.xla.packing import Packing
from myia.ir.avals import F64
from myia.ir.builder import build_region
from myia.ir.core import Function

VECTOR = F64.with_shape((3,))


def body(x, a, y):
    return [x - y, a + a, x * y, y]


F = Function("f", build_region([F64, VECTOR, F64], body))
ARGS = (1.5, np.arange(3.0), 2.5)
WANTED = (-1.0, 2 * np.arange(3.0), 3.75, 2.5)


@pytest.mark.parametrize("arguments", [(), (0,), (0, 2)])
@pytest.mark.parametrize("results", [(), (0,), (0, 2), (0, 2, 3)])
def test_callers_do_not_see_it(arguments, results):
    f = compile_function(F, packing=Packing.of(arguments, results))
    for executable in (f, f.compile()):
        got = executable(*ARGS)
        for i, (y, wanted) in enumerate(zip(got, WANTED, strict=True)):
            np.testing.assert_array_equal(y, wanted)
            assert isinstance(y, float if i in results else jax.Array)


def test_one_argument_travels_alone():
    assert Packing.of([1], []).arguments == ()


def test_donation_counts_past_the_packed():
    packing = Packing.of([0, 2], [])
    f = compile_function(F, donate=(0, 1), packing=packing)
    assert packing.positions((0, 1)) == (1,)
    assert f.memory_analysis().alias_size_in_bytes == 24


def test_arguments_of_the_program_are_one_vector():
    text = compile_function(F, packing=Packing.of([0, 2], [0, 2, 3])).as_text()
    assert "%arg0: tensor<2xf64>" in text
    assert "%arg1: tensor<3xf64>" in text
    assert "%arg2" not in text
