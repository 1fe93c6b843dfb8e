"""Tokens of the text form of the IR."""

from __future__ import annotations

import re
from typing import NamedTuple

from myia.source.span import SourceFile, Span

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
    | (?P<newline>\n)
    | (?P<comment>\#[^\n]*)
    | (?P<string>b?'(?:[^'\\\n]|\\.)*' | b?"(?:[^"\\\n]|\\.)*")
    | (?P<value>%[\w.]+)
    | (?P<at>@"[^"\n]*" | @[\w.]+)
    | (?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)? | -?inf\b | nan\b)
    | (?P<word>[^\W\d][\w.]*)
    | (?P<opaque><[^\s][^\n]*)
    | (?P<mark>->|\.\.\.|\*\*|[{}()\[\]=:,<*])""",
    re.VERBOSE,
)
_PLACE = re.compile(r"#\s*(?P<file>.+):(?P<line>\d+)\s*$")


class ParseError(ValueError):
    """The text is not of the grammar, or cannot be read back."""


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokenize(text: str) -> tuple[list[Token], dict[int, Span]]:
    """Tokens without spaces and comments; and the spans that comments name, by line."""
    tokens, spans, files = [], {}, {}
    line, position = 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ParseError(f"line {line}: cannot read {text[position : position + 20]!r}")
        kind, position = match.lastgroup, match.end()
        if kind == "comment" and (place := _PLACE.match(match.group())):
            file = files.setdefault(place["file"], SourceFile(place["file"], ()))
            number = int(place["line"])
            spans[line] = Span(file, number, 0, number, 0)
        if kind not in ("space", "comment"):
            tokens.append(Token(kind, match.group(), line))
        line += kind == "newline"
    tokens.append(Token("end", "the end", line))
    return tokens, spans
