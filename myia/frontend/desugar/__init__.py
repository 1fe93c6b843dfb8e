"""Desugaring: core Python with jumps -> core Python without jumps.

Afterwards there is no `break`, no `continue`, no `else` of a loop, and one `return`, at the end.
In: the body of one function (inner functions are left alone). Out: structured code, ready for SSA.

The passes run in the order of `DESUGARINGS`: each one reduces its construct to constructs of later
passes. Read `jumps.py` first: it removes `break`, `continue` and `return` in the same way.
(`classes.py` comes before: it makes core Python of classes. So does `closed.py`, of a generator
whose consumer may take no more items.)
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, body_of, fresh_names
from myia.frontend.desugar.break_ import remove_breaks
from myia.frontend.desugar.closed import return_when_closed
from myia.frontend.desugar.continue_ import remove_continues
from myia.frontend.desugar.finally_ import discard_before_jumps
from myia.frontend.desugar.raise_ import leave_after_raise
from myia.frontend.desugar.return_ import remove_early_returns
from myia.frontend.desugar.unreachable import drop_unreachable
from myia.frontend.desugar.unread_flags import drop_unread_flags
from myia.frontend.desugar.walrus_test import move_walrus_tests

DESUGARINGS = (
    drop_unreachable,
    move_walrus_tests,
    discard_before_jumps,
    leave_after_raise,
    remove_breaks,
    remove_early_returns,
    remove_continues,
    drop_unread_flags,
)


def desugar(function: gast.AST, *, may_close: bool = False) -> Block:
    """The statements of `function` in core Python without jumps.

    `may_close`: it is a generator, whose consumer may take no more items.
    """
    stmts, fresh = body_of(function), fresh_names()
    if may_close:
        stmts = return_when_closed(stmts, fresh)
    for desugaring in DESUGARINGS:
        stmts = desugaring(stmts, fresh)
    return stmts
