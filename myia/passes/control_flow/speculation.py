"""Speculation: wide iterations run as if no exception came up; if one did, they run again, masked.

    %c, %x = for %k < 5 (%c = 0, %x = %x0) {     ->    %x, %r = for %k < 5 (%x = %x0, %r = False) {
      %1 = eq %c, 0                                      %2 = ...
      %2 = ...                                           %3 = eq %2, 0
      %3 = eq %2, 0                                      %4 = div %x, %2
      %4 = div %x, %2                                    %r = or %r, %3
      %5 = select %3, %x, %4                             yield %4, %r
      %6 = select %3, 3, 0                             }
      yield select(%1, %6, %c), select(%1, %5, %x)     %8 = reduce_or %r
    }                                                  %y = if %8 {
    %7 = eq %c, 3                                        ... what is on the left ...
    %y = select %7, 1.0, %x                            } else {
                                                         yield %x
                                                       }

An exception that a handler catches is a code that a loop carries (`predication.py`); it is rare.
The optimistic version has the value that a condition of an exception has where none comes up, and
tests the condition itself. As long as none holds, both versions compute the same numbers: by
induction in program order, the first condition that holds is computed from equal operands. If one
holds, nothing of the optimistic version is used.

Adjoints compute conditions of the forward sweep again. Which op is such a copy is guessed from its
form and its place in the source: a guess that is wrong costs time, since these are tested, too.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from myia.ir.avals import Aval
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, has_effect, reads, walk
from myia.ir.rewrite import Env, inline
from myia.primitives.arrays.dynamic_slices import STORES, dynamic_slice
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.arrays.shaping import along_axis, reshape
from myia.primitives.core.define import constant, constant_p, empty_p
from myia.primitives.core.emit_structured import emit_loop, if_
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise.arithmetic import add, div, mul, neg, sub
from myia.primitives.pointwise.logic import and_, ne, not_, or_, select
from myia.rewriting.def_use import definitions
from myia.rewriting.walk import look_up, rebuilt, substituted, with_region

MAX_REDUCED = 64  # elements
STRICT = (add, sub, mul, div, neg)  # NaN if an operand is
MIN_WIDTH = 16  # elements: of fewer, a branch costs more than their masks
FROM_OUTSIDE = (constant_p, dynamic_slice, reshape)  # of a body, by way of tapes
MAX_GROWTH = 4  # of an array that an arm of the branch changes, by the width: it may be copied

Constants = Mapping[Value, object]  # the numbers that fill constants; None of an empty array
Assumed = dict[Value, bool]  # by condition: its value where no exception comes up


def speculation(function: Function) -> Function:
    """`function` with an optimistic version of wide iterations with caught exceptions."""
    constants = {
        op.results[0]: op.params.get("value")
        for op in walk(function.region)
        if op.primitive in (constant_p, empty_p)
    }
    return with_region(function, _region(function.region, constants))


def _region(region: Region, constants: Constants) -> Region:
    """Arms of branches stay: they are what speculation leaves, or are rare themselves."""
    ops = [
        substituted(op, {}, lambda each: _region(each, constants)) if op.primitive is loop_p else op
        for op in region.ops
    ]
    region = rebuilt(region, ops, region.yields)
    span = _Span.find(region, constants)
    return region if span is None else span.versioned()


@dataclass
class _Span:
    """The ops of `region` from `start` to before `end`: all that exceptions have a part in."""

    region: Region
    start: int
    end: int
    codes: Mapping[
        Value, Value
    ]  # arguments and results of loops that hold codes: what they start as
    conditions: Mapping[Op, bool]  # of exceptions: their value where none comes up
    constants: Constants

    @classmethod
    def find(cls, region: Region, constants: Constants) -> _Span | None:
        codes: dict[Value, Value] = {}
        forms: dict[Hashable, bool] = {}
        for op in region.ops:
            for initial, copies, assumed in _codes(op, constants):
                codes.update(dict.fromkeys(copies, initial))
                ops = definitions(Loop.of(op).body)
                forms.update((_form(ops[x], constants, ops), value) for x, value in assumed.items())
        if not codes:
            return None
        found = cls(region, 0, 0, codes, dict(_of_forms(region, forms, constants)), constants)
        touched = found._touched()
        found.start, found.end = touched[0], touched[-1] + 1
        return found if found._may_be_in_branch() else None

    @property
    def ops(self) -> Sequence[Op]:
        return self.region.ops[self.start : self.end]

    def _touched(self) -> list[int]:
        """Positions of the ops that make or read codes, or what is known of conditions by them."""
        marks = set(self.codes)
        found = []
        for i, op in enumerate(self.region.ops):
            if not (marks.isdisjoint((*op.results, *reads(op))) and not self._has_conditions(op)):
                found.append(i)
                marks.update(y for y in op.results if y.dtype == np.bool_)
        return found

    def _has_conditions(self, op: Op) -> bool:
        return any(
            each in self.conditions for each in (op, *(x for r in op.regions for x in walk(r)))
        )

    def _may_be_in_branch(self) -> bool:
        """Have the ops no effects, and do they change no array from outside that is large?"""
        made = {y for op in self.ops for y in op.results}
        limit = MAX_GROWTH * max(x.aval.size for x in self.codes)

        def may_change(x: Value) -> bool:
            return x in made or x in self.constants or x.aval.size <= limit

        for op in self.ops:
            changed = op.operands[:1] if op.primitive in STORES else ()
            if op.primitive is loop_p:
                loop = Loop.of(op)
                if loop.cond is not None and self._has_conditions(op):
                    return False
                steps = zip(loop.carries, loop.body.args[1:], loop.body.yields)
                changed = tuple(x for x, arg, y in steps if arg is not y)
            if has_effect(op) or not all(map(may_change, changed)):
                return False
        return True

    # ----- The two versions

    def versioned(self) -> Region:
        later = self.region.ops[self.end :]
        read = {x for op in later for x in reads(op)} | set(self.region.yields)
        results = [y for op in self.ops for y in op.results if y in read]
        with Builder() as b:
            for op in self.region.ops[: self.start]:
                append(op)
            env: Env = {}
            raised = self._optimistic(self.ops, env)
            with at(self.ops[0].span):
                masked = Region((), tuple(self.ops), tuple(results))
                chosen = if_(
                    _any(list(map(_any_element, raised))),
                    lambda: inline(masked, ()),
                    lambda: look_up(tuple(results), env),
                )
            env = dict(zip(results, chosen))
            for op in later:
                append(substituted(op, env))
        return Region(self.region.args, tuple(b.ops), look_up(self.region.yields, env))

    def _optimistic(self, ops: Sequence[Op], env: Env) -> list[Value]:
        """Emit `ops` where no exception comes up; returns where one did, a vector an aval.

        Adds to `env` what values have become.
        """
        raised: dict[Aval, list[Value]] = {}
        for op in ops:
            flags: Sequence[Value] = ()
            value = self.conditions.get(op)
            with at(op.span):
                if op.primitive is loop_p and self._has_conditions(op):
                    flags = self._optimistic_loop(Loop.of(op), op.results, env)
                else:
                    op = substituted(op, env)
                    append(op)
                    if value is not None:
                        (y,) = op.results
                        flags = [not_(y) if value else y]
                        env[y] = constant(value, y.dtype, y.shape)
                env.update((y, self.codes[y]) for y in op.results if y in self.codes)
            for flag in flags:
                raised.setdefault(flag.aval, []).append(flag)
        return [_any(flags) for flags in raised.values()]

    def _optimistic_loop(self, loop: Loop, results: Sequence[Value], env: Env) -> list[Value]:
        """Emit the loop; returns in which elements an exception came up, or a NaN.

        A NaN in a carried value that it never leaves costs less than a vector of flags.
        """
        args = [Value(x.aval, x.name) for x in loop.body.args]
        env.update(zip(loop.body.args, args))
        env.update((x, self.codes[x]) for x in loop.body.args if x in self.codes)
        kept: list[Value] = []  # flags that are carried
        marked: list[int] = []  # positions of carries that are NaN where a flag is set
        with Builder() as b:
            flags = [_is_set(x) for x in self._optimistic(loop.body.ops, env)]
            yields = list(look_up(loop.body.yields, env))
            ops = {y: op for op in b.ops for y in op.results}
            for flag in flags:
                i = _strict_carry(flag, args[1:], yields, ops)
                if i is None:
                    before = Value(flag.aval)
                    kept.append(before)
                    yields.append(or_(before, flag))
                else:
                    marked.append(i)
                    yields[i] = select(flag, math.nan, yields[i])
        body = Region((*args, *kept), tuple(b.ops), tuple(yields))
        unset = [constant(False, x.dtype, x.shape) for x in kept]
        carries = (*look_up(loop.carries, env), *unset)
        made = emit_loop(Loop(loop.count, carries, None, body, loop.bound))
        env.update(zip(results, made))
        return [*made[len(results) :], *(made[i] for i in marked)]


def _strict_carry(
    flag: Value, args: Sequence[Value], yields: Sequence[Value], ops: Mapping[Value, Op]
) -> int | None:
    """Position of a carry of the shape of `flag` that stays NaN in the elements where it is NaN."""
    for i, (arg, y) in enumerate(zip(args, yields)):
        if arg.dtype.kind == "f" and arg.shape == flag.shape and _is_nan_if(y, arg, ops):
            return i
    return None


def _of_forms(
    region: Region, forms: Mapping[Hashable, bool], constants: Constants
) -> Iterator[tuple[Op, bool]]:
    """The ops of these forms in a region and its loops."""
    ops = definitions(region)
    for op in region.ops:
        if op.primitive is loop_p:
            yield from _of_forms(Loop.of(op).body, forms, constants)
        elif (form := _form(op, constants, ops)) in forms:
            yield op, forms[form]


def _is_nan_if(y: Value, x: Value, ops: Mapping[Value, Op]) -> bool:
    """Is `y` NaN wherever `x` is?"""
    op = ops.get(y)
    if y is x or op is None:
        return y is x
    if op.primitive is select:
        return all(_is_nan_if(arm, x, ops) for arm in op.operands[1:])
    return op.primitive in STRICT and any(_is_nan_if(each, x, ops) for each in op.operands)


def _any_element(flag: Value) -> Value:
    """Numbers that may be NaN are added, by halves: XLA does not vectorize a reduction."""
    combine = or_ if flag.dtype == np.bool_ else add
    while flag.shape[0] % 2 == 0 and flag.shape[0] > MAX_REDUCED:
        half = flag.shape[0] // 2
        flag = combine(*(along_axis(flag, 0, i, i + half) for i in (0, half)))
    return reduce_or(_is_set(flag), axes=tuple(range(len(flag.shape))))


def _is_set(flag: Value) -> Value:
    return flag if flag.dtype == np.bool_ else ne(flag, flag)


def _any(flags: Sequence[Value]) -> Value:
    found, *others = flags
    for each in others:
        found = (or_ if found.dtype == np.bool_ else add)(found, each)
    return found


def _form(op: Op, constants: Constants, ops: Mapping[Value, Op]) -> Hashable:
    """What copies of an op have in common, in the forward sweep and the adjoint.

    Its operands come from one place of the source, or from outside of the body, by way of tapes.
    """
    made_by = [ops.get(x) for x in op.operands]
    places = [None if x is None or x.primitive in FROM_OUTSIDE else x.span for x in made_by]
    operands = [(x.aval, constants.get(x)) for x in op.operands]
    return op.primitive, op.params_key, tuple(zip(places, operands))


# ----- Codes of exceptions


def _codes(op: Op, constants: Constants) -> Iterator[tuple[Value, tuple[Value, Value], Assumed]]:
    """The codes that a loop carries: initial values, arguments and results, conditions."""
    if op.primitive is not loop_p or op.params["conditional"]:
        return
    loop = Loop.of(op)
    ops = definitions(loop.body)
    for initial, arg, y, result in zip(
        loop.carries, loop.body.args[1:], loop.body.yields, op.results
    ):
        is_code = arg.dtype == np.int32 and arg.aval.size >= MIN_WIDTH
        if is_code and constants.get(initial) == 0 and y is not arg:
            assumed = _where_zero(y, arg, ops, constants)
            if assumed:
                yield initial, (arg, result), assumed


def _where_zero(
    y: Value, code: Value, ops: Mapping[Value, Op], constants: Constants
) -> Assumed | None:
    """Values of conditions with which `y` is `code` or zero; None if none are found."""
    if y is code or constants.get(y) == 0:
        return {}
    op = ops.get(y)
    if op is None or op.primitive is not select:
        return None
    condition, *arms = op.operands
    first, second = (_where_zero(x, code, ops, constants) for x in arms)
    if first is not None and second is not None:
        return first | second
    left = second if first is None else first
    if left is None:
        return None
    of_condition = _where(condition, first is not None, ops)
    if of_condition is None or any(code in ops[x].operands for x in of_condition):
        return None
    return left | of_condition


def _where(condition: Value, value: bool, ops: Mapping[Value, Op]) -> Assumed | None:
    """What makes a condition have `value`; of a disjunction that is false, of each part."""
    op = ops.get(condition)
    if op is None or op.primitive is constant_p:
        return None
    if op.primitive is not_:
        return _where(op.operands[0], not value, ops)
    if op.primitive is (and_ if value else or_):
        parts = [_where(x, value, ops) for x in op.operands]
        return None if None in parts else {k: v for part in parts if part for k, v in part.items()}
    return {condition: value}
