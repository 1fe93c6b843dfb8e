"""Source files and the spans inside them.

Every op of the IR, at every stage, carries the span of the user's code that it was made from: an
error, the metadata of an HLO op and a line of generated code can all name it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, eq=False, slots=True)
class SourceFile:
    """Text of (a piece of) one file. `first_line` is the number of `lines[0]` in that file."""

    name: str
    lines: tuple[str, ...] = field(repr=False)
    first_line: int = 1

    @property
    def shown(self) -> str:
        """The name for users. The file of a cell of a notebook is IPython's: it is `Cell In[3]`."""
        ipython: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        compiler = getattr(ipython, "compile", None)
        found = getattr(compiler, "format_code_name", lambda name: None)(self.name)
        return " ".join(found) if found else self.name

    def line(self, number: int) -> str | None:
        """The text of line `number` (1-based in the file), or None if it is not in this text."""
        index = number - self.first_line
        return self.lines[index] if 0 <= index < len(self.lines) else None


@dataclass(frozen=True, slots=True)
class Span:
    """A range of characters: 1-based lines, 0-based columns, `end_col` exclusive."""

    file: SourceFile
    line: int
    col: int
    end_line: int
    end_col: int

    def with_its_lines(self) -> Span:
        """The same span, in a file of which only its lines are known."""
        first = self.file.first_line
        lines = self.file.lines[self.line - first : self.end_line - first + 1]
        return replace(self, file=SourceFile(self.file.name, lines, self.line))

    def __str__(self) -> str:
        return f"{self.file.shown}:{self.line}"
