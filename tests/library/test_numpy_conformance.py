"""Functions traced from JAX give NumPy's results: numbers, dtypes, shapes, types."""

import pytest

from tests.infer.driver import run
from tests.library.samples import from_source_samples, linalg_samples, scipy_samples
from tests.library.samples.numpy_samples import VALUES
from tests.library.test_numpy_functions import check_all

assert (
    linalg_samples and scipy_samples and from_source_samples
)  # imported for the calls that it adds


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    check_all(VALUES[name], run)
