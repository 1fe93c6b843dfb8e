"""Gradients of kernels: how many loads and stores an adjoint iteration makes, which loops become
vectors, and that the passes which do this change no number."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import myia
from benchmarks.kernel_programs import KERNELS
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import Function, Op, Region, walk
from myia.ir.parser import parse
from myia.passes.vectorize.inner_loop import VECTOR_WIDTH
from myia.pipeline import Options, lowered
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.core.structured import loop_p
from myia.primitives.pointwise.arithmetic import add

ACCESS_PASSES = frozenset({"load_scheduling", "adjacent_accesses"})


def typed_gradient(name: str, n: int, transform=myia.grad) -> tuple[Function, list]:
    kernel = KERNELS[name]
    args, weights = kernel.arguments(n), kernel.weights(n)
    gradient = transform(kernel.objective(), argnums=tuple(i + 1 for i in kernel.active(args)))
    arrays = [x for x in jax.tree.leaves((weights, args)) if not isinstance(x, int)]
    return parse(gradient.ir(weights, *args)["typed"]), arrays


def innermost(region: Region) -> list[Op]:
    loops = [op for op in walk(region) if op.primitive is loop_p]
    return [
        op for op in loops if not any(o.primitive is loop_p for r in op.regions for o in walk(r))
    ]


def per_iteration(function: Function, primitive) -> int:
    """In the last of the innermost loops, which is the adjoint of the first."""
    (*_, body) = innermost(function.region)[-1].regions
    return sum(op.primitive is primitive for op in walk(body))


@pytest.mark.parametrize(
    "name, reads, writes, before",
    [
        ("seidel_2d", 3, 3, 10),  # nine elements in three rows
        ("epidemic", 4, 2, 6),
    ],
)
def test_accesses_per_iteration(name, reads, writes, before):
    function, args = typed_gradient(name, 7)
    plain = lowered(function, Options(disable=ACCESS_PASSES))
    ours = lowered(function, Options(verify=True))
    assert per_iteration(plain, dynamic_update_slice) == before
    assert per_iteration(ours, dynamic_slice) <= reads
    assert per_iteration(ours, dynamic_update_slice) == writes
    for mine, other in zip(evaluate(ours, args), evaluate(plain, args), strict=True):
        np.testing.assert_array_equal(mine, other)


def has_vectors(function: Function) -> bool:
    return any(x.shape == (VECTOR_WIDTH,) for op in walk(function.region) for x in op.operands)


@pytest.mark.parametrize(
    "name",
    ["cholesky_loops", "heat_1d", "jacobi_2d_loops", "trmm"],
)
def test_vectors_change_no_bit(name):
    """To the bit: vectors compute what iterations did, and sums keep their order."""
    function, args = typed_gradient(name, 19)
    for mine, other in zip(*with_and_without_vectors(function, args), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("name", ["atax", "gemver", "n_body", "spring_chain", "symm", "wave_1d"])
def test_cotangents_are_summed_in_any_order(name):
    """The user's sums are not: the value is the same to the bit."""
    function, args = typed_gradient(name, 19, myia.value_and_grad)
    (value, *found), (expected, *others) = with_and_without_vectors(function, args)
    np.testing.assert_array_equal(value, expected)
    for mine, other in zip(found, others, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


def squares(a, x):
    y = np.zeros(len(x))
    for i in range(a.shape[0]):
        product = 0.0
        for j in range(a.shape[1]):
            product += a[i, j] * x[j]
        for j in range(a.shape[1]):
            y[j] += a[i, j] * product
    return np.sum(y * y)


def slopes(a, x):
    return np.sum(myia.grad(squares, argnums=1)(a, x) ** 2)


@pytest.mark.parametrize("f", [squares, slopes])
def test_sums_of_users_keep_their_order(f):
    """Only sums of cotangents may be reordered, also in a program that is differentiated again."""
    a = np.linspace(0.5, 1.5, 12).reshape(3, 4)
    program = parse(myia.grad(f, argnums=1).ir(a, a[0])["expand"])
    sums = [op for op in walk(program.region) if op.primitive is add]
    ordered = {op for op in sums if op.results[0].name == "product"}
    reassociable = {op for op in sums if op.params.get("reassoc")}
    assert ordered and reassociable
    assert not ordered & reassociable


def with_and_without_vectors(function: Function, args: list) -> list[list]:
    off = Options(
        disable=frozenset({"outer_loop", "unroll", "peeling", "range_comparisons", "inner_loop"})
    )
    on = Options(
        disable=frozenset({"outer_loop"}), verify=True
    )  # that pass would leave fewer loops
    ours, plain = lowered(function, on), lowered(function, off)
    assert has_vectors(ours) and not has_vectors(plain)
    return [evaluate(ours, args), evaluate(plain, args)]
