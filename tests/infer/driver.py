"""Runs a callable through inference and the reference interpreter, as a call from Python would."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.api.programs.decision_tree import DecisionTree
from myia.backends.reference.interpreter import evaluate
from myia.frontend.load import load
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import Program, infer
from myia.ir.verifier import verify
from tests.program_results import finish


def inferred(f, *args, **kwargs) -> tuple[Program, Flattener]:
    """The program of `f` at these arguments, and these taken apart."""
    flat = Flattener()
    positional = tuple(flat.add(x) for x in args)
    keywords = {k: flat.add(x) for k, x in kwargs.items()}
    program = infer(load, f, positional, keywords, flat)
    verify(program.function)
    return program, flat


def hidden_arguments(program: Program, flat: Flattener | None = None) -> list:
    """The numbers that a program reads outside of its arguments, which `flat` took apart."""
    found = DecisionTree(program).find(flat or Flattener())
    return [x for leaves in found.hidden for x in leaves]


def run(f, *args, **kwargs):
    """What `f(*args, **kwargs)` gives; a failed run-time check raises its exception."""
    program, flat = inferred(f, *args, **kwargs)
    leaves = (*flat.leaves, *hidden_arguments(program, flat))
    return finish(program, evaluate(program.function, [np.asarray(x) for x in leaves]), flat)


def outcome(capfd, kinds, call, *args):
    """What a call gives, or of which of these kinds its error is and its first line; its output."""
    try:
        found = call(*args)
    except kinds as error:
        kind = next(kind for kind in kinds if isinstance(error, kind))
        found = kind, str(error).partition("\n")[0]
    return found, capfd.readouterr().out


def assert_value_and_derivative(f, x, *others) -> None:
    """Of a function of a float, through XLA and the reference interpreter, beside Python."""
    h, wanted = 1e-6, f(x, *others)
    assert myia.jit(f)(x, *others) == pytest.approx(wanted, rel=1e-11)
    assert run(f, x, *others) == pytest.approx(wanted, rel=1e-11)
    slope = (f(x + h, *others) - f(x - h, *others)) / (2 * h)
    assert myia.grad(f)(x, *others) == pytest.approx(slope, rel=1e-6)


def assert_value_and_gradient(f, inputs, v, rel, abs) -> None:
    """Of `f(k, v)` in the array v, for each k of the inputs; `rel`, `abs`: of the gradient."""
    compiled, gradient, h = myia.jit(f), myia.grad(f, argnums=1), 1e-6
    for k in inputs:
        assert compiled(k, v) == pytest.approx(f(k, v), rel=1e-13)
        assert run(f, k, v) == pytest.approx(f(k, v), rel=1e-13)
        slope = gradient(k, v)
        for i in range(len(v)):
            step = h * (np.arange(len(v)) == i)
            wanted = (f(k, v + step) - f(k, v - step)) / (2 * h)
            assert slope[i] == pytest.approx(wanted, rel=rel, abs=abs)


def assert_second_derivative(f, at=0.7) -> None:
    """Of a function of a float."""
    h, slope = 1e-5, myia.grad(f)
    bend = (slope(at + h) - slope(at - h)) / (2 * h)
    assert myia.grad(slope)(at) == pytest.approx(bend, rel=1e-6)


def assert_same(got, wanted, rtol=None) -> None:
    """The same structure, types, dtypes and shapes; numbers equal to a few units in the last place.

    `rtol` is for functions that NumPy and XLA round differently.
    """
    if isinstance(wanted, (tuple, list)):
        assert isinstance(got, (tuple, list)), f"{got!r} for {wanted!r}"
        assert len(got) == len(wanted), f"{got!r} for {wanted!r}"
        for g, w in zip(got, wanted):
            assert_same(g, w, rtol)
        return
    if isinstance(wanted, np.ndarray) and wanted.shape == () and isinstance(got, np.generic):
        wanted = wanted[()]  # functions of numbers that give an array, which is not changed
    assert type(got) is type(wanted), f"{type(got)} for {type(wanted)}: {got!r} for {wanted!r}"
    if isinstance(wanted, (np.ndarray, np.generic)):
        assert got.dtype == wanted.dtype, f"{got.dtype} for {wanted.dtype}"
        assert got.shape == wanted.shape, f"{got.shape} for {wanted.shape}"
    if isinstance(wanted, (str, np.dtype, type(None), type)):
        assert got == wanted
        return
    kind = np.asarray(wanted).dtype
    if rtol is None:
        rtol = 8 * np.finfo(kind).eps if kind.kind in "fc" else 0
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * 0.1, strict=False)
