"""Removal of jumps, common to `return`, `break` and `continue`.

A jump becomes statements that record that it was taken. The code that it skips moves into the other
branch, if there is one; else a test of a flag guards it:

    if c:                  if c:                    if c:                     if c:
        <jump>                 <taken>                  if d:                     if d:
    rest            ->     else:                            <jump>                    <taken>
                               rest                     more           ->         else:
                                                    rest                              more
                                                                              if not flag:
                                                                                  rest

No code is copied: every node of the user's program occurs once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import gast

from myia.frontend.core import (
    Block,
    Loop,
    assign,
    blocks,
    constant,
    has_discard,
    if_,
    is_discard,
    is_endless,
    name,
    not_,
    rewritten,
    unless,
)


class Taken(IntEnum):
    """Whether a block takes the jump, so that its end is not reached."""

    NEVER = 0
    MAYBE = 1
    ALWAYS = 2


@dataclass(frozen=True)
class Jump:
    """One kind of jump. Statements that set `flag` replace it, after those of `before(node)`."""

    kind: type[gast.stmt]
    flag: str
    before: Callable[[gast.stmt], Block] = lambda node: []
    leaves_loops: bool = False


def remove(stmts: Block, jump: Jump) -> Block:
    """`stmts` without the jumps; code after a jump that is always taken is dropped."""
    done: Block = []
    for i, stmt in enumerate(stmts):
        taken, rest = Taken.NEVER, stmts[i + 1 :]
        if isinstance(stmt, jump.kind):
            set_flag = assign(jump.flag, constant(True, stmt), stmt)
            return [*done, *jump.before(stmt), set_flag]
        if isinstance(stmt, gast.If):
            taken, rest = _remove_in_if(stmt, rest, jump)
        elif isinstance(stmt, Loop) and jump.leaves_loops:
            taken = _remove_in_loop(stmt, jump)
        elif isinstance(stmt, gast.Try):
            taken = _remove_in_try(stmt, jump)
        done.append(stmt)
        if taken is Taken.MAYBE and rest:
            return [*done, if_(not_(name(jump.flag, stmt)), remove(rest, jump), [], stmt)]
        if taken is not Taken.NEVER:
            break
    return done


def _remove_in_if(node: gast.If, rest: Block, jump: Jump) -> tuple[Taken, Block]:
    """Remove the jumps in both branches; returns what still follows the `if`."""
    in_body, in_orelse = _taken(node.body, jump), _taken(node.orelse, jump)
    if (in_body is Taken.ALWAYS) != (in_orelse is Taken.ALWAYS):
        open_branch = node.orelse if in_body is Taken.ALWAYS else node.body
        open_branch += rest
        rest = []
    node.body, node.orelse = remove(node.body, jump), remove(node.orelse, jump)
    return _join(in_body, in_orelse), rest


def _remove_in_loop(loop: Loop, jump: Jump) -> Taken:
    taken, inside = _taken([loop], jump), _taken(loop.body, jump)
    loop.body = remove(loop.body, jump)
    if inside is not Taken.NEVER:
        loop.test = unless(jump.flag, loop.test, loop)
    return taken


def _remove_in_try(node: gast.Try, jump: Jump) -> Taken:
    """Remove the jumps in all parts. What `finally` does is done after a jump, too."""
    taken, jumps = _taken([node], jump), _taken(node.body, jump) is not Taken.NEVER
    after = remove(node.orelse, jump)
    if jumps and after:
        after = [if_(not_(name(jump.flag, node)), after, [], node)]
    if jumps and has_discard(node):
        _override(node, jump)
    may_be_replaced = _passes_finally(node.body, jump)
    node.body, node.orelse = remove(node.body, jump), after
    for handler in node.handlers:
        handler.body = remove(handler.body, jump)
        if may_be_replaced:  # by the exception of a `finally` on its way
            handler.body.insert(0, assign(jump.flag, constant(False, handler), handler))
    node.finalbody = remove(node.finalbody, jump)
    return taken


def _override(node: gast.Try, jump: Jump) -> None:
    """A jump out of a `finally` replaces the one that the body takes (`finally_.py`).

    finally:                       %returned_before = %returned
        if c:                      %returned = False
            discard()      ->      if c:
            break                      discard()
                                       %returned_before = False
                                       break
                                   if %returned_before:
                                       %returned = True
    """
    before = f"{jump.flag}_before"

    def forget(stmt: gast.stmt) -> Block:
        return [stmt, assign(before, constant(False, stmt), stmt)] if is_discard(stmt) else [stmt]

    stmts = rewritten(node.finalbody, forget)
    first = [assign(before, name(jump.flag, node), node)]
    first.append(assign(jump.flag, constant(False, node), node))
    again = assign(jump.flag, constant(True, node), node)
    node.finalbody = [*first, *stmts, if_(name(before, node), [again], [], node)]


def _passes_finally(stmts: Block, jump: Jump) -> bool:
    """Is there a `finally` on the way of a jump out of `stmts`?"""
    for stmt in stmts:
        has_finally = isinstance(stmt, gast.Try) and bool(stmt.finalbody)
        if has_finally and _taken([stmt], jump) is not Taken.NEVER:
            return True
        inner = [] if isinstance(stmt, Loop) and not jump.leaves_loops else blocks(stmt)
        if any(_passes_finally(block, jump) for block in inner):
            return True
    return False


def _taken(stmts: Block, jump: Jump) -> Taken:
    """Whether `stmts` take the jump."""
    found = Taken.NEVER
    for stmt in stmts:
        taken = Taken.NEVER
        if isinstance(stmt, jump.kind):
            taken = Taken.ALWAYS
        elif isinstance(stmt, gast.If):
            taken = _join(_taken(stmt.body, jump), _taken(stmt.orelse, jump))
        elif isinstance(stmt, Loop) and jump.leaves_loops:
            inside = min(_taken(stmt.body, jump), Taken.MAYBE)
            taken = Taken.ALWAYS if is_endless(stmt) else inside
        elif isinstance(stmt, gast.Try):
            taken = _taken_in_try(stmt, jump)
        found = max(found, taken)
        if found is Taken.ALWAYS:
            break
    return found


def _taken_in_try(node: gast.Try, jump: Jump) -> Taken:
    taken = _taken([*node.body, *node.orelse], jump)
    for handler in node.handlers:
        taken = _join(taken, _taken(handler.body, jump))
    return max(taken, _taken(node.finalbody, jump))


def _join(a: Taken, b: Taken) -> Taken:
    return a if a is b else Taken.MAYBE
