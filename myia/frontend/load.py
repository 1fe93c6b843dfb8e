"""The entry points of the frontend: a Python function -> code of IR(py), or core Python as text.

find          finds the `def` or `lambda` of the function in its file
statements    cuts context functions (`contextmanager`) at their `yield`, before the fence
fence         refuses unsupported syntax
match, statements, classes, generators
              desugar `match`, `with` and `import`, `class`, generator expressions
rename        makes every name mean one variable of its function
core          converts to core Python, with one kind of loop
scopes        finds the kind of each variable
lower         liveness, desugaring, then SSA, function by function
"""

from __future__ import annotations

import ast
import sys
import types
import weakref
from dataclasses import dataclass, replace
from typing import Any

import gast

from myia.frontend import errors
from myia.frontend.core import core
from myia.frontend.desugar import desugar
from myia.frontend.desugar.classes import remove_classes
from myia.frontend.fence import fence
from myia.frontend.generators import Names, Path, are_as_before, lazy_generators_to_functions
from myia.frontend.lower import lower
from myia.frontend.match import BUILTINS_USED, remove_matches
from myia.frontend.rename import mangle_private_names, rename_comprehension_variables
from myia.frontend.scopes import scopes
from myia.frontend.source_text.find import find
from myia.frontend.spans import Spans, place_f_strings
from myia.frontend.statements import (
    cut_context_function,
    desugar_statements,
    is_context_function,
    skip_assertions,
)
from myia.frontend.unparse import to_text
from myia.ir.core import Op, Region, walk
from myia.ir.rewrite import with_regions
from myia.primitives.core import py
from myia.source.diagnostics import MyiaError
from myia.source.process import Lock


@dataclass(eq=False, slots=True)
class _Loaded:
    """Of one Python code object. Nothing in it keeps a function alive."""

    code: weakref.ref  # the Python code object
    bare: py.Code  # without a namespace
    latest: weakref.ref[py.Code]
    has_match: bool  # then no global may hide the builtins that it is made of
    callees: dict[Path, bool]  # which of them take all items of a generator expression


_cache: dict[int, _Loaded] = {}  # by the id of the Python code object
_loading = Lock()


def load(fn: Any) -> py.Code:
    """The code of a Python function, lambda or method (of a method, with `self` as a parameter).

    Functions made by one `def` share `Code.region` (if no function is defined inside); each has its
    own namespace.
    """
    fn = _plain_function(fn)
    code, namespace = fn.__code__, _namespace(fn)
    loaded = _cache.get(id(code))
    if loaded is None or not _is_of(loaded, fn):
        with _loading:  # one thread loads it: equal places in the source are one object
            loaded = _cache.get(id(code))
            if loaded is None or not _is_of(loaded, fn):
                latest, has_match, names = _load(fn, namespace)
                bare = _in_namespace(latest, py.Namespace({}, {}))
                loaded = _cache[id(code)] = _Loaded(
                    _forgetting(code), bare, weakref.ref(latest), has_match, names.answers
                )
    if loaded.has_match and not BUILTINS_USED.isdisjoint(fn.__globals__):
        _load(fn, namespace)  # raises
    found = loaded.latest()  # read once: another thread may load the code in its own namespace
    if found is None or not found.namespace.is_same(namespace):
        found = _in_namespace(loaded.bare, namespace)
        loaded.latest = weakref.ref(found)
    return found


def _is_of(loaded: _Loaded, fn: types.FunctionType) -> bool:
    return loaded.code() is fn.__code__ and are_as_before(loaded.callees, fn.__globals__)


def _plain_function(fn: Any) -> types.FunctionType:
    while isinstance(fn, (types.MethodType, staticmethod, classmethod)):
        fn = fn.__func__
    if not isinstance(fn, types.FunctionType):
        raise MyiaError(errors.NotAFunction(None, _describe(fn)))
    return fn


def _describe(fn: Any) -> str:
    name = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    return f"`{name}`" if hasattr(fn, "__qualname__") else f"an object of type `{name}`"


def _namespace(fn: types.FunctionType) -> py.Namespace:
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    return py.Namespace(fn.__globals__, cells)


def _load(fn: types.FunctionType, namespace: py.Namespace) -> tuple[py.Code, bool, Names]:
    """The code of a function, whether it has a `match`, and what it assumes of its callees."""
    node, file = find(fn)
    spans, names = Spans(file), Names(fn)
    try:
        has_match = any(isinstance(n, ast.Match) for n in ast.walk(node))
        scope = scopes(_core(fn, node, spans, names), frozenset(namespace.cells))
        return lower(scope, spans, namespace), has_match, names
    except RecursionError:
        raise MyiaError(errors.TooDeep(spans.header(node), fn.__name__)) from None


def core_text(fn: Any) -> str:
    """The desugared source of a function: the core Python that is lowered to IR(py).

    A lambda remains a lambda: it has no jumps. `unparse.py` lists what is not Python in the text.
    """
    fn = _plain_function(fn)
    node, file = find(fn)
    spans = Spans(file)
    try:
        tree = _core(fn, node, spans)
        for function in [n for n in gast.walk(tree) if isinstance(n, gast.FunctionDef)]:
            function.body = desugar(function)
        return to_text(tree)
    except RecursionError:
        raise MyiaError(errors.TooDeep(spans.header(node), fn.__name__)) from None


def _core(
    fn: types.FunctionType, node: ast.AST, spans: Spans, names: Names | None = None
) -> gast.AST:
    """The function in core Python, with its jumps; without `names` its generator expressions, too.

    `names` decides which of them are functions.
    """
    tree = gast.ast_to_gast(node)
    if sys.flags.optimize:
        tree = skip_assertions(tree)
    package = fn.__globals__.get("__package__")
    place_f_strings(tree)
    if any(map(is_context_function, gast.walk(tree))):
        tree = desugar_statements(tree, package)
        for part in reversed(list(gast.walk(tree))):  # inner functions first
            if is_context_function(part):
                cut_context_function(part, spans)
    if hasattr(tree, "decorator_list"):
        tree.decorator_list = []  # they have been applied already: `fn` is their argument
    fence(tree, spans)
    if any(isinstance(n, gast.Match) for n in gast.walk(tree)):
        tree = remove_matches(tree, _shadowing(fn, tree), spans)
    tree = desugar_statements(tree, package)
    if any(isinstance(n, gast.ClassDef) for n in gast.walk(tree)):
        tree = remove_classes(tree, spans)
    mangle_private_names(tree, fn.__code__.co_qualname)
    tree = tree if names is None else lazy_generators_to_functions(tree, names)
    rename_comprehension_variables(tree)
    return core(tree)


def _shadowing(fn: types.FunctionType, tree: gast.AST) -> frozenset[str]:
    """Names of the module, of closures and in the function: they may hide a builtin."""
    names = [n for n in gast.walk(tree) if isinstance(n, gast.Name)]
    stored = {n.id for n in names if not isinstance(n.ctx, gast.Load)}
    functions = {n.name for n in gast.walk(tree) if isinstance(n, gast.FunctionDef)}
    return frozenset({*fn.__globals__, *fn.__code__.co_freevars, *stored, *functions})


# ----- The cache


def _forgetting(code: types.CodeType) -> weakref.ref:
    key = id(code)
    return weakref.ref(code, lambda _: _cache.pop(key, None))


def _in_namespace(code: py.Code, namespace: py.Namespace) -> py.Code:
    """`code`, and the code of the functions defined inside, with another namespace."""

    def placed(region: Region) -> Region:
        if any(op.primitive is py.function for op in walk(region)):
            return _region_in_namespace(region, namespace)
        return region

    closing = None if code.closing is None else placed(code.closing)
    return replace(code, region=placed(code.region), closing=closing, namespace=namespace)


def _region_in_namespace(region: Region, namespace: py.Namespace) -> Region:
    ops = tuple(_op_in_namespace(op, namespace) for op in region.ops)
    return Region(region.args, ops, region.yields)


def _op_in_namespace(op: Op, namespace: py.Namespace) -> Op:
    if op.primitive is py.function:
        params = {"code": _in_namespace(op.params["code"], namespace)}
        return Op(op.primitive, op.operands, params, (), op.results, op.span)
    if op.regions:
        return with_regions(op, [_region_in_namespace(r, namespace) for r in op.regions])
    return op
