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

The input is not valid IR: values of a branch are read outside of it. Only the pullback of the same
branch reads them, that is, only when the branch was taken. So a residual of one branch shares its
place with one of the other branch of the same aval, and what the branch yields anyhow is read from
there. Constants are simply made again, and so are indices computed of what is known before the
branch: else a loop would record them, and nobody could tell where an array is read or written. In a
region that is to be linear in some values, what depends on these has places of its own: else the
result of an `if` would depend on them though what is read of it does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value, reads
from myia.ir.dependence import needed
from myia.ir.rewrite import Env, clone_op, substituted
from myia.primitives.core.define import constant_p, zeros
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub

COUNTING = {add, sub, mul, neg}

# A residual of `then` and one of `else`, of the same aval; None: that branch has none.
ResidualPair = tuple[Value | None, Value | None]


def export_residuals(region: Region, apart: Iterable[Value] = ()) -> Region:
    """`region` with every value that is read outside of its branch exported from its `if`.

    What depends on the values `apart` shares no place with what does not.
    """
    if any(op.primitive is if_p for op in region.ops):
        moved = set(apart)
        _collect_dependents(region.ops, moved)
        return _export(region, {}, moved)
    return region


def _collect_dependents(ops: Iterable[Op], found: set[Value]) -> None:
    """Add to `found` what depends on it, branch by branch."""
    for op in ops:
        if op.primitive is if_p and op.operands[0] not in found:
            for region in op.regions:
                _collect_dependents(region.ops, found)
            for y, *ends in zip(op.results, *(region.yields for region in op.regions)):
                if not found.isdisjoint(ends):
                    found.add(y)
        elif not found.isdisjoint(reads(op)):
            found.update(op.results)


def _export(region: Region, env: Env, apart: set[Value]) -> Region:
    """`env` names what was exported already, also for the regions nested in this one."""
    env = dict(env)
    escaping = _escaping(region)
    with Builder() as b:
        for op in region.ops:
            if op.primitive is if_p:
                _export_from(op, escaping[op], env, apart)
            else:
                append(substituted(op, env))
    return Region(region.args, tuple(b.ops), _lookup(region.yields, env))


def _export_from(op: Op, escaping: Sequence[Sequence[Value]], env: Env, apart: set[Value]) -> None:
    """Emit the `if` with its residuals as further results, which `env` then names."""
    again = [_made_again(region) for region in op.regions]
    others = [
        [x for x in found if x not in made] for found, made in zip(escaping, again, strict=True)
    ]
    yielded = {
        y: z
        for region in op.regions
        for y, z in zip(region.yields, op.results)
        if (y in apart) == (z in apart)
    }
    known = {x: yielded[x] for found in others for x in found if x in yielded}
    places = _shared_places(
        *([x for x in found if x not in known] for found in others), apart=apart
    )
    arms = []
    for which, region in enumerate(op.regions):
        residuals = tuple(place[which] for place in places)
        found = tuple(x for x in residuals if x is not None)
        arm = _export(Region((), region.ops, region.yields + found), env, apart)
        arms.append(_padded(arm, len(region.yields), places, which))
    results = tuple(Value((x or y).aval) for x, y in places)
    regions = tuple(arms)
    append(Op(if_p, _lookup(op.operands, env), op.params, regions, op.results + results, op.span))
    for place, result in zip(places, results):
        env.update((x, result) for x in place if x is not None)
    env.update(known)
    for found, made in zip(escaping, again):
        for definition in needed(list(made.values()), found):
            append(clone_op(definition, env))


def _made_again(region: Region) -> dict[Value, Op]:
    """Constants, and numbers that count: of a branch those that take nothing else of it."""
    inside, found = dict(_defined(region)), {}
    for x, d in inside.items():
        counts = d.primitive in COUNTING and x.dtype.kind in "iu" and x.aval.size == 1
        if d.primitive is constant_p or (
            counts and all(y in found or y not in inside for y in d.operands)
        ):
            found[x] = d
    return found


def _padded(arm: Region, n: int, places: Sequence[ResidualPair], which: int) -> Region:
    """`arm`, which yields its own residuals after `n` others, with zeros in the empty places."""
    own = iter(arm.yields[n:])
    with Builder() as b:
        yields = [zeros((x or y).aval) if (x, y)[which] is None else next(own) for x, y in places]
    return Region((), arm.ops + tuple(b.ops), arm.yields[:n] + tuple(yields))


def _shared_places(
    then: Iterable[Value], other: Iterable[Value], apart: set[Value]
) -> list[ResidualPair]:
    groups: dict = defaultdict(lambda: ([], []))
    for which, values in enumerate((then, other)):
        for x in values:
            groups[x.aval, x in apart][which].append(x)
    return [place for columns in groups.values() for place in zip_longest(*columns)]


def _escaping(region: Region) -> dict[Op, list[list[Value]]]:
    """For each `if` of `region`: the values of each branch that are read after it."""
    found = {}
    read = set(region.yields)
    for op in reversed(region.ops):
        if op.primitive is if_p:
            found[op] = [[x for x, _ in _defined(arm) if x in read] for arm in op.regions]
        _collect_reads(op, read)
    return found


def _defined(arm: Region) -> Iterator[tuple[Value, Op]]:
    """The values of a branch and of the branches in it, each with the op that defines it."""
    for op in arm.ops:
        for x in op.results:
            yield x, op
        if op.primitive is if_p:
            for inner in op.regions:
                yield from _defined(inner)


def _collect_reads(op: Op, read: set[Value]) -> None:
    read.update(op.operands)
    for region in op.regions:
        for inner in region.ops:
            _collect_reads(inner, read)
        read.update(region.yields)


def _lookup(values: Iterable[Value], env: Env) -> tuple[Value, ...]:
    return tuple(env.get(x, x) for x in values)
