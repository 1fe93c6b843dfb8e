"""Random programs: XLA, with all the rules for the CPU, against the reference interpreter."""

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.ir.verifier import verify
from tests.backends.random_typed_programs import arguments, random_function


def check(seed: int, under_a_trace: bool = False) -> None:
    f, args = random_function(seed), arguments(seed)
    verify(f)
    compiled = compile_function(f, under_a_trace=under_a_trace)
    for y, x in zip(compiled(*args), evaluate(f, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_random_program(seed):
    check(seed)


@pytest.mark.parametrize("seed", range(25, 40))
def test_random_program_for_a_function_that_jax_compiles(seed):
    check(seed, under_a_trace=True)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_many_random_programs(start):
    for seed in range(start, start + 100):
        check(seed, under_a_trace=seed % 2 == 1)
