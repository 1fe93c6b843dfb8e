"""A `while` test with `:=` moves into the body, which every iteration executes.

while (x := f()) > 0:          while True:
    body                           if not ((x := f()) > 0):
else:                   ->             %exhausted = True
    E                                  break
                                   body
                               if %exhausted:
                                   E
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from myia.frontend.core import Loop, assign, constant, has_walrus, if_, name, not_

Block = list[gast.stmt]


def move_walrus_tests(stmts: Block, fresh: Callable[[str], str]) -> Block:
    done: Block = []
    for stmt in stmts:
        if isinstance(stmt, (gast.If, Loop)):
            stmt.body = move_walrus_tests(stmt.body, fresh)
            stmt.orelse = move_walrus_tests(stmt.orelse, fresh)
        if isinstance(stmt, Loop) and stmt.test is not None and has_walrus(stmt.test):
            done += _move(stmt, fresh)
        else:
            done.append(stmt)
    return done


def _move(loop: Loop, fresh: Callable[[str], str]) -> Block:
    leave = [gast.copy_location(gast.Break(), loop)]
    before, after = [], []
    if loop.orelse:
        flag = fresh("exhausted")
        before = [assign(flag, constant(False, loop), loop)]
        leave = [assign(flag, constant(True, loop), loop), *leave]
        after = [if_(name(flag, loop), loop.orelse, [], loop)]
    loop.body = [if_(not_(loop.test), leave, [], loop.test), *loop.body]
    loop.test = constant(True, loop.test)
    loop.orelse = []
    return [*before, loop, *after]
