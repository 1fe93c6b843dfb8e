"""Random recursive programs against plain Python: values, stores, errors, gradients."""

from random import Random

import pytest

from tests.infer.recursion.random_programs import Generator, check


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed):
    rng = Random(seed)
    assert check(Generator(rng).program(), rng)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(1_000, 1_400, 20))
def test_many_random_programs(block):
    for seed in range(block, block + 20):
        rng = Random(seed)
        check(Generator(rng).program(), rng)
