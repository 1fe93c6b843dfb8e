"""Reduction of a failing program to a smaller one.

Statements are removed, compound ones replaced by their bodies and expressions by their parts, as
long as the program fails in the same way. The command is `python -m tests.debugging reduce`.
"""

from __future__ import annotations

import ast
import copy
import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.fuzz.comparisons import Mismatch
from tests.fuzz.grammar.generator import Program
from tests.fuzz.harness import Checks, check

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def failure_of_random(program: Program, seed: int, checks: Checks) -> str | None:
    """How the program fails: the kind of mismatch, or of exception and the start of its text."""
    try:
        check(program, seed, checks)
    except Mismatch as error:
        return f"{type(error).__name__} {error.kind}"
    except Exception as error:
        return start_of(error)
    return None


def start_of(error: Exception) -> str:
    """The kind of an error and the start of its text, which names no numbers."""
    text = str(error).partition("\n")[0][:60]
    return f"{type(error).__name__} {''.join(c for c in text if not c.isdigit())}"


def shrink(source: str, fails: Callable[[str], bool], seconds: float = 60) -> str:
    """The smallest failing program found; a program slower than `seconds` does not fail."""
    tree = ast.parse(source)
    found = True
    while found:
        found, size = False, _size(source)
        for candidate in _smaller(tree):
            smaller = ast.unparse(ast.fix_missing_locations(candidate))
            if _size(smaller) < size and _in_time(fails, smaller, seconds):
                source, tree, found = smaller, ast.parse(smaller), True
                break
    return source


def _size(source: str) -> tuple[float, int]:
    """The size of a program; a name counts more than a number."""
    try:
        return sum(1 for _ in ast.walk(ast.parse(source))), len(source)
    except SyntaxError:  # a block without statements
        return math.inf, len(source)


class _TooLong(BaseException):
    """Not an `Exception`, since those are failures of programs."""


def _in_time(fails: Callable[[str], bool], source: str, seconds: float) -> bool:
    try:
        with _time_limit(seconds):
            return fails(source)
    except _TooLong:
        return False


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(*_):
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _smaller(tree: ast.Module) -> Iterator[ast.Module]:
    """Trees with one node less."""
    for i, node in enumerate(ast.walk(tree)):
        for edit in (*_block_edits(node), *_expression_edits(node)):
            changed = copy.deepcopy(tree)
            edit(list(ast.walk(changed))[i])
            yield changed


Edit = Callable[[ast.AST], None]


def _block_edits(node: ast.AST) -> Iterator[Edit]:
    for name in BLOCKS:
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        for start in range(len(block)):
            yield lambda n, name=name, start=start: _splice(n, name, start, ())
            for inner in BLOCKS:
                lines = getattr(block[start], inner, None)
                if isinstance(lines, list) and not isinstance(block[start], ast.FunctionDef):
                    yield lambda n, name=name, start=start, inner=inner: _splice(
                        n, name, start, getattr(getattr(n, name)[start], inner)
                    )


def _splice(node: ast.AST, name: str, at: int, new) -> None:
    """Replace a statement by others; an empty body is a `pass`."""
    block = getattr(node, name)
    block[at : at + 1] = new
    if not block and name == "body":
        block.append(ast.Pass())


def _expression_edits(node: ast.AST) -> Iterator[Edit]:
    """For each expression in the node: one of its parts, or a number, in its place."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr) and name != "func":
            for replacement in _parts(value):
                yield lambda n, name=name, new=replacement: setattr(n, name, new)
        elif isinstance(value, list):
            for j, item in enumerate(value):
                if isinstance(item, ast.expr):
                    for new in _parts(item):
                        yield lambda n, name=name, j=j, new=new: getattr(n, name).__setitem__(
                            j, new
                        )


def _parts(x: ast.expr) -> list[ast.expr]:
    if isinstance(x, ast.Constant) or isinstance(getattr(x, "ctx", None), ast.Store):
        return []
    inner = [part for part in ast.iter_child_nodes(x) if isinstance(part, ast.expr)]
    if isinstance(x, ast.Call):
        inner = x.args
    return [*map(copy.deepcopy, inner), ast.Constant(1.0), ast.Constant(1)]
