"""Load hoisting: a part of an array that a loop reads and does not change is loaded before it.

    %a = for %i < %n (%a = %x) {                    %r = read row %k of %x
      %1 = read %a at %k, %k                        %1 = read %r at 0, %k
      %a = for %j < %n (%a = %a) {                  %a = for %i < %n (%a = %x) {
        %2 = read %a at %k, %j                ->      %a = for %j < %n (%a = %a) {
        %3 = mul %1, %2                                 %2 = read %r at 0, %j
        %4 = write %3 into %a at %k + 1 + %i, %j        %3 = mul %1, %2
        yield %4                                        %4 = write %3 into %a at %k + 1 + %i, %j
      }                                                 yield %4
      yield %a                                        }
    }                                                 yield %a
                                                    }

The example is Gaussian elimination, where multiples of row k are subtracted from all rows below.
The pass runs before derivatives are taken: what the iterations load is then recorded once, not in
every iteration of the nest, and the cotangent of an element that all iterations load is a scalar.

The part that is loaded before the loop has the loop-invariant start indices of the loads, and the
whole axis where a start index varies. If the loop changes the array, the part must be disjoint from
all its stores (`linear_indices.py`). Each iteration must read about as many elements as the part
has.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod

from myia.analysis.array_versions import VersionChain, chains_by_version
from myia.analysis.linear_indices import IndexRanges, LinearForm
from myia.ir.avals import I64
from myia.ir.builder import Builder, append, at
from myia.ir.core import Function, Op, Region, Value, walk
from myia.ir.rewrite import Env, rematerialize
from myia.primitives.arrays.dynamic_slices import dynamic_slice, slice_sizes, start_indices
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.rewriting.def_use import loop_variant_values
from myia.rewriting.walk import look_up, rebuilt, rewrite_loops, substituted

MAX_UNUSED_ELEMENTS = 16  # that may be loaded before a loop whose branches might never read them


def load_hoisting(function: Function) -> Function:
    """`function` with loads of unchanged parts of arrays moved before the loops."""
    return rewrite_loops(function, partial(_emit_loop, ranges=IndexRanges(function.region)))


def _emit_loop(op: Op, ranges: IndexRanges) -> None:
    """Emit the loads that can precede the loop, and the loop without them."""
    loop = Loop.of(op)
    parts = list(_parts(loop, ranges))
    if not parts:
        append(op)
        return
    hoisted: dict[Op, tuple[Value, _Part]] = {}
    for part in parts:
        value = part.emit(loop.body)
        hoisted.update((load, (value, part)) for load in part.loads)
    regions = (*op.regions[:-1], _with_hoisted(loop.body, hoisted, {}))
    append(Op(op.primitive, op.operands, op.params, regions, op.results, op.span))


# ----- What can be loaded before


@dataclass
class _Part:
    """A part of `array` and the loads from it: along each axis it begins at a start index, or it is
    the whole axis (None).
    """

    array: Value
    starts: tuple[Value | None, ...]
    sizes: tuple[int, ...]
    loads: list[Op]

    @property
    def is_exact(self) -> bool:
        """Is the part exactly the slice that the loads read?"""
        return None not in self.starts

    def emit(self, body: Region) -> Value:
        """Emit the load of this part; its start indices are computed as in `body`."""
        ops = [op for op in walk(body) if not op.primitive.structured]
        invariant = iter(rematerialize([x for x in self.starts if x is not None], ops))
        with at(self.loads[0].span):
            starts = [_zero() if x is None else next(invariant) for x in self.starts]
            return dynamic_slice(self.array, *starts, sizes=self.sizes)

    def emit_load(self, load: Op, value: Value) -> None:
        """Emit a load from `value`, which is this part, in the place of `load`."""
        indices = zip(self.starts, load.operands[1:])
        starts = [x if start is None else _zero() for start, x in indices]
        append(Op(dynamic_slice, (value, *starts), load.params, (), load.results, load.span))

    def start_forms(self, ranges: IndexRanges) -> tuple[LinearForm, ...]:
        """Its start indices as linear forms."""
        return tuple(LinearForm() if x is None else ranges.linear_form(x) for x in self.starts)


def _parts(loop: Loop, ranges: IndexRanges) -> Iterable[_Part]:
    varying = loop_variant_values(loop.body)
    chains = chains_by_version(loop)
    parts: dict[Hashable, _Part] = {}
    for load, times in _loads(loop.body, 1):
        array = load.operands[0]
        chain = chains.get(array, VersionChain(array))
        part = _part(load, chain.origin, varying)
        if _is_profitable(part, load, times, chain) and _is_unchanged(part, chain, ranges):
            starts = tuple(frozenset(start.items()) for start in part.start_forms(ranges))
            # A row that one load reads as a whole, and another by elements, is two parts.
            key = chain.origin, part.sizes, starts, part.is_exact
            parts.setdefault(key, part).loads.append(load)
    inside = _defined_in(loop.body)
    return [part for part in parts.values() if part.array not in inside]


def _defined_in(region: Region) -> set[Value]:
    """All values that are defined in a region, at any depth."""
    ops = list(walk(region))
    args = {x for op in ops for inner in op.regions for x in inner.args}
    return {*region.args, *args, *(y for op in ops for y in op.results)}


def _is_profitable(part: _Part, load: Op, times: int, chain: VersionChain) -> bool:
    """Is the part smaller than the array, and does an iteration read about as much as it has?

    A part that is larger than the slice pays only where the loop stores into the array, because
    the loads in the loop then depend on the stores.
    """
    size, whole = prod(part.sizes), part.array.aval.size
    if size >= whole:
        return False
    if part.is_exact:
        return times > 0 or size <= MAX_UNUSED_ELEMENTS
    return bool(chain.stores) and 2 * times * prod(load.params["sizes"]) >= size


def _part(load: Op, initial: Value, varying: set[Value]) -> _Part:
    """The part that `load` needs of the array, `initial` being its version before the loop."""
    array, *starts = load.operands
    invariant = tuple(None if x in varying else x for x in starts)
    axes = zip(invariant, load.params["sizes"], array.shape)
    sizes = tuple(axis_size if x is None else size for x, size, axis_size in axes)
    return _Part(initial, invariant, sizes, [])


def _is_unchanged(part: _Part, chain: VersionChain, ranges: IndexRanges) -> bool:
    """Are all stores into the array disjoint from the part?"""
    starts, shape = part.start_forms(ranges), part.array.shape
    stored = ((ranges.linear_forms(start_indices(op)), slice_sizes(op)) for op in chain.stores)
    return all(ranges.are_disjoint(starts, part.sizes, *slice_, shape) for slice_ in stored)


def _loads(region: Region, times: int) -> Iterator[tuple[Op, int]]:
    """The loads in a region, and how often at most inner loops execute each.

    0 for loads in branches, which may never be taken.
    """
    for op in region.ops:
        if op.primitive is dynamic_slice:
            yield op, times
        inner = (Loop.of(op).bound or 1) if op.primitive is loop_p else 0
        for nested in op.regions:
            yield from _loads(nested, times * inner)


# ----- What it becomes


def _zero() -> Value:
    return constant(0, I64.dtype)


def _with_hoisted(region: Region, hoisted: Mapping[Op, tuple[Value, _Part]], env: Env) -> Region:
    """`region` with these loads from the parts that were loaded before the loop."""
    with Builder() as b:
        for op in region.ops:
            if op not in hoisted:
                append(substituted(op, env, partial(_with_hoisted, hoisted=hoisted, env=env)))
                continue
            value, part = hoisted[op]
            if part.is_exact:
                env[op.results[0]] = value
            else:
                part.emit_load(op, value)
    return rebuilt(region, b.ops, look_up(region.yields, env))
