"""What a call returns, raises, changes and prints; what Python makes of it."""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from myia.infer.domain.errors import CertainError
from myia.source.diagnostics import MyiaError
from tests.fuzz.comparisons import Mismatch, Skip, alike, assert_same, vector
from tests.fuzz.programs import active, like

HUGE = 1e5  # larger numbers are not compared: rounding dominates
# What Python's floats raise, and compiled code does not, unless a `try` around may catch it.
OF_FLOATS = re.compile(
    r"float |math |complex |cannot convert float|0\.0 cannot|\(34,|(Python )?int too large"
)


@dataclass(frozen=True)
class Outcome:
    """The result of a call or its error; arguments and globals afterwards; what it printed."""

    args: tuple
    result: Any = None
    error: Exception | None = None
    printed: str = ""


@dataclass(frozen=True)
class Calls:
    """Calls of one program, whose globals are `names`; each begins with the globals as they were.

    `quiet`: NumPy makes infinities and NaN, as in compiled code, else such a call is skipped.
    """

    names: dict[str, Any]
    quiet: bool = False

    def outcome(self, f: Callable, args: tuple) -> Outcome:
        """The outcome of a call on copies of the arguments."""
        args = copy.deepcopy(args)
        before = {name: self.names[name] for name in ("G",) if name in self.names}
        error = result = None
        with _told() as text:
            try:
                result = f(*args)
            except CertainError as raised:
                error = raised
            except MyiaError:
                raise
            except Exception as raised:
                error = raised
        after = tuple(self.names[name] for name in before)
        self.names.update(before)
        return Outcome((*args, *after), result, error, _without_signs(text.getvalue()))

    def result(self, f: Callable, args: tuple) -> Any:
        found = self.outcome(f, args)
        if found.error is not None:
            raise found.error
        return found.result

    def in_python(self, f: Callable, args: tuple) -> Outcome:
        with np.errstate(all="ignore" if self.quiet else "raise", under="ignore"):
            found = self.outcome(f, args)
        if isinstance(found.error, ArithmeticError | ValueError) and OF_FLOATS.match(
            str(found.error)
        ):
            raise Skip(type(found.error).__name__) from found.error
        if isinstance(found.error, FloatingPointError):
            raise Skip("FloatingPointError") from found.error
        if found.error is None and not np.all(np.abs(vector((found.result, *found.args))) < HUGE):
            raise Skip("huge")
        return found

    def decided_by_rounding(self, f: Callable, args: tuple, want: Outcome) -> bool:
        """True if Python itself finds something else when the arguments move by a few roundings.

        So is the remainder of a number whose last digits are rounded: `int(1e18 * x) % 3`; and
        `sum(v * v for v in x) <= x @ x`, where each number moves by itself.
        """
        numbers = vector(active(args))
        rng = np.random.default_rng(0)
        each = rng.integers(-3, 4, (6, len(numbers)))
        for move in (-3, -2, -1, 1, 2, 3, *each):
            try:
                near = like(args, numbers * (1 + move * np.finfo(float).eps))
                found = self.in_python(f, near)
                if not alike(found.error, want.error):
                    return True
                assert_same_outcome(found, want)
            except (Mismatch, Skip):
                return True
        return False

    def makes_infinity(self, f: Callable, args: tuple) -> bool:
        """Does a name hold an infinity on the way? Python's floats make one without an error."""
        found: list[bool] = []

        def trace(frame: Any, event: str, arg: Any) -> Any:
            if not found and any(map(_has_infinity, [*frame.f_locals.values(), arg])):
                found.append(True)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            self.outcome(f, args)
        finally:
            sys.settrace(before)
        return bool(found)


def _has_infinity(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_has_infinity, x))
    return isinstance(x, float) and math.isinf(x)


def assert_same_outcome(got: Outcome, want: Outcome) -> None:
    if want.error is None:
        assert_same(got.result, want.result, "value")
    assert_same(got.args, want.args, "arguments")
    if got.printed != want.printed:
        raise Mismatch("printed", f"{got.printed!r}, not {want.printed!r}")


# ----- Prints, logs, warnings


@contextlib.contextmanager
def _told() -> Iterator[io.StringIO]:
    """What is printed, logged and warned of, in order."""
    log, handler = logging.getLogger("fuzz"), _Printed()
    log.handlers, log.propagate, log.level = [handler], False, logging.INFO
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as text:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _print_warning
        yield text


class _Printed(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(record.levelname, record.getMessage())


def _print_warning(message: Any, category: type, *rest: Any) -> None:
    if category is UserWarning:
        print(f"{category.__name__}: {message}")


def _without_signs(text: str) -> str:
    """A zero may have another sign than in Python."""
    return re.sub(r"-(0(?:\.0*)?)(?![\d.])", r"\1", text)
