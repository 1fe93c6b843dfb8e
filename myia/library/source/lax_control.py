"""Control flow of `jax.lax` as Python's: `cond` and `switch` are branches, `scan` is a loop.

    jax.lax.scan(step, carry, xs)   ->   for i in range(len(xs)):
                                             carry, y = step(carry, xs[i])

The functions that it is given are compiled from their source like the rest of the program. As in
JAX, loop-carried values and results of branches are arrays: Python's numbers are converted.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from myia.infer.registry import when_imported
from myia.library.support.from_source import Array, from_source


def branching(arrays: Array) -> tuple[Callable[..., Any], ...]:
    """`cond` and `switch`; `arrays` converts the leaves of a tree to arrays."""

    def cond(
        pred: Array, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Array
    ) -> Array:
        if pred:
            return arrays(true_fun(*operands))
        return arrays(false_fun(*operands))

    def switch(index: Array, branches: Array, *operands: Array) -> Array:
        """The index is clamped to the first and the last branch."""
        if len(branches) == 1:
            return arrays(branches[0](*operands))
        if index <= 0:
            return arrays(branches[0](*operands))
        return switch(index - 1, branches[1:], *operands)

    return cond, switch


def looping(arrays: Array) -> tuple[Callable[..., Any], ...]:
    """`while_loop` and `fori_loop`."""

    def while_loop(
        cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init_val: Array
    ) -> Array:
        val = arrays(init_val)
        while cond_fun(val):
            val = body_fun(val)
        return val

    def fori_loop(
        lower: Array,
        upper: Array,
        body_fun: Callable[..., Any],
        init_val: Array,
        *,
        unroll: Array = None,
    ) -> Array:
        val = arrays(init_val)
        for i in range(lower, upper):
            val = body_fun(i, val)
        return val

    return while_loop, fori_loop


def scanning(arrays: Array, tree: ModuleType) -> tuple[Callable[..., Any], ...]:
    """`scan` and `map`; `tree`: the module `jax.tree`."""

    def scan(
        f: Callable[..., Any],
        init: Array,
        xs: Array = None,
        length: Array = None,
        reverse: bool = False,
        unroll: Array = 1,
    ) -> Array:
        """The outputs of the steps are collected, and stacked at the end."""
        columns, structure = tree.flatten(arrays(xs))
        n = len(columns[0]) if columns else length
        if n == 0:
            raise NotImplementedError("`jax.lax.scan` over nothing")
        carry = arrays(init)
        rows = []
        for k in range(n):
            i = n - 1 - k if reverse else k
            carry, y = f(carry, tree.unflatten(structure, [x[i] for x in columns]))
            rows.append(arrays(y))
        return carry, stacked(rows, reverse)

    def stacked(rows: Array, reverse: Array) -> Array:
        """Leaf by leaf, in the order of the steps' indices."""
        leaves, structure = tree.flatten(rows[0])
        if structure == leaf:
            columns = [np.array(rows)]
        else:
            columns = [np.array([tree.leaves(row)[k] for row in rows]) for k in range(len(leaves))]
        return tree.unflatten(structure, [np.flip(x, 0) if reverse else x for x in columns])

    def map_(f: Callable[..., Any], xs: Array, *, batch_size: Array = None) -> Array:
        return scan(lambda carry, x: (carry, f(x)), None, xs)[1]

    leaf = tree.structure(0)
    return scan, map_


@when_imported("jax")
def _register(jax: ModuleType) -> None:
    def arrays(x: Array) -> Array:
        return jax.tree.map(jax.numpy.asarray, x)

    lax = jax.lax
    sources = *branching(arrays), *looping(arrays), *scanning(arrays, jax.tree)
    functions = lax.cond, lax.switch, lax.while_loop, lax.fori_loop, lax.scan, lax.map
    for f, source in zip(functions, sources, strict=True):
        from_source(f)(source)
