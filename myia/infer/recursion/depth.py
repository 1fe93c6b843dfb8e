"""How deep a recursion may be while compiling, where it is inlined: calls, and generators.

Where a loop around the recursion is unrolled, its depth may be bounded by a compile-time number.
Loops inside of it try that at every depth, which would never end: so many times they may.
"""

from __future__ import annotations

from myia.infer.domain.context import Context
from myia.infer.domain.errors import DeepRecursion, NeedsStatic, RecursiveGenerator
from myia.ir.code import Code
from myia.source.diagnostics import MyiaError

CALLS = 120
WOVEN = 40  # generators, each under more run-time conditions
RESUMED = 8  # generators that run themselves; beyond it their steps are counted
MAX_DEEP_STEPS = 600
MAX_REFUSALS = 20  # after which no loop is unrolled


def limit_calls(ctx: Context, code: Code) -> int:
    """How many calls of `code` are in progress; an error if they are too many."""
    depth = _depth(ctx, code)
    if depth > CALLS:
        _refuse(ctx, DeepRecursion, code, depth)
    return depth


def limit_weaving(ctx: Context, code: Code) -> None:
    """What loops over a generator is inferred at each of its depths."""
    paths = [frame.open_paths for frame in ctx.frames if frame.code is code]
    if len(paths) > CALLS or len({*paths}) > WOVEN:
        _refuse(ctx, RecursiveGenerator, code, len(paths))


def limit_resumption(ctx: Context, code: Code) -> None:
    """Each depth has all points of those below it: as many as nobody waits for."""
    depth = _depth(ctx, code)
    ctx.deep_steps += depth > RESUMED
    if ctx.deep_steps > MAX_DEEP_STEPS:
        _refuse(ctx, RecursiveGenerator, code, depth)


def _depth(ctx: Context, code: Code) -> int:
    return sum(frame.code is code for frame in ctx.frames)


def _refuse(
    ctx: Context, refusal: type[DeepRecursion] | type[RecursiveGenerator], code: Code, depth: int
) -> None:
    ctx.deep_recursions += 1
    error = NeedsStatic if ctx.deep_recursions < MAX_REFUSALS else MyiaError
    ctx.fail(refusal, error=error, name=code.name, depth=depth)
