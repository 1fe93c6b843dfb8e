"""Failed run-time checks: the exception that Python would raise, with its run-time numbers.

A program returns the code of the first check that failed, and nothing of the numbers in its
exception: carried through loops and branches they would cost every call. They are found by a second
run, of a program that reports them (`infer/domain/context.py`). The arguments are still those of
the first: a call that fails writes nothing back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from myia.api.capacities import Outgrown
from myia.infer.domain.checks import Check
from myia.infer.eval.program import Program
from myia.ir.core import walk
from myia.pipeline import Executable, Report, compiled
from myia.primitives.core.host_calls import is_host_call, is_recorded
from myia.source.diagnostics import InternalError, MyiaError
from myia.source.process import Lock

_lock = Lock()  # one run with a report at a time: its numbers arrive in a callback


class BeyondInt64(Exception):
    """An int that is an argument leads to one that int64 does not hold, or to a float.

    Of a program in which it is a compile-time value, that may be known.
    """

    def __init__(self, error: BaseException):
        super().__init__()
        self.error = error  # what to raise if there is no such program


class FailedChecks:
    """The checks of one program. `report(Report(...))` is the program that reports one of them."""

    def __init__(
        self,
        program: Program,
        report: Callable[[Report], Program],
        overwrites_arguments: bool,
        takes_ints: bool,
    ):
        self._takes_ints = takes_ints  # ints of Python are arguments of the program
        self._program, self._report = program, report
        self.checks, self._facts = program.checks, program.facts
        calls = [op for op in walk(program.function.region) if is_host_call(op)]
        # A second run for a report makes no calls; one whose results it would need it cannot make.
        self._can_report = not (overwrites_arguments or any(map(is_recorded, calls)))
        # Nor is what it prints printed twice.
        has_effects = any(op.primitive.effect for op in walk(program.function.region))
        self._can_run_again = not (overwrites_arguments or has_effects)
        self._reporters: dict[int, _Reporter | None] = {}  # by the code of the check

    def error(self, code: int, leaves: Sequence[Any], results: Sequence[Any]) -> BaseException:
        """The exception of the check with this code; `leaves`: the arguments of the call."""
        check = self.checks[code - 1]
        if check.outgrown is not None:
            return Outgrown(self._program, check.outgrown, results)
        if check.of_int64 and self._takes_ints and self._can_run_again:
            return BeyondInt64(check.error())
        if not check.values or not self._can_report:
            return check.error()
        if code not in self._reporters:
            self._reporters[code] = self._reporter(code, check)
        reporter = self._reporters[code]
        return check.error(None if reporter is None else reporter.numbers(leaves))

    def _reporter(self, code: int, check: Check) -> _Reporter | None:
        """None where the repeated inference is not that of the program."""
        reporter = _Reporter()
        try:
            program = self._report(Report(code, reporter.receive))
        except MyiaError:
            return None
        same_facts = [f.answer for f in program.facts] == [f.answer for f in self._facts]
        same_check = len(program.checks) >= code and str(program.checks[code - 1]) == str(check)
        if not (same_facts and same_check):
            return None
        reporter.executable = compiled(program.only_checks().function).executable
        return reporter


class ChecksOfAnEntry:
    """The checks of a program of the cache, which knows their texts. `infer`: those of the program
    that it was made from, with their lines as they are now."""

    def __init__(self, texts: Sequence[str], infer: Callable[[], FailedChecks]):
        self._texts, self._infer = texts, infer
        self._checks: FailedChecks | None = None

    def error(self, code: int, leaves: Sequence[Any], results: Sequence[Any]) -> BaseException:
        """The exception of the check with this code."""
        if self._checks is None:
            self._checks = self._infer()
        if [check.message for check in self._checks.checks] != [*self._texts]:
            return InternalError(f"the cache has another program: {self._texts[code - 1]}")
        return self._checks.error(code, leaves, results)


class _Reporter:
    """A program that reports, and what it reported first: examples of a batch may all fail."""

    executable: Executable

    def __init__(self) -> None:
        self._received: tuple[Any, ...] | None = None

    def receive(self, *numbers: Any) -> None:
        if self._received is None:
            self._received = numbers

    def numbers(self, leaves: Sequence[Any]) -> tuple[Any, ...] | None:
        """The run-time values of the check; None if it did not fail again."""
        with _lock:
            self._received = None
            jax.block_until_ready(self.executable(*leaves))
            jax.effects_barrier()
            return self._received
