"""Marks of the jumps out of a `finally`: they forget the exception that went through it.

finally:                       finally:
    if c:              ->          if c:
        return x                       discard()
                                       return x
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, Fresh, Loop, blocks, discard, rewritten


def discard_before_jumps(stmts: Block, fresh: Fresh) -> Block:
    def mark(stmt: gast.stmt) -> Block:
        if isinstance(stmt, gast.Try):
            stmt.finalbody = _marked(stmt.finalbody, (gast.Return, gast.Break, gast.Continue))
        return [stmt]

    return rewritten(stmts, mark)


def _marked(stmts: Block, jumps: tuple[type, ...]) -> Block:
    done: Block = []
    for stmt in stmts:
        for block in blocks(stmt):
            inside = isinstance(stmt, Loop) and block is stmt.body
            block[:] = _marked(block, (gast.Return,) if inside else jumps)
        done += [discard(stmt), stmt] if isinstance(stmt, jumps) else [stmt]
    return done
