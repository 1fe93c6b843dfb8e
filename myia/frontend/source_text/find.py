"""From a Python function to the syntax tree of its `def` or `lambda`.

The whole file is parsed, once. The function is found in it by the lines and columns in its code
object: locations are right, and a lambda is found anywhere in an expression.
"""

from __future__ import annotations

import ast
import functools
import itertools
import types
import warnings

from myia.frontend import errors
from myia.frontend.source_text.code_objects import compiles_to, lambda_compiles_to
from myia.frontend.source_text.notebooks import cells
from myia.frontend.source_text.texts import has_text, keep, texts
from myia.frontend.spans import Spans
from myia.source.diagnostics import MyiaError
from myia.source.span import SourceFile

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def find(fn: types.FunctionType) -> tuple[FunctionNode, SourceFile]:
    """The node of `fn`'s `def` or `lambda`, and its file.

    MyiaError if there is no text, or none that compiles to the code of `fn`.
    """
    name, text = _text(fn)
    file, functions = _parse(text, name)
    found = [node for node in functions if _may_be(node, fn.__code__)]
    if len(found) > 1:
        found = _innermost([node for node in found if _spans_code(node, fn.__code__)])
    if len(found) > 1:  # no instruction has a location: in Python 3.12 those of `lambda: 1`
        found = [node for node in found if _is_lambda_of(node, fn.__code__)][:1] or found
    if not found:
        raise MyiaError(_changed(fn))
    if len(found) > 1:
        raise MyiaError(errors.AmbiguousLambda(Spans(file).of(found[0])))
    return found[0], file


def _text(fn: types.FunctionType) -> tuple[str, str]:
    """The file, by name, and the text that Python runs when it runs `fn`."""
    name, tried = fn.__code__.co_filename, set()
    for file, text in itertools.chain(texts(fn), ((name, cell) for cell in cells())):
        if text not in tried and compiles_to(text, fn):
            keep(file, text)
            return file, text
        tried.add(text)
    if has_text(fn):
        raise MyiaError(_changed(fn))
    raise MyiaError(errors.NoSource(None, fn.__name__, name))


def _changed(fn: types.FunctionType) -> errors.SourceChanged:
    code = fn.__code__
    return errors.SourceChanged(None, code.co_name, code.co_filename, code.co_firstlineno)


@functools.lru_cache(maxsize=256)
def _parse(text: str, name: str) -> tuple[SourceFile, list[FunctionNode]]:
    """A file, and the functions in its syntax tree."""
    with warnings.catch_warnings(action="ignore"):  # they were shown at import
        tree = ast.parse(text)
    lines = text.removesuffix("\n").split("\n")
    functions = [node for node in ast.walk(tree) if isinstance(node, FunctionNode)]
    return SourceFile(name, tuple(lines)), functions


# ----- The node of a code object


def _may_be(node: FunctionNode, code: types.CodeType) -> bool:
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


def _spans_code(node: FunctionNode, code: types.CodeType) -> bool:
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


def _is_lambda_of(node: FunctionNode, code: types.CodeType) -> bool:
    return isinstance(node, ast.Lambda) and lambda_compiles_to(node, code)


def _innermost(nodes: list[FunctionNode]) -> list[FunctionNode]:
    """`nodes` without those that contain another: the inner lambda is inside both."""
    return [n for n in nodes if not any(m is not n and m in ast.walk(n) for m in nodes)]
