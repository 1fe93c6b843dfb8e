"""The form of a loop: of the IR, rotated, counted, with its last iteration apart, or unrolled.

A loop of the IR (`fixed_point.py`) comes first. Where it fails, or would cost more, the state
before the loop is restored, and the next form is inferred.
"""

from __future__ import annotations

from dataclasses import replace

from myia.infer.domain.context import Context
from myia.infer.domain.errors import (
    CertainError,
    LoopChangesType,
    NeedsChoice,
    NeedsStatic,
    NewKey,
    TooManyIterations,
)
from myia.infer.domain.heap import Heap
from myia.infer.domain.values import TRUE, Abstract, Static, is_static_int
from myia.infer.lists.list_rows import before_rows
from myia.infer.loops.fixed_point import ConditionHasEffects, compiled
from myia.infer.loops.iterables import Items, items_after
from myia.infer.loops.unrolling import (
    MAX_UNROLLED_ITERATIONS,
    FewIterations,
    FirstApart,
    LoopCode,
    MayRaise,
    States,
    has_items,
    refuse_more,
    stopping,
    takes_long,
    unrolled,
)
from myia.infer.paths.branches import branch_many
from myia.infer.paths.raised import unless_raised
from myia.ir.builder import current_builder
from myia.source.diagnostics import MyiaError

# Iterations of a `while` that are counted by unrolling it. It must become a loop then.
MAX_COUNTED_WHILE_ITERATIONS = 4096
MIN_BEFORE_LAST = 2  # iterations before the last one that are a loop without it


def loop(ctx: Context, code: LoopCode, init: States) -> States:
    """The carries after the loop: one IR loop, or unrolled code."""
    return before_rows(ctx, lambda: _preferring_static(ctx, code, init))


def _preferring_static(ctx: Context, code: LoopCode, init: States) -> States:
    """The loop as if `ctx.prefer_static` needed static values; if that is refused, without."""
    if ctx.prefers_static:  # the loop around it decides
        return _loop(ctx, code, init)
    saved = ctx.heap.copy()
    mark = ctx.mark()
    ctx.prefers_static, ctx.is_static_preferred = True, False
    try:
        return _loop(ctx, code, init)
    except MyiaError as error:
        if not ctx.is_static_preferred or isinstance(error, CertainError):
            raise
    finally:
        ctx.prefers_static = False
    ctx.rewind(saved, mark)
    return _loop(ctx, code, init)


def _loop(ctx: Context, code: LoopCode, init: States) -> States:
    if code.items is not None:
        if (
            is_static_int(code.items.length)
            and code.items.length.value == 0
            and not code.items.has_item
        ):
            return init
        if code.items.unroll:
            return unrolled(ctx, code, init)
    saved = ctx.heap.copy()
    mark = ctx.mark()
    if (ctx.path, code.key) in ctx.handlers.loops and not code.stops:
        code = stopping(ctx, code)
    try:
        return _known_loop(ctx, code, init, saved, mark)
    except MyiaError as error:
        many = isinstance(error.diagnostic, TooManyIterations)
        if not (many or isinstance(error, NeedsStatic)) or not ctx.capacities.add(code.key):
            raise
    ctx.rewind(saved, mark)
    return _known_loop(ctx, code, init, saved, mark)


def _known_loop(
    ctx: Context, code: LoopCode, init: States, saved: Heap, mark: tuple[int, int, int]
) -> States:
    """The same, where lists without a bound have a capacity if that has helped before."""
    try:
        return _first_form_that_fits(ctx, code, init, saved, mark)
    except MayRaise:
        ctx.rewind(saved, mark)
        ctx.handlers.loops.add((ctx.path, code.key))
        return loop(ctx, code, init)


def _first_form_that_fits(
    ctx: Context, code: LoopCode, init: States, saved: Heap, mark: tuple[int, int, int]
) -> States:
    dynamic_slices = ctx.dynamic_slices
    try:
        return compiled(ctx, code, init)
    except FewIterations:
        # Unrolled below, after the `try`.
        ctx.rewind(saved, mark)
    except FirstApart:
        ctx.rewind(saved, mark)
        return _first_apart(ctx, code, init)
    except ConditionHasEffects:
        ctx.rewind(saved, mark)
        return _rotated(ctx, code, init)
    except CertainError as error:
        ctx.rewind(saved, mark)
        return _raising_first_iteration(ctx, code, init, error)
    except NeedsStatic as need:
        # It cannot be unrolled. An enclosing loop may be, and make the value known in this one.
        once = code.items is not None and not is_static_int(code.items.length)
        chooses = isinstance(need, NeedsChoice) and not ctx.takes_objects
        if isinstance(need.diagnostic, NewKey) and ctx.loop_depth:
            chooses = False  # a loop around it may be unrolled
        # Unrolled code has one kind of object in each iteration, if no branch needs a choice.
        in_branch = not isinstance(need.diagnostic, (LoopChangesType, NewKey))
        if once and not chooses:
            raise
        ctx.rewind(saved, mark)
        if chooses and (once or in_branch):
            if (found := _with_choices(ctx, code, init)) is not None:
                return found
            ctx.rewind(saved, mark)
        if once:
            raise
        try:
            return _known_types(ctx, code, init, need, ctx.dynamic_slices > dynamic_slices)
        except CertainError:
            raise  # with what it has printed and raised before
        except MyiaError:
            ctx.rewind(saved, mark)
            if not chooses or in_branch:
                raise
            if (found := _with_choices(ctx, code, init)) is None:
                raise
            return found
    try:
        return unrolled(ctx, code, init, only_if_few=True)
    except FewIterations:
        ctx.rewind(saved, mark)
        return compiled(ctx, code, init, may_unroll=False)


def _known_types(
    ctx: Context, code: LoopCode, init: States, need: NeedsStatic, has_slices: bool
) -> States:
    """Forms of a loop in which more is known of each iteration. `has_slices`: of run-time size."""
    saved = ctx.heap.copy()
    mark = ctx.mark()
    if code.items is None and isinstance(need.diagnostic, LoopChangesType):
        return _counted(ctx, code, init, need)
    if has_slices:
        if (found := _last_apart(ctx, code, init)) is not None:
            return found
        ctx.rewind(saved, mark)
    return unrolled(ctx, code, init, need)


def _with_choices(ctx: Context, code: LoopCode, init: States) -> States | None:
    """One loop, in which objects of several kinds are a choice; None: they cannot be."""
    ctx.takes_objects = True
    try:
        return compiled(ctx, code, init, may_unroll=False)
    except (MyiaError, MayRaise, ConditionHasEffects):
        return None
    finally:
        ctx.takes_objects = False


def _last_apart(ctx: Context, code: LoopCode, init: States) -> States | None:
    """Peeling of the last iteration, where slices end that are as long as each other before:

        for i in range(0, 100, 16):  b(x[i : i + 16])
            ->  for i in range(0, 96, 16):  b(x[i : i + 16])  # 16 elements
                b(x[96:100])

    None: an iteration before needs compile-time values, too.
    """
    items = code.items
    if items is None or items.has_item is not None or not is_static_int(items.length):
        return None
    before = items.length.value - 1
    if before < MIN_BEFORE_LAST:
        return None
    most = LoopCode(
        (code.key, "all but the last"), replace(items, length=Static(before)), code.cond, code.body
    )
    try:
        xs = compiled(ctx, most, init, may_unroll=False)
    except (MyiaError, MayRaise, ConditionHasEffects):
        return None
    return unrolled(ctx, replace(code, items=items_after(ctx, items, before)), xs)


def _first_apart(ctx: Context, code: LoopCode, init: States) -> States:
    """Peeling of the first iteration, after which a number has the kind that it keeps:

    s = 0
    for v in a: s += v    ->    s = 0 + a[0]; for v in a[1:]: s += v
    """
    items = code.items
    assert items is not None
    xs = unrolled(ctx, replace(code, items=replace(items, length=Static(1))), init)
    key = (code.key, "all but the first")
    return loop(ctx, replace(code, key=key, items=items_after(ctx, items, 1), peels=False), xs)


def _counted(ctx: Context, code: LoopCode, init: States, need: NeedsStatic) -> States:
    """A `while` that changes the sizes of arrays: unrolled, or a loop of as many iterations.

    Unrolled code shows that its condition is known when compiling, and so its trip count.
    """
    test = code.cond
    assert test is not None
    saved, mark = ctx.heap.copy(), ctx.mark()
    count = 0  # not `ctx.visits`: an iteration may run the same code, in another call

    def counted(item: Abstract, xs: States) -> States:
        nonlocal count
        count += 1
        return code.body(item, xs)

    one_by_one = replace(code, body=counted)
    result = unrolled(ctx, one_by_one, init, need, limit=MAX_COUNTED_WHILE_ITERATIONS)
    ops = current_builder().ops[mark[0] :]
    few = count <= MAX_UNROLLED_ITERATIONS
    long = takes_long(ctx, count, ops[: len(ops) // max(count, 1)])
    if few and (ctx.unrolls_resizing_loops or not long):
        return result
    heap, checks, slips = ctx.heap.copy(), ctx.checks[mark[1] :], ctx.slips[mark[2] :]
    ctx.rewind(saved, mark)

    def body(item: Abstract, xs: States) -> States:
        test(item, xs)  # for its effects
        return code.body(item, xs)

    no_item = Static(None)
    items = Items(Static(count), lambda i: no_item)
    counting = LoopCode((code.key, "counted"), items, None, body)
    try:
        result = compiled(ctx, stopping(ctx, counting) if code.stops else counting, init)
        test(no_item, result)
    except (NeedsStatic, FewIterations, MayRaise) as error:
        if not few and isinstance(error, MayRaise):
            raise
        if not few:
            refuse_more(ctx, need)
        ctx.rewind(heap, mark)
        current_builder().ops += ops
        ctx.checks += checks
        ctx.slips += slips
    return result


def _raising_first_iteration(
    ctx: Context, code: LoopCode, init: States, error: CertainError
) -> States:
    """A loop whose first iteration, if there is one, raises `error`."""
    item = Static(None) if code.items is None else code.items.item(Static(0))

    def iteration() -> States:
        go = TRUE if code.cond is None else code.cond(item, init)
        return branch_many(ctx, go, body, lambda: init)

    def body() -> States:
        code.body(item, init)
        raise error

    return branch_many(ctx, has_items(code), iteration, lambda: init)


def _rotated(ctx: Context, code: LoopCode, init: States) -> States:
    """Loop rotation: `while c: b`  ->  `go = c; while go: b; go = c`.

    The effects of `c` happen in the same order, and the condition `go` has none.
    """
    no_item = Static(None)
    cond = code.cond
    assert cond is not None
    go = cond(no_item, init)

    def body(item: Abstract, xs: States) -> States:
        after = code.body(item, xs[1:])
        return [*unless_raised(ctx, lambda: [cond(no_item, after)]), *after]

    if isinstance(go, Static) and not go.value:
        return init
    rotated = LoopCode((code.key, "rotated"), code.items, lambda _, xs: xs[0], body)
    return unless_raised(ctx, lambda: loop(ctx, rotated, [go, *init])[1:])
