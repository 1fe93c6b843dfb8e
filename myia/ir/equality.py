"""Structural equality: two programs that differ only in names, spans and the identity of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from myia.ir.code import Code
from myia.ir.core import Function, Op, Region, Value
from myia.ir.params import param_key


def same(f: Function | Code | Region, g: Function | Code | Region) -> bool:
    """Whether two functions, codes or closed regions are the same program."""
    if isinstance(f, Function) and isinstance(g, Function):
        return f.name == g.name and f.checks == g.checks and same_region(f.region, g.region, {})
    if isinstance(f, Code) and isinstance(g, Code):
        signature = (f.name, f.parameters, f.captured) == (g.name, g.parameters, g.captured)
        return signature and same_region(f.region, g.region, {})
    return isinstance(f, Region) and isinstance(g, Region) and same_region(f, g, {})


def same_region(f: Region, g: Region, counterpart: dict[Value, Value]) -> bool:
    """Whether two regions are equal, given the `counterpart` in `g` of each value around `f`.

    A captured value without an entry is its own counterpart. The search adds entries to
    `counterpart`.
    """
    if [x.aval for x in f.args] != [x.aval for x in g.args] or len(f.ops) != len(g.ops):
        return False
    counterpart.update(zip(f.args, g.args))
    return all(_same_op(p, q, counterpart) for p, q in zip(f.ops, g.ops)) and _correspond(
        f.yields, g.yields, counterpart
    )


def _correspond(
    xs: tuple[Value, ...], ys: tuple[Value, ...], counterpart: dict[Value, Value]
) -> bool:
    return len(xs) == len(ys) and all(counterpart.get(x, x) is y for x, y in zip(xs, ys))


def _same_op(p: Op, q: Op, counterpart: dict[Value, Value]) -> bool:
    if (
        p.primitive is not q.primitive
        or not _correspond(p.operands, q.operands, counterpart)
        or [y.aval for y in p.results] != [y.aval for y in q.results]
        or not _same_params(p.params, q.params)
        or len(p.regions) != len(q.regions)
        or not all(same_region(r, s, counterpart) for r, s in zip(p.regions, q.regions))
    ):
        return False
    counterpart.update(zip(p.results, q.results))
    return True


def _same_params(p: Mapping[str, Any], q: Mapping[str, Any]) -> bool:
    return p.keys() == q.keys() and all(_same_param(p[name], q[name]) for name in p)


def _same_param(x: Any, y: Any) -> bool:
    if isinstance(x, Code) and isinstance(y, Code):
        return same(x, y)
    return bool(param_key(x) == param_key(y))
