"""What a compiled program prints has all bits, also where XLA prints in a thread of its own."""

import jax
import numpy as np
import pytest

from myia.primitives.core.effects import debug_print_p


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.complex128])
def test_numbers_of_64_bits_travel_as_words(dtype):
    with jax.enable_x64(True):
        x = np.asarray(1, dtype)
        text = str(jax.make_jaxpr(lambda x: debug_print_p.lower(x, fmt="{}"))(x))
    assert "u32" in text
