"""Does a text compile to the code object that Python runs?

The text is compiled as the file was: plainly, or as its loader does it. Import hooks of type
checkers and pytest, which rewrites `assert`, change the code of a file. Code objects are compared
part by part; where lines begin, but not columns, is one of these parts.
"""

from __future__ import annotations
import __future__

import ast
import functools
import operator
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

# `from __future__ import annotations` in an earlier cell of a notebook holds for this one, too.
FUTURE_FLAGS = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
COMPARED = (
    *("co_name", "co_firstlineno", "co_code", "co_names", "co_varnames"),
    *("co_freevars", "co_cellvars"),
)


def compiles_to(text: str, fn: types.FunctionType) -> bool:
    """Is the code of `fn` part of what `text` compiles to?"""
    code = fn.__code__
    if _is_among(code, _compiled(text, code.co_filename, code.co_flags & FUTURE_FLAGS)):
        return True
    loader = fn.__globals__.get("__loader__")
    try:
        return _is_among(code, _compiled_by(loader, text, code.co_filename))
    except Exception:  # what a loader that is not ours cannot compile, it has not compiled
        return False


def lambda_compiles_to(node: ast.Lambda, code: types.CodeType) -> bool:
    """Does a lambda by itself, which makes free variables globals, compile to `code`?"""
    with warnings.catch_warnings(action="ignore"):
        alone = compile(ast.Expression(node), code.co_filename, "eval", dont_inherit=True)
    return any(isinstance(c, types.CodeType) and _same_code(c, code) for c in alone.co_consts)


CodesByLine = dict[int, list[types.CodeType]]


def _is_among(code: types.CodeType, codes: CodesByLine) -> bool:
    return any(_same_code(code, c) for c in codes.get(code.co_firstlineno, ()))


@functools.lru_cache(maxsize=64)
def _compiled(text: str, name: str, flags: int) -> CodesByLine:
    try:
        with warnings.catch_warnings(action="ignore"):  # they were shown at import
            return _by_line(compile(text, name, "exec", flags, dont_inherit=True))
    except (SyntaxError, ValueError):
        return {}


def _by_line(top: types.CodeType) -> CodesByLine:
    found: CodesByLine = {}
    for code in codes_in(top):
        found.setdefault(code.co_firstlineno, []).append(code)
    return found


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object, and those of the functions inside."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes_in(const)


# ----- Loaders that rewrite


@functools.lru_cache(maxsize=64)
def _compiled_by(loader: Any, text: str, name: str) -> CodesByLine:
    """What a loader makes of a text; nothing if it does not say."""
    with warnings.catch_warnings(action="ignore"):
        if hasattr(loader, "source_to_code"):
            return _by_line(loader.source_to_code(text.encode(), name))
        pytest = sys.modules.get("_pytest.assertion.rewrite")
        if pytest is None or not isinstance(loader, pytest.AssertionRewritingHook):
            return {}
        tree = ast.parse(text.encode(), name)
        pytest.rewrite_asserts(tree, text.encode(), name, loader.config)
        return _by_line(compile(tree, name, "exec", dont_inherit=True))


# ----- Equal code


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    if any(getattr(a, name) != getattr(b, name) for name in COMPARED):
        return False
    return len(a.co_consts) == len(b.co_consts) and all(map(_same_const, a.co_consts, b.co_consts))


def _same_const(a: Any, b: Any) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _same_code(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_const, a, b))
    # `==` does not suffice: here 1 differs from 1.0, 0.0 from -0.0, and nan equals itself.
    return type(a) is type(b) and (a == b if isinstance(a, frozenset) else repr(a) == repr(b))
