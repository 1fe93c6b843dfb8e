"""Clones of a region, with calls inlined: the form that the derivative transforms walk.

    call @f(%a = %x) { %y = sin %a; yield %y }      ->      %y = sin %x

Every value of a clone is new. A clone for a *replay*, which recomputes iterations that the forward
sweep has run already, has no effects: what a user prints is printed by the forward sweep only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from myia.ir.builder import Builder, append
from myia.ir.core import Op, Region, Value
from myia.ir.rewrite import Env
from myia.primitives.core.structured import call_p
from myia.rewriting.walk import look_up
from myia.source.diagnostics import InternalError


def clone(region: Region, *, replay: bool = False) -> Region:
    """A copy of `region` in which every value is new; for a `replay`, without effects."""
    return _copy(region, {}, replay)


def clone_with_args(
    region: Region,
    args: Sequence[Value],
    captured: Mapping[Value, Value] | None = None,
    *,
    replay: bool = False,
) -> Region:
    """A clone of `region` without arguments: they are replaced by `args`.

    `captured` replaces values of enclosing regions.
    """
    env = {**(captured or {}), **dict(zip(region.args, args, strict=True))}
    with Builder() as b:
        _copy_ops(region.ops, env, replay)
    return Region((), tuple(b.ops), look_up(region.yields, env))


def with_unused_args(region: Region, like: Sequence[Value]) -> Region:
    """`region` with further arguments of the avals and names of `like`, which it does not read."""
    return Region(region.args + _new(like), region.ops, region.yields)


def _copy(region: Region, env: Env, replay: bool) -> Region:
    args = _new(region.args)
    env.update(zip(region.args, args))
    with Builder() as b:
        _copy_ops(region.ops, env, replay)
    return Region(args, tuple(b.ops), look_up(region.yields, env))


def _copy_ops(ops: Sequence[Op], env: Env, replay: bool) -> None:
    for op in ops:
        operands = look_up(op.operands, env)
        if op.primitive is call_p:
            (body,) = op.regions
            env.update(zip(body.args, operands))
            _copy_ops(body.ops, env, replay)
            env.update(zip(op.results, look_up(body.yields, env)))
        elif op.primitive.effect and replay:
            if op.results:
                raise InternalError(f"{op.primitive.name}: an effect with results in a replay")
        else:
            regions = tuple(_copy(r, env, replay) for r in op.regions)
            results = _new(op.results)
            env.update(zip(op.results, results))
            append(Op(op.primitive, operands, op.params, regions, results, op.span))


def _new(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(Value(v.aval, v.name) for v in values)
