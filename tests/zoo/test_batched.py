"""The small programs of scalars and arrays under `vmap`, against a loop over the examples.

Values and what is written into the arguments; the gradient, of each example and through the batch;
second derivatives. The loop runs the same program, compiled for one example, or by Python. Examples
are the inputs of a program in turn, perturbed: their branches and trip counts differ.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.default_run import every
from tests.zoo.losses import losses_of
from tests.zoo.reference_calls import ReferenceCalls
from tests.zoo.small_programs import PROGRAMS, Program
from tests.zoo.test_programs import active_arguments, order_of, written_arguments
from tests.zoo.trees import assert_same, children, random_like, rebuilt, wide

pytestmark = pytest.mark.filterwarnings("ignore::myia.CompileWarning", "ignore::myia.StateWarning")

SIZES = (1, 2, 7, 8, 9, 65)
RTOL = 1e-10
SPREAD = 40  # by default, each so many-th program


def is_float(x: Any) -> bool:
    return isinstance(x, (float, np.floating))


def is_shared(x: Any) -> bool:
    return not (is_float(x) or isinstance(x, np.ndarray))


def form(args: tuple) -> tuple:
    """Examples of one form may be in one batch: what all share is part of it."""
    found = []
    for x in args:
        is_array = isinstance(x, np.ndarray)
        found.append((x.dtype, x.shape) if is_array else float if is_float(x) else (type(x), x))
    return tuple(found)


def is_plain(program: Program) -> bool:
    """Its arguments are scalars, arrays and strings, and some of them can be a batch."""
    plain = (bool, int, float, complex, str, type(None), np.ndarray, np.generic)
    args = [x for each in program.inputs for x in each]
    batch = program.inputs and not all(map(is_shared, program.inputs[0]))
    return bool(batch) and all(isinstance(x, plain) for x in args)


PLAIN = [p for p in PROGRAMS if is_plain(p)]


@dataclass
class Batch:
    """Examples, and the arguments that hold them along their first axis where `axes` is 0."""

    examples: list[tuple]
    axes: tuple[int | None, ...]

    @property
    def args(self) -> tuple:
        columns = zip(*self.examples)
        return tuple(np.stack(c) if a == 0 else c[0] for c, a in zip(columns, self.axes))


def batch_of(program: Program, size: int) -> Batch:
    alike = [x for x in program.inputs if form(x) == form(program.inputs[0])]
    rng = np.random.default_rng(size)

    def perturbed(x: Any) -> Any:
        if is_float(x):
            return np.float64(x * (1 + 1e-3 * rng.uniform(-1, 1)))
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            return (x * (1 + 1e-3 * rng.uniform(-1, 1, x.shape))).astype(x.dtype)
        return copy.copy(x)

    examples = [tuple(map(perturbed, alike[i % len(alike)])) for i in range(size)]
    return Batch(examples, tuple(None if is_shared(x) else 0 for x in alike[0]))


def in_python(f: Callable, example: tuple) -> Any:
    with np.errstate(all="ignore"):
        return f(*example)


def rows(results: list) -> Any:
    """Results as one with arrays in place of the numbers and arrays."""
    first = results[0]
    if first is None and all(x is None for x in results):
        return None
    if (parts := children(first)) is not None:
        columns = zip(*map(children, results), strict=True)
        return rebuilt(first, [rows(list(c)) for c in columns]) if parts else first
    return np.stack(results)


def run_batch(run: Callable, args: tuple) -> Any:
    """None: refused."""
    try:
        return run(*args)
    except MyiaError as error:
        REFUSED[str(error).split("\n")[0]] += 1
        return None


REFUSED: Counter[str] = Counter()


def check_values(program: Program, run: Callable, size: int) -> None:
    batch = batch_of(program, size)
    theirs, ours = copy.deepcopy(batch.examples), batch.args
    try:
        want = rows([in_python(program.f, example) for example in theirs])
    except (TypeError, ValueError):
        pytest.skip("the results of examples differ in form, or Python raises")
    got = run_batch(run, ours)
    if got is None:
        return
    assert_same(got, want, RTOL)
    for i, axis in enumerate(batch.axes):
        if axis == 0:
            assert_same(ours[i], np.stack([x[i] for x in theirs]), RTOL, "arguments")


@pytest.mark.parametrize("program", every(SPREAD, PLAIN), ids=[p.name for p in PLAIN])
def test_values(program):
    run = ReferenceCalls(myia.vmap(program.f, in_axes=batch_of(program, 1).axes))
    check_values(program, run, 7)


@pytest.mark.slow
@pytest.mark.parametrize("program", PLAIN, ids=[p.name for p in PLAIN])
def test_values_on_xla(program):
    run = myia.vmap(program.f, in_axes=batch_of(program, 1).axes)
    for size in SIZES:
        check_values(program, run, size)


def check_derivatives(
    program: Program, order: int, run: Callable[..., Callable], size: int = 7
) -> None:
    """`run`: how a compiled function is run."""
    active = active_arguments(list(program.inputs))
    if not any(active) or program.order < order:
        pytest.skip("no derivative of this order")
    batch = batch_of(program, size)
    changed = written_arguments(program.f, list(program.inputs))
    losses = losses_of(program.f, order_of(active), changed)
    points = []
    for example in batch.examples:
        example = wide(example)
        xs = tuple(x for x, a in zip(example, active) if a)
        rest = tuple(x for x, a in zip(example, active) if not a)
        try:
            outcome = in_python(losses.outcome, copy.deepcopy((xs, rest)))
        except TypeError:
            pytest.skip("Python raises for numbers of NumPy")
        points.append((xs, rest, random_like(outcome, 1), random_like(xs, 3)))
    try:
        args = rows([(p[0], p[2], p[3]) for p in points])
    except (TypeError, ValueError):
        pytest.skip("the results of examples differ in form")
    axes = tuple(a for a, x in zip(batch.axes, active) if not x)
    rest = tuple(x for x, a in zip(batch.args, active) if not a)
    gradient = myia.grad(losses.loss) if order == 1 else myia.hvp(losses.loss)
    one = run(gradient)
    points = [p[:3] if order == 1 else p for p in points]
    want = rows([one(*copy.deepcopy(p)) for p in points])
    more = (args[2],) if order == 2 else ()
    by_example = myia.vmap(gradient, in_axes=(0, axes, 0, 0)[: 3 + len(more)])
    got = run_batch(run(by_example), (args[0], rest, args[1], *more))
    if got is not None:
        assert_same(got, want, 1e-9, "of each example")

    def total(xs, rest, weights):
        return np.sum(myia.vmap(losses.loss, in_axes=(0, axes, 0))(xs, rest, weights))

    through = myia.grad(total) if order == 1 else myia.hvp(total)
    got = run_batch(run(through), (args[0], rest, args[1], *more))
    if got is not None:
        assert_same(got, want, 1e-9, "through the batch")


@pytest.mark.parametrize("program", every(2 * SPREAD, PLAIN), ids=[p.name for p in PLAIN])
def test_gradients(program):
    check_derivatives(program, 1, ReferenceCalls)


@pytest.mark.slow
@pytest.mark.parametrize("program", PLAIN, ids=[p.name for p in PLAIN])
def test_second_derivatives(program):
    check_derivatives(program, 2, lambda f: f)


@pytest.mark.slow
def test_few_are_refused():
    """After the others of this file: each refusal, and how often."""
    assert sum(REFUSED.values()) <= 16, REFUSED.most_common()
