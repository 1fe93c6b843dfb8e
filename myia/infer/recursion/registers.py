"""Files of registers, and where the leaves of a group of values are in one.

Numbers are carried by the loop; arrays are in objects of their own, which the loop writes to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from myia.infer.domain.context import Context
from myia.infer.domain.heap import ArrayObject
from myia.infer.domain.values import Ref
from myia.ir.avals import Aval
from myia.ir.core import Value
from myia.primitives.core.define import zeros


@dataclass
class File:
    """Registers of these avals; `arrays`: the objects of those that are not numbers."""

    avals: list[Aval]
    arrays: dict[int, Ref] = field(default_factory=dict)

    def new_arrays(self, ctx: Context, values: Iterable[Value]) -> None:
        for i, value in enumerate(values):
            if value.shape:
                self.arrays[i] = ctx.new(ArrayObject(value))

    def numbers(self, values: Iterable[Value] | None = None) -> list[Value]:
        """Of the values of all registers (zeros) those that are numbers."""
        return [x for x in (map(zeros, self.avals) if values is None else values) if not x.shape]

    def read(self, ctx: Context, numbers: Iterable[Value]) -> list[Value]:
        """The values of all registers."""
        rest = iter(numbers)
        arrays = self.arrays
        return [
            ctx.read(arrays[i]) if aval.shape else next(rest) for i, aval in enumerate(self.avals)
        ]


@dataclass(frozen=True)
class Layout:
    """The registers that the leaves of a group are in."""

    registers: tuple[int, ...]

    @staticmethod
    def of(leaves: Sequence[Aval], avals: list[Aval]) -> Layout:
        """Registers for the leaves; `avals` is extended where there are too few."""
        taken: set[int] = set()
        registers = []
        for aval in leaves:
            free = (i for i, a in enumerate(avals) if a == aval and i not in taken)
            register = next(free, len(avals))
            if register == len(avals):
                avals.append(aval)
            taken.add(register)
            registers.append(register)
        return Layout(tuple(registers))

    def take(self, file: Sequence[Value]) -> list[Value]:
        return [file[i] for i in self.registers]

    def put(self, leaves: Sequence[Value], avals: Sequence[Aval]) -> list[Value]:
        """The values of all registers: zeros in those that are not used."""
        found = dict(zip(self.registers, leaves))
        return [found[i] if i in found else zeros(aval) for i, aval in enumerate(avals)]

    def store(self, ctx: Context, file: File, leaves: Sequence[Value]) -> list[Value]:
        """Write the arrays; the numbers of all registers."""
        for i, leaf in zip(self.registers, leaves):
            if leaf.shape:
                ctx.store(file.arrays[i], leaf)
        return file.numbers(self.put(leaves, file.avals))
