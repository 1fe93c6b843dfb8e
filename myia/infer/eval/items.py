"""Items: `x[key]`, and which of them the code of a function changes.

    rows[k].append(x)        p = points[k]; p.x += 1.0        tables[k]["a"] = x

Such an item of a dict, at a key known at run time, is one of the dict's objects: a choice. An item
that is only read is merged of all of them, since that is less code.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract
from myia.infer.indexing import indexing
from myia.infer.indexing.dict_items import chosen_object
from myia.ir.core import Op, Value, walk
from myia.primitives.core import py

# A method may change what it is of.
CHANGES = (py.getattr_, py.setattr_, py.setitem, py.delitem, py.inplace)


def item(ctx: Context, op: Op, x: Abstract, key: Abstract) -> Abstract:
    """The handler of `x[key]`."""
    if op.results[0] in _changed(ctx.frames[-1].code):
        found = chosen_object(ctx, x, key)
        if found is not None:
            return found
    return indexing.getitem(ctx, x, key)


_known: WeakKeyDictionary[py.Code, frozenset[Value]] = WeakKeyDictionary()


def _changed(code: py.Code) -> frozenset[Value]:
    """The items that the code may change, as results of the ops that read them."""
    if code not in _known:
        changes = (op for op in walk(code.region) if op.primitive in CHANGES)
        _known[code] = frozenset(op.operands[0] for op in changes)
    return _known[code]
