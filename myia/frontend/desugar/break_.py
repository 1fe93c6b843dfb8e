"""Removal of `break`: a flag that the loop tests, before its own test.

    while test:                    %break = False
        if c:                      while not %break and test:
            break                      if c:
        rest           ->                  %break = True
                                       else:
                                           rest

The loop's own test is not evaluated after a break. A `for` loop gets the test `not %break` in the
same way. If `loop_else.py` has made a flag for the loop, it is used here, too.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from myia.frontend.core import Loop, assign, constant, has_own_break, unless
from myia.frontend.desugar.jumps import Jump, remove

Block = list[gast.stmt]


def remove_breaks(stmts: Block, fresh: Callable[[str], str]) -> Block:
    done: Block = []
    for stmt in stmts:
        if isinstance(stmt, gast.If):
            stmt.body = remove_breaks(stmt.body, fresh)
            stmt.orelse = remove_breaks(stmt.orelse, fresh)
        if isinstance(stmt, Loop):
            stmt.body = remove_breaks(stmt.body, fresh)
            if has_own_break(stmt.body):
                done += _remove(stmt, fresh)
        done.append(stmt)
    return done


def _remove(loop: Loop, fresh: Callable[[str], str]) -> Block:
    """Remove the breaks of `loop`; returns the statements to put before it."""
    flag = loop.broke or fresh("break")

    def taken(node: gast.Break) -> Block:
        return [] if loop.broke else [assign(flag, constant(True, node), node)]

    loop.body, _ = remove(loop.body, Jump(gast.Break, flag, taken))
    loop.test = unless(flag, loop.test, loop)
    return [] if loop.broke else [assign(flag, constant(False, loop), loop)]
