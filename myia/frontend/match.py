"""Desugaring of `match`: each pattern becomes a test, and assignments of its captures.

    match x:                            %subject = x
        case ("mul", k) if k > 1:       if (isinstance(%subject, (tuple, list))
            a                               and len(%subject) == 2 and %subject[0] == "mul"
        case Point(u, v=0.0):               and [k := %subject[1]] and k > 1):
            b                 ->            a
        case "one" | None:              elif isinstance(%subject, Point) and ...:
            c                               u = getattr(%subject, Point.__match_args__[0])
                                            b
                                        elif %subject == "one" or %subject is None:
                                            c

Sequence patterns match tuples and lists; mapping patterns match dicts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from myia.frontend import errors
from myia.frontend.spans import Spans
from myia.primitives.core import desugared
from myia.source.diagnostics import MyiaError

BUILTINS_USED = frozenset({"isinstance", "len", "tuple", "list", "dict", "getattr"})
# Classes whose single positional pattern matches the object itself.
SELF_MATCHING_CLASSES = frozenset(
    {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str"}
    | {"tuple"}
)


Place = Callable[[], gast.expr]  # makes the expression of the matched object


def remove_matches(tree: gast.AST, taken: frozenset[str], spans: Spans) -> gast.AST:
    """`tree` without `match`; `taken` are the names that hide a builtin."""
    return _Matches(taken, spans).visit(tree)


@dataclass
class _Case:
    """The tests of one pattern, in order, and its bindings."""

    tests: list[gast.expr] = field(default_factory=list)
    bindings: list[tuple[str, gast.expr]] = field(default_factory=list)


class _Matches(gast.NodeTransformer):
    def __init__(self, taken: frozenset[str], spans: Spans):
        self.taken, self.spans = taken, spans
        self.numbers = itertools.count(1)

    def visit_Match(self, node: gast.Match) -> list[gast.stmt]:
        self.generic_visit(node)
        if BUILTINS_USED & self.taken:
            name = min(BUILTINS_USED & self.taken)
            raise MyiaError(errors.MatchWithShadowedBuiltin(self.spans.header(node), name))
        subject = f"%subject{next(self.numbers)}"
        chain: list[gast.stmt] = []
        for case in reversed(node.cases):
            chain = self.branch(case, subject, chain)
        first = gast.Assign([_name(subject, gast.Store)], node.subject, None)
        return [_located(first, node), *chain]

    def branch(
        self, case: gast.match_case, subject: str, otherwise: list[gast.stmt]
    ) -> list[gast.stmt]:
        found = _Case()
        self.pattern(case.pattern, lambda: _name(subject), found)
        body = case.body
        if case.guard is None:
            assignments = [gast.Assign([_name(n, gast.Store)], x, None) for n, x in found.bindings]
            body = [_located(a, case.pattern) for a in assignments] + body
        else:
            found.tests += [_captured(n, x) for n, x in found.bindings]
            found.tests.append(case.guard)
        if not found.tests:
            return body
        return [_located(gast.If(_all(found.tests), body, otherwise), case.pattern)]

    # ----- Patterns

    def pattern(self, node: gast.AST, at: Place, case: _Case) -> None:
        before = len(case.tests)
        getattr(self, f"pattern_{type(node).__name__}")(node, at, case)
        for test in case.tests[before:]:
            _located(test, node)

    def pattern_MatchValue(self, node: gast.MatchValue, at: Place, case: _Case) -> None:
        case.tests.append(_quoted("x == value", x=at(), value=node.value))

    def pattern_MatchSingleton(self, node: gast.MatchSingleton, at: Place, case: _Case) -> None:
        case.tests.append(_quoted(f"x is {node.value}", x=at()))

    def pattern_MatchAs(self, node: gast.MatchAs, at: Place, case: _Case) -> None:
        if node.pattern is not None:
            self.pattern(node.pattern, at, case)
        if node.name is not None:
            case.bindings.append((node.name, at()))

    def pattern_MatchOr(self, node: gast.MatchOr, at: Place, case: _Case) -> None:
        alternatives = []
        for pattern in node.patterns:
            one = _Case()
            self.pattern(pattern, at, one)
            one.tests += [_captured(n, x) for n, x in one.bindings]
            alternatives.append(_all(one.tests) if one.tests else _quoted("True"))
        case.tests.append(gast.BoolOp(gast.Or(), alternatives))

    def pattern_MatchSequence(self, node: gast.MatchSequence, at: Place, case: _Case) -> None:
        stars = [i for i, p in enumerate(node.patterns) if isinstance(p, gast.MatchStar)]
        case.tests.append(_quoted("isinstance(x, (tuple, list))", x=at()))
        count, compare = len(node.patterns) - len(stars), ">=" if stars else "=="
        case.tests.append(_quoted(f"len(x) {compare} {count}", x=at()))
        for i, pattern in enumerate(node.patterns):
            after = len(node.patterns) - i
            if not isinstance(pattern, gast.MatchStar):
                index = i if not stars or i < stars[0] else -after
                self.pattern(pattern, _part(at, f"x[{index}]"), case)
            elif pattern.name is not None:
                stop = 1 - after if after > 1 else ""
                case.bindings.append((pattern.name, _quoted(f"list(x[{i}:{stop}])", x=at())))

    def pattern_MatchMapping(self, node: gast.MatchMapping, at: Place, case: _Case) -> None:
        case.tests.append(_quoted("isinstance(x, dict)", x=at()))
        for key, pattern in zip(node.keys, node.patterns):
            case.tests.append(_quoted("key in x", key=key, x=at()))
            self.pattern(pattern, _part(at, "x[key]", key=key), case)
        if node.rest is not None:
            keys = gast.Tuple(list(node.keys), gast.Load())
            call = gast.Call(gast.Constant(desugared.items_without, None), [at(), keys], [])
            case.bindings.append((node.rest, call))

    def pattern_MatchClass(self, node: gast.MatchClass, at: Place, case: _Case) -> None:
        case.tests.append(_quoted("isinstance(x, cls)", x=at(), cls=node.cls))
        itself = isinstance(node.cls, gast.Name) and node.cls.id in SELF_MATCHING_CLASSES
        for i, pattern in enumerate(node.patterns):
            place = _part(at, f"getattr(x, cls.__match_args__[{i}])", cls=node.cls)
            self.pattern(pattern, at if itself else place, case)
        for attribute, pattern in zip(node.kwd_attrs, node.kwd_patterns):
            self.pattern(pattern, _part(at, f"x.{attribute}"), case)


# ----- New nodes


def _quoted(text: str, **nodes: gast.expr) -> Any:
    """An expression with nodes in the places of these names."""
    tree = gast.parse(text, mode="eval")
    for node in gast.walk(tree):
        node.lineno = None  # it is new
    return _Filled(nodes).visit(tree).body


class _Filled(gast.NodeTransformer):
    def __init__(self, nodes: dict[str, gast.expr]):
        self.nodes = nodes

    def visit_Name(self, node: gast.Name) -> gast.expr:
        return self.nodes.get(node.id, node)


def _part(at: Place, text: str, **nodes: gast.expr) -> Place:
    """The place of a part of the object `x` at another place."""
    return lambda: _quoted(text, x=at(), **nodes)


def _name(id: str, ctx: type = gast.Load) -> gast.Name:
    return gast.Name(id, ctx(), None, None)


def _captured(name: str, x: gast.expr) -> gast.expr:
    """An assignment as a test that always holds, and is a truth value as other tests are."""
    made = gast.List([gast.NamedExpr(_name(name, gast.Store), x)], gast.Load())
    return gast.Compare(made, [gast.IsNot()], [gast.Constant(None, None)])


def _all(tests: list[gast.expr]) -> gast.expr:
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


def _located(node: gast.AST, like: gast.AST) -> gast.AST:
    """Give `node` and its new children the source location of `like`."""
    if getattr(node, "lineno", None) is not None:
        return node
    if "lineno" in node._attributes:
        gast.copy_location(node, like)
    for child in gast.iter_child_nodes(node):
        _located(child, like)
    return node
