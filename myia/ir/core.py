"""The data structure of the IR: functions, regions, ops and values in SSA form.

    Function ::= name, Region, checks                    closed: reads nothing from outside
    Region   ::= (args) { Op* yield Value* }             may read values of enclosing regions
    Op       ::= results = Primitive operands {params} Region*          span
    Value    ::= an argument of a region or a result of an op; has an aval and maybe a user's name

SSA: a value is defined once, before its uses, and is visible in its region and the regions nested
in it. Everything is immutable; a pass makes new ops. `if`, `loop`, `rev`, `call`, `derivative`,
`custom` and `remat` hold regions (`primitives/core/structured.py`); there are no jumps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from myia.ir.avals import Aval, Shape
from myia.ir.params import params_key
from myia.ir.primitive import Primitive
from myia.source.span import Span


@dataclass(eq=False, slots=True, repr=False)
class Value:
    """One SSA value, compared by identity. `name`: the user's name for it, a hint for printing."""

    aval: Aval  # in IR(py): `PY`
    name: str | None = None

    @property
    def shape(self) -> Shape:
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype:
        return self.aval.dtype

    if TYPE_CHECKING:  # given by primitives/pointwise/value_operators.py

        def __neg__(self) -> Value: ...
        def __add__(self, other: Value | complex) -> Value: ...
        def __radd__(self, other: complex) -> Value: ...
        def __sub__(self, other: Value | complex) -> Value: ...
        def __rsub__(self, other: complex) -> Value: ...
        def __mul__(self, other: Value | complex) -> Value: ...
        def __rmul__(self, other: complex) -> Value: ...
        def __truediv__(self, other: Value | complex) -> Value: ...
        def __rtruediv__(self, other: complex) -> Value: ...
        def __pow__(self, other: Value | complex) -> Value: ...
        def __rpow__(self, other: complex) -> Value: ...

    def __repr__(self) -> str:
        return f"<%{self.name or hex(id(self))[-5:]}: {self.aval}>"


Values = Sequence[Value]
Tangents = Sequence[Value | None]  # or cotangents; None: zero


@dataclass(eq=False, frozen=True, slots=True, repr=False)
class Op:
    """One operation. `params` are compile-time constants (hashable)."""

    primitive: Primitive
    operands: tuple[Value, ...]
    params: Mapping[str, Any]
    regions: tuple[Region, ...]
    results: tuple[Value, ...]
    span: Span | None = None
    _params_key: Any = field(init=False)

    @property
    def params_key(self) -> Any:
        """A hashable key of the parameters, equal only for equal meanings; cached."""
        try:
            return self._params_key
        except AttributeError:
            object.__setattr__(self, "_params_key", params_key(self.params))
            return self._params_key

    def __repr__(self) -> str:
        what = f"{self.primitive.name} {list(self.operands)} {dict(self.params)}"
        return f"<{list(self.results)} = {what}>"


@dataclass(eq=False, frozen=True, slots=True, weakref_slot=True, repr=False)
class Region:
    """A block: arguments, ops in order, and the values it yields."""

    args: tuple[Value, ...]
    ops: tuple[Op, ...]
    yields: tuple[Value, ...]
    _captured: tuple[Value, ...] = field(init=False)

    @property
    def captured(self) -> tuple[Value, ...]:
        """Values of enclosing regions that it reads, in order of first use; cached."""
        try:
            return self._captured
        except AttributeError:
            object.__setattr__(self, "_captured", _captured(self))
            return self._captured


@dataclass(eq=False, frozen=True, slots=True, repr=False)
class Function:
    """A named closed region: a whole program."""

    name: str
    region: Region
    span: Span | None = None
    # The messages of the program's run-time checks. If there are any, the last result is the number
    # of the first check that failed (0: none; 1: the first message).
    checks: tuple[str, ...] = field(default=())

    @property
    def args(self) -> tuple[Value, ...]:
        return self.region.args

    @property
    def results(self) -> tuple[Value, ...]:
        return self.region.yields

    def with_region(self, region: Region) -> Function:
        return Function(self.name, region, self.span, self.checks)

    def __repr__(self) -> str:
        return f"<function {self.name}>"


def walk(region: Region) -> Iterator[Op]:
    """All ops of a region and of the regions nested in it, outer before inner."""
    for op in region.ops:
        yield op
        for inner in op.regions:
            yield from walk(inner)


def captures(*regions: Region) -> list[Value]:
    """Values of enclosing regions that `regions` read, in order of first use."""
    if len(regions) == 1:
        return list(regions[0].captured)
    return list(dict.fromkeys(x for region in regions for x in region.captured))


def is_read(x: Value, region: Region) -> bool:
    """Does a region, or one in it, read `x`, which may be an argument of it?"""
    return x in Region((), region.ops, region.yields).captured


def reads(op: Op) -> tuple[Value, ...]:
    """All values from outside that an op reads, in its regions, too."""
    return (*op.operands, *captures(*op.regions)) if op.regions else op.operands


def _captured(region: Region) -> tuple[Value, ...]:
    defined = set(region.args)
    found: dict[Value, None] = {}
    for op in region.ops:
        read = (op.operands, *(inner.captured for inner in op.regions))
        found.update((x, None) for xs in read for x in xs if x not in defined)
        defined.update(op.results)
    found.update((y, None) for y in region.yields if y not in defined)
    return tuple(found)


def has_effect(op: Op) -> bool:
    """True when `op`, or an op nested in it, must not be removed, repeated or reordered."""
    return op.primitive.effect or any(has_effect(inner) for r in op.regions for inner in r.ops)
