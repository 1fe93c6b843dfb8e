"""Compile time and program size of functions of thirty different NumPy calls.

Against `jax.jit(jax.grad(...))` of the same code, in which `np` is `jax.numpy` and `scipy` is
`jax.scipy`. Targets: compile time at most 1.3 times; flops and bytes, by XLA's own count of the
gradient, at most 1.05 times.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from types import FunctionType

import jax
import jax.numpy as jnp
import jax.scipy
import numpy as np

import myia
from benchmarks.compiling.first_compile import (
    compare_first_compiles,
    compile_with_jax,
    compile_with_myia,
    row_of_first_compiles,
    start_jax,
)
from benchmarks.numpy_programs import elementwise, shaping, statistics
from benchmarks.page.rows import Row

PROCESSES = 3
PROGRAMS = {"elementwise": elementwise, "shaping": shaping, "statistics": statistics}
MODULES = {"np": jnp, "special": jax.scipy.special, "stats": jax.scipy.stats}


def with_jax(program: Callable) -> Callable:
    """The same code with JAX's modules in place of NumPy's and SciPy's."""
    return FunctionType(program.__code__, program.__globals__ | MODULES)


def calls(program: Callable) -> set[str]:
    """The names of the functions of these modules that a program calls."""
    tree = ast.parse(inspect.getsource(program))
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    functions = {name for name in called if re.fullmatch(r"[\w.]+", name)}
    return {name for name in functions if name.partition(".")[0] in MODULES}


def compiled(name: str, compiler: str):
    """Seconds by stage, and the gradient in both arguments, compiled by `compiler`."""
    module = PROGRAMS[name]
    arguments = module.arguments(np.random.default_rng(0))
    if compiler == "myia":
        return compile_with_myia(myia.grad(module.program, argnums=(0, 1)), arguments)
    with jax.enable_x64(True):
        gradient = jax.grad(with_jax(module.program), argnums=(0, 1))
        return compile_with_jax(jax.jit(gradient), arguments)


def child(name: str, compiler: str) -> None:
    """The work of a fresh process; prints one line of JSON."""
    start_jax()
    print(json.dumps(compiled(name, compiler)[0]))


def rows(quick: bool = False) -> Iterator[Row]:
    for name in () if quick else PROGRAMS:
        yield row_of_first_compiles("benchmarks.compiling.numpy_calls", name, PROCESSES)


def main() -> None:
    for name, module in PROGRAMS.items():
        compare_first_compiles("benchmarks.compiling.numpy_calls", name, PROCESSES)
        ours, theirs = (compiled(name, c)[1].cost_analysis() for c in ("myia", "jax"))
        print(f"  {len(calls(module.program))} different calls; counts: myia, jax, ratio")
        for what in ("flops", "bytes accessed"):
            a, b = ours[what], theirs[what]
            print(f"    {what:<16} {a:12,.0f} {b:12,.0f} {a / b:8.3f} x")


if __name__ == "__main__":
    child(*sys.argv[1:]) if sys.argv[1:] else main()
