"""The check of one random program: the compiled function against plain Python."""

from __future__ import annotations

import contextlib
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np

import myia
from myia.api.capacities import GrownCapacities, Outgrown
from myia.api.programs.decision_tree import DecisionTree
from myia.backends.reference.interpreter import evaluate
from myia.infer import capacities
from myia.infer.boundary.signature import INTEGER as INT64
from myia.infer.boundary.signature import Flattener
from myia.infer.domain.errors import NeedsStatic, Slip
from myia.ir.core import Function
from myia.pipeline import Compilation, Options, typed_program
from myia.source.diagnostics import InternalError, MyiaError
from tests.fuzz.comparisons import Mismatch, Skip, alike, assert_close, differences, vector
from tests.fuzz.grammar.generator import Program
from tests.fuzz.outcomes import HUGE, Calls, Outcome, assert_same_outcome
from tests.fuzz.programs import (
    INTEGER,
    active,
    define,
    derivatives_of,
    like,
    loss_of,
    random_arguments,
)
from tests.passes.by_name import passes_of
from tests.program_results import finish

OUTGROWN: Any = defaultdict(int)  # results of a run that does not count
MEMORY = 2**24  # bytes for all lists of a program, none of which is long
FIRST_CAPACITY = 12  # of these lists: a short loop already makes one that needs more room
BEYOND = "a loop makes more than its"  # iterations, of the interpreter
GRADIENT_RTOL = 1e-5
DUALITY_RTOL = 1e-8


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
    """`refused`: why the compiler refused; `counts`: numbers of comparisons and of skips.

    `constructs`: how often the program has each.
    """

    refused: str | None = None
    counts: Counter = field(default_factory=Counter)
    constructs: Counter = field(default_factory=Counter)


def random_checks(rng: Random) -> Checks:
    """Random checks: mostly the last stage with all passes."""
    return Checks(
        forward=rng.random() < 0.3,
        second=rng.random() < 0.1,
        dynamic=rng.random() < 0.4,
        stage="expand" if rng.random() < 0.1 else "finish",
        disable=rng.choice(list(passes_of("finish"))) if rng.random() < 0.15 else None,
    )


# ----- On the reference interpreter


class Reference:
    """`f` compiled, and run by the reference interpreter; with more room where it needs more."""

    def __init__(self, f: Any, checks: Checks):
        self.f, self.checks = f, checks
        self.compiled: dict[Any, tuple] = {}
        self.capacities = GrownCapacities(memory=MEMORY)

    def __call__(self, *args):
        while True:
            text = io.StringIO()  # what a run prints that needs more room does not count
            try:
                with contextlib.redirect_stdout(text):
                    return self.call(args)
            except Outgrown as outgrown:
                self.capacities.grow(outgrown)
                self.compiled.clear()
                text = io.StringIO()
            finally:
                print(text.getvalue(), end="")

    def call(self, args: tuple):
        flat = Flattener()
        signature = tuple(self.add(flat, i, x) for i, x in enumerate(args))
        if signature not in self.compiled:
            self.compiled[signature] = self.compile(signature, flat)
        program, function = self.compiled[signature]
        hidden = DecisionTree(program).find(flat).hidden
        try:
            results = evaluate(function, [x for some in (flat.leaves, *hidden) for x in some])
        except InternalError as error:
            if not program.capacities or BEYOND not in str(error):
                raise
            raise outgrown(program) from None
        return finish(program, results, flat)

    def add(self, flat: Flattener, i: int, x: Any):
        if i != INTEGER or not self.checks.dynamic:
            return flat.add(x)
        flat.leaves.append(np.int64(x))
        return INT64

    def compile(self, signature, flat: Flattener) -> tuple[Any, Function]:
        disabled = frozenset([self.checks.disable] if self.checks.disable else ())
        options = Options(disable=disabled, verify=True)
        sizes = self.capacities.sizes
        program = typed_program(self.f, signature, {}, options, flat, capacities=sizes)
        return program, Compilation(program.function, options).until(self.checks.stage).function


def outgrown(program: Any) -> Outgrown:
    """A loop goes on beyond the room of a run that does not count: any list may have too little."""
    found = Outgrown(program, program.capacities[0][0].site, OUTGROWN)
    found.sizes = {capacity: None for capacity, _ in program.capacities}
    return found


# ----- The checks of one program


class Case:
    """A program, compiled for its checks."""

    def __init__(self, program: Program, checks: Checks, report: Report):
        self.checks, self.report = checks, report
        names = define(program.source)
        self.f = names["f"]
        self.calls = Calls(names, quiet=program.raises_inside())
        self.loss = loss_of(self.f)
        self.derivatives = derivatives_of(self.loss)
        self.references: dict[Callable, Reference] = {}

    def reference(self, f: Callable) -> Reference:
        return self.references.setdefault(f, Reference(f, self.checks))

    def check(self, args: tuple) -> None:
        want = self.calls.in_python(self.f, args)
        run = myia.jit(self.f) if self.checks.xla else self.reference(self.f)
        self.check_value(run, args, want)
        if want.error is not None:
            self.report.counts["raises"] += 1
            return
        with contextlib.redirect_stdout(io.StringIO()):
            self.check_gradient(args)

    def check_value(self, run: Callable, args: tuple, want: Outcome) -> None:
        got = self.calls.outcome(run, args)
        if isinstance(got.error, OverflowError) and not alike(got.error, want.error):
            raise Skip("an integer beyond 64 bits")
        if want.error is None and "the order of NaN" in str(got.error):
            raise Skip("Python sorts NaN anyhow")
        if not alike(got.error, want.error):
            elsewhere = isinstance(got.error, MyiaError) and want.error is not None
            if elsewhere or isinstance(got.error, Slip):
                raise got.error  # Python raises before, or does not come there
            if self.calls.decided_by_rounding(self.f, args, want):
                raise Skip("decided by rounding")
            message = f"{got.error!r}, not {want.error!r}; {got.result}"
            raise Mismatch("error", message) from got.error
        if isinstance(got.error, MyiaError):
            self.report.counts["raised while compiling"] += 1
            return
        try:
            assert_same_outcome(
                got, replace(want, args=want.args if want.error is None else got.args)
            )
        except Mismatch:
            if self.calls.decided_by_rounding(self.f, args, want):
                raise Skip("decided by rounding") from None
            raise
        self.report.counts["values"] += 1

    def check_gradient(self, args: tuple) -> None:
        x = vector(active(args))

        def at(x):
            found = self.calls.in_python(self.loss, like(args, x))
            if found.error is not None:
                raise Skip("raises nearby")
            return found.result

        want, trusted = differences(at, x, np.eye(len(x)))
        want, trusted = want[:, 0], trusted[:, 0]
        gradient = self.derivatives.gradient
        run = myia.jit(gradient) if self.checks.xla else self.reference(gradient)
        got = vector(self.calls.result(run, args))
        self.count("derivatives", trusted)
        masked = np.where(trusted, got, 0), np.where(trusted, want, 0)
        try:
            assert_close(*masked, GRADIENT_RTOL, "gradient")
        except Mismatch:
            if np.isnan(got).any() and self.calls.makes_infinity(self.loss, args):
                raise Skip("an infinity inside") from None
            raise
        rng = np.random.default_rng(0)
        v = rng.normal(size=len(x))
        if self.checks.forward:
            tangent = self.along(self.derivatives.tangent, args, v)
            assert_close(vector(tangent), vector(got @ v), DUALITY_RTOL, "forward against reverse")
        if self.checks.second:
            self.check_second_order(args, x, v)

    def along(self, f: Callable, args: tuple, v: np.ndarray):
        return self.calls.result(self.reference(f), (*args, active(like(args, v))))

    def check_second_order(self, args: tuple, x: np.ndarray, v: np.ndarray) -> None:
        gradient = self.reference(self.derivatives.gradient)

        def at(x):
            near = like(args, x)
            found = self.calls.outcome(gradient, near)
            wanted = self.calls.in_python(self.loss, near)
            if not alike(found.error, wanted.error):
                message = f"{found.error!r}, not {wanted.error!r}"
                raise Mismatch("error", message) from found.error
            if wanted.error is not None:
                raise Skip("raises nearby")
            return vector(found.result)

        want, trusted = differences(at, x, [v])
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
    report = Report(constructs=program.constructs)
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
        with small_capacities():
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


@contextlib.contextmanager
def small_capacities() -> Iterator[None]:
    before, capacities.FIRST_CAPACITY = capacities.FIRST_CAPACITY, FIRST_CAPACITY
    try:
        yield
    finally:
        capacities.FIRST_CAPACITY = before


def reason(error: MyiaError) -> str:
    """The first line of the message, and the line of source."""
    lines = str(error).splitlines()
    notes = [line.strip() for line in lines if line.lstrip().startswith("note")]
    return " ".join([lines[0], *notes[:1]])
