"""`try`: the handlers of exceptions, and `finally`.

    try:                            body; each op after one that may raise: if nothing was raised
        body                        if code in codes of T:
    except T as e:         ->           code = 0
        handler                         handler
    else:                           else:
        rest                            rest

An exception is the code of a run-time check (`infer/domain/checks.py`): its number among the checks
of the program, of which the class is known while compiling. The code of the first check that failed
is in the cell `Context.error_id`; `Context.add_check` sets it. What follows an error that a handler
may catch runs only if there is none (`infer/paths/raised.py`). The body has a code of its own: an
error from before it, which nothing catches, is put aside. Where nothing in the body can raise what
a handler catches, the body is all there is. Names that the parts share are in cells: as in Python,
they hold what they held when the exception was raised.

`finally` follows its body wherever that ends. An error that another handler may catch is held back
meanwhile; any error is, where the `finally` may raise, print or jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from myia.infer.domain.checks import Try
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue, CertainError, Slip
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import NONE, UNDEFINED, Abstract, Ref, Scalar, Static, Tuple
from myia.infer.eval.interpreter import HANDLERS, Env, Interpreter, handles
from myia.infer.eval.op_handlers import may_raise_or_print
from myia.infer.paths.branches import branch_many, catches
from myia.infer.paths.caught import NewForm, caught, has_code
from myia.infer.paths.raised import already_raised, own_error_code
from myia.infer.unsupported import UnsupportedException, UnsupportedGenerator
from myia.ir.builder import at, current_builder
from myia.ir.core import Op, Region, has_effect, walk
from myia.primitives.core import desugared, py
from myia.primitives.core.define import constant
from myia.primitives.core.structured import loop_p
from myia.primitives.pointwise import logic

BEFORE = "give the class a name before the `try`"
NOT_A_CLASS = "catching classes that do not inherit from BaseException is not allowed"


def _try(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
    body, orelse, *parts = op.regions
    handlers = [
        _Handler(_classes(ctx, test, env), region) for test, region in zip(parts[::2], parts[1::2])
    ]
    _require_known_classes(ctx, body, parts[::2], env)
    if not any(handler.classes for handler in handlers):
        for part in (body, orelse):
            ctx.run(part, env)
        return ()
    if any(inner.primitive is py.yield_ for inner in walk(body)) and any(
        issubclass(GeneratorExit, handler.classes) for handler in handlers
    ):
        ctx.fail(UnsupportedGenerator, what="`yield` where a handler sees `GeneratorExit`")
    reads = any(inner.primitive is py.caught for h in handlers for inner in walk(h.region))
    forms: list = []
    heap, start = ctx.heap.copy(), ctx.mark()
    while True:
        of = Try(tuple(cls for handler in handlers for cls in handler.classes), reads=reads)
        of.cells |= {form: ctx.new(CellObject(UNDEFINED)).id for form in forms}
        try:
            return _attempt(ctx, of, body, orelse, handlers, env)
        except NewForm as new:
            if new.of is not of:
                raise
            forms.append(new.form)
            ctx.rewind(heap, start)


@dataclass(frozen=True)
class _Handler:
    classes: tuple[type[BaseException], ...]
    region: Region


def _classes(ctx: Interpreter, test: Region, env: Env) -> tuple[type[BaseException], ...]:
    """The classes that a handler names."""
    if not test.yields:
        return (BaseException,)
    (x,) = ctx.run(test, env)
    found = x.items if isinstance(x, Tuple) else (x,)
    classes = [ctx.static(c, "the class of a handler") for c in found]
    if not all(isinstance(c, type) and issubclass(c, BaseException) for c in classes):
        ctx.fail(BadType, message=NOT_A_CLASS)
    return tuple(classes)


def _require_known_classes(
    ctx: Interpreter, body: Region, tests: Sequence[Region], env: Env
) -> None:
    """Python names the classes when there is an exception; here they are known before the body."""
    stored = {op.operands[0] for op in walk(body) if op.primitive is py.store_cell}
    for op in (op for test in tests for op in walk(test)):
        with at(op.span):
            if op.primitive is py.load_cell and op.operands[0] in stored:
                what = "a handler of a class that the body of its `try` assigns"
                ctx.fail(UnsupportedException, what=what, help_text=BEFORE)
            if op.primitive is py.call and not _is_builtin(env[op.operands[0]]):
                what = "a call that gives the class of a handler"
                ctx.fail(UnsupportedException, what=what, help_text=BEFORE)


def _is_builtin(f: Abstract) -> bool:
    """A function that has no effect, such as `tuple`; what `with` asks its context."""
    if not isinstance(f, Static):
        return False
    return f.value is desugared.caught_by or getattr(f.value, "__module__", "") == "builtins"


def _attempt(
    ctx: Interpreter,
    of: Try,
    body: Region,
    orelse: Region,
    handlers: Sequence[_Handler],
    env: Env,
) -> tuple[Abstract, ...]:
    (entry,), first = ctx.heap[ctx.error_id].children(), len(ctx.checks)
    with own_error_code(ctx) as codes:
        error = _run_body(ctx, of, body, env)
    (code,) = codes
    if code is None:
        ctx.run(orelse, env)
        return ()
    numbers, others = _caught_numbers(ctx, of, handlers, first)
    certain = error is not None

    def handle(left: list[int]) -> tuple[Abstract, ...]:
        if not left:
            if certain:
                already_raised(ctx)
            if not others:
                ctx.write(Ref(ctx.error_id), CellObject(entry))  # so nothing was raised
            ctx.run(orelse, env)
            return ()
        i, *rest = left

        def run() -> tuple[Abstract, ...]:
            ctx.write(Ref(ctx.error_id), CellObject(entry))
            ctx.handlers.caught.append(caught(ctx, of, code, numbers[i]))
            try:
                ctx.run(handlers[i].region, env)
            finally:
                ctx.handlers.caught.pop()
            return ()

        if certain and not rest and not others:
            return run()
        test = Scalar(has_code(code, numbers[i]), weak=True)
        return branch_many(ctx, test, run, lambda: handle(rest))

    return handle(sorted(numbers))


def _caught_numbers(
    ctx: Context, of: Try, handlers: Sequence[_Handler], first: int
) -> tuple[dict[int, list[int]], list[int]]:
    """The numbers of the checks that each handler catches, and of those that none does."""
    numbers: dict[int, list[int]] = {}
    others: list[int] = []
    for position, check in enumerate(ctx.checks[first:], first):
        found = [i for i, h in enumerate(handlers) if issubclass(check.exception, h.classes)]
        number = check.again or position + 1
        if check.can_be_caught and found and of.key not in check.foreign_to:
            numbers.setdefault(found[0], []).append(number)
            ctx.checks[position] = replace(check, is_caught=True)
        elif not check.is_caught:
            others.append(number)
    return numbers, others


def _run_body(ctx: Interpreter, of: Try | None, body: Region, env: Env) -> CertainError | None:
    """Run a part that `of` catches errors of; the error that it is sure to end with."""
    handlers = ctx.handlers
    saved = handlers.clean, handlers.mark, handlers.last_id
    handlers.last_id = ctx.heap.next_id
    if of is not None:
        handlers.stack.append(of)
        handlers.clean, handlers.mark = ctx.error_code(), len(ctx.checks)
    try:
        ctx.run(body, env)
    except CertainError as error:
        if not catches(ctx, error):
            raise
        ctx.check_certain(error)
        return error
    finally:
        if of is not None:
            handlers.stack.remove(of)
        handlers.clean, handlers.mark, handlers.last_id = saved
    return None


# ----- `finally`


def _finally(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
    heap, start = ctx.heap.copy(), ctx.mark()
    try:
        return _finally_of(ctx, op, env, holds_all=op.params["jumps"])
    except (_FinalMatters, CertainError) as found:
        if isinstance(found, Slip):
            raise
        ctx.rewind(heap, start)
        return _finally_of(ctx, op, env, holds_all=True)


class _FinalMatters(Exception):
    """The `finally` may raise or print after an error of the body that nothing catches."""


def _finally_of(ctx: Interpreter, op: Op, env: Env, holds_all: bool) -> tuple[Abstract, ...]:
    body, final = op.regions
    of = Try((BaseException,), is_final=True) if holds_all else None
    (entry,), first = ctx.heap[ctx.error_id].children(), len(ctx.checks)
    before = ctx.error_code()
    error = _run_body(ctx, of, body, env)
    code = ctx.error_code()
    if code is before or code is None:
        _run_final(ctx, None, final, env)
        return ()
    are_caught = [ctx.handlers.catches_check(check) for check in ctx.checks[first:]]
    if of is None and not any(are_caught):
        if _run_final(ctx, None, final, env):
            raise _FinalMatters
        return ()
    pending = ctx.new(CellObject(Scalar(code, weak=False)))
    ctx.write(Ref(ctx.error_id), CellObject(entry))
    matters = _run_final(ctx, pending, final, env)
    if of is None and matters and not all(are_caught):
        raise _FinalMatters
    content = ctx.contents_as(pending, CellObject).content
    assert isinstance(content, Scalar)
    after = ctx.error_code()
    code = content.value
    if after is not None:
        code = logic.select(logic.eq(after, constant(0, np.int32)), code, after)
    ctx.write(Ref(ctx.error_id), CellObject(Scalar(code, weak=False)))
    if error is not None and not op.params["jumps"]:
        if not matters and not catches(ctx, error):
            raise error  # reported as it would be without this `finally`
        already_raised(ctx)
    return ()


def _run_final(ctx: Interpreter, pending: Ref | None, final: Region, env: Env) -> bool:
    """Run the `finally`; may it raise or print?

    It may where another path comes to it with other numbers, which take other branches.
    """
    ops, checks, skipped = current_builder().ops, len(ctx.checks), ctx.handlers.skipped
    position = len(ops)
    ctx.handlers.pending.append(pending)
    try:
        ctx.run(final, env)
    finally:
        ctx.handlers.pending.pop()
    if len(ctx.checks) > checks or ctx.handlers.skipped > skipped:
        return True
    loops = (inner.regions for inner in walk(final) if inner.primitive is loop_p)
    return any(map(has_effect, ops[position:])) or any(
        may_raise_or_print(region) for regions in loops for region in regions
    )


@handles(py.discard)
def _discard(ctx: Context, op: Op) -> Abstract:
    """A jump out of a `finally` forgets the error that it held back."""
    pending = ctx.handlers.pending[-1]
    if pending is not None:
        ctx.write(pending, CellObject(Scalar(constant(0, np.int32), weak=False)))
    return NONE


@handles(py.caught)
def _caught(ctx: Context, op: Op) -> Abstract:
    if not ctx.handlers.caught:
        ctx.fail(BadValue, message="No active exception to reraise", exception="RuntimeError")
    return ctx.handlers.caught[-1]


HANDLERS[py.try_.name] = _try
HANDLERS[py.finally_.name] = _finally
