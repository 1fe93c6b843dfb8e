"""Diagnostics: one frozen dataclass per mistake, one renderer for all of them.

A diagnostic is declared in the folder of the stage that reports it (`frontend/errors.py`,
`infer/domain/errors.py`, ...):

    class UnsupportedAsync(Diagnostic):
        title = "asynchronous code is not supported"
        label = "compiled code does not wait"
        help = "await before or after the call of the compiled function"

In the frontend the span is that of a syntax node (`frontend/spans.py`). Ops keep it, and inference
reports at the op that it infers (`Context.fail`, by `current_span` of `ir/builder.py`).

`title`, `label`, `notes` and `help` are templates formatted with the instance's fields. The code
that the message ends with, and that `docs/refusals.md` lists, is made of the name: here
`unsupported-async`. Errors that are Python's own have none (`code = ""`).
"""

from __future__ import annotations

import pickle
import re
from dataclasses import dataclass, fields, replace
from inspect import get_annotations
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform

from myia.source.process import Lock
from myia.source.span import Span

_MAKING = Lock()  # dataclasses of diagnostics

PUBLIC = "myia.errors"  # where users find the errors, and what tracebacks show


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Diagnostic:
    """Base of all diagnostics; `span` is the source range at fault (None: no known location).

    Its subclasses are frozen dataclasses, too, from their first instance on: to make all of them
    would take a fifth of the time of `import`.
    """

    title: ClassVar[str] = ""
    label: ClassVar[str] = ""
    notes: ClassVar[tuple[str, ...]] = ()
    help: ClassVar[str] = ""
    code: ClassVar[str] = ""

    span: Span | None

    def __new__(cls, *_: Any, **__: Any) -> Self:
        return super().__new__(cls.as_dataclass())

    @classmethod
    def as_dataclass(cls) -> type[Self]:
        """The class itself, with its fields."""
        with _MAKING:
            for each in reversed(cls.__mro__[:-1]):
                # One without annotations has the fields of its base.
                if "__dataclass_fields__" not in vars(each) and get_annotations(each):
                    dataclass(frozen=True)(each)
        return cls

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls):
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    def text(self, template: str) -> str:
        return template.format(**{f.name: getattr(self, f.name) for f in fields(self)})


class Call(NamedTuple):
    """A call of a function of a library, on the way to an error."""

    span: Span
    name: str
    help: str  # what works instead


class MyiaError(Exception):
    """A mistake in the user's program, or a limit that it exceeds, with its source location."""

    def __init__(self, diagnostic: Diagnostic, calls: tuple[Call, ...] = ()):
        self.diagnostic = diagnostic
        self.calls = calls  # from the place of the error to the user's call of a library
        # Not `super()`: classes of Python that an error is one of, too, take other arguments.
        Exception.__init__(self, render(diagnostic, calls))

    def told(self) -> MyiaError:
        """The error as users see it, without the compiler's own classes of errors."""
        return self

    def called_from(self, span: Span, name: str, help_text: str) -> None:
        """The place of the error is in the source of `name`, which is called at `span`."""
        self.calls = (*self.calls, Call(span.with_its_lines(), name, help_text))
        self.show_again()

    def show_again(self) -> None:
        """With the diagnostic as it is now."""
        self.args = (render(self.diagnostic, self.calls), *self.args[1:])

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors cross the borders of process pools: the text goes, and what explains it."""
        state = {name: x for name, x in vars(self).items() if _is_portable(x)}
        state["diagnostic"] = _portable(self.diagnostic)
        return _restored, (type(self), self.args), state


def _restored(cls: type[MyiaError], args: tuple[Any, ...]) -> MyiaError:
    return cls.__new__(cls, *args)


class Told(Diagnostic):
    """A diagnostic of another process, which could not be sent, as its text."""

    title = "{message}"
    code = ""

    message: str


def _portable(diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic with the lines of its span alone, not with the whole file."""
    if diagnostic.span is not None:
        diagnostic = replace(diagnostic, span=diagnostic.span.with_its_lines())
    return diagnostic if _is_portable(diagnostic) else Told(None, render(diagnostic))


def _is_portable(x: Any) -> bool:
    try:
        pickle.dumps(x)
    except Exception:  # whatever the objects in it raise
        return False
    return True


class InternalError(Exception):
    """A bug of the compiler: one of its invariants does not hold."""


MyiaError.__module__ = InternalError.__module__ = PUBLIC


def render(diagnostic: Diagnostic, calls: tuple[Call, ...] = ()) -> str:
    """The text of a diagnostic: title, location, source line with carets, notes, help and code.

    `calls` lead from it to the user's: that one comes first, then the others down to the error.
    """
    out = [diagnostic.text(diagnostic.title)]
    if calls:
        *inner, first = calls
        out += _excerpt(first.span, f"in `{first.name}`, which this calls")
        out += [f"  {call.span}: calls `{call.name}`" for call in reversed(inner)]
    if diagnostic.span is not None:
        out += _excerpt(diagnostic.span, diagnostic.text(diagnostic.label))
    out += [f"  note: {diagnostic.text(note)}" for note in diagnostic.notes]
    if calls:
        out.append(f"  help: {calls[-1].help}")
    elif help_text := diagnostic.text(diagnostic.help):
        out.append(f"  help: {help_text}")
    if diagnostic.code:
        out.append(f"  code: {diagnostic.code}")
    return "\n".join(out)


def _excerpt(span: Span, label: str) -> list[str]:
    location = f"  --> {span.file.shown}:{span.line}:{span.col + 1}"
    line = span.file.line(span.line)
    if line is None:
        return [location]
    number = str(span.line)
    gutter = " " * len(number)
    end = span.end_col if span.end_line == span.line else len(line)
    carets = "^" * max(1, end - span.col)
    # Tabs keep their width, so that the carets stand under the right characters.
    indent = "".join("\t" if c == "\t" else " " for c in line[: span.col])
    pointer = f" {gutter} | {indent}{carets} {label}".rstrip()
    return [location, f" {gutter} |", f" {number} | {line}", pointer]
