"""The abstract interpreter of IR(py): one handler for each `py.*` op.

An `Interpreter` runs a region op by op on abstract values and emits typed ops as it goes; what
handlers need of one another (calling, iterating, indexing) they reach through it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from myia.infer import (
    arguments,
    arrays,
    attributes,
    calls,
    comparison,
    indexing,
    loops,
    operators,
    strings,
)
from myia.infer.branches import branch_many
from myia.infer.context import Context
from myia.infer.errors import (
    BadType,
    BadValue,
    NeedsStatic,
    RaiseReached,
    Raises,
    Unsupported,
)
from myia.infer.heap import BufferObject, CellObject, DictObject, ListObject
from myia.infer.iteration import Sequence, sequence
from myia.infer.lists import length
from myia.infer.truth import negate, truth
from myia.infer.values import (
    UNDEFINED,
    Abstract,
    Closure,
    Opaque,
    Optional,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    UndefinedType,
)
from myia.infer.views import reshape
from myia.ir.builder import at, current_span
from myia.ir.core import Op, Region, Value
from myia.primitives import logic, py
from myia.primitives.define import constant
from myia.primitives.reductions import reduce_or
from myia.primitives.structured import Loop, if_p, loop_p

Env = dict[Value, Abstract]
HANDLERS: dict[str, Callable[..., tuple[Abstract, ...]]] = {}


@dataclass(frozen=True)
class Frame:
    """A call in progress. `cells`: the variables of the Python closure that the code reads."""

    code: py.Code
    cells: dict[str, Abstract]


class Interpreter(Context):
    """A context that can run IR(py)."""

    def __init__(self, load: Callable[[Any], py.Code]):
        super().__init__(load)
        self.frames: list[Frame] = []

    @contextmanager
    def frame(self, code: py.Code, cells: dict[str, Abstract] | None) -> Iterator[None]:
        """The call of `code`; `cells=None`: a function inside another shares its closure."""
        if cells is None:
            own = (f.cells for f in reversed(self.frames) if f.code.namespace is code.namespace)
            cells = next(own, {})
        path = self.path
        self.path = (*path, current_span(), code)
        self.frames.append(Frame(code, cells))
        try:
            yield
        finally:
            self.frames.pop()
            self.path = path

    def global_value(self, name: str) -> Abstract:
        """A name of the module of the running function, or a builtin."""
        namespace = self.frames[-1].code.namespace.globals
        if name in namespace:
            return arguments.root(
                self, lambda: namespace[name], name, ("global", id(namespace), name)
            )
        if hasattr(builtins, name):
            return Static(getattr(builtins, name))
        self.fail(BadValue, message=f"name '{name}' is not defined", exception="NameError")

    def free_value(self, name: str) -> Abstract:
        """A variable of the Python closure of the running function."""
        frame = self.frames[-1]
        if name in frame.cells:
            return frame.cells[name]
        cell = frame.code.namespace.cells[name]
        return arguments.root(self, lambda: cell.cell_contents, name, ("cell", id(cell)))

    def run(self, region: Region, env: Env) -> list[Abstract]:
        """Run the region's ops; what it yields."""
        for op in region.ops:
            with at(op.span):
                results = HANDLERS[op.primitive.name](self, op, env)
            for target, x in zip(op.results, results):
                env[target] = x
                _give_name(self, target.name, x)
        return [env[y] for y in region.yields]

    # ----- What handlers need of one another

    def call(self, f: Abstract, args, kwargs) -> Abstract:
        return calls.call(self, f, tuple(args), dict(kwargs))

    def is_code_of(self, f: Any, code: py.Code) -> bool:
        """True when calling the Python function `f` runs `code`."""
        return getattr(f, "__code__", None) is not None and self.load(f) is code

    def special_method(self, x: Abstract, name: str) -> Abstract | None:
        return attributes.special_method(self, x, name)

    def getattr(self, x: Abstract, name: str) -> Abstract:
        return attributes.getattr_(self, x, name)

    def matmul(self, a: Abstract, b: Abstract) -> Abstract:
        return calls.call_numpy(self, "matmul", (a, b))

    def sequence(self, x: Abstract) -> Sequence:
        return sequence(self, x)

    def list_items(self, x: Abstract) -> tuple[Abstract, ...]:
        """The items of an iterable whose length is known at compile time."""
        if isinstance(x, Tuple):
            return x.items
        if isinstance(x, Ref) and isinstance(self.contents(x), ListObject):
            return self.contents(x).items
        items = self.sequence(x)
        count = self.int_of(items.count, "the number of items")
        return tuple(items.item(Static(i)) for i in range(count))

    def length(self, x: Abstract) -> Abstract:
        """`len(x)`."""
        x = self.force(x)
        if isinstance(x, Ref) and isinstance(self.contents(x), BufferObject):
            return length(self.contents(x))
        if isinstance(x, (Ref, Opaque)) and (found := self.special_method(x, "__len__")):
            return self.call(found, (), {})
        if isinstance(x, Static) and hasattr(x.value, "__len__"):
            return Static(len(x.value))
        if self.is_array(x) and not self.shape(x):
            self.fail(BadType, message="len() of unsized object")
        return self.sequence(x).count

    def reshape(self, value: Value, shape: tuple[int, ...]) -> Value:
        return reshape(value, shape)

    def as_array(self, x: Abstract) -> Abstract:
        return arrays.as_array(self, x)

    def any(self, value: Value) -> Value:
        """True where any element is."""
        return reduce_or(value, axes=tuple(range(value.aval.ndim)))

    def raise_error(self, exception: Abstract) -> None:
        """`raise`: the call raises it, if the program comes here."""
        error = getattr(exception, "value", None)
        if isinstance(error, type) and issubclass(error, Exception):
            error = error()
        if not isinstance(error, Exception):
            self.fail(Unsupported, what=f"`raise` of {self.describe(exception)}")
        only = error.args[0] if len(error.args) == 1 else None
        message = only if isinstance(only, str) else str(error)
        diagnostic = Raises(current_span(), message)
        raise RaiseReached(diagnostic, type(error), message)


def _give_name(ctx: Interpreter, name: str | None, x: Abstract) -> None:
    """Values inherit the user's names: the first one that they get."""
    if name is None:
        return
    if isinstance(x, Scalar) and x.value.name is None:
        x.value.name = name
    elif isinstance(x, Ref):
        value = getattr(ctx.heap.objects.get(x.id), "value", None)
        if isinstance(value, Value) and value.name is None:
            value.name = name


def handles(primitive, optional: bool = False):
    """Register a handler `(ctx, op, *operands) -> results`.

    Operands that may be absent are forced first, unless the handler knows what to do (`optional`).
    """

    def register(handler):
        def handle(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
            xs = [env[x] for x in op.operands]
            if not optional:
                xs = [ctx.force(x) for x in xs]
            out = handler(ctx, op, *xs)
            return () if out is None else out if type(out) is tuple else (out,)

        HANDLERS[primitive.name] = handle
        return handler

    return register


# ----- Names


@handles(py.const)
def _const(ctx, op):
    return Static(op.params["value"])


@handles(py.global_)
def _global(ctx, op):
    return ctx.global_value(op.params["name"])


@handles(py.free)
def _free(ctx, op):
    return ctx.free_value(op.params["name"])


@handles(py.undefined)
def _undefined(ctx, op):
    return UNDEFINED


_UNBOUND = "cannot access {} variable '{}' where it is not associated with a value"
_ENCLOSING = " in enclosing scope"


@handles(py.defined, optional=True)
def _defined(ctx, op, x):
    error, message = UnboundLocalError, _UNBOUND.format("local", op.params["name"])
    if op.params.get("captured"):
        error, message = NameError, _UNBOUND.format("free", op.params["name"]) + _ENCLOSING
    if isinstance(x, UndefinedType):
        ctx.fail(BadValue, message=message, exception=error.__name__)
    if isinstance(x, Optional) and isinstance(x.absent, UndefinedType):
        if isinstance(x.present, Scalar):
            ctx.check(logic.not_(x.present.value), error, message)
        return x.value
    return x


@handles(py.cell)
def _cell(ctx, op):
    return ctx.new(CellObject(UNDEFINED))


@handles(py.load_cell)
def _load_cell(ctx, op, cell):
    return _defined(ctx, op, ctx.contents(cell).content)


@handles(py.store_cell, optional=True)
def _store_cell(ctx, op, cell, x):
    ctx.write(cell, CellObject(x))


# ----- Operators


@handles(py.unary, optional=True)
def _unary(ctx, op, x):
    return operators.unary(ctx, op.params["op"], x)


@handles(py.binary)
def _binary(ctx, op, x, y):
    return operators.binary(ctx, op.params["op"], x, y)


@handles(py.inplace)
def _inplace(ctx, op, x, y):
    return operators.inplace(ctx, op.params["op"], x, y)


@handles(py.compare, optional=True)
def _compare(ctx, op, x, y):
    return comparison.compare(ctx, op.params["op"], x, y)


# ----- Attributes and items


@handles(py.getattr_)
def _getattr(ctx, op, x):
    return ctx.getattr(x, op.params["name"])


@handles(py.setattr_, optional=True)
def _setattr(ctx, op, x, value):
    attributes.setattr_(ctx, ctx.force(x), op.params["name"], value)


@handles(py.getitem)
def _getitem(ctx, op, x, key):
    return indexing.getitem(ctx, x, key)


@handles(py.setitem, optional=True)
def _setitem(ctx, op, x, key, value):
    indexing.setitem(ctx, ctx.force(x), ctx.force(key), value)


@handles(py.delitem)
def _delitem(ctx, op, x, key):
    indexing.delitem(ctx, x, key)


@handles(py.slice_)
def _slice(ctx, op, start, stop, step):
    return SliceValue(start, stop, step)


# ----- Displays


def _unstarred(ctx, op, items) -> tuple[Abstract, ...]:
    found: list[Abstract] = []
    for starred, item in zip(op.params["stars"], items):
        found += ctx.list_items(item) if starred else [item]
    return tuple(found)


@handles(py.tuple_, optional=True)
def _tuple(ctx, op, *items):
    return Tuple(_unstarred(ctx, op, items))


@handles(py.list_, optional=True)
def _list(ctx, op, *items):
    return ctx.new(ListObject(_unstarred(ctx, op, items)))


@handles(py.set_)
def _set(ctx, op, *items):
    items = _unstarred(ctx, op, items)
    if not all(isinstance(i, Static) for i in items):  # in an unrolled loop they may be
        ctx.fail(Unsupported, error=NeedsStatic, what="a set of run-time values")
    return Static(frozenset(i.value for i in items))


@handles(py.dict_, optional=True)
def _dict(ctx, op, *keys_and_values):
    found: dict = {}
    pairs = zip(op.params["stars"], keys_and_values[::2], keys_and_values[1::2])
    for starred, key, value in pairs:
        if starred:
            contents = ctx.contents(ctx.force(value))
            if not isinstance(contents, DictObject):
                ctx.fail(BadType, message="argument after ** must be a mapping")
            found.update(zip(contents.keys, contents.values))
        else:
            found[indexing.dict_key(ctx, key)] = value
    return ctx.new(DictObject(tuple(found), tuple(found.values())))


@handles(py.unpack)
def _unpack(ctx, op, x):
    before, starred, after = op.params["before"], op.params["starred"], op.params["after"]
    items = ctx.list_items(x)
    wrong = len(items) < before + after if starred else len(items) != before + after
    if wrong:
        wanted = f"{'at least ' if starred else ''}{before + after}"
        ctx.fail(BadValue, message=f"not {wanted} values to unpack but {len(items)}")
    if not starred:
        return tuple(items)
    middle = ctx.new(ListObject(items[before : len(items) - after]))
    return (*items[:before], middle, *items[len(items) - after :])


@handles(py.format_)
def _format(ctx, op, *values):
    return strings.format_parts(ctx, op.params["parts"], values)


# ----- Functions


@handles(py.function, optional=True)
def _function(ctx, op, *operands):
    code = op.params["code"]
    n = len(code.captured)
    return Closure(code, operands[:n], operands[n:])


@handles(py.call, optional=True)
def _call(ctx, op, f, *args):
    f = ctx.force(f)
    positional: list[Abstract] = []
    keywords: dict[str, Abstract] = {}
    for spec, x in zip(op.params["spec"], args):
        if spec is None:
            positional.append(x)
        elif spec == "*":
            positional += ctx.list_items(ctx.force(x))
        elif spec == "**":
            contents = ctx.contents(ctx.force(x))
            keywords.update(zip(contents.keys, contents.values))
        else:
            keywords[spec] = x
    return ctx.call(f, positional, keywords)


@handles(py.assert_)
def _assert(ctx, op, condition, message):
    failed = negate(ctx, truth(ctx, condition))
    text = strings.message(message)
    if isinstance(failed, Static) and failed.value:  # fails if the program comes here
        failed = Scalar(constant(True, bool), weak=True)
    if isinstance(failed, Scalar):
        ctx.check(failed.value, AssertionError, text or "assertion failed")


@handles(py.raise_)
def _raise(ctx, op, exception):
    ctx.raise_error(exception)


# ----- Control flow


def _if(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
    condition = truth(ctx, env[op.operands[0]])
    then, other = op.regions
    return branch_many(ctx, condition, lambda: ctx.run(then, env), lambda: ctx.run(other, env))


def _loop(ctx: Interpreter, op: Op, env: Env) -> tuple[Abstract, ...]:
    parts = Loop.of(op)
    items = None if parts.count is None else ctx.sequence(env[parts.count])

    def run(region: Region, item: Abstract, xs) -> list[Abstract]:
        env.update(zip(region.args, (item, *xs)))
        for target, x in zip(region.args, (item, *xs)):
            _give_name(ctx, target.name, x)
        return ctx.run(region, env)

    cond = None
    if parts.cond is not None:

        def cond(item, xs):
            return truth(ctx, run(parts.cond, item, xs)[0])

    code = loops.LoopCode(op, items, cond, lambda item, xs: run(parts.body, item, xs))
    return tuple(loops.loop(ctx, code, [env[x] for x in parts.carries]))


HANDLERS[if_p.name] = _if
HANDLERS[loop_p.name] = _loop
