"""Classes of values, by union-find: versions of one array, values that may share a buffer."""

from __future__ import annotations

from myia.ir.core import Value


class ValueClasses:
    """Disjoint classes; a value that was never united is a class of its own."""

    def __init__(self) -> None:
        self.parent: dict[Value, Value] = {}

    def of(self, x: Value) -> Value:
        """The representative of the class of `x`."""
        while x in self.parent:
            above = self.parent[x]
            self.parent[x] = x = self.parent.get(above, above)
        return x

    def unite(self, x: Value, y: Value) -> None:
        x, y = self.of(x), self.of(y)
        if x is not y:
            self.parent[x] = y

    def members(self) -> set[Value]:
        """The values of all classes of several values."""
        return {*self.parent, *self.parent.values()}
