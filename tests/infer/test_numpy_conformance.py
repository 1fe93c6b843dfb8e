"""Functions reached by name give what NumPy gives: numbers, dtypes, shapes, types."""

import linalg_samples
import pytest
import scipy_samples
import written_samples
from driver import run
from numpy_samples import VALUES
from test_numpy_functions import check_all

assert linalg_samples and scipy_samples and written_samples  # imported for the calls that it adds


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    check_all(VALUES[name], run)
