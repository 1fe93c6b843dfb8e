"""Running blocks: their ops, and how they end; what a jump, a call or a return does is left open.

The state machine of a recursion (`machine.py`) and a generator that goes on where it stopped
(`infer/generators/resumption.py`) run blocks so.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable, Sequence

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.values import Abstract, Scalar
from myia.infer.loops.iterators import use_up
from myia.infer.operators.truth import truth
from myia.infer.paths.branches import branch
from myia.infer.paths.raised import may_have_raised, unless_raised
from myia.infer.recursion.blocks import Block, Call, Fork, Jump, Next, Return
from myia.infer.recursion.items import indexed
from myia.ir.avals import I64
from myia.ir.builder import at
from myia.ir.core import Region, Value
from myia.primitives.core.py import Code
from myia.primitives.pointwise import logic

Env = dict[Value, Abstract]


class BlockRunner:
    """Runs blocks, and gives what they lead to."""

    ctx: Context

    @abstractmethod
    def jump(self, code: Code, target: Block, xs: Sequence[Abstract], env: Env) -> Abstract:
        """To `target`, whose parameters are `xs`."""

    @abstractmethod
    def leave(self, code: Code, xs: Sequence[Abstract]) -> Abstract:
        """The function returns."""

    @abstractmethod
    def call(self, code: Code, end: Call, x: Abstract, env: Env) -> Abstract:
        """The op that the function is cut at; `x` is its first operand."""

    def block(self, code: Code, block: Block, env: Env) -> Abstract:
        """What a block leads to."""
        return self.rest(code, block, 0, env)

    def rest(self, code: Code, block: Block, start: int, env: Env) -> Abstract:
        """The same, from one of its ops on; where a handler around the function may catch what an
        op raises, nothing after it runs."""
        for i in range(start, len(block.ops) + 1):
            if may_have_raised(self.ctx):
                return _unless_raised(self.ctx, functools.partial(self.rest, code, block, i, env))
            self.ctx.run(Region((), block.ops[i : i + 1], ()), env)
        return self.end(code, block, env)

    def end(self, code: Code, block: Block, env: Env) -> Abstract:
        ctx, end = self.ctx, block.end
        xs = [env[x] for x in end.reads]
        if isinstance(end, Return):
            return self.leave(code, xs)
        if isinstance(end, Jump):
            return self.jump(code, end.target, xs, env)
        if isinstance(end, Fork):
            then, other = end.then, end.other
            return branch(
                ctx,
                truth(ctx, xs[0]),
                lambda: self.jump(code, then, (), dict(env)),
                lambda: self.jump(code, other, (), dict(env)),
            )
        if isinstance(end, Next):
            return self.item(code, end, xs, env)
        assert isinstance(end, Call)
        with at(end.op.span):
            return self.call(code, end, xs[0], env)

    def item(self, code: Code, end: Next, xs: Sequence[Abstract], env: Env) -> Abstract:
        """The next item of a `for`, or the end of the loop."""
        ctx, (begun, index, iterable) = self.ctx, xs
        items = indexed(ctx, ctx.items_of(begun))
        k, n = (number_value(x, I64.dtype) for x in (index, items.length))

        def then() -> Abstract:
            hi = items.max_length
            here = Scalar(k, True, 0, None if hi is None else hi - 1)
            return self.jump(code, end.body, (items.item(here),), dict(env))

        def other() -> Abstract:
            use_up(ctx, iterable)
            return self.jump(code, end.other, (), dict(env))

        return branch(ctx, Scalar(logic.lt(k, n), weak=True), then, other)


def _unless_raised(ctx: Context, rest: Callable[[], Abstract]) -> Abstract:
    return unless_raised(ctx, lambda: (rest(),))[0]
