"""Derivatives of a region with respect to all, and of all, that is differentiable in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.ir.core import Region, Value
from myia.transforms.jvp import jvp_region
from myia.transforms.vjp import vjp_region


def active(values: Sequence[Value]) -> list[int]:
    return [i for i, x in enumerate(values) if x.aval.differentiable]


def jvp(region: Region) -> Region:
    """(*args, *their tangents) -> tangents of the results."""
    return _derived(jvp_region, region)


def vjp(region: Region) -> Region:
    """(*args, *cotangents of the results) -> cotangents of the args."""
    return _derived(vjp_region, region)


def _derived(transform: Callable, region: Region) -> Region:
    derived = transform(region, active(region.args), active(region.yields))
    return Region(derived.args, derived.ops, derived.yields[len(region.yields) :])
