"""Definitions and uses: which op of a region defines a value, which ops read it, what varies.

Definitions and uses are complete; a use inside a nested region counts as a use by the op that has
the region. Results are cached by region: regions never change.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from myia.ir.core import Op, Region, Value, reads, walk

Uses = Mapping[Value, list[Op]]  # each op once; that a region yields a value is no use


class NestedUses:
    """Of a region and of all that are nested in it: who uses each value, and where each op is."""

    def __init__(self, region: Region) -> None:
        self.operand_of: dict[Value, list[Op]] = {}  # in program order, each op once
        self.yielded_as: dict[Value, list[Value]] = {}  # the results of the op with the region
        self.region_of: dict[Op, Region] = {}
        self._visit(region)

    def _visit(self, region: Region) -> None:
        for op in region.ops:
            self.region_of[op] = region
            for x in dict.fromkeys(op.operands):
                self.operand_of.setdefault(x, []).append(op)
            for inner in op.regions:
                for y, result in zip(inner.yields[-len(op.results) :], op.results):
                    self.yielded_as.setdefault(y, []).append(result)
                self._visit(inner)


_uses: WeakKeyDictionary[Region, Uses] = WeakKeyDictionary()
_definitions: WeakKeyDictionary[Region, Mapping[Value, Op]] = WeakKeyDictionary()
_nested: WeakKeyDictionary[Region, NestedUses] = WeakKeyDictionary()


def uses(region: Region) -> Uses:
    """The ops of `region` that read each value, themselves or in their regions.

    Cached: passes ask for each carry of a loop.
    """
    if region not in _uses:
        found: dict[Value, list[Op]] = {}
        for op in region.ops:
            for x in dict.fromkeys(reads(op)):
                found.setdefault(x, []).append(op)
        _uses[region] = found
    return _uses[region]


def nested_uses(region: Region) -> NestedUses:
    """Uses at any depth. Cached: passes ask for each carry of a loop."""
    if region not in _nested:
        _nested[region] = NestedUses(region)
    return _nested[region]


def definitions(region: Region) -> Mapping[Value, Op]:
    """The op of `region` that defines each value. Cached: passes ask for each store."""
    if region not in _definitions:
        _definitions[region] = {y: op for op in region.ops for y in op.results}
    return _definitions[region]


def loop_variant_values(body: Region) -> set[Value]:
    """The values in a loop's body, at any depth, that may differ from iteration to iteration."""
    varying = set(body.args)
    for op in walk(body):
        varying.update(x for region in op.regions for x in region.args)
        if op.primitive.structured or not varying.isdisjoint(op.operands):
            varying.update(op.results)
    return varying
