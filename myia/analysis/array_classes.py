"""Classes of arrays: values that may be one array in memory, by stores and by being passed on.

    %a = for %k < %n (%x = %a0) {           one class: %a0, %x, %y, %a
      %y = dynamic_update_slice %x, ...
      yield %y
    }

What it computes: the classes of the values of a region, at any depth. The array that a store
changes is in one class with its result, and so are values that a loop, a branch or a call passes
on.

What it guarantees: if two values may share a buffer, they are in one class. (`array_versions.py`
answers for a loop what surely is made by stores alone. Here no loop is needed.)

When it gives up: never; a class may be too large, as classes do not tell one iteration from another
or one branch from the other.
"""

from __future__ import annotations

from collections.abc import Container

from myia.ir.core import Region, Value, walk
from myia.ir.primitive import Primitive
from myia.primitives.core.region_dataflow import dataflow_edges
from myia.primitives.core.structured import Loop, call_p, if_p, loop_p
from myia.rewriting.value_classes import ValueClasses


class ArrayClasses(ValueClasses):
    """Classes of values that may be one array.

    `stores`: the ops whose result is their first operand, changed. `apart`: values in no class.
    """

    def __init__(self, region: Region, stores: Container[Primitive], apart: Container[Value] = ()):
        super().__init__()
        self.apart = apart
        for op in walk(region):
            if op.primitive in stores:
                self.unite(op.operands[0], op.results[0])
            elif op.primitive in (if_p, call_p, loop_p):
                for x, y in dataflow_edges(op):
                    self.unite(x, y)
            if op.primitive is loop_p:  # needed if its initial value and its yield are apart
                for x, y in zip(Loop.of(op).body.args[1:], op.results):
                    self.unite(x, y)

    def unite(self, x: Value, y: Value) -> None:
        if x not in self.apart and y not in self.apart:
            super().unite(x, y)
