"""The next item of a generator: its blocks run from where it stopped up to the next `yield`.

    def positive(x):                        next(g), at after_yield(x):
        while True:                             x = f(x)
            if x > 0:                           k = header(x)
                yield x              ->         while k is header:
            x = f(x)                                k = after_yield(x) if x > 0 else header(f(x))
                                                item = x

Where only compile-time values decide, the blocks are straight-line code. Where a path leads to the
header of a loop again without a `yield`, there is a loop of the IR over the points in between.

*When it gives up*: the generator yields inside `try` or `with`; items of different types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import (
    FALSE,
    NONE,
    UNDEFINED,
    Abstract,
    Choice,
    Iterator,
    Optional,
    Partial,
    Tuple,
    as_ref,
    is_none,
    is_static_int,
)
from myia.infer.generators.continuations import (
    Point,
    at_rest,
    cells_of,
    continuation,
    entry_block,
    has_ended,
    holds,
    is_cyclic,
    is_lost,
    point_of,
    restricted,
)
from myia.infer.generators.stop_iteration import body_of_generator
from myia.infer.loops.iterators import (
    ENDED,
    ended,
    is_generator,
    refuse_second_use,
    use_up,
)
from myia.infer.loops.loop_forms import loop
from myia.infer.loops.unrolling import LoopCode
from myia.infer.paths.branches import branch, branch_options
from myia.infer.paths.choice import options_of
from myia.infer.recursion.blocks import Block, Call, Next
from myia.infer.recursion.depth import limit_resumption
from myia.infer.recursion.running import BlockRunner, Env
from myia.infer.unsupported import UnsupportedGenerator
from myia.ir.code import Code

MAX_STATIC_STEPS = 256  # of a search for the next item that compile-time values decide

Wrapped = Abstract  # an item in a tuple, or UNDEFINED: there is none


def state_of(ctx: Context, x: Iterator) -> Abstract:
    """Where a generator goes on."""
    return ctx.contents_as(as_ref(x.state), CellObject).content


def set_state_of(ctx: Context, x: Iterator, k: Abstract) -> None:
    ctx.write(as_ref(x.state), CellObject(k))


def resume(ctx: Context, x: Iterator, sent: Abstract = NONE) -> tuple[Abstract, Wrapped]:
    """Whether there is a next item (a truth value), and that."""
    k = state_of(ctx, x)
    if any(map(is_lost, options_of(k))):
        refuse_second_use(ctx, x, may_unroll=isinstance(k, Choice))
    id = as_ref(x.state).id
    if id in ctx.running:
        ctx.fail(BadValue, message="generator already executing")
    if has_ended(k):
        return FALSE, UNDEFINED
    set_state_of(ctx, x, ENDED)  # if it raises an error
    ctx.running.append(id)
    try:
        with body_of_generator(ctx):
            k, item = _Resumption(ctx, sent).run(k)
    finally:
        ctx.running.remove(id)
    set_state_of(ctx, x, k)
    return holds(k, lambda option: not has_ended(option)), item


def has_not_ended(ctx: Context, x: Iterator) -> None:
    """The last `resume` has given an item."""
    set_state_of(ctx, x, restricted(state_of(ctx, x), lambda option: not has_ended(option)))


def returned_by(ctx: Context, x: Iterator) -> Abstract:
    """What a generator that has ended has returned."""
    k = restricted(state_of(ctx, x), has_ended)
    if not has_ended(k):
        refuse_second_use(ctx, x, may_unroll=isinstance(k, Choice))
    (result,) = k.children()
    return result


def unwrapped(item: Wrapped) -> Abstract:
    """An item, which there is."""
    found = item.value if isinstance(item, Optional) else item
    assert isinstance(found, Tuple)
    return found.items[0]


def _may_come_back(k: Abstract) -> bool:
    """Is it at a point that it may reach again before it rests?"""
    point = point_of(k)
    return not at_rest(k) and point is not None and is_cyclic(point.block)


class _Resumption(BlockRunner):
    """Runs a generator from a point at which it rests to the next one."""

    def __init__(self, ctx: Context, sent: Abstract) -> None:
        self.ctx, self.sent = ctx, sent
        self.cells: dict[str, Abstract] = {}
        self.names: tuple[str, ...] = ()

    def run(self, k: Abstract) -> tuple[Abstract, Wrapped]:
        """The continuation at which it rests, and the item."""
        item: Abstract = UNDEFINED
        k, item = self.dispatched(k, item, lambda option: not has_ended(option))
        steps = 0
        while not all(map(at_rest, options_of(k))):
            waiting = [point_of(o) for o in options_of(k) if not at_rest(o)]
            certain = isinstance(k, Partial) and steps < MAX_STATIC_STEPS
            if not certain and any(
                p.block is not None and is_cyclic(p.block) for p in waiting if p
            ):
                k, item = self.searched(k, item)
                break
            k, item = self.dispatched(k, item, lambda option: not at_rest(option))
            steps += 1
        return restricted(k, at_rest), item

    def searched(self, k: Abstract, item: Wrapped) -> tuple[Abstract, Wrapped]:
        """A loop over the points at which it does not rest."""

        def go(_: Abstract, xs: Sequence[Abstract]) -> Abstract:
            return holds(xs[0], lambda option: not at_rest(option))

        def body(_: Abstract, xs: Sequence[Abstract]) -> Sequence[Abstract]:
            here = restricted(xs[0], lambda option: not at_rest(option))
            return self.dispatched(here, UNDEFINED, lambda option: True)

        key = ("resumed", *{p.code for o in options_of(k) if (p := point_of(o))})
        found, item = loop(self.ctx, LoopCode(key, None, go, body), [k, item])
        return found, item

    def dispatched(
        self, k: Abstract, item: Wrapped, moves: Callable[[Abstract], bool]
    ) -> tuple[Abstract, Wrapped]:
        """The step from the point at which it is; none if that does not move."""

        def step(option: Abstract) -> Abstract:
            return self.step(option) if moves(option) else Tuple((option, item))

        found = branch_options(self.ctx, k, step) if isinstance(k, Choice) else step(k)
        after, item = found.children()
        return after, item

    def step(self, k: Abstract) -> Abstract:
        """The tuple of the continuation and the item after one block."""
        ctx, point = self.ctx, point_of(k)
        assert isinstance(k, Partial) and point is not None
        sent = [self.sent] if point.is_yield else []
        if point.delegates and not is_none(self.sent):
            ctx.fail(UnsupportedGenerator, what="sending a value through `yield from`")
        if point.block is None and not is_none(self.sent):
            ctx.fail(BadType, message="can't send non-None value to a just-started generator")
        block = entry_block(point.code) if point.block is None else point.block
        outer = self.cells, self.names
        self.cells, self.names = cells_of(k), point.names
        try:
            with ctx.frame(point.code, self.cells):
                limit_resumption(ctx, point.code)
                env = dict(zip(block.inputs, (*sent, *k.items[1:])))
                return self.block(point.code, block, env)
        finally:
            self.cells, self.names = outer

    # ----- How blocks end

    def jump(self, code: Code, target: Block, xs: Sequence[Abstract], env: Env) -> Abstract:
        env.update(zip(target.params, xs))
        if target.is_inlined:
            return self.block(code, target, env)
        values = [env[x] for x in target.inputs]
        return Tuple((continuation(Point(code, target, self.names), self.cells, values), UNDEFINED))

    def leave(self, code: Code, xs: Sequence[Abstract]) -> Abstract:
        return Tuple((ended(xs[0]), UNDEFINED))

    def call(self, code: Code, end: Call, x: Abstract, env: Env) -> Abstract:
        live = [env[x] for x in end.target.live]
        delegates = end.op.params.get("delegates", False)
        point = Point(code, end.target, self.names, is_yield=True, delegates=delegates)
        return Tuple((continuation(point, self.cells, live), Tuple((x,))))

    def item(self, code: Code, end: Next, xs: Sequence[Abstract], env: Env) -> Abstract:
        ctx, (begun, index, iterable) = self.ctx, xs
        if is_generator(begun):
            has, item = resume(ctx, begun)

            def found() -> Abstract:
                has_not_ended(ctx, begun)
                return self.jump(code, end.body, (unwrapped(item),), dict(env))

            return branch(ctx, has, found, lambda: self.jump(code, end.other, (), dict(env)))
        items = ctx.items_of(begun)
        if not (is_static_int(index) and is_static_int(items.length)):
            return super().item(code, end, xs, env)
        if index.value < items.length.value:
            return self.jump(code, end.body, (items.item(index),), env)
        use_up(ctx, iterable)
        return self.jump(code, end.other, (), env)
