"""Dead code elimination, through loops, branches, adjoint loops and derivatives.

    %y, %s = for %k < %n (%y = %a, %s = %b) {         ->    %y = for %k < %n (%y = %a) {
      %1 = mul %y, %c                                         %1 = mul %y, %c
      %2 = add %s, %1                                         yield %1
      yield %1, %2                                          }
    }                                                       return %y
    %z = sin %s
    return %y

Mark and sweep. At first everything is dead. The results of the function and the ops with effects
are marked live; from a live value the mark spreads to the values that it depends on, once for each
value. A carried value of a loop is live when its result, or its argument in one of the regions, is
marked. So carried values that only feed one another stay dead. Loops are assumed to terminate: a
loop without live results is removed.

In a `rev`, cotangents and accumulators are carried values of the adjoint, and are treated like
others. A primal carry is removed when neither the adjoint, nor the condition, nor a live carry
reads it; if its cotangent is live, that becomes one more accumulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, compress

from myia.ir.core import Function, Op, Region, Value
from myia.primitives.core.structured import Loop, call_p, derivative_p, if_p, loop_p, rev_p
from myia.rewriting.walk import with_region

Values = Iterable[Value]


def dce(function: Function) -> Function:
    """`function` with only the ops that its results or its effects depend on."""
    marks = _Marks()
    marks.enter(function.region)
    for y in function.results:
        marks.mark(y)
    marks.propagate()
    return with_region(function, _Sweep(marks).region(function.region))


class _Marks:
    """The live values, and the ops that must run.

    `sources[v]` says what the value `v` depends on. Either it is the op that defines `v`: then it
    depends on that op's operands. Or it is a function that marks what `v` depends on; it is called
    once, when `v` is marked.
    """

    def __init__(self):
        self.live: set[Value] = set()
        self.needed: set[Op] = set()
        self.sources: dict[Value, Op | Callable[[], None]] = {}
        self.worklist: list[Value] = []  # marked, but not yet their sources

    def mark(self, value: Value) -> None:
        if value not in self.live:
            self.live.add(value)
            self.worklist.append(value)

    def mark_all(self, values: Sequence[Value]) -> None:
        for value in values:
            self.mark(value)

    def propagate(self) -> None:
        while self.worklist:
            source = self.sources.get(self.worklist.pop())
            if isinstance(source, Op):
                self.need(source)
            elif source is not None:
                source()

    # ----- What depends on what

    def enter(self, region: Region, owner: Op | None = None) -> bool:
        """Record the dependences in `region`, and mark its effects live; says if it has any."""
        effects = False
        for op in region.ops:
            _CONNECT.get(op.primitive, _connect_whole)(self, op)
            inner = [self.enter(r, op) for r in op.regions]
            if op.primitive.effect or any(inner):
                self.need(op)
                effects = True
        return effects

    def need(self, op: Op) -> None:
        """Mark that `op` must run, whichever of its results are live."""
        if op not in self.needed:
            self.needed.add(op)
            self.mark_all(_operands_always_read(op))

    def when(self, values: Sequence[Value], op: Op, *reads: Value) -> None:
        """Record: if one of `values` is live, so are the others and `reads`; `op` must run."""

        def source():
            self.need(op)
            self.mark_all(values)
            self.mark_all(reads)

        for value in values:
            self.sources[value] = source


def _operands_always_read(op: Op) -> Sequence[Value]:
    """What an op reads whichever of its results are live."""
    if op.primitive in (loop_p, rev_p):
        loop = Loop.of(op)
        count = () if loop.count is None else (loop.count,)
        return count if loop.cond is None else (*count, *loop.cond.yields)
    return () if op.primitive is call_p else op.operands


# ----- The dependences of each kind of op


def _connect_whole(marks: _Marks, op: Op) -> None:
    """Any result of `op` depends on all operands and on all values that its regions yield."""
    if not op.regions:
        marks.sources.update((y, op) for y in op.results)
        return
    inside = [y for r in op.regions for y in r.yields]
    for y in op.results:
        marks.when([y], op, *inside)


def _connect_if(marks: _Marks, op: Op) -> None:
    then, other = op.regions
    for y, a, b in zip(op.results, then.yields, other.yields):
        marks.when([y], op, a, b)


def _connect_call(marks: _Marks, op: Op) -> None:
    (body,) = op.regions
    for arg, x in zip(body.args, op.operands):
        marks.when([arg], op, x)
    for y, inside in zip(op.results, body.yields):
        marks.when([y], op, inside)


def _connect_loop(marks: _Marks, op: Op) -> None:
    loop = Loop.of(op)
    for i, (y, x) in enumerate(zip(op.results, loop.carries)):
        marks.when([y, *_arguments_of_carry(loop, i)], op, x, loop.body.yields[i])


def _connect_rev(marks: _Marks, op: Op) -> None:
    loop = Loop.of(op)
    seeds = (*loop.seeds, *loop.accumulators)
    first = 1 + len(loop.carries)
    for i, x in enumerate(loop.carries):
        marks.when(_arguments_of_carry(loop, i), op, x, loop.body.yields[i])
    for i, (y, x) in enumerate(zip(op.results, seeds)):
        marks.when([y, loop.adjoint.args[first + i]], op, x, loop.adjoint.yields[i])


def _arguments_of_carry(loop: Loop, i: int) -> list[Value]:
    """The arguments of the regions of a loop that hold its carried value `i`."""
    regions = [r for r in (loop.cond, loop.body, loop.adjoint) if r is not None]
    return [r.args[1 + i] for r in regions]


_CONNECT = {
    if_p: _connect_if,
    call_p: _connect_call,
    loop_p: _connect_loop,
    rev_p: _connect_rev,
}


# ----- Sweep


class _Sweep:
    """Rebuilds regions without what is dead. A method for each kind of op returns its new
    (operands, changed params, regions, results)."""

    def __init__(self, marks: _Marks):
        self.live = marks.live
        self.needed = marks.needed

    def region(
        self,
        region: Region,
        args: Iterable[Value] | None = None,
        yields: Iterable[Value] | None = None,
    ):
        """`region` with its live ops only, and with these arguments and yields (None: all)."""
        args = region.args if args is None else tuple(args)
        yields = region.yields if yields is None else tuple(yields)
        ops = tuple(self.op(op) for op in region.ops if op in self.needed)
        if (args, ops, yields) == (region.args, region.ops, region.yields):
            return region
        return Region(args, ops, yields)

    def op(self, op: Op) -> Op:
        if not op.regions:
            return op
        operands, params, regions, results = _SWEEP.get(op.primitive, _Sweep.whole)(self, op)
        if (operands, regions, results) == (op.operands, op.regions, op.results):
            return op
        return Op(op.primitive, operands, {**op.params, **params}, regions, results, op.span)

    def liveness(self, values: Values) -> list[bool]:
        return [v in self.live for v in values]

    def whole(self, op: Op):
        return op.operands, {}, tuple(map(self.region, op.regions)), op.results

    def if_(self, op: Op):
        keep = self.liveness(op.results)
        regions = tuple(self.region(r, yields=compress(r.yields, keep)) for r in op.regions)
        return op.operands, {}, regions, tuple(compress(op.results, keep))

    def call(self, op: Op):
        (body,) = op.regions
        args, results = self.liveness(body.args), self.liveness(op.results)
        body = self.region(body, compress(body.args, args), compress(body.yields, results))
        operands = tuple(compress(op.operands, args))
        return operands, {}, (body,), tuple(compress(op.results, results))

    def loop(self, op: Op):
        loop = Loop.of(op)
        keep = self.liveness(loop.body.args[1:])
        count = op.operands[: op.params["counted"]]
        operands = (*count, *compress(loop.carries, keep))
        return operands, {}, self.steps(loop, keep), tuple(compress(op.results, keep))

    def steps(self, loop: Loop, keep: list[bool]) -> tuple[Region, ...]:
        """The condition, if there is one, and the body, with the carried values to keep."""
        body = self.region(
            loop.body, compress(loop.body.args, [True, *keep]), compress(loop.body.yields, keep)
        )
        if loop.cond is None:
            return (body,)
        return self.region(loop.cond, compress(loop.cond.args, [True, *keep])), body

    def rev(self, op: Op):
        loop = Loop.of(op)
        first = 1 + len(loop.carries)
        carries = self.liveness(loop.body.args[1:])
        state = [j for j, a in enumerate(loop.adjoint.args[first:]) if a in self.live]
        # Cotangents of live carries first, then the accumulators. The cotangent of a dead carry is
        # an accumulator from now on: it still has a value to add to, but no primal beside it.
        n = len(loop.active)
        cotangents = [j for j in state if j < n and carries[loop.active[j]]]
        state = cotangents + [j for j in state if j not in cotangents]
        args = [*compress(loop.adjoint.args[:first], [True, *carries])]
        args += [loop.adjoint.args[first + j] for j in state]
        adjoint = self.region(loop.adjoint, args, [loop.adjoint.yields[j] for j in state])
        new_position = list(accumulate(carries, initial=0))  # of each carry that is kept
        seeds = (*loop.seeds, *loop.accumulators)
        operands = (
            *op.operands[: op.params["counted"]],
            *compress(loop.carries, carries),
            *(seeds[j] for j in state),
        )
        active = tuple(new_position[loop.active[j]] for j in cotangents)
        regions = (*self.steps(loop, carries), adjoint)
        return operands, {"active": active}, regions, tuple(op.results[j] for j in state)

    def derivative(self, op: Op):
        """The live derivatives, the live values, and the values that are differentiated."""
        (f,), wrt, of = op.regions, op.params["wrt"], op.params["of"]
        n = len(f.yields)
        derivatives = self.liveness(op.results[n:])
        if op.params["mode"] == "vjp":
            wrt = tuple(compress(wrt, derivatives))
        else:
            of = tuple(compress(of, derivatives))
        keep = [y in self.live or i in of for i, y in enumerate(op.results[:n])]
        new_position = list(accumulate(keep, initial=0))
        f = self.region(f, yields=compress(f.yields, keep))
        results = (*compress(op.results[:n], keep), *compress(op.results[n:], derivatives))
        return op.operands, {"wrt": wrt, "of": tuple(new_position[i] for i in of)}, (f,), results


_SWEEP = {
    if_p: _Sweep.if_,
    call_p: _Sweep.call,
    loop_p: _Sweep.loop,
    rev_p: _Sweep.rev,
    derivative_p: _Sweep.derivative,
}
