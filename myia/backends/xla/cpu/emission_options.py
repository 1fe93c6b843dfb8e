"""Emission options: which rules for XLA's CPU backend and compiler options a program gets.

    no loop reads an array that it writes        whole loop calls, default options
    a loop does                                  barriers, whole loop calls, region analysis
    ... and an outer `if` is on arrays           barriers, region analysis
    ... but all such loops are in whole calls    barriers, whole loop calls, data dependences
    a loop only rewrites slices in place, or     barriers, whole loop calls, region analysis;
    straight-line code reads and writes          with an outer `if` on arrays default options
    called by a function that JAX compiles       barriers, whole loop calls, data dependences

Region analysis is exact on programs without calls, and on programs without conditionals. On
programs with both it omits a copy that is needed: that of an array which a call returns and a
branch writes (a test shows it). A whole loop call is a call. Hence region analysis is enabled only
where XLA would otherwise copy an array in every iteration, and whole loop calls are given up where
the two together are unsound. Slices rewritten in place cost such a copy only where the array has
other readers, so for them the whole loop calls are kept.

With region analysis XLA's own pass that emits small loops as one function must be off: it drops the
control dependences by which region analysis orders ops.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from myia.backends.xla.cpu.in_place_slices import in_place_reads, ops_outside
from myia.backends.xla.cpu.opaque_barriers import (
    OpaqueBarriers,
    reads_behind_barriers,
    straight_line_reads,
)
from myia.backends.xla.cpu.reduction_forms import reduction_form
from myia.backends.xla.cpu.sort_forms import sort_form
from myia.backends.xla.cpu.whole_loop_cost import worth_whole_loop_call
from myia.ir.core import Function, Op, captures, walk
from myia.primitives.core.barriers import barrier_p
from myia.primitives.core.structured import Loop, if_p, loop_p


@dataclass(frozen=True, slots=True)
class Rules:
    """`Rules()` are those of every other platform. Each is explained in docs/emission.md.

    `exact`: XLA combines no operations, on every platform (LLVM may: a product and a sum, FMA).
    `narrow_indices`: in a function that JAX compiles, on every platform.
    """

    opaque_barriers: bool = False
    data_dependences: bool = False
    whole_loop_calls: bool = False
    region_analysis: bool = False
    narrow_indices: bool = False
    exact: bool = False

    def __or__(self, other: Rules) -> Rules:
        """The rules of both."""
        return Rules(*(getattr(self, f.name) or getattr(other, f.name) for f in fields(Rules)))

    @property
    def compiler_options(self) -> dict[str, bool | str] | None:
        """Of XLA, where they differ from the defaults."""
        if not self.region_analysis:
            return None
        return {
            "xla_cpu_copy_insertion_use_region_analysis": True,
            "xla_disable_hlo_passes": "small-while-loop-hoisting",
        }


# Inside a function that JAX compiles, where compiler options are not ours.
UNDER_A_TRACE = Rules(opaque_barriers=True, data_dependences=True, whole_loop_calls=True)


def rules_for_cpu(function: Function) -> Rules:
    bodies = [Loop.of(op).body for op in walk(function.region) if op.primitive is loop_p]
    has_barriers = any(map(reads_behind_barriers, bodies))
    # In-place slices and straight-line code: region analysis may save copies, but is not required.
    may_gain = any(map(in_place_reads, bodies)) or bool(straight_line_reads(function.region))
    outside = list(ops_outside(function.region, _is_whole_loop_call))
    is_risky = any(map(_branches_on_arrays, outside))
    if has_barriers and is_risky and not any(map(_is_loop_with_barriers, outside)):
        return UNDER_A_TRACE  # the copies that are left are of the small arrays in these calls
    return Rules(
        opaque_barriers=True,
        whole_loop_calls=not (has_barriers and is_risky),
        region_analysis=has_barriers or (may_gain and not is_risky),
    )


def has_cpu_rules(function: Function) -> bool:
    """Is the program for a CPU another one than for other platforms?"""
    barriers = OpaqueBarriers(function.region)
    some = (barriers.straight_line_reads, barriers.writes, barriers.factors, barriers.long_sums)
    return any(some) or any(
        op.primitive in (loop_p, barrier_p) or reduction_form(op) or sort_form(op)
        for op in walk(function.region)
    )


def _is_whole_loop_call(op: Op) -> bool:
    return op.primitive is loop_p and worth_whole_loop_call(op)


def _is_loop_with_barriers(op: Op) -> bool:
    """Does a loop that is no whole loop call read an array that it writes?"""
    is_loop = op.primitive is loop_p and not worth_whole_loop_call(op)
    return is_loop and bool(reads_behind_barriers(Loop.of(op).body))


def _branches_on_arrays(op: Op) -> bool:
    return op.primitive is if_p and any(x.aval.ndim for x in captures(*op.regions))
