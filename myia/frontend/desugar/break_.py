"""Removal of `break`, and of the `else` of loops: a flag that the loop tests, before its own test.

    while test:                    %break = False
        if c:                      while not %break and test:
            break                      if c:
        rest           ->                  %break = True
    else:                              else:
        E                                  rest
                                   if not %break:
                                       E

The loop's own test is not evaluated after a break. A `for` loop gets the test `not %break` in the
same way. Without a `break`, the statements of the `else` simply follow the loop.
"""

from __future__ import annotations

import gast

from myia.frontend.core import (
    Block,
    Fresh,
    Loop,
    assign,
    constant,
    has_own,
    if_,
    name,
    not_,
    rewritten,
    unless,
)
from myia.frontend.desugar.jumps import Jump, remove


def remove_breaks(stmts: Block, fresh: Fresh) -> Block:
    return rewritten(stmts, lambda stmt: _remove(stmt, fresh) if isinstance(stmt, Loop) else [stmt])


def _remove(loop: Loop, fresh: Fresh) -> Block:
    orelse, loop.orelse = loop.orelse, []
    if not has_own(gast.Break, loop.body):
        return [loop, *orelse]
    flag = fresh("break")
    loop.body = remove(loop.body, Jump(gast.Break, flag))
    loop.test = unless(flag, loop.test, loop)
    after = [if_(not_(name(flag, loop)), orelse, [], loop)] if orelse else []
    return [assign(flag, constant(False, loop), loop), loop, *after]
