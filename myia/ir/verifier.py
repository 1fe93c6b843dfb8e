"""The verifier: the invariants of the IR, before and after every pass.

 1. Each value is defined once: as an argument of one region or a result of one op.
 2. An operand or yield is defined before it is used, in its region or in one around it; hence a
    function is closed.
 3. The results of an op have the avals that its shape rule gives, run again on its operands,
    parameters and regions. For structured ops the rule checks the arguments and yields of the
    regions too.
 4. An op has regions if and only if its primitive is structured.
 5. The primitive of an op is the registered one of its name.
 6. The parameters of typed ops are hashable.
 7. Typed IR: every aval is an `Aval`, whose lengths are non-negative ints, and no op is `py.*`.
    IR(py): every aval is `PY`, and an op is a `py.*` op, `if`, `loop` or `call`.
 8. No op with an effect is inside `rev`: recomputation has no effects.
 9. After the expansion of derivatives there is no `derivative`, `custom` or `remat` op (asked for
    with `expanded=True`).

A violation raises `InternalError` with the text of the program and the message at the wrong op.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from myia.ir.avals import PY, Aval
from myia.ir.code import Code
from myia.ir.core import Function, Op, Region, Value, has_effect
from myia.ir.primitive import PRIMITIVES
from myia.ir.printer import to_text
from myia.source.diagnostics import InternalError

_STRUCTURED_IN_PY = ("if", "loop", "call")


def verify(
    program: Function | Code,
    *,
    vocabulary: str = "typed",
    expanded: bool = False,
    known: set[Op] | None = None,
) -> None:
    """Check the invariants above; `vocabulary` is "typed" or "py".

    `known`: ops that have passed before. They are immutable, and shared by what passes return, so
    only their place is checked again (1, 2). The ops of the program are added.
    """
    verifier = _Verifier(vocabulary, expanded, set() if known is None else known)
    verifier.region(program.region, None)
    if verifier.messages:
        at_ops = {op: "; ".join(m) for op, m in verifier.messages.items() if op is not None}
        general = verifier.messages.get(None, []) or ["see the op marked ^^^"]
        text = to_text(program, messages=at_ops)
        raise InternalError(f"invalid IR: {'; '.join(general)}\n{text}")
    for code in verifier.codes:
        verify(code, vocabulary=vocabulary, expanded=expanded)


class _Verifier:
    def __init__(self, vocabulary: str, expanded: bool, known: set[Op]):
        self.typed = vocabulary == "typed"
        self.expanded = expanded
        self.known = known
        self.defined: set[Value] = set()
        self.visible: set[Value] = set()
        self.codes: list[Code] = []
        self.messages: dict[Op | None, list[str]] = {}  # None: of no single op

    def error(self, op: Op | None, message: str) -> None:
        self.messages.setdefault(op, []).append(message)

    def region(self, region: Region, owner: Op | None) -> None:
        self.define(region.args, owner)
        for op in region.ops:
            self.op(op)
        self.use(region.yields, owner, "yield")
        self.visible.difference_update(region.args)
        for op in region.ops:
            self.visible.difference_update(op.results)

    def op(self, op: Op) -> None:
        self.use(op.operands, op, "operand")
        for region in op.regions:
            self.region(region, op)
        if op not in self.known:
            self.itself(op)
            self.known.add(op)
        self.define(op.results, op)

    def itself(self, op: Op) -> None:
        """All that does not depend on where the op is."""
        self.vocabulary(op)
        if PRIMITIVES.get(op.primitive.name) is not op.primitive:
            self.error(op, f"{op.primitive.name} is not a registered primitive")
        if bool(op.regions) != op.primitive.structured:
            self.error(op, f"{op.primitive.name} has {len(op.regions)} regions")
        else:
            self.shape_rule(op)
        self.params(op)

    # ----- Definitions and uses

    def define(self, values: Iterable[Value], op: Op | None) -> None:
        for value in values:
            if value in self.defined:
                self.error(op, f"{_name(value)} is defined twice")
            self.aval(value, op)
            self.defined.add(value)
            self.visible.add(value)

    def use(self, values: Iterable[Value], op: Op | None, role: str) -> None:
        for i, value in enumerate(values):
            if value not in self.visible:
                why = "not visible here" if value in self.defined else "not defined before"
                self.error(op, f"{role} {i}, {_name(value)}, is {why}")

    # ----- One op

    def shape_rule(self, op: Op) -> None:
        regions = {"regions": op.regions} if op.primitive.structured else {}
        try:
            avals = op.primitive.avals(*(x.aval for x in op.operands), **regions, **op.params)
        except Exception as error:  # a malformed op may break its rule in any way
            return self.error(op, f"shape rule: {type(error).__name__}: {error}")
        found = tuple(y.aval for y in op.results)
        if tuple(avals) != found:
            self.error(op, f"results are {_list(found)}, the shape rule says {_list(avals)}")
        return None

    def params(self, op: Op) -> None:
        for name, value in op.params.items():
            if isinstance(value, Code):
                self.codes.append(value)
            if self.typed:
                try:
                    hash(value)
                except TypeError:
                    self.error(op, f"parameter {name} is not hashable")

    def vocabulary(self, op: Op) -> None:
        name = op.primitive.name
        if self.typed and name.startswith("py."):
            self.error(op, f"{name} in typed IR")
        if not self.typed and not name.startswith("py.") and name not in _STRUCTURED_IN_PY:
            self.error(op, f"{name} in IR(py)")
        if self.expanded and name == "derivative":
            self.error(op, "a derivative that was not expanded")
        if self.expanded and name in ("custom", "remat"):
            self.error(op, f"{name} when no more derivatives are taken")
        if name == "rev" and has_effect(op):
            self.error(op, "an effect inside rev")

    def aval(self, value: Value, op: Op | None) -> None:
        if not self.typed:
            valid = value.aval is PY
        else:
            valid = isinstance(value.aval, Aval) and isinstance(value.aval.dtype, np.dtype)
            valid = valid and all(type(n) is int and n >= 0 for n in value.aval.shape)
        if not valid:
            self.error(op, f"{_name(value)} has the aval {value.aval}")


def _name(value: Value) -> str:
    return f"%{value.name}" if value.name else f"a value of aval {value.aval}"


def _list(avals: Iterable[Any]) -> str:
    return f"({', '.join(map(str, avals))})"
