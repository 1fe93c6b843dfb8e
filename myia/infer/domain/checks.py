"""Run-time checks: the exceptions that Python would raise, at run time and with its arguments.

Compiled code does not raise: `Context.add_check` notes the number of the first check that fails,
and the program goes on (code after an error that a handler may catch excepted: `paths/raised.py`).
That number, the *error code*, is a result of the program; the call raises the exception of this
check (`api/failed_checks.py`), at the user's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from myia.infer.capacities import Site
from myia.infer.domain.values import NewException, Static
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.source.diagnostics import MyiaError
from myia.source.hidden import Hidden
from myia.source.span import Span
from myia.source.value_texts import error_text

MakeException = Callable[[Sequence[Any]], BaseException]


@dataclass(frozen=True)
class Check:
    """A run-time check: the exception that Python would raise, and where.

    `message` shows `HIDDEN` for `values`, the run-time numbers in the exception. `make(numbers)` is
    the exception with their numbers. `of_int64`: Python's own ints would go on. `is_python`: Python
    raises it, too, so that it can be caught. `given`: of a `raise`, what it raises (`Given`).
    `again`: it stands for an earlier check, whose error a handler raises again. `is_caught`: a
    handler around it has caught it. `outgrown`: it is no exception, but a capacity that is too
    small (`capacities.py`). `foreign_to`: keys of generators, and of `try` in them, over which the
    loop goes that raises it.
    """

    exception: type[BaseException]
    message: str
    span: Span | None = None
    values: tuple[Value, ...] = ()
    make: MakeException | None = None
    of_int64: bool = False
    outgrown: Site | None = None
    is_python: bool = True
    given: Given | None = None
    again: int | None = None
    is_caught: bool = False
    foreign_to: tuple[object, ...] = field(default=(), repr=False, compare=False)

    @property
    def can_be_caught(self) -> bool:
        python = self.is_python and not self.of_int64
        return python and self.outgrown is None and not self.is_caught

    def __str__(self) -> str:
        return f"{self.exception.__name__}: {self.message}"

    def error(self, numbers: Sequence[Any] | None = None) -> BaseException:
        """The exception to raise, with a note of its place; without numbers it shows `HIDDEN`."""
        error = self.made(numbers)
        note = f"at {self.span}"
        if self.span is not None and note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        return error

    def made(
        self, numbers: Sequence[Any] | None = None, hidden: type[Hidden] = Hidden
    ) -> BaseException:
        """The exception without the note; `hidden`: of what stands for numbers."""
        if self.make is None:
            return self.exception(self.message) if self.message else self.exception()
        if numbers is not None:
            return self.make(numbers)
        try:
            return self.make([hidden()] * len(self.values))
        except Exception:  # the class does not take what stands for the numbers
            return self.exception.__new__(self.exception, self.message)


def check_of(error: BaseException) -> Check:
    """The check of an exception that is known."""
    cls, arguments, text = type(error), error.args, error_text(error)
    if arguments == (text,) and text:
        return Check(cls, text, current_span())
    given = Given(NewException(cls, tuple(map(Static, arguments))))
    return Check(cls, text, current_span(), make=lambda _: cls(*arguments), given=given)


@dataclass(frozen=True)
class Given:
    """The exception of a `raise`, as its handler sees it.

    `exception`: the abstract value; if it holds run-time values, they are those of the raise, and
    `cell`, an object of the `try`, holds it where it is caught.
    """

    exception: Any
    cell: int | None = None


@dataclass(eq=False)
class Try:
    """A `try` whose body is inferred. `cells`: by form, for exceptions with run-time values.

    `is_final`: it has a `finally`, which every error passes through. `reads`: a handler asks for
    the exception.
    """

    classes: tuple[type[BaseException], ...]  # what its handlers catch
    is_final: bool = False
    reads: bool = False
    cells: dict[Any, int] = field(default_factory=dict)
    # Its errors are not those of the loop over the generator that it is in.
    key: object = field(default_factory=object)


@dataclass
class Handlers:
    """The handlers that may catch what the present op raises.

    An error that may be caught ends the code up to its handler: what follows runs if there is none
    (`infer/paths/raised.py`). `clean` is the error code of which that is known already; checks from
    number `mark` on may have changed it. Objects with an id above `last_id` are younger than the
    body that is inferred: what runs after an error knows them only from other objects.
    """

    stack: list[Try] = field(default_factory=list)
    clean: Value | None = None
    mark: int = 0
    last_id: int = 0
    # Codes from before the bodies of `try` that are inferred, which have their own.
    earlier: list[Value] = field(default_factory=list)
    caught: list[Any] = field(default_factory=list)  # exceptions whose handlers are running
    pending: list[Any] = field(default_factory=list)  # cells of errors that a `finally` holds back
    # What a `finally` does not do on paths known while compiling, but may on others.
    skipped: int = 0
    loops: set[Any] = field(default_factory=set)  # that errors end, by path

    @contextmanager
    def of_consumer(
        self, outer: Sequence[Try], caught: list[Any], checks: list[Check], generator: object
    ) -> Iterator[None]:
        """Code of the loop over a generator, of which only the `outer` handlers catch errors.

        `caught`: the exceptions whose handlers are running there.
        """
        saved = self.stack, self.caught, self.clean, self.mark
        keys = (generator, *(t.key for t in self.stack if t not in outer))
        first = len(checks)
        self.stack, self.caught = list(outer), caught

        def foreign(check: Check) -> Check:
            return replace(check, foreign_to=(*check.foreign_to, *keys))

        try:
            yield
        except Exception as error:
            if isinstance(check := getattr(error, "check", None), Check):
                vars(error)["check"] = foreign(check)
            raise
        finally:
            self.stack, self.caught, self.clean, self.mark = saved
            checks[first:] = map(foreign, checks[first:])

    def catches(self, *exceptions: type[BaseException]) -> bool:
        """May an error of one of these classes be caught?"""
        return any(issubclass(e, t.classes) for t in self.stack for e in exceptions)

    def catches_check(self, check: Check) -> bool:
        return check.can_be_caught and any(
            issubclass(check.exception, t.classes)
            for t in self.stack
            if t.key not in check.foreign_to
        )

    def catcher(self, exception: type[BaseException]) -> Try | None:
        """The `try` that catches an exception of this class."""
        tries = (t for t in reversed(self.stack) if not t.is_final)
        return next((t for t in tries if issubclass(exception, t.classes)), None)


@contextmanager
def located_here(checks: list[Check]) -> Iterator[None]:
    """Errors in our own source, also those at run time (`checks`), are shown at the present op."""
    span, before = current_span(), len(checks)
    try:
        yield
    except MyiaError as error:
        if _is_ours(error.diagnostic.span):
            error.diagnostic = replace(error.diagnostic, span=span)
            error.show_again()
        raise
    checks[before:] = [
        replace(check, span=span) if _is_ours(check.span) else check for check in checks[before:]
    ]


OURS = Path(__file__).parents[2] / "library"


def _is_ours(span: Span | None) -> bool:
    return span is None or OURS in Path(span.file.name).parents
