"""Copies of ops and regions with substitution: the basis of transforms and passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.builder import append
from myia.ir.core import Op, Region, Value
from myia.ir.dependence import needed

Env = dict[Value, Value]  # old value -> new value; a value that is not a key stays itself


def clone_op(op: Op, env: Env) -> Op:
    """A copy of `op` with fresh results (recorded in `env`) and operands looked up in `env`."""
    results = tuple(Value(y.aval, y.name) for y in op.results)
    operands = tuple(env.get(x, x) for x in op.operands)
    regions = tuple(clone_region(r, env) for r in op.regions)
    env.update(zip(op.results, results))
    return Op(op.primitive, operands, op.params, regions, results, op.span)


def clone_region(region: Region, env: Env | None = None) -> Region:
    """A copy of `region` in which every value defined inside is fresh.

    `env` gives replacements of the values that it captures; it is not changed.
    """
    env = dict(env or {})
    args = tuple(Value(a.aval, a.name) for a in region.args)
    env.update(zip(region.args, args))
    ops = tuple(clone_op(op, env) for op in region.ops)
    return Region(args, ops, tuple(env.get(y, y) for y in region.yields))


def inline(region: Region, args: Sequence[Value], env: Env | None = None) -> tuple[Value, ...]:
    """Emit a copy of the region's ops into the current builder; returns the copied yields."""
    env = dict(env or {})
    env.update(zip(region.args, args))
    for op in region.ops:
        append(clone_op(op, env))
    return tuple(env.get(y, y) for y in region.yields)


def without_effects(region: Region, but: Callable[[Op], bool] = lambda op: False) -> Region:
    """`region` without the ops that have only an effect, and no results, `but` for some of them."""
    kept = [op for op in region.ops if not op.primitive.effect or but(op)]
    ops = (with_regions(op, [without_effects(r, but) for r in op.regions]) for op in kept)
    return Region(region.args, tuple(ops), region.yields)


def with_regions(op: Op, regions: Sequence[Region]) -> Op:
    """`op` with other regions (and the same results)."""
    return Op(op.primitive, op.operands, op.params, tuple(regions), op.results, op.span)


def rematerialize(values: Sequence[Value], ops: Sequence[Op]) -> tuple[Value, ...]:
    """Recompute `values` here by copies of the `ops` that they need; returns the copies."""
    env: Env = {}
    for op in needed(ops, values):
        append(clone_op(op, env))
    return tuple(env.get(x, x) for x in values)
