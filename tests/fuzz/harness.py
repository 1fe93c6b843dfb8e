"""The check of one random program: the compiled function against plain Python."""

from __future__ import annotations

import copy
import itertools
import linecache
import math
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

import myia
from myia.api.programs.decision_tree import DecisionTree
from myia.backends.reference.interpreter import evaluate
from myia.infer.boundary.signature import INTEGER as INT64
from myia.infer.boundary.signature import Flattener
from myia.infer.domain.errors import NeedsStatic
from myia.ir.core import Function
from myia.pipeline import Compilation, Options, typed_program
from myia.source.diagnostics import MyiaError
from tests.fuzz.generator import Program
from tests.passes.by_name import passes_of
from tests.program_results import finish

VALUE_RTOL = 1e-9
GRADIENT_RTOL = 1e-5
DUALITY_RTOL = 1e-8
STEP = 1e-4
HUGE = 1e5  # larger numbers are not compared: rounding dominates
STEEP = 1e3
RUNTIME_ERRORS = (IndexError, ZeroDivisionError, UnboundLocalError, NameError)
ACTIVE = (0, 1, 3, 4, 5)  # the arguments of floats
INTEGER = 2


class Mismatch(AssertionError):
    """The compiler is wrong; `kind` says in what."""

    def __init__(self, kind: str, message: str):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Skip(Exception):
    """Python's own result cannot be compared with: it is not finite, or huge, ..."""


@dataclass(frozen=True)
class Checks:
    """The checks of a program besides value and gradient on the reference interpreter."""

    forward: bool = False
    second: bool = False
    xla: bool = False
    dynamic: bool = False  # `n` is an argument of the compiled program
    stage: str = "finish"
    disable: str | None = None


@dataclass
class Report:
    """`refused`: why the compiler refused; `counts`: numbers of comparisons and of skips."""

    refused: str | None = None
    counts: Counter = field(default_factory=Counter)


def random_checks(rng: Random) -> Checks:
    """Random checks: mostly the last stage with all passes."""
    return Checks(
        forward=rng.random() < 0.3,
        second=rng.random() < 0.1,
        dynamic=rng.random() < 0.4,
        stage="expand" if rng.random() < 0.1 else "finish",
        disable=rng.choice(list(passes_of("finish"))) if rng.random() < 0.15 else None,
    )


def random_arguments(rng: Random) -> tuple:
    def numbers(*shape):
        values = [rng.uniform(-1.5, 1.5) for _ in range(math.prod(shape))]
        return np.array(values).reshape(shape)

    return (
        rng.uniform(-2, 2),
        rng.uniform(-2, 2),
        rng.randrange(5),
        numbers(3),
        numbers(3),
        numbers(2, 3),
    )


# ----- Programs


_numbers = itertools.count()


MODULES = {"np": np, "math": math}  # that random programs use


def define(
    source: str, names: dict[str, Any] = MODULES, filename: str | None = None
) -> dict[str, Any]:
    """The names that `source` defines, given `names`, in a module known to `inspect` and `sys`."""
    filename = filename or f"<program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    module = sys.modules["fuzz"] = ModuleType("fuzz")
    namespace = vars(module)
    namespace |= names
    exec(compile(source, filename, "exec"), namespace)
    return namespace


def loss_of(f: Callable) -> Callable:
    """A float that depends on all results of `f` and on its changes of arguments."""

    def weighed(r):
        if isinstance(r, tuple):
            return r[0] + weighed(r[1])
        if isinstance(r, np.ndarray):
            return np.sum(r * np.array([0.7, -0.4, 1.2]))
        return r * 1.0

    def loss(p, q, n, x, y, A):
        r = f(p, q, n, x, y, A)
        return weighed(r) + weighed(x) - 0.5 * weighed(y) + weighed(A[0]) + 0.3 * weighed(A[1])

    return loss


@dataclass(frozen=True)
class Derivatives:
    """Functions of `(p, q, n, x, y, A)`, and of a direction: `(p, q, x, y, A)` of it."""

    gradient: Callable
    tangent: Callable
    forward_over_reverse: Callable
    reverse_over_forward: Callable


def derivatives_of(loss: Callable) -> Derivatives:
    def gradient(p, q, n, x, y, A):
        return myia.grad(loss, (0, 1, 3, 4, 5))(p, q, n, x, y, A)

    def tangent(p, q, n, x, y, A, v):
        def at(p, q, x, y, A):
            return loss(p, q, n, x, y, A)

        return myia.jvp(at, (p, q, x, y, A), v)[1]

    def forward_over_reverse(p, q, n, x, y, A, v):
        def at(p, q, x, y, A):
            return gradient(p, q, n, x, y, A)

        return myia.jvp(at, (p, q, x, y, A), v)[1]

    def reverse_over_forward(p, q, n, x, y, A, v):
        return myia.grad(tangent, (0, 1, 3, 4, 5))(p, q, n, x, y, A, v)

    return Derivatives(gradient, tangent, forward_over_reverse, reverse_over_forward)


# ----- On the reference interpreter


class Reference:
    """`f` compiled, and run by the reference interpreter."""

    def __init__(self, f: Any, checks: Checks):
        self.f, self.checks = f, checks
        self.compiled: dict[Any, tuple] = {}

    def __call__(self, *args):
        flat = Flattener()
        signature = tuple(self.add(flat, i, x) for i, x in enumerate(args))
        if signature not in self.compiled:
            self.compiled[signature] = self.compile(signature, flat)
        program, function = self.compiled[signature]
        hidden = DecisionTree(program).find(flat).hidden
        results = evaluate(function, [x for some in (flat.leaves, *hidden) for x in some])
        return finish(program, results, flat)

    def add(self, flat: Flattener, i: int, x: Any):
        if i != INTEGER or not self.checks.dynamic:
            return flat.add(x)
        flat.leaves.append(np.int64(x))
        return INT64

    def compile(self, signature, flat: Flattener) -> tuple[Any, Function]:
        disabled = frozenset([self.checks.disable] if self.checks.disable else ())
        options = Options(disable=disabled, verify=True)
        program = typed_program(self.f, signature, {}, options, flat)
        return program, Compilation(program.function, options).until(self.checks.stage).function


# ----- In Python


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call: its result or error, and the arguments afterwards."""

    args: tuple
    result: Any = None
    error: Exception | None = None


def outcome(f: Callable, args: tuple) -> Outcome:
    """The outcome of a call on copies of the arguments; run-time errors are caught."""
    args = copy.deepcopy(args)
    try:
        return Outcome(args, f(*args))
    except RUNTIME_ERRORS as error:
        return Outcome(args, error=error)


def in_python(f: Callable, args: tuple) -> Outcome:
    try:
        with np.errstate(all="raise", under="ignore"):
            found = outcome(f, args)
    except (OverflowError, ValueError, FloatingPointError) as error:
        raise Skip(type(error).__name__) from error
    if found.error is None:
        numbers = vector((found.result, *found.args))
        if not np.all(np.abs(numbers) < HUGE):
            raise Skip("huge")
    return found


def decided_by_rounding(f: Callable, args: tuple, want: Outcome) -> bool:
    """True if Python itself finds something else when the arguments move by a few roundings.

    So is the remainder of a number whose last digits are rounded: `int(1e18 * x) % 3`.
    """
    numbers = vector(active(args))
    for move in (-3, -2, -1, 1, 2, 3):
        try:
            found = in_python(f, like(args, numbers * (1 + move * np.finfo(float).eps)))
            assert_same((found.result, *found.args), (want.result, *want.args), "value")
        except (Mismatch, Skip):
            return True
    return False


# ----- Comparisons


def vector(tree: Any) -> np.ndarray:
    """All numbers as one vector."""
    if isinstance(tree, (tuple, list)):
        return np.concatenate([np.zeros(0), *map(vector, tree)])
    return np.ravel(np.asarray(tree, float))


def like(args: tuple, numbers: np.ndarray) -> tuple:
    """The active arguments replaced by these numbers."""
    rest, new = list(numbers), list(args)
    for i in ACTIVE:
        size = np.size(args[i])
        part, rest = rest[:size], rest[size:]
        new[i] = np.reshape(part, np.shape(args[i])) if np.ndim(args[i]) else float(part[0])
    return tuple(new)


def active(args: tuple) -> tuple:
    return tuple(args[i] for i in ACTIVE)


def assert_same(
    got: Any, want: Any, kind: str, rtol: float = VALUE_RTOL, wider: bool = False
) -> None:
    """Equal up to rounding. A number may have a wider type than in Python, from another path.

    So may an array, if `wider`: where paths with arrays of different dtypes are merged.
    """
    if isinstance(want, tuple):
        if not isinstance(got, tuple) or len(got) != len(want):
            raise Mismatch(kind, f"{got!r}, not {want!r}")
        for g, w in zip(got, want):
            assert_same(g, w, kind, rtol, wider)
        return
    g, w = np.asarray(got), np.asarray(want)
    arrays = isinstance(got, np.ndarray), isinstance(want, np.ndarray)
    fits = (
        (g.dtype == w.dtype or (wider and np.can_cast(w.dtype, g.dtype)))
        if all(arrays)
        else "biuf".index(g.dtype.kind) >= "biuf".index(w.dtype.kind)
    )
    if arrays[0] != arrays[1] or g.shape != w.shape or not fits:
        raise Mismatch(kind, f"{got!r}, not {want!r}")
    assert_close(g, w, rtol, kind)


def _alike(got: Exception | None, want: Exception | None) -> bool:
    """The same kind of error. A certain failure is found at compile time, and counts as both."""
    if want is None or not isinstance(got, MyiaError):
        return _type_of(got) is _type_of(want)
    return isinstance(got, _type_of(want))


def _type_of(error: Exception | None) -> type:
    """Before Python 3.12 comprehensions were functions, and their names "free"."""
    old = isinstance(error, UnboundLocalError) and sys.version_info < (3, 12)
    return NameError if old else type(error)


def assert_close(got: np.ndarray, want: np.ndarray, rtol: float, kind: str) -> None:
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = np.max(np.abs(want), initial=1.0)
    if got.shape != want.shape or not np.all(np.abs(got - want) <= rtol * scale):
        raise Mismatch(kind, f"{got!r}, not {want!r}")


def differences(f: Callable[[np.ndarray], Any], x: np.ndarray, directions) -> tuple:
    """Directional derivatives by central differences, and where they can be trusted.

    They cannot be trusted at kinks and jumps, where two step sizes or the two sides disagree, nor
    at steep slopes.
    """
    slopes, trusted = [], []
    here = vector(f(x))
    for e in directions:
        step = STEP * np.asarray(e)
        ahead, behind = vector(f(x + step)), vector(f(x - step))
        near = (ahead - behind) / (2 * STEP)
        far = (vector(f(x + 2 * step)) - vector(f(x - 2 * step))) / (4 * STEP)
        scale = 1 + np.abs(near) + np.abs(here) * 1e-3
        bent = np.abs(ahead + behind - 2 * here) / STEP
        slopes.append((4 * near - far) / 3)
        smooth = (np.abs(near - far) < 3e-5 * scale) & (bent < 0.03 * scale)
        trusted.append(smooth & (np.abs(near) < STEEP))
    return np.array(slopes), np.array(trusted)


# ----- The checks of one program


class Case:
    """A program, compiled for its checks."""

    def __init__(self, program: Program, checks: Checks, report: Report):
        self.checks, self.report = checks, report
        self.f = define(program.source)["f"]
        self.loss = loss_of(self.f)
        self.derivatives = derivatives_of(self.loss)
        self.references: dict[Callable, Reference] = {}

    def reference(self, f: Callable) -> Reference:
        return self.references.setdefault(f, Reference(f, self.checks))

    def check(self, args: tuple) -> None:
        want = in_python(self.f, args)
        run = myia.jit(self.f) if self.checks.xla else self.reference(self.f)
        self.check_value(run, args, want)
        if want.error is not None:
            self.report.counts["raises"] += 1
            return
        self.check_gradient(args)

    def check_value(self, run: Callable, args: tuple, want: Outcome) -> None:
        try:
            got = outcome(run, args)
        except OverflowError as error:
            raise Skip("an integer beyond 64 bits") from error
        if want.error is not None and isinstance(got.error, MyiaError):
            if not _alike(got.error, want.error):
                raise got.error  # Python raises before
        elif not _alike(got.error, want.error):
            raise Mismatch("error", f"{got.error!r}, not {want.error!r}; {got.result}")
        if want.error is None:
            try:
                assert_same(got.result, want.result, "value")
                assert_same(got.args, want.args, "arguments")
            except Mismatch:
                if decided_by_rounding(self.f, args, want):
                    raise Skip("decided by rounding") from None
                raise
        self.report.counts["values"] += 1

    def check_gradient(self, args: tuple) -> None:
        x = vector(active(args))

        def at(x):
            found = in_python(self.loss, like(args, x))
            if found.error is not None:
                raise Skip("raises nearby")
            return found.result

        want, trusted = differences(at, x, np.eye(len(x)))
        want, trusted = want[:, 0], trusted[:, 0]
        gradient = self.derivatives.gradient
        run = myia.jit(gradient) if self.checks.xla else self.reference(gradient)
        got = vector(run(*copy.deepcopy(args)))
        self.count("derivatives", trusted)
        assert_close(
            np.where(trusted, got, 0), np.where(trusted, want, 0), GRADIENT_RTOL, "gradient"
        )
        rng = np.random.default_rng(0)
        v = rng.normal(size=len(x))
        if self.checks.forward:
            tangent = self.along(self.derivatives.tangent, args, v)
            assert_close(vector(tangent), vector(got @ v), DUALITY_RTOL, "forward against reverse")
        if self.checks.second:
            self.check_second_order(args, x, v)

    def along(self, f: Callable, args: tuple, v: np.ndarray):
        return self.reference(f)(*copy.deepcopy(args), active(like(args, v)))

    def check_second_order(self, args: tuple, x: np.ndarray, v: np.ndarray) -> None:
        gradient = self.reference(self.derivatives.gradient)
        want, trusted = differences(
            lambda x: vector(gradient(*copy.deepcopy(like(args, x)))), x, [v]
        )
        results = [
            vector(self.along(f, args, v))
            for f in (self.derivatives.forward_over_reverse, self.derivatives.reverse_over_forward)
        ]
        if not np.all(np.abs(results[0]) < HUGE):
            raise Skip("huge second derivatives")
        assert_close(
            results[0], results[1], DUALITY_RTOL, "forward over reverse against its converse"
        )
        self.count("second derivatives", trusted)
        for got in results:
            masked = np.where(trusted[0], got, 0), np.where(trusted[0], want[0], 0)
            assert_close(*masked, 10 * GRADIENT_RTOL, "second order")

    def count(self, what: str, trusted: np.ndarray) -> None:
        self.report.counts[what] += int(trusted.sum())
        self.report.counts[f"{what} skipped"] += int((~trusted).sum())


def check(program: Program, seed: int, checks: Checks) -> Report:
    """Raise unless the compiled program does the same as Python, or is refused."""
    report = Report()
    rng = Random(seed)
    inputs = [random_arguments(rng) for _ in range(2)]
    if not checks.dynamic:
        inputs[1] = (*inputs[1][:INTEGER], inputs[0][INTEGER], *inputs[1][INTEGER + 1 :])
    try:
        return guarded(Case(program, checks, report), inputs, report)
    except NeedsStatic:  # it needs a static `n`
        return check(program, seed, replace(checks, dynamic=False))


def guarded(case: Case, inputs: list[tuple], report: Report) -> Report:
    """Check the case on inputs, and note skips and refusals."""
    try:
        for args in inputs:
            try:
                case.check(args)
            except Skip as skip:
                report.counts[f"input skipped: {skip}"] += 1
    except NeedsStatic as error:
        if case.checks.dynamic:
            raise
        report.refused = reason(error)
    except MyiaError as error:
        report.refused = reason(error)
    return report


def reason(error: MyiaError) -> str:
    """The first line of the message, and the line of source."""
    lines = str(error).splitlines()
    notes = [line.strip() for line in lines if line.lstrip().startswith("note")]
    return " ".join([lines[0], *notes[:1]])
