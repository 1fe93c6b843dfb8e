"""The body of a function as basic blocks, cut at its recursive calls.

    def fib(n):                      fib:    fork n < 2: return n
        if n < 2:                            call fib(n - 1), go on at one
            return n           ->    one(a): call fib(n - 2), go on at two
        return fib(n-1) + fib(n-2)   two(b): return a + b

What holds no recursive call stays structured. A branch around one becomes a `Fork`, a loop around
one a header block that its last block jumps back to. Blocks read values of the blocks before them:
`live` has those that a block, or one after it, reads and none of them defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from myia.infer.unsupported import UnsupportedRecursion
from myia.ir.avals import PY
from myia.ir.builder import Builder, emit1
from myia.ir.core import Op, Region, Value, reads, walk
from myia.primitives.core import py
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.source.diagnostics import MyiaError

MAX_INLINED_OPS = 24  # of a block that is repeated behind each jump to it

Values = tuple[Value, ...]


@dataclass(eq=False)
class Block:
    """Ops without recursive calls, and how it ends. `is_header`: a loop comes back to it."""

    params: Values
    ops: tuple[Op, ...]
    end: End
    is_header: bool = False
    live: Values = ()
    jumps: int = 0  # how many jumps lead here
    _size: int = -1

    @property
    def inputs(self) -> Values:
        return (*self.params, *self.live)

    @property
    def is_inlined(self) -> bool:
        """Whether jumps to it go on with it at once."""
        return not self.is_header and (self.jumps <= 1 or self.size() <= MAX_INLINED_OPS)

    def size(self) -> int:
        """The number of its ops and of those of blocks that are inlined into it."""
        if self._size < 0:
            own = sum(1 for _ in walk(Region((), self.ops, ())))
            self._size = own + sum(b.size() for b in self.end.jumps_to if not b.is_header)
        return self._size


@dataclass(eq=False)
class End:
    """How a block ends. `reads`: values that this takes."""

    reads: Values

    @property
    def jumps_to(self) -> tuple[Block, ...]:
        """The blocks that may run next, without a call between."""
        return ()

    @property
    def follow(self) -> tuple[Block, ...]:
        return self.jumps_to


@dataclass(eq=False)
class Return(End):
    """The function returns the value it reads."""


@dataclass(eq=False)
class Jump(End):
    """To a block, whose parameters are the values read."""

    target: Block

    @property
    def jumps_to(self) -> tuple[Block, ...]:
        return (self.target,)


@dataclass(eq=False)
class Fork(End):
    """To one of two blocks, as the truth of the value read says."""

    then: Block
    other: Block

    @property
    def jumps_to(self) -> tuple[Block, ...]:
        return (self.then, self.other)


@dataclass(eq=False)
class Next(End):
    """The item at an index, to a block; or to another if there is none.

    Reads what `begin` has made of the iterable, the index, and the iterable.
    """

    body: Block  # its first parameter is the item
    other: Block

    @property
    def jumps_to(self) -> tuple[Block, ...]:
        return (self.body, self.other)


@dataclass(eq=False)
class Call(End):
    """A call, whose result is the parameter of the block that goes on."""

    op: Op
    target: Block

    @property
    def follow(self) -> tuple[Block, ...]:
        return (self.target,)


def begin(iterable: Any) -> Any:
    """The iterable of a `for`, to take items of by index; it counts as used."""
    raise NotImplementedError  # inference has handlers for both


def following(index: Any) -> Any:
    """The index of the next item."""
    raise NotImplementedError


Finish = Callable[[Values], tuple[tuple[Op, ...], End]]  # from what a region yields


def blocks_of(code: py.Code, sites: frozenset[Op]) -> Block:
    """The first block of `code`, cut at the calls `sites`; its parameters are those of the code."""
    region = code.region
    entry = _Cutter(sites).block(
        region.args, region.ops, region.yields, lambda ys: ((), Return(ys))
    )
    blocks = list(_reachable(entry))
    for block in blocks:
        for target in block.end.jumps_to:
            target.jumps += 1
    _find_live(blocks)
    return entry


def _reachable(entry: Block) -> Iterator[Block]:
    found = {entry: None}
    waiting = [entry]
    while waiting:
        block = waiting.pop()
        yield block
        for target in block.end.follow:
            if target not in found:
                found[target] = None
                waiting.append(target)


@dataclass
class _Cutter:
    sites: frozenset[Op]
    cut: dict[Op, bool] = field(default_factory=dict)

    def is_cut(self, op: Op) -> bool:
        """Whether it is a recursive call, or holds one."""
        if op not in self.cut:
            inner = (o for region in op.regions for o in region.ops)
            self.cut[op] = op in self.sites or any(map(self.is_cut, inner))
        return self.cut[op]

    def block(self, params: Values, ops: Sequence[Op], ys: Values, finish: Finish) -> Block:
        for i, op in enumerate(ops):
            if self.is_cut(op):
                rest = self.block(op.results, ops[i + 1 :], ys, finish)
                return self.split(params, tuple(ops[:i]), op, rest)
        more, end = finish(ys)
        return Block(params, (*ops, *more), end)

    def split(self, params: Values, before: tuple[Op, ...], op: Op, rest: Block) -> Block:
        """The block that ends with `op`, after which `rest` runs."""
        if op in self.sites:
            return Block(params, before, Call(op.operands, op, rest))
        if op.primitive is if_p:
            arms = (self.block((), r.ops, r.yields, _jump(rest)) for r in op.regions)
            return Block(params, before, Fork(op.operands, *arms))
        if op.primitive is not loop_p:
            what = "a recursive call inside `try`"
            raise MyiaError(UnsupportedRecursion(span=op.span, what=what))
        parts = Loop.of(op)
        with Builder() as b:
            first: Values = ()
            if parts.count is not None:
                begin_ = emit1(py.const, value=begin)
                items = emit1(py.call, begin_, parts.count, spec=(None,))
                first = (items, emit1(py.const, value=0))
        header = self.loop(parts, rest)
        return Block(params, (*before, *b.ops), Jump((*first, *parts.carries), header))

    def loop(self, parts: Loop, rest: Block) -> Block:
        """The header of a loop: its parameters are the items, the index, if any, and carries."""
        carries = tuple(Value(PY, x.name) for x in parts.body.args[1:])
        leave = Block((), (), Jump(carries, rest))
        header = Block(carries, (), leave.end, is_header=True)
        if parts.count is None:
            body = self.block(parts.body.args[1:], parts.body.ops, parts.body.yields, _jump(header))
            step = Block((), (), Jump(carries, body))
        else:
            step = self.items(parts, header, carries, leave)
        if parts.cond is None:
            header.end = Jump((), step)
            return header
        _, *args = parts.cond.args

        def test(ys: Values) -> tuple[tuple[Op, ...], End]:
            return (), Fork(ys, step, leave)

        cond = self.block(tuple(args), parts.cond.ops, parts.cond.yields, test)
        header.end = Jump(carries, cond)
        return header

    def items(self, parts: Loop, header: Block, carries: Values, leave: Block) -> Block:
        assert parts.count is not None
        items, index = Value(PY), Value(PY)
        header.params = (items, index, *carries)
        with Builder() as b:
            after = emit1(py.call, emit1(py.const, value=following), index, spec=(None,))

        def again(ys: Values) -> tuple[tuple[Op, ...], End]:
            return tuple(b.ops), Jump((items, after, *ys), header)

        item, *args = parts.body.args
        inner = self.block(tuple(args), parts.body.ops, parts.body.yields, again)
        body = Block((item,), (), Jump(carries, inner))
        return Block((), (), Next((items, index, parts.count), body, leave))


def _jump(target: Block) -> Finish:
    return lambda ys: ((), Jump(ys, target))


def _find_live(blocks: list[Block]) -> None:
    """Set `live`: what is read, here or later, and neither a parameter nor defined here."""
    own = {}
    for block in blocks:
        read = dict.fromkeys(x for op in block.ops for x in reads(op))
        defined = {*block.params, *(x for op in block.ops for x in op.results)}
        own[block] = [x for x in (*read, *block.end.reads) if x not in defined], defined
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            first, defined = own[block]
            later = (x for b in block.end.follow for x in b.live if x not in defined)
            live = tuple(dict.fromkeys((*first, *later)))
            changed |= live != block.live
            block.live = live
