"""Residuals of branches: values inside a branch that the reverse sweep reads become results.

    %y = if %p {                                  %y, %r = if %p {
      %a = sin %x                                   %a = sin %x
      %b = mul %a, %a                               %b = mul %a, %a
      yield %b                                      yield %b, %a
    } else {                            ->        } else {
      yield %x                                      %0 = 0.0: f64[]
    }                                               yield %x, %0
    ... reads %a                                  }
                                                  ... reads %r

The input is not valid IR yet: values of a branch are read outside of it. They are read only by the
pullback of the same branch, which runs only when that branch was taken. Therefore

- a residual of one branch shares a result with a residual of the other one of the same aval;
- a value that the branch yields anyway is read from that result;
- constants, and indices computed from values before the branch, are recomputed where they are read:
  as residuals a loop would record them, and analyses could not tell which elements are accessed.

In a region that must be linear in some values, residuals that depend on them share no result with
residuals that do not. Else a result would depend on those values although its readers do not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value, reads
from myia.ir.dependence import needed
from myia.ir.rewrite import Env, clone_op
from myia.primitives.core.define import constant_p, zeros
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub
from myia.rewriting.walk import look_up, substituted

INDEX_ARITHMETIC = {add, sub, mul, neg}

# A residual of `then` and one of `else`, of the same aval; None: that branch has none.
ResidualPair = tuple[Value | None, Value | None]


def export_residuals(region: Region, linear_in: Iterable[Value] = ()) -> Region:
    """`region` with every value that is read outside of its branch as a result of its `if`.

    Residuals that depend on the values `linear_in` share no result with those that do not.
    """
    if any(op.primitive is if_p for op in region.ops):
        dependents = set(linear_in)
        _collect_dependents(region.ops, dependents)
        return _export(region, {}, dependents)
    return region


def _collect_dependents(ops: Iterable[Op], found: set[Value]) -> None:
    """Add to `found` the values that depend on it, for each branch by itself."""
    for op in ops:
        if op.primitive is if_p and op.operands[0] not in found:
            for region in op.regions:
                _collect_dependents(region.ops, found)
            for y, *yielded in zip(op.results, *(region.yields for region in op.regions)):
                if not found.isdisjoint(yielded):
                    found.add(y)
        elif not found.isdisjoint(reads(op)):
            found.update(op.results)


def _export(region: Region, env: Env, dependents: set[Value]) -> Region:
    """`env` maps exported residuals to the results that hold them, for nested regions too."""
    env = dict(env)
    escaping = _escaping(region)
    with Builder() as b:
        for op in region.ops:
            if op.primitive is if_p:
                _export_from(op, escaping[op], env, dependents)
            else:
                append(substituted(op, env))
    return Region(region.args, tuple(b.ops), look_up(region.yields, env))


def _export_from(
    op: Op, escaping: Sequence[Sequence[Value]], env: Env, dependents: set[Value]
) -> None:
    """Emit the `if` with its residuals as further results, and record these in `env`."""
    recomputed = [_recomputable(region) for region in op.regions]
    others = [
        [x for x in found if x not in made]
        for found, made in zip(escaping, recomputed, strict=True)
    ]
    # A result that is dependent because of the other branch cannot stand for an independent value.
    yielded = {
        y: z
        for region in op.regions
        for y, z in zip(region.yields, op.results)
        if (y in dependents) == (z in dependents)
    }
    known = {x: yielded[x] for found in others for x in found if x in yielded}
    then, other = ([x for x in found if x not in known] for found in others)
    pairs = _pair_residuals(then, other, dependents)
    arms = []
    for which, region in enumerate(op.regions):
        residuals = tuple(pair[which] for pair in pairs)
        own = tuple(x for x in residuals if x is not None)
        arm = _export(Region((), region.ops, region.yields + own), env, dependents)
        arms.append(_padded(arm, len(region.yields), pairs, which))
    results = tuple(Value(_either(pair).aval) for pair in pairs)
    regions = tuple(arms)
    append(Op(if_p, look_up(op.operands, env), op.params, regions, op.results + results, op.span))
    for pair, result in zip(pairs, results):
        env.update((x, result) for x in pair if x is not None)
    env.update(known)
    for found, made in zip(escaping, recomputed):
        for definition in needed(list(made.values()), found):
            append(clone_op(definition, env))


def _recomputable(region: Region) -> dict[Value, Op]:
    """Constants of a branch, and integers that it computes from these and from outside values."""
    # In the order of the program: operands are found before the ops that read them.
    inside, found = dict(_defined(region)), {}
    for x, d in inside.items():
        is_index = d.primitive in INDEX_ARITHMETIC and x.dtype.kind in "iu" and x.aval.size == 1
        if d.primitive is constant_p or (
            is_index and all(y in found or y not in inside for y in d.operands)
        ):
            found[x] = d
    return found


def _padded(arm: Region, n: int, pairs: Sequence[ResidualPair], which: int) -> Region:
    """`arm`, which yields its own residuals after `n` others, with zeros for those it lacks."""
    own = iter(arm.yields[n:])
    with Builder() as b:
        yields = [zeros(_either(p).aval) if p[which] is None else next(own) for p in pairs]
    return Region((), arm.ops + tuple(b.ops), arm.yields[:n] + tuple(yields))


def _either(pair: ResidualPair) -> Value:
    return next(x for x in pair if x is not None)


def _pair_residuals(
    then: Iterable[Value], other: Iterable[Value], dependents: set[Value]
) -> list[ResidualPair]:
    """Pairs of residuals that share a result: of one aval, both or neither of them dependent."""
    groups: dict[Any, tuple[list[Value], list[Value]]] = defaultdict(lambda: ([], []))
    for which, values in enumerate((then, other)):
        for x in values:
            groups[x.aval, x in dependents][which].append(x)
    return [pair for columns in groups.values() for pair in zip_longest(*columns)]


def _escaping(region: Region) -> dict[Op, list[list[Value]]]:
    """For each `if` of `region`: the values of each branch that are read after it."""
    found = {}
    read = set(region.yields)
    # Backwards: `read` then has the values that are read after the `if`, by its pullback.
    for op in reversed(region.ops):
        if op.primitive is if_p:
            found[op] = [[x for x, _ in _defined(arm) if x in read] for arm in op.regions]
        read.update(reads(op))
    return found


def _defined(arm: Region) -> Iterator[tuple[Value, Op]]:
    """The values of a branch and of the branches in it, each with the op that defines it."""
    for op in arm.ops:
        for x in op.results:
            yield x, op
        if op.primitive is if_p:
            for inner in op.regions:
                yield from _defined(inner)
