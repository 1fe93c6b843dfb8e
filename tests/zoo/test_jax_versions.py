"""The kernels as users of JAX write them take the same arguments and have the same gradients."""

import inspect

import pytest

from benchmarks.kernel_programs import KERNELS
from benchmarks.kernel_rivals.in_jax import VERSIONS
from benchmarks.kernels import by_jax


@pytest.mark.parametrize("name", KERNELS)
def test_parameters(name):
    kernel, version = (inspect.signature(f) for f in (KERNELS[name].function, VERSIONS[name]))
    assert list(kernel.parameters) == list(version.parameters)


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_gradients(name):
    kernel = KERNELS[name]
    by_jax(kernel, kernel.tests[1])  # compares them, and raises
