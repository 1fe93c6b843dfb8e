"""The kernels as users of JAX write them take the same arguments, and compute the same."""

import inspect

import jax
import numpy as np
import pytest

from benchmarks.kernel_programs import KERNELS, Kernel
from benchmarks.kernel_rivals.in_jax import BEST, REWRITTEN
from benchmarks.kernels import by_jax, check, ours
from tests.quick_compiles import QUICKLY

VERSIONS = {
    f"{name}-{label}": (kernel, versions[name])
    for name, kernel in KERNELS.items()
    for label, versions in (("rewritten", REWRITTEN), ("best", BEST))
    if label == "rewritten" or BEST[name] is not REWRITTEN[name]
}
EVERY = pytest.mark.parametrize(("kernel", "version"), VERSIONS.values(), ids=VERSIONS)


@EVERY
def test_parameters(kernel, version):
    parameters = [list(inspect.signature(f).parameters) for f in (kernel.function, version)]
    assert parameters[0] == parameters[1]


@EVERY
def test_values(kernel, version):
    n = kernel.tests[1]
    found, expected = outputs(version, kernel, n), kernel.outputs(kernel.arguments(n))
    for theirs, plain in zip(found, expected, strict=True):
        np.testing.assert_allclose(theirs, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_gradients(kernel):
    n = kernel.tests[1]
    expected = ours(kernel, n)[1]()
    for version in {REWRITTEN[kernel.name], BEST[kernel.name]}:
        check(expected, by_jax(kernel, n, version)())


def outputs(version, kernel: Kernel, n: int) -> list:
    """Its results for the kernel's arguments; integers are static."""
    args = kernel.arguments(n)
    arrays = {i: a for i, a in enumerate(args) if not isinstance(a, int)}

    def call(arrays):
        return version(*(arrays.get(i, a) for i, a in enumerate(args)))

    with jax.enable_x64(True):
        return jax.jit(call, compiler_options=QUICKLY)(arrays)
