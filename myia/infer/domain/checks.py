"""Run-time checks: the exceptions that Python would raise, at run time and with its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from myia.infer.capacities import Site
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.source.diagnostics import MyiaError, render
from myia.source.span import Span

HIDDEN = "<run-time value>"  # stands for a number that is not known while compiling

MakeException = Callable[[Sequence[Any]], BaseException]


class Hidden:
    """Formats as `HIDDEN`, whatever the format."""

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return HIDDEN


@dataclass(frozen=True)
class Check:
    """A run-time check: the exception that Python would raise, and where.

    `message` shows `HIDDEN` for `values`, the run-time numbers in the exception. `make(numbers)` is
    the exception with their numbers. `of_int64`: Python's own ints would go on. `outgrown`: it is
    no exception, but a capacity that is too small (`capacities.py`).
    """

    exception: type[BaseException]
    message: str
    span: Span | None = None
    values: tuple[Value, ...] = ()
    make: MakeException | None = None
    of_int64: bool = False
    outgrown: Site | None = None

    def __str__(self) -> str:
        return f"{self.exception.__name__}: {self.message}"

    def error(self, numbers: Sequence[Any] | None = None) -> BaseException:
        """The exception to raise, with a note of its place; without numbers it shows `HIDDEN`."""
        error = self._made(numbers)
        note = f"at {self.span}"
        if self.span is not None and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        return error

    def _made(self, numbers: Sequence[Any] | None) -> BaseException:
        if self.make is None:
            return self.exception(self.message)
        if numbers is not None:
            return self.make(numbers)
        try:
            return self.make([Hidden()] * len(self.values))
        except Exception:  # the class does not take what stands for the numbers
            return self.exception.__new__(self.exception, self.message)


@contextmanager
def located_here(checks: list[Check]) -> Iterator[None]:
    """Errors in our own source, also those at run time (`checks`), are shown at the present op."""
    span, before = current_span(), len(checks)
    try:
        yield
    except MyiaError as error:
        if _is_ours(error.diagnostic.span):
            error.diagnostic = replace(error.diagnostic, span=span)
            error.args = (render(error.diagnostic),)
        raise
    checks[before:] = [
        replace(check, span=span) if _is_ours(check.span) else check for check in checks[before:]
    ]


OURS = Path(__file__).parents[2] / "library"


def _is_ours(span: Span | None) -> bool:
    return span is None or OURS in Path(span.file.name).parents
