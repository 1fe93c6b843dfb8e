"""Adjoints written by hand (`benchmarks/kernel_rivals/hand_adjoints.py`) agree with ours."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from benchmarks.kernel_programs import KERNELS
from benchmarks.kernel_rivals.hand_adjoints import ADJOINTS
from tests.zoo.reference_calls import ReferenceCalls


@pytest.mark.parametrize("by_hand", ADJOINTS, ids=lambda f: f.__name__)
def test_it_is_our_gradient(by_hand):
    kernel, n = KERNELS[by_hand.__name__], 6
    args, weights = kernel.arguments(n), kernel.weights(n)
    gradient = myia.grad(kernel.objective(), argnums=tuple(i + 1 for i in kernel.active(args)))
    ours = ReferenceCalls(gradient)(weights, *kernel.arguments(n))
    theirs = by_hand(*weights, *args)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12)
    for before, after in zip(kernel.arguments(n), args, strict=True):
        np.testing.assert_array_equal(before, after)
