"""Forward and reverse mode of random structured programs, to second order."""

import pytest

from tests.transforms.derivative_checks import check
from tests.transforms.random_structures import random_program


@pytest.mark.parametrize("seed", range(40))
def test_first_order(seed):
    f, args = random_program(seed)
    check(f, args, order=1, eps=1e-5, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 300))
def test_second_order(seed):
    f, args = random_program(seed)
    check(f, args, order=2, eps=1e-5, rtol=1e-5)
