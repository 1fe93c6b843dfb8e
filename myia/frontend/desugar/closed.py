"""A generator whose consumer takes no more items returns: it will never be resumed.

while True:                    while True:
    yield x            ->          %closed = yield x
    x += 1                         if %closed:
                                       return
                                   x += 1
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, Fresh, assign, if_, name, rewritten


def return_when_closed(stmts: Block, fresh: Fresh) -> Block:
    flag = fresh("closed")

    def rewrite(stmt: gast.stmt) -> Block:
        if not (isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Yield)):
            return [stmt]
        leave = gast.copy_location(gast.Return(None), stmt)
        return [assign(flag, stmt.value, stmt), if_(name(flag, stmt), [leave], [], stmt)]

    return rewritten(stmts, rewrite)
