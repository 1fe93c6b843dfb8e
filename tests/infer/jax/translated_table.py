"""A table of functions of JAX, checked by its values and gradients, and these by differences."""

from __future__ import annotations

from functools import cached_property

import jax
import numpy as np

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.pipeline import lowered
from myia.transforms.expand import expand_derivatives
from tests.infer.jax.translated import (
    difference_of_gradients,
    gradient_by_jax,
    gradient_by_us,
    joined,
    second_by_us,
    translated,
)
from tests.quick_compiles import QUICKLY

Rows = dict[str, tuple]  # name: (function, *arguments)


class Table:
    """`differentiable` functions are smooth at their arguments; for `others` only values count."""

    def __init__(self, differentiable: Rows, others: Rows):
        self.differentiable = differentiable
        self.all = {**differentiable, **{f"{name} (value)": row for name, row in others.items()}}

    @property
    def twice_differentiable(self) -> list[str]:
        """Those in double precision: differences of single precision tell little."""
        rows = self.differentiable.items()
        return [name for name, (_, *xs) in rows if all(x.dtype != np.float32 for x in xs)]

    @cached_property
    def by_jax(self) -> tuple[dict, dict]:
        """All values and gradients, in one compile."""

        def everything(args):
            values = {name: jax.tree.leaves(f(*args[name])) for name, (f, *_) in self.all.items()}
            gradients = {
                name: gradient_by_jax(f, xs)(*args[name])
                for name, (f, *xs) in self.differentiable.items()
            }
            return values, gradients

        with jax.enable_x64(True):
            quick = jax.jit(everything, compiler_options=QUICKLY)
            results = quick({name: xs for name, (_, *xs) in self.all.items()})
            return jax.tree.map(np.asarray, results)

    def check_value(self, name: str) -> None:
        f, *args = self.all[name]
        assert_equal(evaluate(translated(f, args), args), self.by_jax[0][name])

    def check_gradient(self, name: str) -> None:
        f, *args = self.differentiable[name]
        got = evaluate(expand_derivatives(gradient_by_us(f, args)), args)
        assert_equal(got, self.by_jax[1][name])

    def check_second_derivative(self, name: str) -> None:
        """Against central differences of the gradients."""
        f, *args = self.differentiable[name]
        got = evaluate(expand_derivatives(second_by_us(f, args)), args)
        assert_equal(got, difference_of_gradients(f, args), rtol=1e-7)

    def check_on_xla(self, every: int) -> None:
        """Values and gradients of each `every`-th row through all passes, in one compile."""
        tables = [dict([*table.items()][::every]) for table in (self.all, self.differentiable)]
        values = [translated(f, xs) for f, *xs in tables[0].values()]
        gradients = [gradient_by_us(f, xs) for f, *xs in tables[1].values()]
        rows = [row for table in tables for row in table.values()]
        args = [x for _, *xs in rows for x in xs]
        got = compile_function(lowered(joined([*values, *gradients])))(*args)
        in_order = zip(tables, self.by_jax)
        wanted = [y for table, found in in_order for name in table for y in found[name]]
        assert_equal([np.asarray(y) for y in got], wanted)


def assert_equal(got, wanted, rtol: float = 1e-9) -> None:
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted):
        assert g.dtype == w.dtype and g.shape == w.shape
        single = w.dtype in (np.float32, np.complex64)
        tolerance = 1e-5 if single else rtol
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
