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

from myia.frontend.core import Block, Loop, if_, is_endless, name, not_, unless


class Taken(IntEnum):
    """Whether a block takes the jump, so that its end is not reached."""

    NEVER = 0
    MAYBE = 1
    ALWAYS = 2


@dataclass(frozen=True)
class Jump:
    """One kind of jump. `taken(node)` gives the statements that replace it and set `flag`."""

    kind: type[gast.stmt]
    flag: str
    taken: Callable[[gast.stmt], Block]
    leaves_loops: bool = False


def remove(stmts: Block, jump: Jump) -> tuple[Block, Taken]:
    """`stmts` without the jumps; code after a jump that is always taken is dropped."""
    done: Block = []
    for i, stmt in enumerate(stmts):
        rest = stmts[i + 1 :]
        if isinstance(stmt, jump.kind):
            return [*done, *jump.taken(stmt)], Taken.ALWAYS
        taken = Taken.NEVER
        if isinstance(stmt, gast.If):
            taken, rest = _remove_in_if(stmt, rest, jump)
        elif isinstance(stmt, Loop) and jump.leaves_loops:
            taken = _remove_in_loop(stmt, jump)
        done.append(stmt)
        if taken is not Taken.NEVER:
            return _guard(done, rest, taken, jump)
    return done, Taken.NEVER


def _guard(done: Block, rest: Block, taken: Taken, jump: Jump) -> tuple[Block, Taken]:
    """`rest` runs only if the jump, which `done` may end with, was not taken."""
    if taken is Taken.ALWAYS or not rest:
        return done, taken
    like = done[-1]
    rest, taken_in_rest = remove(rest, jump)
    guarded = if_(not_(name(jump.flag, like)), rest, [], like)
    return [*done, guarded], max(Taken.MAYBE, taken_in_rest)


def _remove_in_if(node: gast.If, rest: Block, jump: Jump) -> tuple[Taken, Block]:
    """Remove the jumps in both branches; returns what still follows the `if`."""
    in_body, in_orelse = _taken(node.body, jump), _taken(node.orelse, jump)
    if (in_body is Taken.ALWAYS) != (in_orelse is Taken.ALWAYS):
        open_branch = node.orelse if in_body is Taken.ALWAYS else node.body
        open_branch += rest
        rest = []
    node.body, in_body = remove(node.body, jump)
    node.orelse, in_orelse = remove(node.orelse, jump)
    return _join(in_body, in_orelse), rest


def _remove_in_loop(loop: Loop, jump: Jump) -> Taken:
    endless = is_endless(loop)
    loop.body, taken = remove(loop.body, jump)
    if taken is not Taken.NEVER:
        loop.test = unless(jump.flag, loop.test, loop)
    return Taken.ALWAYS if endless else min(taken, Taken.MAYBE)


def _taken(stmts: Block, jump: Jump) -> Taken:
    """Whether `stmts` take the jump, as `remove` will find; changes nothing."""
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
        found = max(found, taken)
        if found is Taken.ALWAYS:
            break
    return found


def _join(a: Taken, b: Taken) -> Taken:
    return a if a is b else Taken.MAYBE
