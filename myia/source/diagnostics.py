"""Diagnostics: one frozen dataclass per mistake, one renderer for all of them.

A diagnostic is declared where its stage lives (`frontend/errors.py`, `infer/domain/errors.py`,
...):

    @dataclass(frozen=True)
    class UnsupportedTry(Diagnostic):
        title = "`try` is not supported"
        label = "exceptions cannot be compiled"
        way_out = "test for the condition with `if` before computing"

`title`, `label`, `notes` and `way_out` are templates formatted with the instance's fields.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from myia.source.span import Span


@dataclass(frozen=True)
class Diagnostic:
    """Base of all diagnostics; `span` is the guilty piece of source (None: nowhere to point)."""

    title: ClassVar[str] = ""
    label: ClassVar[str] = ""
    notes: ClassVar[tuple[str, ...]] = ()
    way_out: ClassVar[str] = ""

    span: Span | None

    def text(self, template: str) -> str:
        return template.format(**{f.name: getattr(self, f.name) for f in fields(self)})


class MyiaError(Exception):
    """A mistake in (or a limit met by) the user's program, with its place in the source."""

    def __init__(self, diagnostic: Diagnostic):
        self.diagnostic = diagnostic
        super().__init__(render(diagnostic))


class InternalError(Exception):
    """A mistake of ours: an invariant of the compiler does not hold."""


def render(diagnostic: Diagnostic) -> str:
    """Title, place, the source line with carets under the span, notes and a way out."""
    out = [diagnostic.text(diagnostic.title)]
    if diagnostic.span is not None:
        out += _excerpt(diagnostic.span, diagnostic.text(diagnostic.label))
    out += [f"  note: {diagnostic.text(note)}" for note in diagnostic.notes]
    if diagnostic.way_out:
        out.append(f"  help: {diagnostic.text(diagnostic.way_out)}")
    return "\n".join(out)


def _excerpt(span: Span, label: str) -> list[str]:
    place = f"  --> {span.file.name}:{span.line}:{span.col + 1}"
    line = span.file.line(span.line)
    if line is None:
        return [place]
    number = str(span.line)
    gutter = " " * len(number)
    end = span.end_col if span.end_line == span.line else len(line)
    carets = "^" * max(1, end - span.col)
    # Tabs keep their width, so that the carets stand under the right characters.
    indent = "".join("\t" if c == "\t" else " " for c in line[: span.col])
    pointer = f" {gutter} | {indent}{carets} {label}".rstrip()
    return [place, f" {gutter} |", f" {number} | {line}", pointer]
