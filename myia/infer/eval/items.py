"""Items and attributes: `x[key]`, `x.name`, and which of them the code of a function changes.

    rows[k].append(x)        p = points[k]; p.x += 1.0        tables[k]["a"] = x
    accounts[k].log.append(x)        accounts[k].deposit(x)

Such an item of a dict, at a key known at run time, is one of the dict's objects: a choice. So are
the objects in it, and its methods. An item that is only read is merged of all of them, since that
is less code; and so is one whose method only reads it.

*When it gives up*: parts that not all of the objects have, or that only Python code finds
(properties); a list in them at an index known at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from weakref import WeakKeyDictionary

from myia.infer.attributes import own_attribute
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.heap import AnyList, DictObject, InstanceObject, ListObject
from myia.infer.domain.values import (
    Abstract,
    Choice,
    Method,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_static_int,
)
from myia.infer.indexing import indexing
from myia.infer.indexing.dict_items import chosen_object, is_run_time_key
from myia.infer.indexing.list_items import are_changed_in_place, chosen_item
from myia.infer.paths.branches import branch
from myia.infer.paths.choice import is_of_objects
from myia.ir.avals import I64
from myia.ir.core import Op, Value, walk
from myia.primitives.core import py
from myia.primitives.core.define import constant
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise import logic
from myia.source.diagnostics import MyiaError

# A method may change what it is of.
CHANGES = (py.getattr_, py.setattr_, py.setitem, py.delitem, py.inplace)
PARTS = (py.getitem, py.tuple_, py.unpack)
# They do nothing to the objects that they read.
READS = (py.getattr_, py.getitem, py.binary, py.compare, py.unary, py.format_, py.slice_)


def item(ctx: Context, op: Op, x: Abstract, key: Abstract) -> Abstract:
    """The handler of `x[key]`."""
    if _is_changed(ctx, op):
        found = chosen_object(ctx, x, key)
        if found is None and ctx.names_are_exact:
            found = _chosen_of_sequence(ctx, x, key)
        if found is not None:
            return found
    return indexing.getitem(ctx, x, key)


def _chosen_of_sequence(ctx: Context, x: Abstract, key: Abstract) -> Choice | None:
    """The same of a tuple, or a list of the caller, whose items stay where they are."""
    contents = ctx.held(x)
    if isinstance(x, Tuple):
        return chosen_item(ctx, x.items, key, "tuple")
    if isinstance(x, Ref) and x.id < 0 and isinstance(contents, ListObject):
        return chosen_item(ctx, contents.items, key, "list")
    return None


def _is_changed(ctx: Context, op: Op) -> bool:
    found = _changed(ctx.frames[-1].code)
    return op.results[0] in found[ctx.names_are_exact]


_known: WeakKeyDictionary[py.Code, tuple[frozenset[Value], frozenset[Value]]]
_known = WeakKeyDictionary()


def _changed(code: py.Code) -> tuple[frozenset[Value], frozenset[Value]]:
    """The items that the code may change, as results of the ops that read them.

    Then the same with those that functions which it calls may change.
    """
    if code not in _known:
        ops = list(walk(code.region))
        _known[code] = _results_changed(ops, False), _results_changed(ops, True)
    return _known[code]


def _results_changed(ops: Sequence[Op], in_calls: bool) -> frozenset[Value]:
    found: set[Value] = set()
    called: set[Value] = set()
    certain: set[Value] = set()  # not by an attribute that may be a number
    for op in reversed(ops):
        of_part = op.primitive in PARTS and not found.isdisjoint(op.results)
        if of_part or op.primitive in CHANGES:
            found.update(op.operands if op.primitive is py.tuple_ else op.operands[:1])
        is_method = op.primitive is py.getattr_ and op.results[0] in called
        of_certain = op.primitive in (py.getattr_, py.getitem) and op.results[0] in certain
        if is_method or of_certain or op.primitive in CHANGES[1:]:
            certain.add(op.operands[0])
        if op.primitive is loop_p and Loop.of(op).body.args[0] in certain:
            found.update(op.operands[: op.params["counted"]])
        if op.primitive is py.call:
            called.add(op.operands[0])
            found.update(op.operands[1:] if in_calls else ())
    return frozenset(found)


# ----- Parts of one of several objects


def chosen_part(
    ctx: Context, op: Op, xs: Sequence[Abstract], read: Callable[[Abstract], Abstract]
) -> Choice | None:
    """`x.name` or `x[key]`, to be changed, of one of several objects: one of their parts.

    `read`: the handler, of one of them. None: the parts are merged.
    """
    x = xs[0]
    if not is_of_objects(x):
        return None
    if op.primitive is py.getattr_:
        return _chosen_attribute(ctx, op, x, read)
    if op.primitive is not py.getitem or not _is_changed(ctx, op):
        return None
    key = xs[1]
    if isinstance(key, Static):
        return _chosen(ctx, x, [_item_of(ctx, option, key) for option in x.options])
    return _chosen_at_run_time(ctx, x, key)


def _chosen_attribute(
    ctx: Context, op: Op, x: Choice, read: Callable[[Abstract], Abstract]
) -> Choice | None:
    contents = [ctx.held(option) for option in x.options]
    if any(all(isinstance(c, of) for c in contents) for of in (AnyList, DictObject)):
        return Choice(x.index, tuple(map(read, x.options)))  # methods, which may change it
    instances = [c for c in contents if isinstance(c, InstanceObject)]
    if len(instances) < len(contents):
        return None
    name = op.params["name"]
    if any(name in c.names for c in instances):
        own = [own_attribute(ctx, c, name) for c in instances]
        return _chosen(ctx, x, own) if _is_changed(ctx, op) else None
    if len({c.cls for c in instances}) == len(instances):
        return None  # they stay apart in a merge
    if not all(isinstance(getattr(c.cls, name, None), FunctionType) for c in instances):
        return None
    methods = list(map(read, x.options))
    if not all(isinstance(m, Method) for m in methods):
        return None
    may_change = any(map(partial(_may_change, ctx), methods, instances))
    return Choice(x.index, tuple(methods)) if may_change else None


def _item_of(ctx: Context, x: Abstract, key: Static) -> Abstract | None:
    contents = ctx.held(x)
    if isinstance(contents, DictObject) and key.value in contents.keys:
        return contents.values[contents.keys.index(key.value)]
    if isinstance(contents, ListObject) and is_static_int(key):
        n = len(contents.items)
        return contents.items[key.value] if -n <= key.value < n else None
    return None


def _chosen(ctx: Context, x: Choice, parts: Sequence[Abstract | None]) -> Choice | None:
    found = tuple(part for part in parts if part is not None)
    same = len(found) == len(parts) and are_changed_in_place(ctx, found)
    return Choice(x.index, found) if same else None


def _chosen_at_run_time(ctx: Context, x: Choice, key: Abstract) -> Choice | None:
    """An item of one of several dicts of objects: one of all of these."""
    if not is_run_time_key(key):
        return None
    contents = [ctx.held(option) for option in x.options]
    dicts = [c for c in contents if isinstance(c, DictObject)]
    parts = [value for c in dicts for value in c.values]
    if len(dicts) < len(contents) or not all(c.keys for c in dicts):
        return None
    if not are_changed_in_place(ctx, parts):
        return None

    def index_from(i: int) -> Abstract:
        if i == len(x.options) - 1:
            return index_of(i)
        chosen = logic.eq(x.index.value, constant(i, x.index.dtype))
        return branch(
            ctx, Scalar(chosen, weak=True), lambda: index_of(i), lambda: index_from(i + 1)
        )

    def index_of(i: int) -> Abstract:
        found = chosen_object(ctx, x.options[i], key)
        assert found is not None
        before = sum(len(c.values) for c in dicts[:i])
        value = number_value(found.index, I64.dtype) + constant(before, I64)
        return Scalar(value, True, 0, len(parts) - 1)

    index = index_from(0)
    assert isinstance(index, Scalar)
    return Choice(index, tuple(parts))


def _may_change(ctx: Context, method: Abstract, contents: InstanceObject) -> bool:
    """Whether a method does more with its object than to read it."""
    assert isinstance(method, Method)
    try:
        code = ctx.load(method.function)
    except MyiaError:
        return True
    if not code.region.args:
        return True
    own = code.region.args[0]
    objects = dict(zip(contents.names, contents.values))
    reached = {own}
    for op in walk(code.region):
        if reached.isdisjoint(op.operands):
            continue
        if op.primitive not in READS:
            return True
        is_own = op.primitive is py.getattr_ and op.operands[0] is own
        part = objects.get(op.params["name"]) if is_own else None
        if part is None or are_changed_in_place(ctx, [part]):
            reached.update(op.results)
    return False
