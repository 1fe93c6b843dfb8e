"""The abstract interpreter of IR(py).

An `Interpreter` runs a region op by op on abstract values and emits typed ops as it goes. The
handlers of the ops (`op_handlers.py`) call, iterate and index through its methods, so that they do
not import each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from myia.infer import attributes
from myia.infer.boundary import arguments, assigned_globals, exceptions
from myia.infer.domain import values
from myia.infer.domain.context import Context, Frame
from myia.infer.domain.dtypes import is_number
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.facts import ABSENT, Answer, Cell, Global
from myia.infer.domain.heap import (
    BufferObject,
    Contents,
    ListObject,
    SetObject,
)
from myia.infer.domain.heap_arrays import ItemObject, RowObject
from myia.infer.domain.values import (
    NONE,
    Abstract,
    Opaque,
    Optional,
    Outside,
    Ref,
    Scalar,
    Static,
    Text,
    Tuple,
)
from myia.infer.eval import cached_functions, calls
from myia.infer.eval.items import chosen_part
from myia.infer.lists import item_objects, list_rows, nested_sequences
from myia.infer.lists.growing_lists import list_length
from myia.infer.loops.iterables import each_item, items_of, iterated
from myia.infer.loops.iterators import is_generator, sequence_of, use_up
from myia.infer.loops.prefetching import computed_early
from myia.infer.numeric.samples import has, type_of
from myia.infer.operators.number_choices import may_settle, settled
from myia.infer.paths import caught
from myia.infer.paths.branches import branch_options, on_each, on_each_or_none
from myia.infer.paths.choice import is_of_constants, is_of_objects
from myia.infer.paths.raised import may_have_raised, unless_raised, within_op
from myia.infer.unsupported import UnsupportedText
from myia.ir.builder import at, current_span
from myia.ir.core import Op, Region, Value
from myia.ir.primitive import Primitive
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.core import py

Env = dict[Value, Abstract]
HANDLERS: dict[str, Callable[..., tuple[Abstract, ...]]] = {}


class Interpreter(Context):
    """A context that can run IR(py)."""

    @contextmanager
    def frame(
        self,
        code: py.Code,
        cells: dict[str, Abstract] | None,
        consume: Callable[[Abstract], Abstract] | None = None,
        arguments: tuple[Abstract, ...] | None = None,
    ) -> Iterator[None]:
        """The call of `code`; `cells=None`: a function inside another shares its closure.

        `arguments`: captured variables and arguments of a call that is inlined.
        """
        cells = self.cells_of(code) if cells is None else cells
        path = self.path
        self.path = (*path, current_span(), code)
        paths = self.open_paths + self.loop_depth
        self.frames.append(Frame(code, cells, consume, arguments, self.calling, paths))
        self.calling = None
        try:
            yield
        finally:
            self.frames.pop()
            self.path = path

    def cells_of(self, code: py.Code) -> dict[str, Abstract]:
        """The variables of the Python closure that a function inside another shares."""
        own = (f.cells for f in reversed(self.frames) if f.code.namespace is code.namespace)
        return next(own, {})

    def global_value(self, name: str) -> Abstract:
        """A name of the module of the running function, or a builtin."""
        namespace = self.frames[-1].code.namespace.globals
        if (assigned := assigned_globals.value(self, namespace, name)) is not None:
            return assigned
        question = Global(namespace, name)
        if question.read() is ABSENT:
            self.fail(BadValue, message=f"name '{name}' is not defined", exception="NameError")
        return self.root(question, name)

    def free_value(self, name: str) -> Abstract:
        """A variable of the Python closure of the running function."""
        frame = self.frames[-1]
        if name in frame.cells:
            return frame.cells[name]
        cell = frame.code.namespace.cells[name]
        return self.root(Cell(cell), name)

    def run(self, region: Region, env: Env) -> list[Abstract]:
        """Run the region's ops; what it yields."""
        self.inferred_ops += len(region.ops)
        return self._run_from(0, region, env)

    def _run_from(self, start: int, region: Region, env: Env) -> list[Abstract]:
        for i, op in enumerate(region.ops[start:], start):
            if may_have_raised(self):
                return unless_raised(self, partial(self._run_from, i, region, env))
            with at(op.span):
                results = HANDLERS[op.primitive.name](self, op, env)
            for target, x in zip(op.results, results):
                env[target] = x
                give_name(self, target.name, x)
        return [env[y] for y in region.yields]

    # ----- What an op changes: not after an error of its own

    def write(self, ref: Ref, contents: Contents, moves: bool = True) -> None:
        if self.is_of_checks(ref.id):
            super().write(ref, contents, moves)
        else:
            self._change(super().write, ref, contents, moves)

    def store_view(self, base: Ref, step: Any, value: Value) -> None:
        self._change(super().store_view, base, step, value)

    def _change(self, change: Callable[..., None], *args: Any) -> None:
        def done() -> Abstract:
            change(*args)
            return NONE

        within_op(self, done)

    def check(
        self, failed: Value, exception: type[Exception], message: str, *values: Value, **how: bool
    ) -> None:
        """As in `Context`; a handler that asks for the exception sees the numbers, too."""
        catcher = self.handlers.catcher(exception)
        if not values or how or "{" not in message or catcher is None or not catcher.reads:
            return super().check(failed, exception, message, *values, **how)
        error = exceptions.with_numbers(exception, message, values)
        self.add_check(failed, caught.given(self, exceptions.raised(self, error), error))

    # ----- Services for handlers

    root, fact = arguments.root, arguments.fact
    special_method, getattr = attributes.special_method, attributes.getattr_
    items_of, as_array = items_of, nested_sequences.as_array
    on_options = branch_options
    refuse_change = cached_functions.refuse_change
    keep_in_form = cached_functions.keep_in_form

    def call(self, f: Abstract, args: Sequence[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        return calls.call(self, f, tuple(args), dict(kwargs))

    def is_code_of(self, f: Any, code: py.Code) -> bool:
        """True when calling the Python function `f` runs `code`."""
        if getattr(f, "__code__", None) is None:
            return False
        loaded = self.load(f)
        # Two threads that load one `def` may each have a `Code` of it.
        return loaded is code or (
            loaded.span == code.span and loaded.namespace.is_same(code.namespace)
        )

    def matmul(self, a: Abstract, b: Abstract) -> Abstract:
        return calls.call_numpy(self, np.matmul, (a, b))

    def list_items(self, x: Abstract, to_end: bool = True) -> tuple[Abstract, ...]:
        """The items of an iterable whose length is known at compile time.

        `to_end`: here, of an iterator, all of them are taken; else it counts as used in part.
        """
        x = iterated(self, x)
        if isinstance(x, Tuple):
            return x.items
        if isinstance(contents := self.held(x), ListObject):
            return contents.items
        if is_of_objects(x):
            found = branch_options(self, x, lambda one: Tuple(self.list_items(one, to_end)))
            if isinstance(found, Tuple):
                return found.items
        if not to_end and is_generator(x):
            items_of(self, x)  # refuses it: Python takes the items later
        if not to_end and isinstance(x, values.Iterator):
            return computed_early(self, x, lambda: self._list_items(x, to_end))
        return self._list_items(x, to_end)

    def _list_items(self, x: Abstract, to_end: bool) -> tuple[Abstract, ...]:
        if (sequence := sequence_of(self, x)) is not x:
            found = self.list_items(sequence)
        else:
            found = tuple(each_item(self, self.items_of(x)))
        if to_end:
            use_up(self, x)
        return found

    def length(self, x: Abstract) -> Abstract:
        """`len(x)`."""
        x = self.force(x)
        if is_of_constants(x):
            return branch_options(self, x, self.length)
        contents = self.held(x)
        if isinstance(contents, BufferObject):
            return list_length(contents)
        if isinstance(contents, (ListObject, SetObject)):  # not by `items_of`, which stacks them
            return Static(len(contents.items))
        if isinstance(x, (Ref, Opaque)) and (found := self.special_method(x, "__len__")):
            return self.call(found, (), {})
        if isinstance(x, (Static, Outside)):
            return Static(self.fact(Answer(len, x.value)))
        if self.is_array(x) and not self.shape(x):
            self.fail(BadType, message="len() of unsized object")
        if isinstance(x, Text):
            self.fail(UnsupportedText, what="`len` of a string with run-time values")
        if is_number(x):
            self.fail(BadType, message=f"{self.describe(x)} has no len()")
        if (cls := type_of(self, x)) is not None and not has(cls, "__len__"):
            self.fail(BadType, message=f"object of type {cls.__name__!r} has no len()")
        return self.items_of(x).length

    def row_contents(self, row: RowObject) -> BufferObject:
        """A list of a list of lists, as one of its own."""
        return list_rows.row_contents(self, row)

    def write_row(self, row: RowObject, contents: Contents) -> None:
        list_rows.write_row(self, row, contents)

    def item_contents(self, item: ItemObject) -> Contents:
        """An object that is an item of a list."""
        return item_objects.contents_of(self, item)

    def write_item(self, item: ItemObject, contents: Contents, moves: bool) -> None:
        item_objects.write_item(self, item, contents, moves)

    def forget_items(self, id: int) -> None:
        item_objects.forget_items(self, id)

    def any(self, value: Value) -> Value:
        """True where any element is."""
        return reduce_or(value, axes=tuple(range(value.aval.ndim)))

    def raise_error(self, exception: Abstract, cause: Abstract | None = None) -> None:
        """`raise`: the call raises it, if the program comes here."""
        exceptions.raise_error(self, exception, cause)


def _is_library(code: py.Code) -> bool:
    return code.namespace.globals.get("__name__", "").startswith("myia.library.")


def give_name(ctx: Interpreter, name: str | None, x: Abstract) -> None:
    """Values inherit the user's names: the first one that they get; none in library functions."""
    if name is None or _is_library(ctx.frames[-1].code):
        return
    if isinstance(x, Scalar) and x.value.name is None:
        x.value.name = name
    elif isinstance(x, Ref):
        value = getattr(ctx.heap.objects.get(x.id), "value", None)
        if isinstance(value, Value) and value.name is None:
            value.name = name


# Ops that are done with each of the objects that may be selected at run time.
ON_EACH = (
    *(py.getattr_, py.setattr_, py.getitem, py.setitem, py.delitem),
    *(py.unary, py.binary, py.inplace, py.unpack, py.format_),
)
# Operands that may stay a choice of strings: keys, and what is stored.
KEPT = {py.setattr_: (1,), py.getitem: (1,), py.setitem: (1, 2), py.delitem: (1,)}


# Of a view without dimensions they take the view, the others its number.
OF_VIEWS = (py.getattr_, py.getitem, py.inplace, py.unpack)
# They take names as they are, bound or not.
NO_READS = (py.defined, py.function, py.store_cell)


def _wrong_of_none(op: Op) -> Sequence[int]:
    """The operands that may not be None in Python."""
    if op.primitive is py.compare:
        return (0, 1) if op.params["op"] in ("<", "<=", ">", ">=") else ()
    if op.primitive in (py.binary, py.inplace):
        return (0, 1)
    return (0,) if op.primitive in ON_EACH and op.primitive is not py.format_ else ()


def _takes_none(op: Op) -> Sequence[int]:
    """The operands that may be None in Python, also where they are one of several objects."""
    if op.primitive is py.unary:
        return (0,) if op.params["op"] in ("not", "truth") else ()
    if op.primitive is py.format_:
        return range(len(op.operands))
    return {py.setattr_: (1,), py.setitem: (2,)}.get(op.primitive, ())


def _may_be_objects(x: Abstract) -> bool:
    return isinstance(x, Optional) and is_of_objects(x.value)


def handles(primitive: Primitive, optional: bool = False) -> Callable[..., Any]:
    """Register a handler `(ctx, op, *operands) -> results`.

    Operands that may be absent are forced first, unless the handler takes them (`optional`): those
    that may be None. A name that may be unbound is an error where it is read.
    """

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        def handle(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
            xs = [env[x] for x in op.operands]
            if primitive not in NO_READS:
                xs = [ctx.bound(x) for x in xs]
            if not ctx.handlers.stack:
                return of(ctx, op, xs)
            use = lambda xs: Tuple(of(ctx, op, xs))  # noqa: E731
            return on_each_or_none(ctx, xs, use, _wrong_of_none(op)).children()

        def of(ctx: Interpreter, op: Op, xs: Sequence[Abstract]) -> tuple[Abstract, ...]:
            if not optional:
                force = ctx.present if primitive in OF_VIEWS else ctx.force
                xs = [force(x) for x in xs]
            elif primitive in ON_EACH:
                kept = _takes_none(op)
                forced = (i not in kept and _may_be_objects(x) for i, x in enumerate(xs))
                xs = [ctx.present(x) if force else x for x, force in zip(xs, forced)]
            if primitive in ON_EACH:
                if any(map(may_settle, xs)):
                    xs = settled(ctx, primitive, op.params.get("op"), xs)
                read = lambda option: results(ctx, op, [option, *xs[1:]])[0]  # noqa: E731
                if (part := chosen_part(ctx, op, xs, read)) is not None:
                    return (part,)
                use = lambda xs: Tuple(results(ctx, op, xs))  # noqa: E731
                return on_each(ctx, xs, use, KEPT.get(primitive, ())).children()
            return results(ctx, op, xs)

        def results(ctx: Interpreter, op: Op, xs: Sequence[Abstract]) -> tuple[Abstract, ...]:
            out = handler(ctx, op, *xs)
            return () if out is None else out if type(out) is tuple else (out,)

        HANDLERS[primitive.name] = handle
        return handler

    return register
