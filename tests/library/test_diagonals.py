"""Diagonals read the elements that are on them: no mask, and no sum over the others."""

import numpy as np
import pytest

import myia

A = np.random.default_rng(0).normal(size=(4, 4))
B = np.random.default_rng(1).normal(size=(4, 4, 3, 4))

READERS = {
    "diag": (lambda a: np.diag(a, 1), A),
    "trace": (np.trace, A),
    "trace, axes swapped": (lambda a: np.trace(a, 2, 3, 1), B),
    "einsum ii": (lambda a: np.einsum("ii", a), A),
    "einsum of an implied result": (lambda a: np.einsum("ijkj", a), B),
    "einsum of two pairs": (lambda a: np.einsum("jjik->ki", a), B),
    "einsum of three": (lambda a: np.einsum("iiji -> ij", a), B),
    "einsum of two operands": (lambda a: np.einsum("ii,ij->j", a, a), A),
}


@pytest.mark.parametrize("name", READERS)
def test_a_diagonal_is_a_slice(name):
    f, x = READERS[name]
    compiled = myia.jit(f)
    np.testing.assert_allclose(compiled(x), f(x), rtol=1e-14)
    assert "select" not in (text := str(compiled.ir(x))) and "slice" in text, text
