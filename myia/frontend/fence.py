"""The language fence: every node class of gast in a function, and whether it is supported.

`FENCE` decides by class. The few cases that depend on more than the class are in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gast

from myia.frontend import errors
from myia.frontend.generators import yields
from myia.frontend.spans import Spans
from myia.source.diagnostics import Diagnostic, MyiaError
from myia.source.span import Span

ALLOWED = None
Refusal = Callable[[Span], Diagnostic]


FENCE: dict[type, Refusal | None] = {
    # ----- Statements
    gast.FunctionDef: ALLOWED,
    gast.Return: ALLOWED,
    gast.Assign: ALLOWED,
    gast.AugAssign: ALLOWED,
    gast.AnnAssign: ALLOWED,
    gast.Delete: ALLOWED,
    gast.For: ALLOWED,
    gast.While: ALLOWED,
    gast.If: ALLOWED,
    gast.Expr: ALLOWED,
    gast.Pass: ALLOWED,
    gast.Break: ALLOWED,
    gast.Continue: ALLOWED,
    gast.Assert: ALLOWED,
    gast.Raise: ALLOWED,
    gast.Nonlocal: ALLOWED,
    gast.Global: ALLOWED,
    gast.Try: ALLOWED,
    gast.TryStar: errors.UnsupportedTryStar,
    gast.ExceptHandler: ALLOWED,
    gast.With: ALLOWED,
    gast.withitem: ALLOWED,
    gast.ClassDef: ALLOWED,
    gast.Import: ALLOWED,
    gast.ImportFrom: ALLOWED,
    gast.alias: ALLOWED,
    gast.Match: ALLOWED,
    gast.match_case: ALLOWED,
    gast.MatchAs: ALLOWED,
    gast.MatchClass: ALLOWED,
    gast.MatchMapping: ALLOWED,
    gast.MatchOr: ALLOWED,
    gast.MatchSequence: ALLOWED,
    gast.MatchSingleton: ALLOWED,
    gast.MatchStar: ALLOWED,
    gast.MatchValue: ALLOWED,
    gast.AsyncFunctionDef: errors.UnsupportedAsync,
    gast.AsyncFor: errors.UnsupportedAsync,
    gast.AsyncWith: errors.UnsupportedAsync,
    gast.TypeAlias: errors.UnsupportedTypeAlias,
    # ----- Expressions
    gast.Constant: ALLOWED,
    gast.Name: ALLOWED,
    gast.BoolOp: ALLOWED,
    gast.NamedExpr: ALLOWED,
    gast.BinOp: ALLOWED,
    gast.UnaryOp: ALLOWED,
    gast.Lambda: ALLOWED,
    gast.IfExp: ALLOWED,
    gast.Dict: ALLOWED,
    gast.Set: ALLOWED,
    gast.List: ALLOWED,
    gast.Tuple: ALLOWED,
    gast.ListComp: ALLOWED,
    gast.SetComp: ALLOWED,
    gast.DictComp: ALLOWED,
    gast.GeneratorExp: ALLOWED,
    gast.Compare: ALLOWED,
    gast.Call: ALLOWED,
    gast.FormattedValue: ALLOWED,
    gast.JoinedStr: ALLOWED,
    gast.Attribute: ALLOWED,
    gast.Subscript: ALLOWED,
    gast.Starred: ALLOWED,
    gast.Slice: ALLOWED,
    gast.Await: errors.UnsupportedAsync,
    gast.Yield: ALLOWED,
    gast.YieldFrom: ALLOWED,
    gast.TemplateStr: errors.UnsupportedTemplate,
    gast.Interpolation: errors.UnsupportedTemplate,
    # ----- Parts of these
    gast.arguments: ALLOWED,
    gast.keyword: ALLOWED,
    gast.comprehension: ALLOWED,
}

# Contexts and operators: leaves without a location, all allowed.
LEAVES = (
    gast.expr_context,
    gast.boolop,
    gast.operator,
    gast.unaryop,
    gast.cmpop,
)


STATEMENTS_OF_A_VALUE = (gast.Expr, gast.Assign, gast.AnnAssign, gast.Return)


def _yield_from(node: gast.YieldFrom, parent: gast.AST | None) -> Refusal | None:
    return None if isinstance(parent, STATEMENTS_OF_A_VALUE) else errors.UnsupportedYield


def _comprehension(node: gast.comprehension, parent: gast.AST | None) -> Refusal | None:
    return errors.UnsupportedAsync if node.is_async else None


def _try(node: gast.Try, parent: gast.AST | None) -> Refusal | None:
    return errors.YieldInFinally if yields(node.finalbody) else None


RULES: dict[type, Callable[[gast.AST, gast.AST | None], Refusal | None]] = {
    gast.YieldFrom: _yield_from,
    gast.comprehension: _comprehension,
    gast.Try: _try,
}


def fence(tree: gast.AST, spans: Spans) -> None:
    """Refuse the first node of `tree`, in the order of the text, that is not in the language."""
    _check(tree, None, spans)


def _check(node: gast.AST, parent: gast.AST | None, spans: Spans) -> None:
    if isinstance(node, LEAVES):
        return
    refusal = FENCE[type(node)]
    if refusal is None and type(node) in RULES:
        refusal = RULES[type(node)](node, parent)
    if refusal is not None:
        located = node if hasattr(node, "lineno") else parent
        raise MyiaError(refusal(spans.of(located)))
    for child in _checked_children(node):
        _check(child, node, spans)


def _checked_children(node: gast.AST) -> Iterator[gast.AST]:
    """The children of `node` that are evaluated: no annotations."""
    if isinstance(node, gast.Name):
        return
    for field in node._fields:
        if field in ("annotation", "returns", "type_params"):
            continue
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, gast.AST):
                yield child
