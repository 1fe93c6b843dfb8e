"""Every program of the zoo: forward and reverse, and all four combinations of order 2."""

import pytest

from tests.transforms.derivative_checks import check, function
from tests.transforms.derivative_zoo import ZOO


@pytest.mark.parametrize("name", ZOO)
def test_derivatives(name):
    body, args = ZOO[name]
    check(function(body, *args), args, order=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["power", "while_loop", "updates_array", "nest", "branch_taken"])
def test_third_order(name):
    body, args = ZOO[name]
    check(function(body, *args), args, order=3, rtol=1e-6)
