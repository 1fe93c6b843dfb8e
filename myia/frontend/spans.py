"""Spans of syntax nodes: from nodes of gast to ranges of characters of the source."""

from __future__ import annotations

import sys

import gast

from myia.source.span import SourceFile, Span

# Before Python 3.12 the parser gives wrong locations to nodes inside an f-string.
_F_STRINGS_HAVE_LOCATIONS = sys.version_info >= (3, 12)


class Spans:
    """The spans of the nodes of one file."""

    def __init__(self, file: SourceFile):
        self.file = file

    def of(self, node: gast.AST) -> Span:
        line, end = node.lineno, node.end_lineno
        return Span(
            self.file,
            line,
            self._column(line, node.col_offset),
            end,
            self._column(end, node.end_col_offset),
        )

    def header(self, node: gast.AST) -> Span:
        """The span of the first line of a compound statement: `for x in xs:`."""
        span = self.of(node)
        if span.end_line == span.line:
            return span
        line = self.file.line(span.line) or ""
        return Span(self.file, span.line, span.col, span.line, len(line.rstrip()))

    def _column(self, line: int, offset: int) -> int:
        """The column in characters; the parser counts bytes of UTF-8."""
        text = self.file.line(line)
        if text is None or text.isascii():
            return offset
        return len(text.encode()[:offset].decode(errors="ignore"))


def place_f_strings(tree: gast.AST) -> None:
    """Give nodes inside an f-string its location, on Python versions that have none."""
    if _F_STRINGS_HAVE_LOCATIONS:
        return
    for node in gast.walk(tree):
        if isinstance(node, gast.JoinedStr):
            for inner in gast.walk(node):
                if hasattr(inner, "lineno"):
                    gast.copy_location(inner, node)
