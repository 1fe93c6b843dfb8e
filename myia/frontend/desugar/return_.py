"""Removal of early returns: one `return`, at the end; the result is stored in `%value`.

    if c:                          if c:
        return a                       %value = a
    rest               ->          else:
    return b                           rest
                                       %value = b
                                   return %value

A `return` in a loop sets a flag, which ends all enclosing loops:

    for x in xs:                   %returned = False
        if c:                      for x in xs, while not %returned:
            return x                   if c:
        rest           ->                  %value = x
    return b                               %returned = True
                                       else:
                                           rest
                                   if not %returned:
                                       %value = b
                                   return %value

A function that ends without `return` returns None.
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, Fresh, assign, constant, name
from myia.frontend.desugar.jumps import Jump, remove


def remove_early_returns(stmts: Block, fresh: Fresh) -> Block:
    value, flag = fresh("value"), fresh("returned")

    def store(node: gast.Return) -> Block:
        return [assign(value, node.value or constant(None, node), node)]

    first, last = stmts[0], stmts[-1]
    end = gast.copy_location(gast.Return(None), last)
    body = remove([*stmts, end], Jump(gast.Return, flag, store, leaves_loops=True))
    result = gast.copy_location(gast.Return(name(value, last)), last)
    return [assign(flag, constant(False, first), first), *body, result]
