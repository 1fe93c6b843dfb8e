"""Every kernel lowered for a GPU: no rule for CPUs, and no more loops than in JAX or as written."""

import ast
import inspect
import textwrap

import jax
import pytest

from benchmarks.kernel_programs import KERNELS
from benchmarks.kernel_rivals.in_jax import REWRITTEN
from benchmarks.kernels import compiled, jax_objective
from tests.api.test_platforms import CUDA, cpu_only

QUICK = ("atax", "heat_1d", "cholesky")
# `while` loops of unknown count: the gradient replays them from snapshots, in several loops. The
# rivals bound or unroll them, as JAX has no gradient of such a loop.
UNKNOWN_COUNTS = {"adaptive_steps", "conjugate_gradients", "haar"}


def loops_as_written(kernel) -> int:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kernel.function)))
    return sum(isinstance(node, (ast.For, ast.While)) for node in ast.walk(tree))


def lowered(f, *args) -> str:
    return f.trace(*args).lower(lowering_platforms=CUDA).as_text()


def cases():
    marks = {name: () if name in QUICK else pytest.mark.slow for name in KERNELS}
    return [pytest.param(name, marks=marks[name], id=name) for name in KERNELS]


@pytest.mark.parametrize("name", cases())
def test_lowered_for_a_gpu(name):
    kernel = KERNELS[name]
    n = kernel.tests[0]
    args, weights = kernel.arguments(n), kernel.weights(n)
    objective, operands = jax_objective(kernel, n, REWRITTEN[name])
    written = loops_as_written(kernel)
    rivals = jax.jit(objective), jax.jit(jax.grad(objective))
    for order, f, rival in zip((1, 2), compiled(kernel, args), rivals, strict=True):
        text = lowered(f, weights, *args)
        branches = f.ir(weights, *args)["finish"].count(" if %")
        assert len(cpu_only(text)) <= branches, cpu_only(text)
        assert "small_call" not in text
        if order == 1 or name not in UNKNOWN_COUNTS:
            with jax.enable_x64(True):
                theirs = lowered(rival, *operands).count("stablehlo.while")
            assert text.count("stablehlo.while") <= max(theirs, order * written)
