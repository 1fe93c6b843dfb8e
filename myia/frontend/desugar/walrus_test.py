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

import gast

from myia.frontend.core import (
    Block,
    Fresh,
    Loop,
    assign,
    constant,
    has_walrus,
    if_,
    name,
    not_,
    rewritten,
)


def move_walrus_tests(stmts: Block, fresh: Fresh) -> Block:
    return rewritten(stmts, lambda stmt: _move(stmt, fresh) if isinstance(stmt, Loop) else [stmt])


def _move(loop: Loop, fresh: Fresh) -> Block:
    if loop.test is None or not has_walrus(loop.test):
        return [loop]
    leave: Block = [gast.copy_location(gast.Break(), loop)]
    before: Block = []
    after: Block = []
    if loop.orelse:
        flag = fresh("exhausted")
        before = [assign(flag, constant(False, loop), loop)]
        leave = [assign(flag, constant(True, loop), loop), *leave]
        after = [if_(name(flag, loop), loop.orelse, [], loop)]
    loop.body = [if_(not_(loop.test), leave, [], loop.test), *loop.body]
    loop.test = constant(True, loop.test)
    loop.orelse = []
    return [*before, loop, *after]
