"""Fission: products apart from the recurrence that they stand beside.

    %w, %h = for %k < 60 (...) {                     %p = dot_general %x, %a
      %x1 = row %k of %x                             %h, %d = for %k < 60 (...) {
      %p = dot_general %a, %x1                         %h = g(%h, row %k of %p)
      %h = g(%h, %p)                          ->       %d = row %k is %h
      %w = add %w, (dot_general %h, %x1)               yield %h, %d
      yield %w, %h                                   }
    }                                                %w = add %w, (dot_general %d, %x)

Iterations of a recurrence run one after the other, but not all of what they compute is part of it:
- A product with an array that all iterations share, of what is known before the loop, is made for
  all iterations before the loop: one product of matrices instead of many of a matrix and a vector.
- Outer products that are summed in any order are made after the loop, from their factors: the
  matrix is written once instead of in each iteration.
Examples are the input of a recurrent network and the cotangents of its weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from myia.analysis.reductions import scalar_reduction
from myia.ir.builder import Builder, append, at
from myia.ir.core import Op, Region, Value, has_effect
from myia.ir.dependence import needed
from myia.ir.rewrite import clone_op
from myia.primitives.arrays.dynamic_slices import dynamic_slice
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.arrays.shaping import reshape, transpose
from myia.primitives.core.define import empty
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import Loop
from myia.primitives.linalg.dot import dot_general
from myia.rewriting.def_use import definitions, loop_variant_values, uses
from myia.rewriting.walk import look_up, substituted
from myia.widening.reductions import combine
from myia.widening.summary import ReductionStep

# The elements of a matrix that an iteration reads or writes for a product. Reading is fast from the
# first-level cache.
MIN_ELEMENTS_READ = 1 << 14
MIN_ELEMENTS_WRITTEN = 1 << 10
MAX_ROWS = 16  # with more rows an iteration has a product of matrices already
MAX_ELEMENTS = 1 << 20  # of one value, in all iterations
REARRANGEMENTS = (reshape, transpose)

Widen = Callable[[Op], Sequence[Value] | None]  # the results of a loop, widened


def products_apart(loop: Loop, count: int, widen: Widen) -> Sequence[Value] | None:
    """The results of `loop`, of `count` iterations, with products before and after it."""
    fission = _Fission(loop, count, widen)
    if not (fission.ahead or fission.sums):
        return None
    with Builder() as b:
        results = fission.emit()
    if results is not None:
        for op in b.ops:
            append(op)
    return results


@dataclass(frozen=True)
class _Term:
    """A product that a step of a sum adds, after the ops that rearrange it."""

    step: ReductionStep
    product: Op
    rearranged: tuple[Op, ...]


class _Fission:
    """`ahead`: products made before the loop; `sums`: the terms of carries made after it."""

    def __init__(self, loop: Loop, count: int, widen: Widen):
        self.loop, self.count, self.widen = loop, count, widen
        self.body, self.k = loop.body, loop.body.args[0]
        self.varying = loop_variant_values(self.body)
        self.ahead = self._products_ahead()
        self.adding = set[Op]()  # the ops that make the sums
        self.sums = self._sums_of_products()

    # ----- What is taken out

    def _products_ahead(self) -> list[Value]:
        """Products of what is known before the loop and an array that all iterations share."""
        unknown, found = set(self.body.args[1:]), list[Value]()
        for op in self.body.ops:
            if op.regions or has_effect(op) or not unknown.isdisjoint(op.operands):
                unknown.update(op.results)
            elif op.primitive is dot_general and self._reads_a_shared_matrix(op):
                found += op.results
        return found

    def _reads_a_shared_matrix(self, product: Op) -> bool:
        shared = [x for x in product.operands if x not in self.varying]
        if len(shared) != 1 or shared[0].aval.size < MIN_ELEMENTS_READ:
            return False
        rows = _rows_beside(shared[0], product)
        return rows <= MAX_ROWS and self._is_small(product.results[0])

    def _is_small(self, x: Value) -> bool:
        return self.count * x.aval.size <= MAX_ELEMENTS

    def _sums_of_products(self) -> dict[int, list[_Term]]:
        """The terms of the carries that are sums of outer products, in any order."""
        found = {}
        for i, (arg, y) in enumerate(zip(self.body.args[1:], self.body.yields)):
            steps, ops = scalar_reduction(self.body, arg, y) or ((), ())
            terms = [self._term(step) for step in steps if step.is_reassociable]
            products = [term for term in terms if term is not None]
            if products and len(products) == len(steps):
                found[i] = products
                self.adding.update(ops)
        return found

    def _term(self, step: ReductionStep) -> _Term | None:
        """The term of a step, if it is an outer product and nothing else reads it."""
        user, op, rearranged = step.op, definitions(self.body).get(step.term), list[Op]()
        while op is not None and uses(self.body).get(op.results[0]) == [user]:
            if op.primitive is dot_general:
                return _Term(step, op, tuple(rearranged[::-1])) if self._is_outer(op) else None
            if op.primitive not in REARRANGEMENTS:
                return None
            rearranged.append(op)
            user, op = op, definitions(self.body).get(op.operands[0])
        return None

    def _is_outer(self, product: Op) -> bool:
        """Does an iteration write a matrix for a product of few rows?"""
        x, (contracted, _) = product.operands[0], product.params["contract"]
        rows = math.prod(x.shape[axis] for axis in contracted)
        is_worth = product.results[0].aval.size >= MIN_ELEMENTS_WRITTEN and rows <= MAX_ROWS
        small = all(map(self._is_small, product.operands))
        return is_worth and small and product.params["batch"] == ((), ())

    # ----- The loops

    def emit(self) -> Sequence[Value] | None:
        kept = [i for i in range(len(self.loop.carries)) if i not in self.sums]
        terms = [term for each in self.sums.values() for term in each]
        factors = dict.fromkeys(x for term in terms for x in term.product.operands)
        again = self._read_again()
        rows: dict[Value, Value] = {}  # of all iterations
        for x in (*self.ahead, *(x for x in factors if x in again)):
            found = self._of_all_iterations(x)
            if found is not None:
                rows[x] = found
        ahead = {x: rows[x] for x in self.ahead if x in rows}
        recorded = [x for x in factors if x not in rows]
        if not (ahead or terms) or not (kept or recorded):
            return None
        results = self._recurrence(kept, ahead, recorded)
        rows.update(zip(recorded, results[len(kept) :]))
        after = dict(zip(kept, results))
        after.update((i, self._total(i, each, rows)) for i, each in self.sums.items())
        return [after[i] for i in range(len(self.loop.carries))]

    def _read_again(self) -> set[Value]:
        """Parts of arrays from outside of the loop: another loop reads them, too."""
        found = {x for op in self.body.ops for x in op.operands} - self.varying
        found.add(self.k)
        for op in self.body.ops:
            is_move = op.primitive in (dynamic_slice, *REARRANGEMENTS)
            is_cheap = is_move or all(y.shape == () for y in op.results)
            is_pure = not op.regions and not has_effect(op)
            if is_cheap and is_pure and found.issuperset(op.operands):
                found.update(op.results)
        return found

    def _of_all_iterations(self, x: Value) -> Value | None:
        """What all iterations compute for `x`, as rows of one array; None: not by wide ops."""
        array, ops = Value(rows_aval(x.aval, self.count)), needed(self.body.ops, [x])
        with Builder() as b:
            for op in ops:
                append(op)
            row = self._with_rows_first(ops[-1]) if x in self.ahead else x
            stored = write_row(array, row, self.k)
        body, start = Region((self.k, array), tuple(b.ops), (stored,)), empty(array.aval)
        with Builder() as b:
            emit_loop(replace(self.loop, carries=(start,), body=body))
        (op,) = b.ops
        found = self.widen(op)
        return None if found is None else found[0]

    def _with_rows_first(self, product: Op) -> Value:
        """The same vector by a product whose batch has the iterations first: no transpose of it."""
        (x, y), params = product.operands, product.params
        if x in self.varying or len(y.shape) != len(params["contract"][1]):
            return product.results[0]
        return dot_general(y, x, **{name: params[name][::-1] for name in ("contract", "batch")})

    def _recurrence(
        self, kept: Sequence[int], ahead: Mapping[Value, Value], recorded: Sequence[Value]
    ) -> Sequence[Value]:
        """What is left of the loop: its other carries, and the recorded factors."""
        arrays = [Value(rows_aval(x.aval, self.count)) for x in recorded]
        with Builder() as b:
            rows = {x: read_row(array, self.k) for x, array in ahead.items()}
            for op in self.body.ops:
                if op not in self.adding and ahead.keys().isdisjoint(op.results):
                    append(substituted(op, rows))
            recorded = look_up(tuple(recorded), rows)
            stored = [write_row(a, x, self.k) for a, x in zip(arrays, recorded)]
        args = (self.k, *(self.body.args[1 + i] for i in kept), *arrays)
        yields = (*look_up(tuple(self.body.yields[i] for i in kept), rows), *stored)
        carries = (*(self.loop.carries[i] for i in kept), *(empty(a.aval) for a in arrays))
        body = Region(args, tuple(b.ops), yields)
        return emit_loop(replace(self.loop, carries=carries, body=body))

    def _total(self, i: int, terms: Sequence[_Term], rows: Mapping[Value, Value]) -> Value:
        """The sum after the loop: its products contract the iterations, too."""
        total = self.loop.carries[i]
        for term in terms:
            with at(term.step.op.span):
                x, y = (rows[x] for x in term.product.operands)
                axes = [(0, *(a + 1 for a in each)) for each in term.product.params["contract"]]
                env = {
                    term.product.results[0]: dot_general(x, y, contract=tuple(axes), batch=((), ()))
                }
                for op in term.rearranged:
                    append(clone_op(op, env))
                total = combine(term.step, total, env[term.step.term])
        return total


def _rows_beside(shared: Value, product: Op) -> int:
    """How many rows of the result one iteration makes for each row of the shared array."""
    i = product.operands.index(shared)
    other, axes = product.operands[1 - i], product.params["contract"][1 - i]
    return math.prod(n for axis, n in enumerate(other.shape) if axis not in axes)
