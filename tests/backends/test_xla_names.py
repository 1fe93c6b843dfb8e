"""Names of instructions: XLA makes one function of two that differ in `-` and `_` only."""

import re

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.ir.avals import I64
from myia.ir.core import Function
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.arrays.scattering import scatter
from myia.primitives.arrays.shaping import concatenate, reshape
from myia.primitives.core.define import constant
from tests.backends.xla_programs import F64_, function

ARGUMENTS = np.arange(1.0, 4), np.array([0.5]), np.int64(1)


def stores(count: int) -> Function:
    """Stores, and a scatter of which XLA makes a store that it names itself."""

    def body(x, u, i):
        stored = [dynamic_update_slice(x * float(k + 2), u, i) for k in range(count)]
        where, dims = constant(1, np.int64, (1,)), ((), (0,), (0,))
        number = reshape(u, shape=())
        scattered = scatter(x * x, where, number, dims=dims, mode="clip", unique=True)
        return [concatenate(*stored, scattered, axis=0)]

    return function("stores", [F64_((3,)), F64_((1,)), I64], body)


@pytest.mark.parametrize("count", range(1, 9))
def test_each_store_stores_its_own(count):
    """With JAX's own names 5, 6 and 7 are wrong, in plain JAX too (jaxlib 0.10)."""
    f = stores(count)
    (y,), (expected,) = compile_function(f)(*ARGUMENTS), evaluate(f, ARGUMENTS)
    np.testing.assert_array_equal(y, expected)


def test_stores_have_the_name_of_their_opcode():
    text = compile_function(stores(3)).compile().stage.as_text()
    names = set(re.findall(r"%(\S+)\.\d+ = \S+ dynamic-update-slice\(", text))
    assert names == {"dynamic-update-slice"}
