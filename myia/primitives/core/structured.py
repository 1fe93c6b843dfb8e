"""The primitives with regions. Their derivatives are in `transforms/`, their lowering in backends.

`if` and `loop` belong to both vocabularies: in IR(py) every aval is `PY`, a condition is any
object with a truth value, and the first operand of a counted loop is the iterable, whose items the
body receives. In typed IR the condition is a `bool[]`, the first operand of a counted loop is its
trip count `i64[]`, and the body receives the iteration index.

    if     (pred) { then } { else }                 regions without arguments; they capture
    loop   ([n,] *x0) [{ cond(k, *x) }] { body(k, *x) }                       -> *x
           runs body while (k < n, if counted) and (cond, if conditional), k = 0, 1, ...
           `bound`: a static upper bound of the trip count, or None
    rev    ([n,] *x0, *λ, *acc) [{ cond }] { body } { adjoint(k, *x, *λ, *acc) } -> *λ, *acc
           the adjoint of that loop: for k = n-1 ... 0: λ, acc = adjoint(k, x_k, λ, acc),
           x_k being the carries at the start of iteration k. λ has one entry for each position in
           `active` (the carries that have a cotangent). Linear in (λ, acc) jointly.
    call   (*args) { body(*args) }                  what a `custom` or `remat` op becomes after the
           last derivative (inference inlines the calls of a program)
    derivative (*args, *seeds) { f(*args) }         f's values and its derivative, to be expanded:
           mode="jvp": seeds are tangents of the args `wrt`; -> *ys, *tangents of the ys `of`
           mode="vjp": seeds are cotangents of the ys `of`;  -> *ys, *cotangents of the args `wrt`
           mode="jacfwd", "jacrev": no seeds; -> *ys, *the derivatives of each y in `of` by each arg
           in `wrt`, of shape (*y.shape, *x.shape), by forward or by reverse mode; complex if one
           of the two is

    custom (*args) { f(*args) }                     a function with a custom derivative rule
    remat  (*args) { f(*args) }                     a call that its derivative recomputes: none of
           its intermediate values is a residual. In derivatives the first `late` operands are
           read only after the next `until`, its cotangents, have been computed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from myia.ir.avals import BOOL, I64, PY, Aval
from myia.ir.core import Op, Region, Value
from myia.ir.primitive import Primitive
from myia.primitives.core.define import require
from myia.source.diagnostics import InternalError

Avals = tuple[Aval, ...]
Regions = tuple[Region, ...]


def _avals(values: Iterable[Value]) -> Avals:
    return tuple(v.aval for v in values)


def _if_avals(pred: Aval, *, regions: Regions) -> Avals:
    then, other = regions
    require(pred in (BOOL, PY), f"if: the condition is {pred}, not bool[]")
    require(not then.args and not other.args, "if: its regions have no arguments")
    require(_avals(then.yields) == _avals(other.yields), "if: branches yield different avals")
    return _avals(then.yields)


def _check_loop(operands: Avals, regions: Regions, counted: bool, conditional: bool) -> Avals:
    """Common to `loop` and `rev`; returns the avals of the carries."""
    body = regions[conditional]
    carries = _avals(body.args[1:])
    require(all(a in (I64, PY) for a in operands[:counted]), "loop: the count is not i64[]")
    require(body.args[0].aval in (I64, PY), "loop: the body's first argument is not the index")
    require(tuple(operands[counted : counted + len(carries)]) == carries, "loop: initial carries")
    require(_avals(body.yields) == carries, "loop: the body changes the avals of its carries")
    if conditional:
        cond = regions[0]
        require(_avals(cond.args) == _avals(body.args), "loop: cond and body differ in arguments")
        require(len(cond.yields) == 1 and cond.yields[0].aval in (BOOL, PY), "loop: cond's yield")
    return carries


def _loop_avals(
    *operands: Aval, regions: Regions, counted: bool, conditional: bool, bound: int | None
) -> Avals:
    carries = _check_loop(operands, regions, counted, conditional)
    require(len(operands) == counted + len(carries), "loop: number of operands")
    return carries


def _rev_avals(
    *operands: Aval,
    regions: Regions,
    counted: bool,
    conditional: bool,
    bound: int | None,
    active: tuple[int, ...],
) -> Avals:
    carries = _check_loop(operands, regions[:-1], counted, conditional)
    seeds = tuple(operands[counted + len(carries) :])
    adjoint = regions[-1]
    require(_avals(adjoint.args) == (I64, *carries, *seeds), "rev: arguments of the adjoint")
    require(_avals(adjoint.yields) == seeds, "rev: the adjoint changes the avals of its carries")
    require(tuple(carries[i] for i in active) == seeds[: len(active)], "rev: avals of λ")
    return seeds


def _call_avals(*operands: Aval, regions: Regions, **params: Any) -> Avals:
    """Common to `call`, `custom` and `remat`."""
    (f,) = regions
    require(_avals(f.args) == operands, f"a call with other arguments: {params}")
    return _avals(f.yields)


JACOBIANS = ("jacfwd", "jacrev")  # modes of `derivative`


def block_aval(y: Aval, x: Aval, mode: str) -> Aval:
    """The dtype of the derivative of y by x, complex if one of them is."""
    like = y if mode == "jacfwd" else x
    is_complex = "c" in (y.dtype.kind, x.dtype.kind)
    return replace(like, dtype=np.result_type(like.dtype, np.complex64)) if is_complex else like


def _derivative_avals(
    *operands: Aval, regions: Regions, mode: str, wrt: tuple[int, ...], of: tuple[int, ...]
) -> Avals:
    (f,) = regions
    n = len(f.args)
    ys = _avals(f.yields)
    inputs, outputs = tuple(operands[i] for i in wrt), tuple(ys[i] for i in of)
    if mode in JACOBIANS:
        require(tuple(operands) == _avals(f.args), "derivative: arguments")
        blocks = ((y, x, block_aval(y, x, mode)) for y in outputs for x in inputs)
        return ys + tuple(like.with_shape((*y.shape, *x.shape)) for y, x, like in blocks)
    seeds, results = (inputs, outputs) if mode == "jvp" else (outputs, inputs)
    require(tuple(operands[:n]) == _avals(f.args), "derivative: arguments")
    require(tuple(operands[n:]) == seeds, "derivative: seeds")
    return ys + results


def _remat_avals(*operands: Aval, regions: Regions, late: int, until: int) -> Avals:
    require(0 <= late + until <= len(operands), "remat: late operands")
    return _call_avals(*operands, regions=regions)


if_p = Primitive(name="if", avals=_if_avals, structured=True)
loop_p = Primitive(name="loop", avals=_loop_avals, structured=True)
rev_p = Primitive(name="rev", avals=_rev_avals, structured=True)
call_p = Primitive(name="call", avals=_call_avals, structured=True)
derivative_p = Primitive(name="derivative", avals=_derivative_avals, structured=True)
custom_p = Primitive(name="custom", avals=_call_avals, structured=True)
remat_p = Primitive(name="remat", avals=_remat_avals, structured=True)


# The name of the index of a loop over the examples of a batch. Some decisions depend on it
# (`Loop.is_over_examples`): how short strips are (`outer_loop.py`), and a note of `F.plan`.
EXAMPLE = "example"


@dataclass(eq=False)
class Rule:
    """The derivative of a `custom` op: closed regions, made when a derivative is taken.

    They are not made earlier, since a rule may call the function that it differentiates. Tangents
    and cotangents belong to floating args and ys; the first `consts` args have no derivative.

    mode="jvp"   rule(*args, *tangents) -> *ys, *tangents
    mode="vjp"   forward(*args) -> *ys, *residuals
                 backward(*residuals, *cotangents) -> *cotangents of all args but `consts`
    mode="solve" for the solution x of A(*params) x = b, whose args are (*params, *b):
                 A(*params, *x) -> *b and, for reverse mode, the solver of the transposed
                 equation, solve(*params, *cotangents of x) -> *cotangents of b
    """

    mode: str
    build: Callable[[], tuple[Region, ...]]

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        return self.build()

    def __repr__(self) -> str:
        return f"a {self.mode} rule"


@dataclass(frozen=True, slots=True)
class Loop:
    """The parts of a `loop` or `rev` op, by name."""

    count: Value | None
    carries: tuple[Value, ...]
    cond: Region | None
    body: Region
    bound: int | None
    adjoint: Region | None = None
    active: tuple[int, ...] = ()
    seeds: tuple[Value, ...] = ()  # λ, one per active carry
    accumulators: tuple[Value, ...] = ()

    @classmethod
    def of(cls, op: Op) -> Loop:
        counted, conditional = op.params["counted"], op.params["conditional"]
        body = op.regions[conditional]
        end = counted + len(body.args) - 1
        active = op.params.get("active", ())
        return cls(
            count=op.operands[0] if counted else None,
            carries=op.operands[counted:end],
            cond=op.regions[0] if conditional else None,
            body=body,
            bound=op.params["bound"],
            adjoint=op.regions[-1] if op.primitive is rev_p else None,
            active=active,
            seeds=op.operands[end : end + len(active)],
            accumulators=op.operands[end + len(active) :],
        )

    @property
    def trip_count(self) -> Value:
        """The count of a counted loop."""
        if self.count is None:
            raise InternalError("a loop without a count")
        return self.count

    @property
    def adjoint_region(self) -> Region:
        """The adjoint of a `rev` op."""
        if self.adjoint is None:
            raise InternalError("a loop without an adjoint")
        return self.adjoint

    @property
    def is_over_examples(self) -> bool:
        """Of a batch, one after the other (`vmap`)."""
        return self.body.args[0].name == EXAMPLE

    @property
    def initial(self) -> tuple[Value, ...]:
        """The initial values of what the loop carries and returns."""
        return self.carries if self.adjoint is None else (*self.seeds, *self.accumulators)
