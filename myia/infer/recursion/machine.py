"""The state machine of a recursion: one loop, which runs a block in each iteration.

    pc, depth = entry, 1                                 registers: the inputs of the block at `pc`
    while pc != DONE:                                    frames[depth]: what goes on after a call
        pc, depth, registers, frames[depth] = block[pc](registers, frames[depth])

A call writes a frame (the values that are live after it, and where to go on), and goes on at the
first block of the function. A return goes on where the frame below says, with the result in the
registers. Nobody reads above the frames in use, so that every iteration writes a row: the stores
stand in no branch, and cost no copy.

Values travel as leaves (`forms.py`). Which forms they have, and which blocks are reached, is found
in rounds: the loop is inferred with what is known, until no block tells anything new. What follows
a call is reached only once a return of the function is known; so base cases come first.

*When it gives up*: values without a common form; a call through something that is not a plain
function (`map(f, xs)`).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Sequence

import numpy as np

from myia.infer import registry
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import ArrayObject
from myia.infer.domain.values import (
    Abstract,
    Closure,
    Method,
    Opaque,
    PyFunction,
    Ref,
    Scalar,
    Tuple,
)
from myia.infer.lists.growing_lists import row_at, with_row
from myia.infer.loops.iterators import is_generator
from myia.infer.loops.loop_forms import loop
from myia.infer.loops.unrolling import LoopCode
from myia.infer.paths.branches import branch
from myia.infer.paths.raised import unless_raised
from myia.infer.recursion import forms
from myia.infer.recursion.blocks import Block, Call, Next
from myia.infer.recursion.items import refuse_generator
from myia.infer.recursion.knowledge import Cells, Knowledge, Learned
from myia.infer.recursion.registers import File, Layout
from myia.infer.recursion.running import BlockRunner, Env
from myia.infer.unsupported import UnsupportedRecursion
from myia.ir.avals import I64
from myia.ir.core import Op, Region, Value
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.py import Code
from myia.primitives.pointwise import arithmetic, logic
from myia.source.diagnostics import InternalError, MyiaError

MAX_ROUNDS = 60
MAX_FRAME_BYTES = 1 << 30  # of all frames
DONE = -1
FUNCTIONS = (types.FunctionType, types.MethodType, type(functools.cache(len)))


class Reached(Exception):
    """The call that ends a block has been bound."""

    def __init__(self, code: Code, arguments: tuple[Abstract, ...], cells: Cells) -> None:
        super().__init__()
        self.code, self.arguments, self.cells = code, arguments, cells


class Machine(Knowledge, BlockRunner):
    """A recursion that is being inferred."""

    def __init__(self, ctx: Context, limit: int, sites: set[Op], codes: set[Code]) -> None:
        super().__init__(ctx, sites, codes)
        self.limit = limit
        self.depth = 0  # of the frames while a block runs
        self.awaits_call = False

    # ----- Rounds

    def run(self, code: Code, arguments: tuple[Abstract, ...], cells: Cells) -> Abstract:
        """The result of the outermost call."""
        ctx = self.ctx
        mark = ctx.mark()
        for _ in range(MAX_ROUNDS):
            try:
                self.learn(self.member(code, cells).entry, arguments, frozenset())
                return self.loop(code, arguments)
            except Learned as learned:
                if learned.of is not self:
                    raise
                ctx.rewind(self.before, mark)
        raise InternalError("the forms of a recursion were not found")

    # ----- The loop

    def loop(self, code: Code, arguments: tuple[Abstract, ...]) -> Abstract:
        ctx, capacity = self.ctx, self.limit + 1
        self.lay_out()
        entry = self.members[code].entry
        leaves = forms.leaves_in(ctx, self.forms[entry], arguments)
        registers = self.inputs[entry].put(leaves, self.registers.avals)
        self.registers.new_arrays(ctx, registers)
        self.frame_file.new_arrays(ctx, map(zeros, self.frame_file.avals))
        rows = [zeros(aval.with_shape((capacity, *aval.shape))) for aval in self.frame_file.avals]
        returns = with_row(zeros(I64.with_shape((capacity,))), _int(0), _int(DONE))
        self.returns, *self.rows = [ctx.new(ArrayObject(x)) for x in (returns, *rows)]

        def go(_: Abstract, xs: Sequence[Abstract]) -> Abstract:
            return Scalar(logic.ne(_value(xs[0]), _int(DONE)), weak=True)

        def body(_: Abstract, xs: Sequence[Abstract]) -> Sequence[Abstract]:
            return self.iteration([_value(x) for x in xs])

        self.learned, checks = False, len(ctx.checks)
        init = map(_leaf, (_int(0), _int(1), *self.registers.numbers(registers)))
        after = loop(ctx, LoopCode((code, "recursion"), None, go, body), list(init))
        if self.learned:
            raise Learned(self)
        result = ("result", code)
        if result not in self.forms:  # no path returns
            if any(check.exception is not RecursionError for check in ctx.checks[checks:]):
                return Scalar(constant(0.0, np.float64), weak=True)  # nobody reads it
            ctx.fail(BadValue, message=self.too_deep(code), exception="RecursionError")
        self.check_unchanged()
        file = self.registers.read(ctx, [_value(x) for x in after[2:]])
        leaves = self.inputs[result].take(file)
        return forms.values_of(ctx, self.forms[result], leaves)[0]

    def lay_out(self) -> None:
        """Slots of registers for inputs of blocks and results, and of frames."""
        self.known = dict(self.forms)
        self.registers, self.frame_file = File([]), File([])
        self.inputs: dict[object, Layout] = {}
        self.frames: dict[object, Layout] = {}
        for key, form in self.forms.items():
            leaves = forms.leaves_of(form)
            if isinstance(key, Op):
                self.frames[key] = Layout.of(leaves, self.frame_file.avals)
            else:
                self.inputs[key] = Layout.of(leaves, self.registers.avals)
        size = sum(aval.nbytes for aval in self.frame_file.avals) * self.limit
        if size > MAX_FRAME_BYTES:
            what = f"a recursion whose {self.limit} frames take {size / 2**30:.1f} GiB"
            self.ctx.fail(
                UnsupportedRecursion, what=what, help_text="hold fewer arrays across its calls"
            )

    def iteration(self, xs: list[Value]) -> Sequence[Abstract]:
        """One block: from pc, depth and registers to those after it."""
        ctx, (pc, depth, *numbers) = self.ctx, xs
        code = next(iter(self.members))
        ctx.check(logic.gt(depth, _int(self.limit)), RecursionError, self.too_deep(code))
        registers = self.registers.read(ctx, numbers)
        below = row_at(ctx.read(self.returns), arithmetic.sub(depth, _int(1)))
        frame = [row_at(ctx.read(row), depth) for row in self.rows]
        self.state = pc, depth, below, registers, frame
        try:
            found = unless_raised(ctx, lambda: self.dispatch(list(self.points)).children())
        except MyiaError:
            if self.learned:
                raise Learned(self) from None
            raise
        if self.learned:
            raise Learned(self)
        at = 3 + len(numbers)
        leaves = [_value(found[2]), *self.frame_file.read(ctx, [_value(x) for x in found[at:]])]
        for row, leaf in zip((self.returns, *self.rows), leaves):
            ctx.store(row, with_row(ctx.read(row), depth, leaf))
        return [*found[:2], *found[3:at]]

    def dispatch(self, points: list[Block]) -> Abstract:
        """The block at `pc`, by bisection."""
        if len(points) == 1:
            return self.enter(points[0])
        half = len(points) // 2
        first = _int(self.points.index(points[half]))
        below = Scalar(logic.lt(self.state[0], first), weak=True)
        return branch(
            self.ctx,
            below,
            lambda: self.dispatch(points[:half]),
            lambda: self.dispatch(points[half:]),
        )

    # ----- Blocks

    def enter(self, block: Block) -> Abstract:
        """The block, whose inputs are in the registers and, after a call, in the frame."""
        ctx, (_, _, _, registers, frame) = self.ctx, self.state
        if (op := self.calls.get(block)) is None:
            key: object = block
            env = dict(zip(block.inputs, self.values(block, self.inputs[block].take(registers))))
        else:
            key = "result", self.callees[op]
            env = dict(zip(block.params, self.values(key, self.inputs[key].take(registers))))
            env |= zip(block.live, self.values(op, self.frames[op].take(frame)))
        member = self.members[self.owners[block]]
        with ctx.frame(member.code, member.cells):
            self.depth = len(ctx.frames)
            return self.block(member.code, block, env)

    def values(self, key: object, leaves: Sequence[Value]) -> list[Abstract]:
        return forms.values_of(self.ctx, self.known[key], leaves)

    def jump(self, code: Code, target: Block, xs: Sequence[Abstract], env: Env) -> Abstract:
        env.update(zip(target.params, xs))
        if target.is_inlined:
            return self.block(code, target, env)
        _, depth, _, _, _ = self.state
        inputs = [env[x] for x in target.inputs]
        self.owners[target] = code
        self.learn(target, inputs, self.held(inputs, ()))
        return self.outcome(target, depth, target, inputs)

    def item(self, code: Code, end: Next, xs: Sequence[Abstract], env: Env) -> Abstract:
        if is_generator(xs[0]):
            refuse_generator(self.ctx, xs[0])
        return super().item(code, end, xs, env)

    def leave(self, code: Code, xs: Sequence[Abstract]) -> Abstract:
        _, depth, below, _, _ = self.state
        result = "result", code
        self.learn(result, xs, self.held(xs, ()))
        return self.outcome(below, arithmetic.sub(depth, _int(1)), result, xs)

    def call(self, code: Code, end: Call, f: Abstract, env: Env) -> Abstract:
        ctx, op = self.ctx, end.op
        if not _is_plain(ctx, ctx.force(f)):
            ctx.fail(UnsupportedRecursion, what=f"a recursive call through {ctx.describe(f)}")
        try:
            self.awaits_call = True
            ctx.run(Region((), (op,), ()), env)
        except Reached as found:
            reached = found
        else:  # here it is another function
            return self.jump(code, end.target, (env[op.results[0]],), env)
        finally:
            self.awaits_call = False
        callee = self.member(reached.code, reached.cells)
        if self.callees.setdefault(op, reached.code) is not reached.code:
            ctx.fail(UnsupportedRecursion, what="a recursive call of one function or another")
        live = [env[x] for x in end.target.live]
        held = self.held(live, reached.arguments)
        self.owners |= {end.target: code, callee.entry: reached.code}
        self.learn(op, live, held)
        self.learn(callee.entry, reached.arguments, held)
        if ("result", reached.code) in self.forms and end.target not in self.points:
            self.points.append(end.target)
            self.calls[end.target] = op
            self.learned = True
        _, depth, _, _, _ = self.state
        depth = arithmetic.add(depth, _int(1))
        return self.outcome(callee.entry, depth, callee.entry, reached.arguments, end, live)

    def outcome(
        self,
        pc: Block | Value,
        depth: Value,
        key: object,
        inputs: Sequence[Abstract],
        call: Call | None = None,
        live: Sequence[Abstract] = (),
    ) -> Abstract:
        """What comes next: the block at `pc` with `inputs`, laid out by `key`; after a call, with
        the frame of what is `live` after it."""
        ctx = self.ctx
        if self.learned:  # the layout is not known yet
            zero = constant(0, np.int64)
            numbers = [*self.registers.numbers(), *self.frame_file.numbers()]
            return Tuple(tuple(map(_leaf, (zero, zero, zero, *numbers))))
        leaves = forms.leaves_in(ctx, self.forms[key], inputs)
        numbers, target = self.inputs[key].store(ctx, self.registers, leaves), _int(0)
        if call is None:
            numbers += self.frame_file.numbers()
        else:
            leaves = forms.leaves_in(ctx, self.forms[call.op], live)
            numbers += self.frames[call.op].store(ctx, self.frame_file, leaves)
            if call.target in self.points:  # else it never returns
                target = _int(self.points.index(call.target))
        where = _int(self.points.index(pc)) if isinstance(pc, Block) else pc
        return Tuple(tuple(map(_leaf, (where, depth, target, *numbers))))

    # ----- Objects

    def check_unchanged(self) -> None:
        """Refuse copies of parts of an older array which the recursion writes to."""
        heap, before = self.ctx.heap, self.before
        read = {i for group in self.forms.values() for form in group for i in forms.copied(form)}
        if any(heap[i] is not before[i] for i in read):
            what = (
                "a recursion that passes on a view or an array of its own, and writes to the first"
            )
            self.ctx.fail(
                UnsupportedRecursion, what=what, help_text="pass the array and the bounds"
            )

    def too_deep(self, code: Code) -> str:
        return f"maximum recursion depth exceeded in a call of `{code.name}`"


def _is_plain(ctx: Context, f: Abstract) -> bool:
    """Whether a call of `f` is a call of a function of the program, whose result it gives."""
    if isinstance(f, (Ref, Opaque)):
        method = ctx.special_method(f, "__call__")
        return method is not None and _is_plain(ctx, method)
    function = f.function if isinstance(f, (PyFunction, Method)) else getattr(f, "value", None)
    plain = isinstance(function, (*FUNCTIONS, *registry.TRANSPARENT_TYPES))
    return isinstance(f, Closure) or (plain and registry.handler_of(function) is None)


def _int(n: int) -> Value:
    return constant(n, np.int64)


def _leaf(x: Value) -> Scalar:
    return Scalar(x, weak=False)


def _value(x: Abstract) -> Value:
    assert isinstance(x, Scalar)
    return x.value
