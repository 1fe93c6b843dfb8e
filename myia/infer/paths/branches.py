"""Branches: inference of an `if`.

On a compile-time condition one branch is inferred. On a run-time condition both are, each into a
region of its own, and their results and heaps are merged (`merge.py`).

A branch that is sure to raise becomes a run-time check (a slip in a loop, until the loop's fixed
point is known). The code after the `if` then has the state
of the other branch, with all that is known there.

*When it gives up*: the branches have no common structure (`BranchesDiffer`; a loop around may
unroll and try again), or both are sure to raise.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from myia.infer.domain.context import Context
from myia.infer.domain.errors import (
    AlreadyRaised,
    BranchesDiffer,
    CertainError,
    NeedsChoice,
    NeedsStatic,
    RaiseReached,
    Slip,
)
from myia.infer.domain.heap import DictObject, Heap, ListObject
from myia.infer.domain.mismatch import Mismatch, ObjectsDiffer, UnboundedGrowth
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Choice,
    Optional,
    Ref,
    Scalar,
    Tuple,
    as_number,
    may_be_none,
)
from myia.infer.lists.list_rows import before_rows
from myia.infer.paths.choice import is_of_objects, is_split
from myia.infer.paths.merge import merge_states
from myia.infer.paths.merge_branch import BranchJoin, drop_lost_instances, merge_survivor
from myia.infer.paths.merge_result import Merge, MergeResult
from myia.infer.paths.merge_template import ABSENT
from myia.infer.paths.path_values import path_values, values_of_object
from myia.infer.unsupported import UnsupportedText
from myia.ir.builder import Builder, emit
from myia.ir.core import Region, Value
from myia.primitives.core.define import constant
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise import logic

Bodies = Callable[[], Iterable[Abstract]]


def branch(
    ctx: Context, condition: Abstract, then: Callable[[], Abstract], other: Callable[[], Abstract]
) -> Abstract:
    """The value of `then()` or `other()`, whichever `condition` (a truth value) selects."""
    if not isinstance(condition, Scalar):
        return then() if ctx.static(condition, "a condition") else other()
    return before_rows(ctx, lambda: _branch(ctx, condition, then, other))


def _branch(
    ctx: Context, condition: Scalar, then: Callable[[], Abstract], other: Callable[[], Abstract]
) -> Abstract:
    before = ctx.heap.copy()
    left = _infer_path(ctx, before, then)
    # New ids go on counting, so that an object of one branch never has the id of one of the other.
    ctx.heap.restore(before, ids=False)
    right = _infer_path(ctx, before, other)
    merged = _merged_paths(ctx, before, left, right)
    regions = [_closed_region(merged, path, ctx) for path in (left, right)]
    results = emit(if_p, condition.value, regions=regions)
    ctx.heap.restore(before, ids=False)
    after = merged.update(ctx.heap, results)
    # Nothing after the `if` is reached. A mistake is reported rather than a `raise` statement.
    if left.error is not None and right.error is not None:
        if left.is_caught or right.is_caught:
            raise AlreadyRaised(left.error.diagnostic, left.error.check)
        error = right.error if isinstance(left.error, RaiseReached) else left.error
        error.leave_region()
        raise error
    return after(merged.template[0])


@dataclass
class _Path:
    """One inferred branch: its ops, result and heap; or the error that it is sure to raise."""

    builder: Builder
    result: Abstract
    heap: Heap
    error: CertainError | None
    is_caught: bool = False  # a handler may see what the path has done

    @property
    def has_state(self) -> bool:
        return self.error is None or self.is_caught

    def state(self, ctx: Context, before: Heap) -> Heap:
        """The heap at its end. A path whose error is not caught only leaves its error code."""
        if self.has_state:
            return self.heap
        heap = before.copy()
        heap.next_id = self.heap.next_id
        heap.objects[ctx.error_id] = self.heap[ctx.error_id]
        return heap


def _infer_path(ctx: Context, before: Heap, body: Callable[[], Abstract]) -> _Path:
    result: Abstract = ABSENT
    error, is_caught = None, False
    with Builder() as builder:
        ctx.open_paths += 1
        try:
            result = body()
        except CertainError as certain:
            is_caught = catches(ctx, certain)
            if isinstance(certain, Slip) and not is_caught:
                if not ctx.loop_depth:
                    raise
                ctx.slips.append(certain)
            error = certain
            # The check is emitted in this branch, so it fails only if the branch is taken.
            ctx.dead_paths += not is_caught
            ctx.check_certain(certain)
        finally:
            ctx.open_paths -= 1
    heap = ctx.heap.copy()
    if is_caught:
        drop_lost_instances(heap, before, ctx.handlers.last_id)
    return _Path(builder, result, heap, error, is_caught)


def catches(ctx: Context, error: CertainError) -> bool:
    """May a handler catch it? (One that has been raised already is one that it may.)"""
    if isinstance(error, AlreadyRaised):
        return bool(ctx.handlers.stack)
    return ctx.handlers.catches_check(error.check)


def _merged_paths(ctx: Context, before: Heap, left: _Path, right: _Path) -> MergeResult:
    x, y = left.state(ctx, before), right.state(ctx, before)
    try:
        if left.has_state and right.has_state:
            join = BranchJoin(
                takes_any_size=ctx.capacities.known.are_used,
                takes_objects=ctx.takes_objects or not (ctx.loop_depth or ctx.machines),
                takes_arrays=ctx.names_are_exact,
                keeps_apart=ctx.keeps_apart,
            )
            if left.error is not None or right.error is not None:
                both = (*left.builder.ops, *right.builder.ops)
                join = replace(join, survivor=frozenset(r for op in both for r in op.results))
            merge = Merge(before, x, y, join, ctx.tracks_points_to)
            return merge_states(merge, [left.result], [right.result])
        live = left if left.has_state else right
        ops = live.builder.ops if live.has_state else []
        join = BranchJoin(frozenset(r for op in ops for r in op.results))
        merge = Merge(before, x, y, join, ctx.tracks_points_to)
        return merge_survivor(merge, live.result, live is left, ctx.error_id)
    except Mismatch as mismatch:
        ctx.capacities.known.are_missed |= isinstance(mismatch, UnboundedGrowth)
        error = NeedsChoice if isinstance(mismatch, ObjectsDiffer) else NeedsStatic
        ctx.fail(BranchesDiffer, error=error, a=mismatch.a, b=mismatch.b, **mismatch.help)


def _closed_region(merged: MergeResult, path: _Path, ctx: Context) -> Region:
    with path.builder:
        if path.has_state:
            yields = path_values(merged, [path.result], path.heap)
        else:
            yields = values_of_object(merged, ctx.error_id, path.heap)
    return Region((), tuple(path.builder.ops), tuple(yields))


def branch_options(ctx: Context, x: Choice, use: Callable[[Abstract], Abstract]) -> Abstract:
    """`use` of the option at the run-time index."""
    return _branch_places(ctx, x, lambda i: use(x.options[i]))


def _branch_places(
    ctx: Context, x: Choice, use: Callable[[int], Abstract], first: int = 0
) -> Abstract:
    """`use` of the run-time index, which is not less than `first`, as one that is known."""
    if first == 0 and is_split(x):
        use = partial(_use_of_object, use)
    if first == len(x.options) - 1:
        return use(first)
    chosen = logic.eq(x.index.value, constant(first, x.index.dtype))
    return branch(
        ctx,
        Scalar(chosen, weak=True),
        lambda: use(first),
        lambda: _branch_places(ctx, x, use, first + 1),
    )


Option = TypeVar("Option")


def _use_of_object(use: Callable[[Option], Abstract], option: Option) -> Abstract:
    with slips_at_run_time():
        return use(option)


@contextmanager
def slips_at_run_time() -> Iterator[None]:
    """A mistake inside is an error of programs that come here: values decide whether they do."""
    try:
        yield
    except Slip as slip:
        raise CertainError(slip.diagnostic, slip.check) from None


def on_each(
    ctx: Context,
    xs: Sequence[Abstract],
    use: Callable[[Sequence[Abstract]], Abstract],
    kept: Container[int] = (),
) -> Abstract:
    """`use(xs)`, for each option of the objects and constants among `xs` selected at run time.

    `kept`: the places where a choice of constants stays one.
    """
    split = (i for i, x in enumerate(xs) if is_split(x) and (i not in kept or is_of_objects(x)))
    if (i := next(split, None)) is None:
        return use(xs)
    x = xs[i]
    assert isinstance(x, Choice)
    same = [k for k, y in enumerate(xs) if isinstance(y, Choice) and y.index.value is x.index.value]

    def use_option(at: int) -> Abstract:
        options = {k: y.options[at] for k in same if isinstance(y := xs[k], Choice)}
        return on_each(ctx, [options.get(k, y) for k, y in enumerate(xs)], use, kept)

    return _branch_places(ctx, x, use_option)


def is_caught_none(ctx: Context, x: Abstract) -> bool:
    """May it be None, and a handler catch what Python raises of None?"""
    return may_be_none(x) and ctx.handlers.catches(TypeError, AttributeError)


def on_each_or_none(
    ctx: Context,
    xs: Sequence[Abstract],
    use: Callable[[Sequence[Abstract]], Abstract],
    at: Iterable[int] = (0,),
) -> Abstract:
    """`use(xs)`, also where one of those `at` these places is a None whose error may be caught."""
    return with_none(ctx, xs, use, [i for i in at if is_caught_none(ctx, xs[i])])


def with_none(
    ctx: Context,
    xs: Sequence[Abstract],
    use: Callable[[Sequence[Abstract]], Abstract],
    at: Iterable[int] | None = None,
) -> Abstract:
    """`use(xs)`, where each of those `at` these places (of all) that may be None is, or is not."""
    places = [i for i in (range(len(xs)) if at is None else at) if may_be_none(xs[i])]
    if not places:
        return use(xs)
    i, *others = places
    x, before, after = xs[i], xs[:i], xs[i + 1 :]
    assert isinstance(x, Optional)
    use_it = lambda x: with_none(ctx, [*before, x, *after], use, others)  # noqa: E731
    return branch(ctx, x.present, lambda: use_it(x.value), lambda: _use_of_object(use_it, NONE))


MAX_NONE = 8  # values of one text that may be None; each makes the code twice as long


def with_none_inside(
    ctx: Context, xs: Sequence[Abstract], use: Callable[[Sequence[Abstract]], Abstract]
) -> Abstract:
    """`use(xs)`, where each value in them that may be None is, or is not; also in tuples, lists."""
    tests: dict[Value, Scalar] = {}
    for x in xs:
        _collect_tests(ctx, x, tests)
    if not tests:
        return use(xs)
    if len(tests) > MAX_NONE:
        what = f"more than {MAX_NONE} values that may be None in a text"
        ctx.fail(UnsupportedText, what=what, help_text="make several texts of them")
    present = next(iter(tests.values()))

    def use_if(holds: bool) -> Abstract:
        return with_none_inside(ctx, [_decided(ctx, x, present, holds) for x in xs], use)

    def use_none() -> Abstract:
        with slips_at_run_time():
            return use_if(False)

    return branch(ctx, present, lambda: use_if(True), use_none)


def _collect_tests(ctx: Context, x: Abstract, tests: dict[Value, Scalar]) -> None:
    """The values that say of what is in `x` whether it is there."""
    if may_be_none(x) and isinstance(x.present, Scalar):
        tests[x.present.value] = x.present
    with ctx.inside("tests", x) as is_again:
        for part in () if is_again or isinstance(x, Optional) else _shown_parts(ctx, x):
            _collect_tests(ctx, part, tests)


def _shown_parts(ctx: Context, x: Abstract) -> tuple[Abstract, ...]:
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    return contents.children() if isinstance(contents, (Tuple, ListObject, DictObject)) else ()


def _decided(ctx: Context, x: Abstract, present: Scalar, holds: bool) -> Abstract:
    """`x`, or a copy of it, where what is there if `present` is either there or None."""
    if may_be_none(x):
        if as_number(x.present).value is not present.value:
            return x
        return _decided(ctx, x.value, present, holds) if holds else NONE
    parts = _shown_parts(ctx, x)
    with ctx.inside("decided", x) as is_again:
        if is_again:
            what = f"a value that may be None in the text of {ctx.describe(x)} that holds itself"
            ctx.fail(UnsupportedText, what=what)
        decided = tuple(_decided(ctx, part, present, holds) for part in parts)
    if all(a is b for a, b in zip(parts, decided)):
        return x
    if isinstance(x, Ref):
        contents = ctx.contents(x)
        assert isinstance(contents, (ListObject, DictObject))
        return ctx.new(contents.rebuild(decided))
    return x.rebuild(decided)


def branch_many(
    ctx: Context, condition: Abstract, then: Bodies, other: Bodies
) -> tuple[Abstract, ...]:
    """As `branch`, for functions that return several values."""
    result = branch(ctx, condition, lambda: Tuple(tuple(then())), lambda: Tuple(tuple(other())))
    return result.children()
