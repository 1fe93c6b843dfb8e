"""Fission: the sums of a user apart from the loop that computes their terms.

    %s = for %k < 60 (%s = %s0) {            %t = for %k < 60 (%t = empty) {
      %t = ...                                 %t = ...
      %s = add %s, %t                 ->       %t = dynamic_update_slice %t, %t, %k
      yield %s                                 yield %t
    }                                        }
                                             %s = for %k < 60 (%s = %s0) {
                                               %s = add %s, (dynamic_slice %t, %k)
                                               yield %s
                                             }

The iterations of the first loop are independent then. The second one keeps the order of the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from myia.analysis.reductions import scalar_reduction
from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.core.define import empty
from myia.primitives.core.emit_structured import loop as emit_counted
from myia.primitives.core.structured import Loop
from myia.widening.reductions import combine
from myia.widening.summary import ReductionStep

MAX_TERMS = 1 << 20  # numbers that are stored


@dataclass(frozen=True)
class OrderedSums:
    """`terms` is the loop without the sums; it carries one array for each of the `steps` more.

    `sums[i]` are the carry of the old loop that is a sum, and the numbers of its steps.
    """

    terms: Loop
    sums: dict[int, tuple[int, ...]]
    steps: tuple[ReductionStep, ...]


def ordered_sums(loop: Loop, count: int) -> OrderedSums | None:
    """The sums of scalars that `loop`, of `count` iterations, makes in the order of the user."""
    body, sums, steps, removed = loop.body, {}, list[ReductionStep](), set[Op]()
    for i, (arg, y) in enumerate(zip(body.args[1:], body.yields)):
        found = scalar_reduction(body, arg, y) if arg.shape == () else None
        if found is not None and not any(step.is_reassociable for step in found[0]):
            sums[i] = tuple(range(len(steps), len(steps) + len(found[0])))
            steps += found[0]
            removed.update(found[1])
    if not sums or not 0 < count * len(steps) <= MAX_TERMS:
        return None
    k, arrays = body.args[0], [Value(rows_aval(step.term.aval, count)) for step in steps]
    with Builder() as b:
        for op in body.ops:
            if op not in removed:
                append(op)
        stored = [write_row(array, step.term, k) for array, step in zip(arrays, steps)]
    kept = [i for i in range(len(body.yields)) if i not in sums]
    args = (k, *(body.args[i + 1] for i in kept), *arrays)
    yields = (*(body.yields[i] for i in kept), *stored)
    carries = (*(loop.carries[i] for i in kept), *(empty(array.aval) for array in arrays))
    terms = replace(loop, carries=carries, body=Region(args, tuple(b.ops), yields))
    return OrderedSums(terms, sums, tuple(steps))


def add_in_order(loop: Loop, found: OrderedSums, results: tuple[Value, ...]) -> list[Value]:
    """The results of `loop`, from those of the loop of terms."""
    arrays = results[len(results) - len(found.steps) :]

    def body(k: Value, *sums: Value) -> list[Value]:
        after = list(sums)
        for n, numbers in enumerate(found.sums.values()):
            for i in numbers:
                after[n] = combine(found.steps[i], after[n], read_row(arrays[i], k))
        return after

    init = [loop.carries[i] for i in found.sums]
    sums = iter(emit_counted(init, body, count=loop.count, bound=loop.bound))
    others = iter(results)
    return [next(sums if i in found.sums else others) for i in range(len(loop.carries))]
