"""Emits typed IR as a Python function of `jax.lax` calls, which `jax.jit` traces once.

    add %x, %y                   lax.add(x, y), under the named scope "file.py:12"
    if %p {then} {other}         lax.cond; only the branch that is taken runs
    loop (%n, *%x0) {body}       lax.while_loop over (k, *x); an unread k is dropped
    call (*%args) {body}         its ops, in place

The size of the HLO does not depend on trip counts. On CPUs reads of arrays that a loop writes go
through opaque barriers (`opaque_barriers.py`), and small loops are emitted as one function
(`whole_loop_call.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import PurePath
from typing import Any

import jax
import numpy as np
from jax import lax

from myia.backends.xla.cpu.buffer_aliasing import WRITES
from myia.backends.xla.cpu.data_dependences import known_after, read_in_conditional
from myia.backends.xla.cpu.emission_options import Rules
from myia.backends.xla.cpu.opaque_barriers import (
    OpaqueBarriers,
    opaque_barrier,
    reads_sharing_a_barrier,
)
from myia.backends.xla.cpu.opaque_values import ZERO, true_after, true_after_all
from myia.backends.xla.cpu.product_forms import product_form
from myia.backends.xla.cpu.reduction_forms import reduction_form
from myia.backends.xla.cpu.sort_forms import sort_form
from myia.backends.xla.cpu.whole_loop_call import whole_loop_call
from myia.backends.xla.cpu.whole_loop_cost import fusion_ends, worth_whole_loop_call
from myia.backends.xla.narrow_indices import with_narrow_indices
from myia.backends.xla.rounding import Hiding, hidden_operands, hide
from myia.ir.core import Function, Op, Region, Value, captures, has_effect, is_read, reads, walk
from myia.ir.primitive import Primitive
from myia.primitives.core.barriers import barrier_p
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.effects import debug_print_p, print_among_host_calls
from myia.primitives.core.host_calls import is_host_call
from myia.primitives.core.platforms import is_platform_p
from myia.primitives.core.structured import Loop, call_p, derivative_p, if_p, loop_p, rev_p
from myia.source.diagnostics import InternalError
from myia.source.span import SourceFile

Array = Any  # a JAX array or tracer, or a NumPy scalar where a literal will do


def emit(function: Function, rules: Rules) -> Callable[..., tuple[Array, ...]]:
    """A callable `program(*arrays) -> tuple of arrays`; trace it with x64 enabled."""

    barriers = OpaqueBarriers(function.region) if rules.opaque_barriers else None
    calls_host = any(map(is_host_call, walk(function.region)))
    hidden = hidden_operands(function, rules.exact)

    def program(*arrays: Array) -> tuple[Array, ...]:
        return Emitter(rules, barriers, calls_host, hidden).region(function.region, arrays)

    program.__name__ = program.__qualname__ = function.name
    return program


class Emitter:
    """One trace of one function: the array of every value met so far.

    SSA makes one flat table enough: JAX may trace a region twice, and then defines its values anew.
    """

    def __init__(
        self,
        rules: Rules,
        barriers: OpaqueBarriers | None,
        calls_host: bool,
        hidden: Mapping[Op, Hiding],
    ):
        self.rules = rules
        self.calls_host = calls_host
        self.hidden_operands = hidden
        self.opaque_barriers = barriers
        self.arrays: dict[Value, Array] = {}
        self.constants: dict[Value, Op] = {}
        self.read_predicates: dict[Op, Array] = {}  # of reads behind a barrier: opaque predicates
        self.in_whole_loop_call = False
        self.fusion_ends: frozenset[Op] = frozenset()  # in a whole loop call: ops before a barrier
        self.deferred_writes: dict[Value, Op] = {}  # result -> write, until the result is read
        self.reads_done: dict[Value, list[Array]] = {}  # array -> elements read in this region

    def region(self, region: Region, args: Sequence[Array]) -> tuple[Array, ...]:
        """Emit the ops of `region`, called with `args`; returns what it yields."""
        self.arrays.update(zip(region.args, args, strict=True))
        # A tracer of a region cannot be used outside of it: reads order the writes of their region
        # only.
        reads_done, self.reads_done = self.reads_done, {}
        done = self._emit_reads_sharing_a_barrier(region)
        for op in region.ops:
            if op not in done:
                self.op(op)
        results = self.read(region.yields)
        self.reads_done = reads_done
        return results

    def _emit_reads_sharing_a_barrier(self, region: Region) -> set[Op]:
        """Emit reads that can share one barrier; returns the ops emitted."""
        if self.rules.data_dependences or self.read_predicates.keys().isdisjoint(region.ops):
            return set()
        before, reads = reads_sharing_a_barrier(region, self.read_predicates)
        if len(reads) < 2:
            return set()
        for op in before:
            self.op(op)
        results = [self._scoped(op, self._call) for op in reads]
        slices = opaque_barrier(self.read_predicates[reads[0]], results)
        self.arrays.update((op.results[0], x) for op, x in zip(reads, slices, strict=True))
        return {*before, *reads}

    def read(self, values: Iterable[Value]) -> tuple[Array, ...]:
        return tuple(self.read_one(x) for x in values)

    def read_one(self, x: Value) -> Array:
        """Constants are emitted where they are read: in a loop they are fused, not carried."""
        if x in self.constants:
            return _constant(self.constants[x])
        if x in self.deferred_writes:
            self.emit_op(self.deferred_writes.pop(x))
        return self.arrays[x]

    def op(self, op: Op) -> None:
        if op.primitive in _EMITTED_AT_USE:
            self.constants[op.results[0]] = op
        elif self.rules.data_dependences and op.primitive in WRITES:
            self.deferred_writes[op.results[0]] = op
        else:
            # Emitted in the region, a write would be a tracer that cannot leave it.
            if self.deferred_writes:  # writes that a region reads are emitted before it
                self.read(x for x in captures(*op.regions) if x in self.deferred_writes)
            self.emit_op(op)

    def emit_op(self, op: Op) -> None:
        results = self._scoped(op, self._lower)
        self.arrays.update(zip(op.results, results, strict=True))

    def _scoped(self, op: Op, emit: Callable[[Op], Any]) -> Any:
        if op.span is None:
            return emit(op)
        with jax.named_scope(_scope(op.span.file, op.span.line)):
            return emit(op)

    def _call(self, op: Op) -> Any:
        return _lowering(op)(*self._operands(op))

    def _operands(self, op: Op) -> Sequence[Array]:
        operands = self.read(op.operands)
        return with_narrow_indices(op, operands) if self.rules.narrow_indices else operands

    def _lower(self, op: Op) -> Sequence[Array]:
        if op.primitive.structured:
            return _STRUCTURED[op.primitive](self, op)
        operands = self._operands(op)
        if self.calls_host and op.primitive is debug_print_p:
            return print_among_host_calls(*operands, **op.params)
        if self.opaque_barriers and op in self.opaque_barriers.writes:
            x, update, *indices = operands
            operands = (x, *opaque_barrier(true_after(update), [update]), *indices)
        if self.opaque_barriers and op in self.opaque_barriers.factors:
            factors = self.opaque_barriers.factors[op]
            values = self.read(factors)
            opaque = dict(zip(factors, opaque_barrier(true_after_all(values), values)))
            operands = [opaque.get(x, y) for x, y in zip(op.operands, operands, strict=True)]
        if self.opaque_barriers and op.primitive is barrier_p:
            return _emit_barrier(operands, **op.params)
        if self.rules.data_dependences and op.primitive in WRITES:
            x, given, *rest = operands
            operands = (x, known_after(self.reads_done.get(op.operands[0], ()), given), *rest)
        if self.rules.data_dependences and op in self.read_predicates:
            return self._ordered_read(op, operands)
        if op in self.hidden_operands:
            operands = hide(self.hidden_operands[op], operands)
        on_cpu = self.in_whole_loop_call or self.opaque_barriers
        form = self._form(op) if on_cpu else None
        lower = partial(form, **op.params) if form else _lowering(op)
        results = lower(*operands)
        results = results if isinstance(results, (tuple, list)) else (results,)
        barriers = self.opaque_barriers
        is_straight_line_read = (
            barriers and op in barriers.straight_line_reads and not self.rules.data_dependences
        )
        sums = barriers.long_sums if barriers else frozenset()
        ends = self.fusion_ends if self.in_whole_loop_call else sums
        if is_straight_line_read or (op in ends and op not in self.read_predicates):
            return opaque_barrier(true_after(results[0]), results)
        if op not in self.read_predicates:
            return results
        return opaque_barrier(self.read_predicates[op], results)

    def _form(self, op: Op) -> Callable[..., Any] | None:
        """How XLA's CPU backend computes the op fastest, where that is not its own lowering."""
        return product_form(op, self.in_whole_loop_call) or reduction_form(op) or sort_form(op)

    def _ordered_read(self, op: Op, operands: Sequence[Array]) -> Sequence[Array]:
        aval = op.results[0].aval
        found = read_in_conditional(self.read_predicates[op], _lowering(op), operands, aval)
        if found.size:
            self.reads_done.setdefault(op.operands[0], []).append(found)
        return (found,)


def _emit_barrier(xs: Sequence[Array], *, held: int) -> Sequence[Array]:
    """XLA's CPU backend drops its own barriers before it orders operations; opaque ones stay."""
    until = [x for x in xs[held:] if x.size]
    return opaque_barrier(true_after_all(until), xs[:held]) if until else xs[:held]


def _constant(op: Op) -> Array:
    """A scalar is a NumPy number, which becomes a literal of the trace."""
    (result,) = op.results
    is_known = op.primitive is not is_platform_p and op.primitive.evaluate is not None
    if result.shape or not is_known:
        return _lowering(op)()
    return op.primitive.evaluate(**op.params)  # type: ignore[misc]


def _lowering(op: Op) -> Callable[..., Any]:
    """What emits the op, given arrays."""
    if op.primitive.lower is None:
        raise InternalError(f"{op.primitive.name} has no lowering")
    return partial(op.primitive.lower, **op.params)


@cache
def _scope(file: SourceFile, line: int) -> str:
    """Named scopes are joined by slashes, so only the file's own name can stand in one."""
    return f"{PurePath(file.name).name}:{line}"


# ----- Structured ops


def _emit_if(emitter: Emitter, op: Op) -> Sequence[Array]:
    then, other = op.regions
    made_by = emitter.constants.get(op.operands[0])
    if made_by is not None and made_by.primitive is is_platform_p:
        # JAX lowers one branch, and the other need not be possible.
        taken = dict.fromkeys(made_by.params["names"], lambda: emitter.region(then, ()))
        return lax.platform_dependent(default=lambda: emitter.region(other, ()), **taken)
    return lax.cond(
        emitter.read_one(op.operands[0]),
        lambda: emitter.region(then, ()),
        lambda: emitter.region(other, ()),
    )


def _emit_call(emitter: Emitter, op: Op) -> Sequence[Array]:
    return emitter.region(op.regions[0], emitter.read(op.operands))


def _emit_loop(emitter: Emitter, op: Op) -> Sequence[Array]:
    barrier_reads = emitter.opaque_barriers.reads[op] if emitter.opaque_barriers else frozenset()
    is_call_allowed = emitter.rules.whole_loop_calls and not emitter.in_whole_loop_call
    if not is_call_allowed or not worth_whole_loop_call(op):
        return _while(emitter, Loop.of(op), barrier_reads, ZERO)
    outer = dict.fromkeys(reads(op))
    inputs = [x for x in outer if x not in emitter.constants]

    def inside(start: Array, *arrays: Array) -> Sequence[Array]:
        emitter.arrays.update(zip(inputs, arrays))
        emitter.in_whole_loop_call, emitter.fusion_ends = True, fusion_ends(op)
        results = _while(emitter, Loop.of(op), barrier_reads, start)
        emitter.in_whole_loop_call, emitter.fusion_ends = False, frozenset()
        return results

    outside = emitter.read(inputs)
    results = whole_loop_call(inside, outside)
    # The trace of `inside` has bound the inputs to tracers of the call.
    emitter.arrays.update(zip(inputs, outside))
    return results


def _while(
    emitter: Emitter, parts: Loop, barrier_reads: frozenset[Op], start: Array
) -> Sequence[Array]:
    """`barrier_reads`: those of the body; `start`: zero, opaque in a whole loop call."""
    count: Array = None if parts.count is None else emitter.read_one(parts.count)
    init = emitter.read(parts.carries)
    # In a whole loop call the index stays: through it the loop depends on the call's arguments.
    if start is ZERO and parts.cond is not None and count is None and not barrier_reads:
        cond_region = parts.cond
        if not any(is_read(r.args[0], r) for r in (cond_region, parts.body)):
            return lax.while_loop(
                lambda carry: emitter.region(cond_region, (ZERO, *carry))[0],
                lambda carry: emitter.region(parts.body, (ZERO, *carry)),
                init,
            )

    def cond(carry: Sequence[Array]) -> Array:
        if parts.cond is None:
            return lax.lt(carry[0], count)
        test = partial(emitter.region, parts.cond, carry)
        return test()[0] if count is None else _both(lax.lt(carry[0], count), parts.cond, test)

    def body(carry: Sequence[Array]) -> tuple[Array, ...]:
        k = carry[0]
        if barrier_reads:
            # Set again in each trace of the body: the predicate is a tracer of that trace.
            emitter.read_predicates.update(dict.fromkeys(barrier_reads, lax.ge(k, ZERO)))
        return (lax.add(k, _ONE), *emitter.region(parts.body, carry))

    _, *results = lax.while_loop(cond, body, (start, *init))
    return results


def _both(counting: Array, cond: Region, test: Callable[[], Sequence[Array]]) -> Array:
    """`k < n and cond`; after the last iteration `cond` must not run if it has loops or effects."""
    if any(op.primitive.structured or has_effect(op) for op in walk(cond)):
        return lax.cond(counting, lambda: test()[0], lambda: np.asarray(False))
    return lax.bitwise_and(counting, test()[0])


def _refuse(emitter: Emitter, op: Op) -> Sequence[Array]:
    raise InternalError(f"{op.primitive.name} reached the XLA backend: an earlier stage lowers it")


_ONE = np.int64(1)
_EMITTED_AT_USE = frozenset({constant_p, empty_p, is_platform_p})

_STRUCTURED: dict[Primitive, Callable[[Emitter, Op], Sequence[Array]]] = {
    if_p: _emit_if,
    loop_p: _emit_loop,
    call_p: _emit_call,
    rev_p: _refuse,
    derivative_p: _refuse,
}
