"""Functions reached by name give what NumPy gives: numbers, dtypes, shapes, types."""

import pytest
from driver import run
from numpy_samples import VALUES
from test_numpy_functions import check_all


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    check_all(VALUES[name], run)
