"""Isomorphic ops of one region: groups of which member k can be computed in iteration k of a loop.

    %a = loop A of %x, %w               (%a, %b, %c)       members 0, 1, 2
    %1 = add %a, 0.1                    (%1, %2, %3)
    %b = loop A of %1, %w
    %2 = add %b, 0.2               ->   what they read:
    %c = loop A of %2, %w               (%x, %1, %2)       carried, %x at first
    %3 = add %c, 0.3                    (%w, %w, %w)       the same in all iterations
                                        (0.1, 0.2, 0.3)    constants

It begins with groups that are given. What their members read is matched, one operand at a time: it
is the same for all members, or constants, or a carried value; or the ops that compute it form
another group; or it is known before the loop, in rows. Then the ops that read results of all
members are matched, too.

*When it gives up*: where members read what depends on other members in another way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from myia.ir.core import Op, Value, has_effect, reads
from myia.ir.dependence import with_dependents
from myia.passes.loops.op_forms import Forms, Values
from myia.primitives.core.define import constant_p
from myia.rewriting.def_use import uses

Members = tuple[Op, ...]


# ----- The source of what the members of a group read at one position


@dataclass(frozen=True)
class Same:
    """One value in all iterations."""

    value: Value

    @property
    def given(self) -> Values:
        """What is known before the loop."""
        return (self.value,)


@dataclass(frozen=True)
class Constants:
    """Constants, one for each iteration."""

    ops: Members
    given: Values = ()

    @property
    def are_equal(self) -> bool:
        return len({op.params_key for op in self.ops}) == 1


@dataclass(frozen=True)
class Computed:
    """A result of a group, of the same iteration."""

    group: int
    result: int
    given: Values = ()


@dataclass(frozen=True)
class Carried:
    """A result of a group, of the iteration before."""

    initial: Value
    computed: Computed

    @property
    def given(self) -> Values:
        return (self.initial,)


@dataclass(frozen=True)
class Rows:
    """Values that are known before the loop, one for each iteration."""

    given: Values


Source = Same | Constants | Computed | Carried | Rows


class Mismatch(Exception):
    """The members of a group are no iterations of one loop."""


class Isomorphism:
    """Groups of isomorphic ops, and the sources of what they read, by what their members read."""

    def __init__(self, forms: Forms, anchors: Sequence[Members]):
        """Raises `Mismatch`."""
        self.forms, self.region = forms, forms.region
        self.count = len(anchors[0])
        self.groups: list[Members] = []
        self.sources: dict[Values, Source] = {}
        self.places: dict[Op, tuple[int, int]] = {}  # its group, and which member it is
        results = [y for members in anchors for op in members for y in op.results]
        self.dependent = with_dependents(results, self.region.ops)
        self._add(anchors)
        for members in self._from(0):
            self._add_users(members)
        self.before, self.after = self._others()

    def leaves(self, members: Members) -> list[Values]:
        """What the members read, by position."""
        return list(zip(*(self.forms[op].leaves for op in members)))

    def all_results(self) -> Iterator[Computed]:
        for group, members in enumerate(self.groups):
            yield from (Computed(group, j) for j in range(len(members[0].results)))

    def results(self, computed: Computed) -> Values:
        """What the members compute."""
        return tuple(op.results[computed.result] for op in self.groups[computed.group])

    def is_read_outside(self, y: Value) -> bool:
        users = uses(self.region).get(y, ())
        return y in self.region.yields or any(op not in self.places for op in users)

    def _others(self) -> tuple[list[Op], list[Op]]:
        """The other ops of the region: those before the loop and those after it.

        Raises `Mismatch` if the loop depends on the latter, or if an effect stands between members.
        """
        ops = self.region.ops
        positions = [i for i, op in enumerate(ops) if op in self.places]
        start, end = positions[0], positions[-1]
        between = [op for op in ops[start:end] if op not in self.places]
        late = with_dependents((y for op in self.places for y in op.results), between)
        if any(map(has_effect, between)):
            raise Mismatch
        if not all(late.isdisjoint(source.given) for source in self.sources.values()):
            raise Mismatch
        before = [op for op in between if late.isdisjoint(reads(op))]
        after = [op for op in between if not late.isdisjoint(reads(op))]
        return [*ops[:start], *before], [*after, *ops[end + 1 :]]

    # ----- Groups

    def _add(self, groups: Iterable[Members]) -> None:
        """Add groups, and groups of what their members read."""
        first = len(self.groups)
        for members in groups:
            self._place(members)
        for members in self._from(first):
            for values in self.leaves(members):
                if values not in self.sources:
                    self.sources[values] = self._source(values)

    def _add_users(self, members: Members) -> None:
        """Add groups of ops that read the same result of all members."""
        for j, y in enumerate(members[0].results):
            for user in uses(self.region).get(y, ()):
                users = self._users(members, j, user)
                if users is None:
                    continue
                groups, sources = len(self.groups), len(self.sources)
                try:
                    self._add([users])
                    self._others()
                except Mismatch:
                    self._drop(groups, sources)

    def _drop(self, groups: int, sources: int) -> None:
        """Drop the groups and sources but the first ones."""
        for members in self.groups[groups:]:
            for op in members:
                del self.places[op]
        del self.groups[groups:]
        for values in [*self.sources][sources:]:
            del self.sources[values]

    def _from(self, first: int) -> Iterator[Members]:
        """The groups from number `first` on, with those that are added meanwhile."""
        while first < len(self.groups):
            yield self.groups[first]
            first += 1

    def _place(self, members: Members) -> int:
        if len(set(members)) < self.count or any(map(has_effect, members)):
            raise Mismatch
        self.groups.append(members)
        self.places.update((op, (len(self.groups) - 1, k)) for k, op in enumerate(members))
        return len(self.groups) - 1

    def _users(self, members: Members, j: int, user: Op) -> Members | None:
        """The ops that read result `j` of each member as `user` does that of the first."""
        form = self.forms[user]
        position = form.leaves.index(members[0].results[j])
        read = sum(x.aval.nbytes for x in form.leaves)
        if sum(y.aval.nbytes for y in user.results) > read:
            return None
        users = (self._user(op.results[j], position, form.key) for op in members)
        found = tuple(op for op in users if op is not None)
        return found if len(set(found)) == self.count else None

    def _user(self, x: Value, position: int, key: Hashable) -> Op | None:
        """An op with this key that reads `x` at a position, and has no place yet."""
        for op in uses(self.region).get(x, ()):
            form = self.forms[op]
            if op not in self.places and form.key == key and form.leaves[position] is x:
                return op
        return None

    # ----- Sources

    def _source(self, values: Values) -> Source:
        """What the members read here; its group is added. Raises `Mismatch`."""
        if len(set(values)) == 1:
            return Same(values[0])
        ops = [self.forms.definitions.get(x) for x in values]
        if all(op is not None and op.primitive is constant_p for op in ops):
            return Constants(tuple(op for op in ops if op is not None))
        computed = self._computed(values)
        if computed is not None:
            return computed
        computed = self._computed(values[1:])
        if computed is not None:
            return Carried(values[0], computed)
        if self.dependent.isdisjoint(values):
            return Rows(values)
        raise Mismatch

    def _computed(self, values: Values) -> Computed | None:
        """The group of the ops that compute these values, for the first members or for all.

        It is added, with the ops that belong to the members that are left.
        """
        ops = [op for op in map(self.forms.definitions.get, values) if op is not None]
        results = {op.results.index(x) for op, x in zip(ops, values) if x in op.results}
        if len(ops) < len(values) or len(results) > 1:
            return None
        (result,) = results
        places = [self.places.get(op) for op in ops]
        if any(places):
            group = next(place[0] for place in places if place)
            matches = places == [(group, k) for k in range(len(ops))]
            return Computed(group, result) if matches else None
        if not self._is_group(ops):
            return None
        if len(ops) < self.count:
            last = self._successor(ops[-1], {})
            if last is None:
                return None
            ops.append(last)
        return Computed(self._place(tuple(ops)), result)

    def _is_group(self, ops: Sequence[Op]) -> bool:
        """Whether the ops are isomorphic, and to be computed in the loop."""
        if len({self.forms[op].key for op in ops}) > 1 or len(set(ops)) < len(ops):
            return False
        if any(map(has_effect, ops)):
            return False
        if any(not self.dependent.isdisjoint(op.results) for op in ops):
            return True
        return len(ops) == self.count and not ops[0].regions and self._is_smaller_input(ops)

    def _is_smaller_input(self, ops: Sequence[Op]) -> bool:
        """Whether rows of what the ops read are no larger than rows of what they compute."""
        definitions = self.forms.definitions
        read = 0
        for values in self.leaves(tuple(ops)):
            made_by = [definitions.get(x) for x in values]
            are_constants = all(op is not None and op.primitive is constant_p for op in made_by)
            if len(set(values)) > 1 and not are_constants:
                read += values[0].aval.nbytes
        return read <= sum(y.aval.nbytes for y in ops[0].results)

    def _successor(self, op: Op, known: dict[Op, Op | None]) -> Op | None:
        """The op that is to the last member what `op` is to the last but one.

        `known`: those found so far: chains of ops that read two others lead to each in many ways.
        """
        if op not in known:
            known[op] = self._next_op(op, known)
        return known[op]

    def _next_op(self, op: Op, known: dict[Op, Op | None]) -> Op | None:
        form = self.forms[op]
        for position, x in enumerate(form.leaves):
            y = self._next_value(x, known)
            found = None if y is None else self._user(y, position, form.key)
            if found is not None:
                return found
        return None

    def _next_value(self, x: Value, known: dict[Op, Op | None]) -> Value | None:
        """The value that is to the last member what `x` is to the last but one, if it differs."""
        op = self.forms.definitions.get(x)
        if op is None or x not in self.dependent:
            return None
        if op in self.places:
            group, k = self.places[op]
            other = self.groups[group][-1] if k == self.count - 2 else None
        else:
            other = self._successor(op, known)
        return None if other is None else other.results[op.results.index(x)]
