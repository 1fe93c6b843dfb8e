"""Core Python: the subset of gast that the frontend lowers, with one node added.

    Loop(target, iter, test, body, orelse)      for target in iter, while test: body
                                                iter None: a plain `while`
                                                test None: a plain `for`

`core` converts a fenced tree; `unparse.py` prints it. Names with a `%`, which no user can write,
are generated: a flag of the control flow (`%returned`), or a comprehension's variable (`x%1`, the
user's `x`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import gast

from myia.primitives.core import desugared


class Loop(gast.stmt):
    """A `for` or a `while`; with both an iterable and a test, an iteration begins with the test."""

    _fields = ("target", "iter", "test", "body", "orelse")
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")


ITEM = "%item"  # what `yield from` yields
DELEGATE = "%from"  # the generator that it yields from
FUNCTIONS = (gast.FunctionDef, gast.Lambda)
Block = list[gast.stmt]
Fresh = Callable[[str], str]  # a new name for a word
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


class _ToCore(gast.NodeTransformer):
    def __init__(self, seen_later: set[gast.ExceptHandler]):
        self.seen_later = seen_later  # handlers whose `as e` is read elsewhere, too

    def visit_For(self, node: gast.For) -> Loop:
        self.generic_visit(node)
        return gast.copy_location(Loop(node.target, node.iter, None, node.body, node.orelse), node)

    def visit_Expr(self, node: gast.Expr) -> gast.stmt:
        self.generic_visit(node)
        return each_yielded(node) if isinstance(node.value, gast.YieldFrom) else node

    def visit_Assign(self, node: gast.Assign) -> gast.stmt | Block:
        return self.with_value(node)

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.stmt | Block:
        return self.with_value(node)

    def visit_Return(self, node: gast.Return) -> gast.stmt | Block:
        return self.with_value(node)

    def with_value(self, node: gast.stmt) -> gast.stmt | Block:
        """`x = yield from g` yields the items first: its value is what the generator returns."""
        self.generic_visit(node)
        value = node.value
        if not isinstance(value, gast.YieldFrom):
            return node
        delegate = assign(DELEGATE, value.value, value)
        value.value = name(DELEGATE, value)
        items = each_yielded(gast.copy_location(gast.Expr(value), value))
        function = constant(desugared.returned, value)
        node.value = gast.copy_location(gast.Call(function, [name(DELEGATE, value)], []), value)
        return [delegate, items, node]

    def visit_Try(self, node: gast.Try) -> gast.Try:
        """A `try` has handlers or a `finally`; `as e` is an assignment."""
        self.generic_visit(node)
        for handler in node.handlers:
            if handler.name is not None:
                handler.body = bound_exception(handler, handler in self.seen_later)
                handler.name = None
        if not (node.handlers and node.finalbody):
            return node
        inner = gast.Try(node.body, node.handlers, node.orelse, [])
        node.body, node.handlers, node.orelse = [gast.copy_location(inner, node)], [], []
        return node

    def visit_Raise(self, node: gast.Raise) -> gast.Raise:
        self.generic_visit(node)
        if node.exc is None:
            node.exc = gast.copy_location(gast.Call(constant(desugared.caught, node), [], []), node)
        return node

    def visit_While(self, node: gast.While) -> Loop:
        self.generic_visit(node)
        return gast.copy_location(Loop(None, None, node.test, node.body, node.orelse), node)


def core(tree: gast.AST) -> gast.AST:
    """`tree` with its `for`s and `while`s as `Loop`s (changed in place)."""
    return _ToCore(_seen_later(tree)).visit(tree)


def _seen_later(tree: gast.AST) -> set[gast.ExceptHandler]:
    """The handlers `as e` after which `e` may be read, before another handler binds it again."""
    handlers = [n for n in gast.walk(tree) if isinstance(n, gast.ExceptHandler) and n.name]
    inside = {handler: set(gast.walk(handler)) for handler in handlers}
    found: set[gast.ExceptHandler] = set()
    for read in _reads(tree) if handlers else ():
        binders = [h for h in handlers if h.name.id == read.id]
        around = [h for h in binders if read in inside[h]]
        others = [h for h in binders if h not in around]
        found.update(h for h in others if all(h in inside[other] for other in around))
    return found


def _reads(tree: gast.AST) -> Iterator[gast.Name]:
    """Where variables are read."""
    for node in gast.walk(tree):
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            yield node.target
        elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Store):
            yield node


def each_yielded(node: gast.Expr) -> Loop:
    """`yield from xs` is `for item in xs: yield item`: nothing is sent into a generator."""
    item = gast.copy_location(gast.Yield(name(ITEM, node)), node)
    item.delegates = True
    body = [gast.copy_location(gast.Expr(item), node)]
    return gast.copy_location(
        Loop(name(ITEM, node, gast.Store), node.value.value, None, body, []), node
    )


def bound_exception(handler: gast.ExceptHandler, is_seen_later: bool) -> Block:
    """The body of a handler with its `as e`, a name that is unbound afterwards.

    `is_seen_later`: by code that a jump or an exception leads to, too.
    """
    bound, like = handler.name.id, handler
    caught = gast.copy_location(gast.Call(constant(desugared.caught, like), [], []), like)
    unbound = gast.copy_location(gast.Delete([name(bound, like, gast.Del)]), like)
    first, last = assign(bound, caught, like), [assign(bound, constant(None, like), like), unbound]
    if is_seen_later:
        left = gast.copy_location(gast.Try(handler.body, [], [], last), handler.body[0])
        return [first, left]
    return [first, *handler.body, *last]


# ----- New nodes; `like` is the user's node that gives the source location


def name(id: str, like: gast.AST, ctx: type = gast.Load) -> gast.Name:
    return gast.copy_location(gast.Name(id, ctx(), None, None), like)


def assign(id: str, value: gast.expr, like: gast.AST) -> gast.Assign:
    return gast.copy_location(gast.Assign([name(id, like, gast.Store)], value, None), like)


def constant(value: Any, like: gast.AST) -> gast.Constant:
    return gast.copy_location(gast.Constant(value, None), like)


def if_(test: gast.expr, body: Block, orelse: Block, like: gast.AST) -> gast.If:
    return gast.copy_location(gast.If(test, body, orelse), like)


def not_(test: gast.expr) -> gast.expr:
    """The negation of a test (of its truth value: `not not x` is `x`)."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return gast.copy_location(gast.UnaryOp(gast.Not(), test), test)


def unless(flag: str, test: gast.expr | None, like: gast.AST) -> gast.expr:
    """`not flag and test`; just `not flag` if there is no test, or it is `True`."""
    negation = not_(name(flag, like))
    if test is None or is_true(test):
        return negation
    return gast.copy_location(gast.BoolOp(gast.And(), [negation, test]), test)


# ----- Names and predicates


def is_generated(id: str) -> bool:
    """Is `id` a flag or value made by desugaring? Its reads are never checked."""
    return id.startswith("%")


def user_name(id: str) -> str:
    """The user's name for `id`, or the plain word of a generated name."""
    return id[1:] if is_generated(id) else id.partition("%")[0]


def fresh_names() -> Fresh:
    """`fresh("break")` is `%break`, then `%break2`, ...: one generator of names per function."""
    counts: dict[str, itertools.count[int]] = {}

    def fresh(word: str) -> str:
        number = next(counts.setdefault(word, itertools.count(1)))
        return f"%{word}" if number == 1 else f"%{word}{number}"

    return fresh


def discard(like: gast.AST) -> gast.stmt:
    call = gast.copy_location(gast.Call(constant(desugared.discard, like), [], []), like)
    return gast.copy_location(gast.Expr(call), like)


def is_discard(stmt: gast.stmt) -> bool:
    call = stmt.value if isinstance(stmt, gast.Expr) else None
    of = call.func if isinstance(call, gast.Call) else None
    return isinstance(of, gast.Constant) and of.value is desugared.discard


def has_discard(node: gast.Try) -> bool:
    """Does a `finally` jump?"""
    return any(is_discard(n) for stmt in node.finalbody for n in walk_here(stmt))


def is_true(test: gast.expr | None) -> bool:
    return isinstance(test, gast.Constant) and bool(test.value)


def is_endless(loop: Loop) -> bool:
    """`while True:` without a `break` of its own: only `return` and `raise` leave it."""
    return loop.iter is None and is_true(loop.test) and not has_own(gast.Break, loop.body)


def has_own(jump: type[gast.stmt], stmts: Block) -> bool:
    """Is there a `break` or `continue` in `stmts` that belongs to the loop around them?"""
    for stmt in stmts:
        inner = stmt.orelse if isinstance(stmt, Loop) else [s for b in blocks(stmt) for s in b]
        if isinstance(stmt, jump) or has_own(jump, inner):
            return True
    return False


def rewritten(stmts: Block, rewrite: Callable[[gast.stmt], Block]) -> Block:
    """`stmts` with each statement replaced, those inside of branches and loops first."""
    done: Block = []
    for stmt in stmts:
        for block in blocks(stmt):
            block[:] = rewritten(block, rewrite)
        done += rewrite(stmt)
    return done


def blocks(stmt: gast.stmt) -> list[Block]:
    """The blocks of a compound statement."""
    if isinstance(stmt, (gast.If, Loop)):
        return [stmt.body, stmt.orelse]
    if isinstance(stmt, gast.Try):
        handled = [handler.body for handler in stmt.handlers]
        return [stmt.body, *handled, stmt.orelse, stmt.finalbody]
    return []


def has_walrus(node: gast.AST) -> bool:
    return any(isinstance(n, gast.NamedExpr) for n in walk_here(node))


def walk_here(node: gast.AST) -> Iterator[gast.AST]:
    """`node` and its descendants in the same scope (of a `def`: decorators and defaults)."""
    yield node
    for child in evaluated_here(node):
        yield from walk_here(child)


def evaluated_here(node: gast.AST) -> Iterator[gast.AST]:
    """The children of `node` that are evaluated in the same scope, in the order of evaluation."""
    if isinstance(node, FUNCTIONS):
        yield from getattr(node, "decorator_list", ())
        yield from node.args.defaults
        yield from (d for d in node.args.kw_defaults if d is not None)
    elif isinstance(node, gast.AnnAssign):
        yield from (node.target, *([node.value] if node.value else []))
    elif isinstance(node, gast.Dict):
        pairs = zip(node.keys, node.values)
        yield from (part for pair in pairs for part in pair if part is not None)
    elif isinstance(node, gast.Name):
        return
    else:
        yield from gast.iter_child_nodes(node)


def variables(*generators: gast.comprehension) -> list[str]:
    """The names that these parts of comprehensions assign."""
    targets = [n for g in generators for n in gast.walk(g.target)]
    return [n.id for n in targets if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)]


def items_of(comprehension: gast.AST) -> list[gast.expr]:
    """The expressions of which each iteration makes an item, in the order of evaluation."""
    fields = ("key", "value") if isinstance(comprehension, gast.DictComp) else ("elt",)
    return [getattr(comprehension, field) for field in fields]


def parameters(node: gast.AST) -> list[gast.Name]:
    """The parameters of a `def` or `lambda`, in the order of `inspect.signature`."""
    a = node.args
    vararg = [a.vararg] if a.vararg else []
    kwarg = [a.kwarg] if a.kwarg else []
    return [*a.posonlyargs, *a.args, *vararg, *a.kwonlyargs, *kwarg]


def body_of(node: gast.AST) -> Block:
    """The statements of a function; of a lambda, one `return`."""
    if isinstance(node, gast.Lambda) and not isinstance(node.body, list):
        return [gast.copy_location(gast.Return(node.body), node.body)]
    return node.body
