"""The laws of the merge of two states, on random heaps: `myia/infer/paths/merge.py` states them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest

from myia.infer.domain.dtypes import NumberKind
from myia.infer.domain.heap import (
    ArrayObject,
    CellObject,
    Contents,
    DictObject,
    Heap,
    InstanceObject,
    ListObject,
    ViewObject,
)
from myia.infer.domain.values import NONE, Abstract, Choice, Optional, Ref, Scalar, Static, Tuple
from myia.infer.domain.views import StridedSlice
from myia.infer.lists.growing_lists import ListGrowth
from myia.infer.paths.merge import merge_states
from myia.infer.paths.merge_branch import BranchJoin
from myia.infer.paths.merge_loop import LoopJoin, merge_iteration
from myia.infer.paths.merge_result import Merge, MergeResult
from myia.infer.paths.path_values import path_values
from myia.ir.avals import Aval
from myia.ir.builder import Builder
from myia.ir.core import Value

VECTOR = Aval(np.dtype(np.float64), (3,))
FLOAT = Aval(np.dtype(np.float64))
DTYPES = (np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.float32))
SEEDS = range(150)


@dataclass
class State:
    values: tuple[Abstract, ...]
    heap: Heap

    @property
    def pair(self):
        return Tuple(self.values), self.heap


def merge_branches(before: Heap, left, right, tracks_points_to: bool) -> MergeResult:
    """The merge of two branches, each a value and a heap."""
    merge = Merge(before, left[1], right[1], BranchJoin(), tracks_points_to)
    return merge_states(merge, [left[0]], [right[0]])


def number(rng: random.Random) -> Abstract:
    if rng.random() < 0.5:
        return Static(rng.choice([0, 1, 7, 2.5, -3]))
    dtype = rng.choice(DTYPES)
    lo = rng.choice([None, 0, 3]) if dtype.kind == "i" else None
    weak = dtype.itemsize == 8 and rng.random() < 0.5  # a Python number, which has 64 bits
    return Scalar(Value(Aval(dtype)), weak, lo, None if lo is None else lo + 5)


def objects(rng: random.Random) -> Heap:
    """Arrays, a view, a list, a dict, an instance and a cell; arrays have several names in them."""
    heap = Heap()
    arrays = [heap.new(ArrayObject(Value(VECTOR))) for _ in range(3)]
    heap.new(ViewObject(arrays[0], StridedSlice((1,), (2,), (1,), (2,))))
    heap.new(ListObject((number(rng), Ref(rng.choice(arrays)))))
    heap.new(DictObject(("a", "b"), (number(rng), Tuple((number(rng), Ref(arrays[1]))))))
    heap.new(InstanceObject(object, ("x", "y"), (number(rng), Ref(rng.choice(arrays)))))
    heap.new(CellObject(number(rng)))
    items = rng.randrange(1, 4)
    heap.new(ListObject(tuple(Scalar(Value(FLOAT), weak=True) for _ in range(items))))
    return heap


def beginning(rng: random.Random) -> State:
    heap = objects(rng)
    values = [number(rng), number(rng), *map(Ref, heap.objects)]
    return State((*values, rng.choice([NONE, number(rng)])), heap)


def changed(rng: random.Random, x: Abstract) -> Abstract:
    """The value with some of its numbers replaced."""
    if isinstance(x, (Static, Scalar)):
        return number(rng) if x is not NONE and rng.random() < 0.5 else x
    return x.rebuild(tuple(changed(rng, c) for c in x.children()))


def is_list_of_floats(x: Contents) -> bool:
    """The list whose length differs from path to path."""
    return isinstance(x, ListObject) and all(
        isinstance(i, Scalar) and i.value.aval == FLOAT for i in x.items
    )


def path(rng: random.Random, start: State, next_id: int = 0) -> State:
    """A path from `start`: stores, new arrays under old names, names that come and go."""
    heap, values = start.heap.copy(), list(start.values)
    heap.next_id = max(heap.next_id, next_id)
    for id, contents in start.heap.objects.items():
        if isinstance(contents, ViewObject) or rng.random() < 0.6:
            continue
        if isinstance(contents, ArrayObject):
            heap.write(id, ArrayObject(Value(VECTOR)), None)
        elif is_list_of_floats(contents):
            more = rng.randrange(-1, 3)
            new = tuple(Scalar(Value(FLOAT), weak=True) for _ in range(more))
            items = contents.items[:more] if more < 0 else contents.items + new
            heap.write(id, ListObject(items), None)
        else:
            children = tuple(changed(rng, c) for c in contents.children())
            heap.write(id, contents.rebuild(children), None)
    for i, x in enumerate(values):
        if isinstance(x, Ref) and isinstance(heap[x.id], ArrayObject) and rng.random() < 0.2:
            values[i] = Ref(heap.new(ArrayObject(Value(VECTOR))))
        elif not isinstance(x, Ref):
            values[i] = changed(rng, x)
    if rng.random() < 0.3:
        values[-1] = rng.choice([NONE, number(rng)])
    return State(tuple(values), heap)


def three_states(seed: int) -> tuple[State, State, State]:
    rng = random.Random(seed)
    before = beginning(rng)
    left = path(rng, before)
    return before, left, path(rng, before, left.heap.next_id)


def after(result: MergeResult, before: Heap) -> State:
    """The template as a state, with the placeholders as its values."""
    heap = before.copy()
    result.update(heap, result.placeholders)
    (template,) = result.template
    return State(template.children(), heap)


class Renaming:
    """Whether two states are equal up to the names of placeholders, the ids of objects and the
    order of options."""

    def __init__(self, a: Heap, b: Heap):
        self.heaps = a, b
        self.values: dict[Value, Value] = {}
        self.ids: dict[int, int] = {}

    def equal(self, x, y) -> bool:
        if type(x) is not type(y) or x.key() != y.key():
            return False
        if isinstance(x, Scalar):
            facts = [(v.value.aval, v.weak, v.lo, v.hi, v.boxed) for v in (x, y)]
            return facts[0] == facts[1] and self.values.setdefault(x.value, y.value) is y.value
        if isinstance(x, Static):
            return type(x.value) is type(y.value) and repr(x.value) == repr(y.value)
        if isinstance(x, Ref):
            if x.id in self.ids:
                return self.ids[x.id] == y.id
            self.ids[x.id] = y.id
            return self.equal(self.heaps[0][x.id], self.heaps[1][y.id])
        if isinstance(x, Choice):  # the options of the left side come first
            of_x, of_y = (sorted(v.options, key=kind) for v in (x, y))
            return self.equal(x.index, y.index) and all(map(self.equal, of_x, of_y))
        return all(map(self.equal, x.children(), y.children()))


def kind(x: Abstract) -> str:
    """The kind of a number: its dtype, and whether it is a Python number."""
    return str(NumberKind.of(x).type)


def equal_up_to_naming(a: State, b: State) -> bool:
    return Renaming(a.heap, b.heap).equal(Tuple(a.values), Tuple(b.values))


@pytest.mark.parametrize("points_to", [False, True])
def test_merging_a_state_with_itself_gives_the_state(points_to):
    for seed in SEEDS:
        before, left, _ = three_states(seed)
        result = merge_branches(before.heap, left.pair, left.pair, points_to)
        assert not result.placeholders and not result.changed, seed
        merged = after(result, left.heap)
        assert all(x.key() == y.key() for x, y in zip(merged.values, left.values))
        assert equal_up_to_naming(merged, left), seed


@pytest.mark.parametrize("points_to", [False, True])
def test_merging_branches_in_either_order_gives_one_template(points_to):
    for seed in SEEDS:
        before, left, right = three_states(seed)
        one = merge_branches(before.heap, left.pair, right.pair, points_to)
        other = merge_branches(before.heap, right.pair, left.pair, points_to)
        assert len(one.placeholders) == len(other.placeholders), seed
        assert equal_up_to_naming(*(after(r, before.heap) for r in (one, other))), seed
        edges = [sum(map(len, r.may_alias.values())) for r in (one, other)]
        assert edges[0] == edges[1], seed


def test_a_loop_template_absorbs_both_states():
    """Monotone: merged with the start or the end again, the template of a loop stays the same."""
    grew = 0
    for seed in SEEDS:
        start, end, _ = three_states(seed)
        # A list that grows has a capacity only where the number of iterations has a bound.
        join = LoopJoin(start.heap, ListGrowth(max_iterations=2))
        ends = ([Tuple(start.values)], start.heap), ([Tuple(end.values)], end.heap)
        result = merge_iteration(join, *ends, False)
        grew += result.changed
        template = after(result, start.heap)
        leaves, header = map(frozenset, (result.placeholders, result.objects))
        for state in (start, end):
            # An iteration keeps the objects of its start.
            heap = template.heap.copy()
            heap.objects |= state.heap.objects
            again = merge_iteration(
                LoopJoin(start.heap, result.growth, leaves, header),
                ([Tuple(template.values)], template.heap),
                ([Tuple(state.values)], heap),
                False,
            )
            assert not again.changed, seed
            assert set(again.replaced.values()) == leaves, seed
    assert grew > len(SEEDS) // 2


def test_each_path_has_a_value_for_each_placeholder():
    """Both states are instances of the template: unchanged arrays are yielded as they are."""
    for seed in SEEDS:
        before, left, right = three_states(seed)
        result = merge_branches(before.heap, left.pair, right.pair, False)
        for state in (left, right):
            with Builder():
                found = path_values(result, [Tuple(state.values)], state.heap)
            assert [v.aval for v in found] == [p.aval for p in result.placeholders], seed
            value_of = dict(zip(result.placeholders, found))
            (template,) = result.template
            for x, t in zip(state.values, template.children()):
                if isinstance(t, Scalar) and isinstance(x, Scalar) and x.dtype == t.dtype:
                    assert value_of.get(t.value, t.value) is x.value, seed
                if isinstance(t, Ref) and isinstance(state.heap[x.id], ArrayObject):
                    contents = result.objects.get(t.id)
                    if isinstance(contents, ArrayObject):
                        assert value_of[contents.value] is state.heap[x.id].value, seed


def test_a_number_beside_none_is_an_optional_in_either_order():
    heap = Heap()
    one = merge_branches(heap, (Static(1.5), heap), (NONE, heap), False)
    other = merge_branches(heap, (NONE, heap), (Static(1.5), heap), False)
    assert isinstance(one.template[0], Optional)
    assert Renaming(heap, heap).equal(one.template[0], other.template[0])
