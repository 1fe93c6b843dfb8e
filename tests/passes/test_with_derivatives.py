"""Passes and derivatives commute: the derivative of the optimised program is the derivative."""

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.core import Function
from myia.ir.verifier import verify
from myia.passes.pipeline import optimize
from myia.transforms.jvp import jvp_region
from myia.transforms.vjp import vjp_region
from tests.passes.by_name import EVERY, passes_of
from tests.passes.random_ir import arguments, random_function

DIFFERENTIABLE = (0, 3, 4)  # the arguments %x, %v, %m


def floats(values) -> tuple[int, ...]:
    return tuple(i for i, y in enumerate(values) if y.dtype.kind == "f")


def derived(f: Function, mode: str, of) -> Function:
    region = (jvp_region if mode == "jvp" else vjp_region)(f.region, DIFFERENTIABLE, of)
    return f.with_region(region)


def agree(x, y) -> bool:
    """Equal up to rounding; what is not finite in one program may be another NaN or infinity."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    finite = np.isfinite(x) & np.isfinite(y)
    return np.allclose(x[finite], y[finite], rtol=1e-7, atol=1e-9)


def check(f, g, args, seed):
    verify(g)
    for x, y in zip(evaluate(f, args), evaluate(g, args), strict=True):
        assert agree(x, y), f"seed {seed}"


@pytest.mark.parametrize("mode", ["jvp", "vjp"])
@pytest.mark.parametrize("chunk", range(4))
def test_derivatives_of_optimised_programs(mode, chunk):
    for seed in range(chunk * 20, chunk * 20 + 20):
        f = random_function(seed, adjoint_loops=False)
        of = floats(f.results)
        if not of:
            continue
        plain = derived(f, mode, of)
        args = arguments(plain, seed, special=0)
        before = derived(optimize(f), mode, of)
        check(plain, before, args, seed)
        check(plain, optimize(plain), args, seed)
        check(plain, optimize(before), args, seed)


@pytest.mark.parametrize("name", passes_of("optimize"))
def test_second_derivatives(name):
    """Reverse over reverse, with one pass between: `rev` ops are differentiated as rewritten."""
    for seed in range(100, 112):
        f = random_function(seed, size=6, adjoint_loops=False)
        of = floats(f.results)[:2]
        if not of:
            continue
        first = derived(f, "vjp", of)
        again = floats(first.results)[-2:]
        plain = derived(first, "vjp", again)
        args = arguments(plain, seed, special=0)
        check(plain, derived(EVERY[name](first), "vjp", again), args, seed)
