"""The lexer of the IR's text form: its tokens, and the cursor with which the parser reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from myia.source.span import SourceFile, Span

T = TypeVar("T")

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
_LOCATION = re.compile(r"#\s*(?P<file>.+):(?P<line>\d+)\s*$")


class ParseError(ValueError):
    """The text does not follow the grammar, or cannot be read back."""


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokenize(text: str) -> tuple[list[Token], dict[int, Span]]:
    """Tokens without spaces and comments; and the spans that comments name, by line."""
    tokens: list[Token] = []
    spans: dict[int, Span] = {}
    files: dict[str, SourceFile] = {}
    line, position = 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ParseError(f"line {line}: cannot read {text[position : position + 20]!r}")
        kind, position = match.lastgroup or "", match.end()
        if kind == "comment" and (location := _LOCATION.match(match.group())):
            file = files.setdefault(location["file"], SourceFile(location["file"], ()))
            number = int(location["line"])
            spans[line] = Span(file, number, 0, number, 0)
        if kind not in ("space", "comment"):
            tokens.append(Token(kind, match.group(), line))
        line += kind == "newline"
    tokens.append(Token("end", "the end", line))
    return tokens, spans


class Cursor:
    """A position in the tokens of a text."""

    def __init__(self, text: str):
        self.tokens, self.spans = tokenize(text)
        self.position = 0

    def peek(self) -> Token:
        return self.tokens[self.position]

    def next(self, kind: str | None = None) -> str:
        token = self.peek()
        if kind is not None and token.kind != kind:
            raise self.error(f"expected a {kind}, found {token.text!r}")
        self.position += 1
        return token.text

    def accept(self, text: str) -> bool:
        """Whether the next token is `text`, which is then consumed."""
        found = self.peek().text == text and self.peek().kind != "string"
        self.position += found
        return found

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text!r}, found {self.peek().text!r}")

    def newlines(self) -> None:
        while self.peek().kind == "newline":
            self.position += 1

    def some(self, item: Callable[[], T]) -> list[T]:
        """One item or more, with commas between them."""
        items = [item()]
        while self.accept(","):
            items.append(item())
        return items

    def listed(self, item: Callable[[], T], close: str) -> list[T]:
        """Items and commas up to `close`."""
        items = []
        while not self.accept(close):
            items.append(item())
            if not self.accept(","):
                self.expect(close)
                break
        return items

    def error(self, message: str) -> ParseError:
        return ParseError(f"line {self.peek().line}: {message}")
