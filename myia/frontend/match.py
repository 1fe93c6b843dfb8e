"""Desugaring of `match`: each pattern becomes a test, and assignments of its captures.

    match x:                            %subject = x
        case ("mul", k) if k > 1:       if (is_sequence(%subject)
            a                               and len(%subject) == 2 and %subject[0] == "mul"
        case Point(u, v=0.0):               and [k := %subject[1]] and k > 1):
            b                 ->            a
        case "one" | None:              elif (isinstance(%subject, Point)
            c                                 and (%parts := class_parts(%subject, Point, ...))
                                              and %parts[1] == 0.0):
                                            u = %parts[0]
                                            b
                                        elif %subject == "one" or %subject is None:
                                            c

Sequence patterns match tuples, lists, ranges and deques; mapping patterns match dicts.

Names are bound when the whole pattern has matched, before the guard. The alternatives of `a | b`
bind names of their own, which the names of the pattern are given then.
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
    # The names that the alternatives of the last test bind, and the pattern's names for them.
    chosen: dict[str, str] = field(default_factory=dict)

    def test(self, test: gast.expr) -> None:
        self.tests.append(test)
        self.chosen = {}


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
        _bind_in_place(found)
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
        case.test(_quoted("x == value", x=at(), value=node.value))

    def pattern_MatchSingleton(self, node: gast.MatchSingleton, at: Place, case: _Case) -> None:
        case.test(_quoted(f"x is {node.value}", x=at()))

    def pattern_MatchAs(self, node: gast.MatchAs, at: Place, case: _Case) -> None:
        if node.pattern is not None:
            self.pattern(node.pattern, at, case)
        if node.name is not None:
            case.bindings.append((node.name, at()))

    def pattern_MatchOr(self, node: gast.MatchOr, at: Place, case: _Case) -> None:
        alternatives = []
        chosen: dict[str, str] = {}  # by the name of the pattern, that of the alternatives
        for pattern in node.patterns:
            one = _Case()
            self.pattern(pattern, at, one)
            for name, x in one.bindings:
                if name not in chosen:
                    chosen[name] = f"%{name}{next(self.numbers)}"
                one.tests.append(_captured(chosen[name], x))
            alternatives.append(_all(one.tests) if one.tests else _quoted("True"))
        case.test(gast.BoolOp(gast.Or(), alternatives))
        case.chosen = {made: name for name, made in chosen.items()}
        case.bindings += [(name, _name(made)) for name, made in chosen.items()]

    def pattern_MatchSequence(self, node: gast.MatchSequence, at: Place, case: _Case) -> None:
        stars = [i for i, p in enumerate(node.patterns) if isinstance(p, gast.MatchStar)]
        case.test(_called(desugared.is_sequence, at()))
        count, compare = len(node.patterns) - len(stars), ">=" if stars else "=="
        case.test(_quoted(f"len(x) {compare} {count}", x=at()))
        for i, pattern in enumerate(node.patterns):
            after = len(node.patterns) - i
            if not isinstance(pattern, gast.MatchStar):
                index = i if not stars or i < stars[0] else -after
                self.pattern(pattern, _part(at, f"x[{index}]"), case)
            elif pattern.name is not None:
                ends = _constant(i), _constant(1 - after if after > 1 else None)
                case.bindings.append((pattern.name, _called(desugared.middle, at(), *ends)))

    def pattern_MatchMapping(self, node: gast.MatchMapping, at: Place, case: _Case) -> None:
        case.test(_called(desugared.is_mapping, at()))
        keys = []
        for key, pattern in zip(node.keys, node.patterns):
            first = key
            if isinstance(key, gast.Attribute):  # a capture may have the name that is read
                first, key = self.kept("key", key)
            keys.append(key)
            case.test(_quoted("key in x", key=first, x=at()))
            self.pattern(pattern, _part(at, "x[key]", key=key), case)
        if node.rest is not None:
            named = gast.Tuple(keys, gast.Load())
            case.bindings.append((node.rest, _called(desugared.items_without, at(), named)))

    def pattern_MatchClass(self, node: gast.MatchClass, at: Place, case: _Case) -> None:
        case.test(_quoted("isinstance(x, cls)", x=at(), cls=node.cls))
        if not (node.patterns or node.kwd_patterns):
            return
        if self.is_self_matching(node):
            self.pattern(node.patterns[0], at, case)
            return
        named = [_constant(name) for name in node.kwd_attrs]
        operands = at(), node.cls, _constant(len(node.patterns)), *named
        first, parts = self.kept("parts", _called(desugared.class_parts, *operands))
        case.test(gast.Compare(first, [gast.IsNot()], [_constant(None)]))
        for i, pattern in enumerate((*node.patterns, *node.kwd_patterns)):
            self.pattern(pattern, _part(lambda: parts, f"x[{i}]"), case)

    def is_self_matching(self, node: gast.MatchClass) -> bool:
        """Is it a pattern such as `float(x)`, of a builtin class?"""
        name = node.cls.id if isinstance(node.cls, gast.Name) else None
        is_builtin = name in SELF_MATCHING_CLASSES - self.taken
        return is_builtin and len(node.patterns) == 1 and not node.kwd_patterns

    def kept(self, word: str, x: gast.expr) -> tuple[gast.expr, gast.expr]:
        """`x`, which is evaluated once, under a name; and this name."""
        name = f"%{word}{next(self.numbers)}"
        return gast.NamedExpr(_name(name, gast.Store), x), _name(name)


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


def _constant(value: Any) -> gast.Constant:
    return gast.Constant(value, None)


def _called(function: Callable, *args: gast.expr) -> gast.Call:
    return gast.Call(_constant(function), list(args), [])


def _bind_in_place(case: _Case) -> None:
    """Where alternatives are the last test, they bind the names of the pattern themselves."""
    if not case.chosen:
        return
    for node in gast.walk(case.tests[-1]):
        if isinstance(node, gast.NamedExpr):
            node.target.id = case.chosen.get(node.target.id, node.target.id)
    case.bindings = [
        (name, x)
        for name, x in case.bindings
        if not (isinstance(x, gast.Name) and x.id in case.chosen)
    ]


def _captured(name: str, x: gast.expr) -> gast.expr:
    """An assignment as a test that always holds, and is a truth value as other tests are."""
    made = gast.List([gast.NamedExpr(_name(name, gast.Store), x)], gast.Load())
    return gast.Compare(made, [gast.IsNot()], [_constant(None)])


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
