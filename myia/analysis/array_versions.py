"""Versions of an array: the chain of stores by which a loop turns a carried array into the next.

    for %i < 60 (%a = %a0) {
      %a = for %j < %i (%a = %a) {            versions of %a0: each %a
        %1 = dynamic_slice %a, %i, %j         no earlier iteration, of either loop, has stored into
        ...                                   this element: the load may as well read %a0
        %a = dynamic_update_slice %a, %2, %i, %j
        yield %a
      }
      yield %a
    }

In SSA every store makes a new array. A *version chain* connects a version to the array from which
it comes (its origin), through stores, inner loops and branches. This is memory SSA for arrays.

What it computes: the chain of each carry of a loop; which loads find the value from before the
loop, or the value from before any store so far; in one region, the oldest version with the slice of
an access, and whether a stored slice is ever read.

What it guarantees: all versions of a chain differ from the origin only where its stores write.

When it gives up: a version that is made by another op than a store, a loop or an `if` has no chain,
nor has an array whose branches start from two different arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from myia.analysis.linear_indices import IndexRanges, is_disjoint_slice, is_same_slice
from myia.ir.core import Op, Region, Value, captures, walk
from myia.primitives.arrays.dynamic_slices import (
    STORES,
    dynamic_slice,
    dynamic_update_slice,
    slice_sizes,
    start_indices,
)
from myia.primitives.arrays.gather import scatter_add
from myia.primitives.arrays.scattering import scatter
from myia.primitives.core.structured import Loop, if_p, loop_p
from myia.rewriting.def_use import definitions, nested_uses, uses

SCATTERS = (scatter, scatter_add)


@dataclass(frozen=True)
class Link:
    """`op` turns version `before` of an array into version `after`, by stores alone.

    `inner` are the chains in the body of a loop, or in the branches of an `if`.
    """

    before: Value
    op: Op
    after: Value
    inner: tuple[VersionChain, ...] = ()


@dataclass(frozen=True)
class VersionChain:
    """The array where a chain begins, and the links to its versions since then, the first first."""

    origin: Value
    links: tuple[Link, ...] = ()

    @cached_property
    def stores(self) -> tuple[Op, ...]:
        """The stores of all links."""
        found = ((x for c in link.inner for x in c.stores) if link.inner else [link.op]
                 for link in self.links)  # fmt: skip
        return tuple(op for ops in found for op in ops)

    @cached_property
    def stores_slices(self) -> bool:
        return all(op.primitive in STORES for op in self.stores)

    @cached_property
    def has_branches(self) -> bool:
        return any(
            link.op.primitive is if_p or any(chain.has_branches for chain in link.inner)
            for link in self.links
        )

    @cached_property
    def versions(self) -> tuple[Value, ...]:
        """All versions after the origin."""
        found = []
        for link in self.links:
            for chain in link.inner:
                found += [chain.origin] if chain.origin is not link.before else []
                found += chain.versions
            found.append(link.after)
        return tuple(found)


_carried_chains: WeakKeyDictionary[Region, tuple[VersionChain | None, ...]] = WeakKeyDictionary()


def carried_chains(body: Region) -> tuple[VersionChain | None, ...]:
    """For each carry of a loop's body, the chain from its argument to what the body yields for it.

    None where there is no such chain. Cached: many passes ask for each loop.
    """
    if body not in _carried_chains:
        found = [chain_to(y, body) for y in body.yields]
        _carried_chains[body] = tuple(
            chain if chain is not None and chain.origin is arg else None
            for arg, chain in zip(body.args[1:], found)
        )
    return _carried_chains[body]


def slice_chains(body: Region) -> tuple[VersionChain | None, ...]:
    """As `carried_chains`; None also where a store is a scatter, of which no slice is known."""
    return tuple(
        chain if chain is not None and chain.stores_slices else None
        for chain in carried_chains(body)
    )


def chain_to(version: Value, region: Region) -> VersionChain | None:
    """The longest chain that ends at `version` in one region; None if a link is unknown."""
    links: list[Link] = []
    while version in definitions(region):
        link = _link(definitions(region)[version], version)
        if link is None:
            return None
        links.append(link)
        version = link.before
    return VersionChain(version, tuple(links[::-1]))


def _link(op: Op, result: Value) -> Link | None:
    """The link from an operand of `op` to its `result`, if `op` only stores into that operand."""
    if op.primitive in (*STORES, *SCATTERS):
        return Link(op.operands[0], op, result)
    i = op.results.index(result)
    if op.primitive is loop_p:
        chain = carried_chains(Loop.of(op).body)[i]
        return None if chain is None else Link(Loop.of(op).carries[i], op, result, (chain,))
    if op.primitive is if_p:
        then, other = (chain_to(region.yields[i], region) for region in op.regions)
        if then is not None and other is not None and then.origin is other.origin:
            return Link(then.origin, op, result, (then, other))
    return None


def chains_by_version(loop: Loop) -> dict[Value, VersionChain]:
    """The chain of each version in a loop, of every carried array that has one.

    The origin of these chains is the array that enters the loop.
    """
    found = {}
    for initial, arg, chain in zip(loop.carries, loop.body.args[1:], slice_chains(loop.body)):
        if chain is not None:
            chain = replace(chain, origin=initial)
            found.update(dict.fromkeys((arg, *chain.versions), chain))
    return found


def store_into(version: Value, region: Region) -> Op | None:
    """The store into a version of an array, if one op in `region` stores into it, and only once."""
    readers = uses(region).get(version, ())
    stores = [op for op in readers if op.primitive is dynamic_update_slice]
    is_next = len(stores) == 1 and version not in stores[0].operands[1:]
    return stores[0] if is_next else None


def oldest_equal_version(
    version: Value, access: Op, region: Region, ranges: IndexRanges
) -> tuple[Value, Op | None]:
    """The oldest version of an array with the slice of `access` as in `version`, and what made it.

    The op is None if a store with another update made it, or no op of `region`. Between the two are
    stores into disjoint slices only.
    """
    store = definitions(region).get(version)
    while store is not None and store.primitive is dynamic_update_slice:
        if is_same_slice(access, store, ranges):
            return version, store
        if not is_disjoint_slice(access, store, ranges):
            break
        version = store.operands[0]
        store = definitions(region).get(version)
    return version, None


def is_never_read(store: Op, region: Region, ranges: IndexRanges) -> bool:
    """Is the slice that `store` stores never read in `region`, nor after it?

    It is stored again, or the array is dropped; until then only disjoint slices of it are used.
    """
    (version,) = store.results
    while version not in region.yields:
        after = store_into(version, region)
        others = [op for op in uses(region).get(version, ()) if op is not after]
        if not all(_only_loads_disjoint(op, version, store, ranges) for op in others):
            return False
        if after is None or is_same_slice(store, after, ranges):
            return True
        if not is_disjoint_slice(store, after, ranges):
            return False
        (version,) = after.results
    return False


def _only_loads_disjoint(op: Op, version: Value, store: Op, ranges: IndexRanges) -> bool:
    """Does `op`, also in its regions, only load slices that `store` leaves unchanged?"""
    ops = list(walk(Region((), (op,), ())))
    return all(
        version not in x.operands
        or (x.primitive is dynamic_slice and is_disjoint_slice(x, store, ranges))
        for x in ops
    ) and not any(version in region.yields for x in ops for region in x.regions)


def other_uses(loop: Loop, i: int) -> list[Op] | None:
    """The ops, at any depth, that use versions of carry `i` and make no other version of it.

    None if no slices are known of its stores, if the condition reads it, or if a version is yielded
    as something else.
    """
    chain, arg = slice_chains(loop.body)[i], loop.body.args[1 + i]
    if chain is None or _condition_reads(loop, i):
        return None
    operand_of = nested_uses(loop.body).operand_of
    users = dict.fromkeys(op for x in (arg, *chain.versions) for op in operand_of.get(x, ()))
    versions = {arg, *chain.versions}
    others = [op for op in users if not _is_step(op, versions, chain)]
    return others if _stay_within_carry(loop, versions, i) else None


def _condition_reads(loop: Loop, i: int) -> bool:
    cond = loop.cond
    return cond is not None and cond.args[1 + i] in captures(Region((), cond.ops, cond.yields))


def _is_step(op: Op, versions: set[Value], chain: VersionChain) -> bool:
    """Does `op` make a version of the array from another one, and use it for nothing else?"""
    if op in chain.stores:
        return op.operands[0] in versions and versions.isdisjoint(op.operands[1:])
    if op.primitive is not loop_p:
        return False
    loop = Loop.of(op)
    carried = [i for i, x in enumerate(loop.carries) if x in versions]
    return all(op.results[i] in versions and not _condition_reads(loop, i) for i in carried)


def _stay_within_carry(loop: Loop, versions: set[Value], i: int) -> bool:
    """Are versions of the array yielded only as versions of it, and by the loop as carry `i`?"""
    escaping = {y for j, y in enumerate(loop.body.yields) if j != i}
    yielded_as = nested_uses(loop.body).yielded_as
    kept = all(result in versions for x in versions for result in yielded_as.get(x, ()))
    return kept and versions.isdisjoint(escaping)


def is_write_only_carry(loop: Loop, i: int) -> bool:
    """Is writing slices, outside branches, all that the iterations of a loop do with carry `i`?"""
    chain = slice_chains(loop.body)[i]
    return other_uses(loop, i) == [] and chain is not None and not chain.has_branches


def reads_initial_value(loop: Loop, arg: Value, read: Op, ranges: IndexRanges) -> bool:
    """Does `read` find, in every iteration, the elements that carry `arg` had before the loop?

    `read` reads `arg` itself, or the argument of an inner loop that carries it on.
    """
    chain = slice_chains(loop.body)[loop.body.args.index(arg) - 1]
    if chain is None or not _is_disjoint_from_other_iterations(loop, read, chain, ranges):
        return False
    if read.operands[0] is arg:
        return True
    for op in loop.body.ops:
        if op.primitive is loop_p and arg in Loop.of(op).carries and read in _ops_inside(op):
            inner = Loop.of(op)
            inner_arg = inner.body.args[1 + inner.carries.index(arg)]
            return reads_initial_value(inner, inner_arg, read, ranges)
    return False


def reads_ahead_of_stores(loop: Loop, arg: Value, read: Op, ranges: IndexRanges) -> bool:
    """Is what `read` reads untouched by the stores of this iteration and of all earlier ones?

    `read` may read any version of `arg`.
    """
    chain = slice_chains(loop.body)[loop.body.args.index(arg) - 1]
    index = loop.body.args[0]
    return chain is not None and all(
        _is_disjoint_from_earlier(read, store, index, ranges) for store in chain.stores
    )


def _is_disjoint_from_earlier(read: Op, store: Op, index: Value, ranges: IndexRanges) -> bool:
    """Is `read` disjoint, along some axis, from what `store` has stored up to this iteration?"""
    slices = zip(start_indices(read), slice_sizes(read), start_indices(store), slice_sizes(store))
    shape = read.operands[0].shape
    return any(
        ranges.is_disjoint_from_earlier(*at, length, index) for at, length in zip(slices, shape)
    )


def _ops_inside(op: Op) -> list[Op]:
    return [inner for region in op.regions for inner in walk(region)]


def _is_disjoint_from_other_iterations(
    loop: Loop, read: Op, chain: VersionChain, ranges: IndexRanges
) -> bool:
    """Is what `read` reads disjoint from what the stores of all other iterations write?

    That is so if along some axis all slices start at the same index, which moves from iteration to
    iteration by at least the longest of them.
    """
    index = loop.body.args[0]
    for axis, start in enumerate(start_indices(read)):
        stored = [(start_indices(op)[axis], slice_sizes(op)[axis]) for op in chain.stores]
        size = max([read.params["sizes"][axis], *(n for _, n in stored)])
        length = read.operands[0].shape[axis]
        disjoint = ranges.are_disjoint_across_iterations(start, size, length, index)
        if disjoint and all(ranges.are_equal([x], [start]) for x, _ in stored):
            return True
    return not chain.stores
