"""Structural equality: two programs that differ only in names, spans and the identity of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from myia.ir.code import Code
from myia.ir.core import Function, Op, Region, Value
from myia.ir.params import param_key


def same(f, g) -> bool:
    """Whether two functions, codes or closed regions are the same program."""
    if type(f) is not type(g):
        return False
    if isinstance(f, Function):
        return f.name == g.name and f.checks == g.checks and same_region(f.region, g.region, {})
    if isinstance(f, Code):
        signature = (f.name, f.parameters, f.captured) == (g.name, g.parameters, g.captured)
        return signature and same_region(f.region, g.region, {})
    return same_region(f, g, {})


def same_region(f: Region, g: Region, twin: dict[Value, Value]) -> bool:
    """`twin` gives, of each value around `f`, the value around `g` that is its like.

    A captured value that is no key stands for itself. `twin` grows.
    """
    if [x.aval for x in f.args] != [x.aval for x in g.args] or len(f.ops) != len(g.ops):
        return False
    twin.update(zip(f.args, g.args))
    return all(_same_op(p, q, twin) for p, q in zip(f.ops, g.ops)) and _alike(
        f.yields, g.yields, twin
    )


def _alike(xs: tuple[Value, ...], ys: tuple[Value, ...], twin: dict[Value, Value]) -> bool:
    return len(xs) == len(ys) and all(twin.get(x, x) is y for x, y in zip(xs, ys))


def _same_op(p: Op, q: Op, twin: dict[Value, Value]) -> bool:
    if (
        p.primitive is not q.primitive
        or not _alike(p.operands, q.operands, twin)
        or [y.aval for y in p.results] != [y.aval for y in q.results]
        or not _same_params(p.params, q.params)
        or len(p.regions) != len(q.regions)
        or not all(same_region(r, s, twin) for r, s in zip(p.regions, q.regions))
    ):
        return False
    twin.update(zip(p.results, q.results))
    return True


def _same_params(p: Mapping[str, Any], q: Mapping[str, Any]) -> bool:
    return p.keys() == q.keys() and all(_same_param(p[name], q[name]) for name in p)


def _same_param(x: Any, y: Any) -> bool:
    if isinstance(x, Code) and isinstance(y, Code):
        return same(x, y)
    return param_key(x) == param_key(y)
