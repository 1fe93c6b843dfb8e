"""From a Python function to the syntax tree of its `def` or `lambda`.

The whole file is parsed, once. The function is found in it by the lines and columns in its code
object: locations are right, and a lambda is found anywhere in an expression.
"""

from __future__ import annotations

import ast
import importlib.machinery
import linecache
import types
import warnings
from dataclasses import dataclass

from myia.frontend import errors
from myia.frontend.spans import Spans
from myia.source.diagnostics import MyiaError
from myia.source.span import SourceFile

FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, eq=False)
class ParsedFile:
    """A file's text, the functions in its syntax tree, and the code objects it compiles to."""

    source: SourceFile
    functions: tuple[ast.AST, ...]
    codes: tuple[types.CodeType, ...]


_files: dict[str, ParsedFile] = {}


def find(fn: types.FunctionType) -> tuple[ast.AST, SourceFile]:
    """The node of `fn`'s `def` or `lambda`, and its file."""
    name = fn.__code__.co_filename
    if not _has_standard_loader(fn):
        linecache.checkcache(name)
    file = _parsed_file(fn)
    found = _nodes(fn, file)
    if not found:
        linecache.checkcache(name)  # the module may have changed, and been loaded again
        file = _parsed_file(fn)
        found = _nodes(fn, file)
    if not found:
        raise MyiaError(_changed(fn.__code__))
    if len(found) > 1:
        raise MyiaError(errors.AmbiguousLambda(Spans(file.source).of(found[0])))
    return found[0], file.source


def _nodes(fn: types.FunctionType, file: ParsedFile) -> list[ast.AST]:
    """The nodes that may define `fn`: one, unless the text has changed or is ambiguous."""
    code = fn.__code__
    if _has_standard_loader(fn) and not any(_same_code(code, c) for c in file.codes):
        return []
    found = [node for node in file.functions if _may_be(node, code)]
    if len(found) > 1:
        found = _innermost([node for node in found if _spans_code(node, code)])
    return found


def _changed(code: types.CodeType) -> errors.SourceChanged:
    return errors.SourceChanged(None, code.co_name, code.co_filename, code.co_firstlineno)


# ----- The file


def _parsed_file(fn: types.FunctionType) -> ParsedFile:
    name = fn.__code__.co_filename
    lines = tuple(linecache.getlines(name, fn.__globals__))
    if not lines:
        raise MyiaError(errors.NoSource(None, fn.__name__, name))
    stripped = tuple(line.rstrip("\n") for line in lines)
    known = _files.get(name)
    if known is None or known.source.lines != stripped:
        known = _files[name] = _parse("".join(lines), SourceFile(name, stripped), fn)
    return known


def _parse(text: str, source: SourceFile, fn: types.FunctionType) -> ParsedFile:
    try:
        with warnings.catch_warnings(action="ignore"):  # they were shown at import
            tree = ast.parse(text)
            top = compile(text, source.name, "exec", dont_inherit=True)
    except SyntaxError:
        raise MyiaError(_changed(fn.__code__)) from None
    functions = tuple(node for node in ast.walk(tree) if isinstance(node, FUNCTION_NODES))
    return ParsedFile(source, functions, tuple(_codes_in(top)))


def _codes_in(code: types.CodeType):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _codes_in(const)


# ----- Does the text still match the code?


def _has_standard_loader(fn: types.FunctionType) -> bool:
    """True if Python's own loader compiled the file, without changes.

    Other loaders (pytest's assertion rewriting, import hooks of type checkers) change the code of a
    file, so that it cannot be compared.
    """
    loader = fn.__globals__.get("__loader__")
    return type(loader) is importlib.machinery.SourceFileLoader and (
        getattr(loader, "path", None) == fn.__code__.co_filename
    )


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    names = ("co_name", "co_firstlineno", "co_code", "co_names", "co_varnames")
    names += ("co_freevars", "co_cellvars")
    if any(getattr(a, name) != getattr(b, name) for name in names):
        return False
    return len(a.co_consts) == len(b.co_consts) and all(map(_same_const, a.co_consts, b.co_consts))


def _same_const(a, b) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _same_code(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_const, a, b))
    # `==` does not suffice: here 1 differs from 1.0, 0.0 from -0.0, and nan equals itself.
    return type(a) is type(b) and (a == b if isinstance(a, frozenset) else repr(a) == repr(b))


# ----- The node of a code object


def _may_be(node: ast.AST, code: types.CodeType) -> bool:
    """Do the first line, the name and the parameters agree?"""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    if first != code.co_firstlineno or getattr(node, "name", "<lambda>") != code.co_name:
        return False
    a = node.args
    named = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    counts = (len(a.posonlyargs) + len(a.args), len(a.kwonlyargs))
    if counts != (code.co_argcount, code.co_kwonlyargcount):
        return False
    named += [arg.arg for arg in (a.vararg, a.kwarg) if arg is not None]
    return all(map(_is_mangled_as, named, code.co_varnames))


def _is_mangled_as(name: str, variable: str) -> bool:
    """Private names are mangled: the variable has the name of the class in front."""
    return variable == name or (name.startswith("__") and variable.endswith(name))


def _spans_code(node: ast.AST, code: types.CodeType) -> bool:
    """Are all instructions of `code` located inside the body of `node`?"""
    body = node.body if isinstance(node.body, list) else [node.body]
    start = (body[0].lineno, body[0].col_offset)
    end = (body[-1].end_lineno, body[-1].end_col_offset)
    for line, end_line, col, end_col in code.co_positions():
        if None in (line, end_line, col, end_col) or (line, col) == (end_line, end_col):
            continue
        if (line, col) < start or (end_line, end_col) > end:
            return False
    return True


def _innermost(nodes: list[ast.AST]) -> list[ast.AST]:
    """`nodes` without those that contain another: the inner lambda is inside both."""
    return [n for n in nodes if not any(m is not n and m in ast.walk(n) for m in nodes)]
