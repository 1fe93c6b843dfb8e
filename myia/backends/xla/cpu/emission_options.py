"""Which of the rules for XLA's CPU backend a program is emitted and compiled with.

    loops that read arrays which they write?    no: fences (none), whole loops, default options
                                               yes: fences, whole loops, region analysis
    ... and an `if` on arrays outside loops?    yes: fences, region analysis
    ... if they only rewrite windows, or straight code is what reads and writes?
                                                yes: fences, whole loops, default options
    called by a function that JAX compiles?     yes: fences, reads and writes ordered by data

Region analysis is exact on programs without calls, and on programs without conditionals. Given
both, it loses the copy of an array that comes from a call and is written in a branch (a test shows
it), and a whole loop is a call. Hence it is asked for only where an O(n) copy in every trip is the
price of doing without, and whole loops are given up where it could go wrong. Windows that are read
only to be rewritten cost such a copy where others read the array too, and not more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from myia.backends.xla.cpu.in_place_slices import in_place_reads
from myia.backends.xla.cpu.opaque_barriers import reads_behind_barriers, straight_line_reads
from myia.backends.xla.cpu.whole_loop_cost import worth_whole_loop_call
from myia.ir.core import Function, Op, Region, captures, walk
from myia.primitives.core.structured import Loop, if_p, loop_p


@dataclass(frozen=True, slots=True)
class Rules:
    """`Rules()` are those of every other platform. Each is explained in docs/emission.md."""

    opaque_barriers: bool = False
    data_dependences: bool = False
    whole_loop_calls: bool = False
    region_analysis: bool = False

    @property
    def compiler_options(self) -> dict[str, bool | str] | None:
        """Region analysis orders ops that share a buffer by control dependencies. XLA's own pass
        that compiles small loops whole drops them, and then numbers are wrong: it must be off.
        """
        if not self.region_analysis:
            return None
        return {
            "xla_cpu_copy_insertion_use_region_analysis": True,
            "xla_disable_hlo_passes": "small-while-loop-hoisting",
        }


# Under somebody else's trace, where there can be no compiler options: XLA's defaults are exact.
UNDER_A_TRACE = Rules(opaque_barriers=True, data_dependences=True, whole_loop_calls=True)


def rules_for_cpu(function: Function) -> Rules:
    bodies = [Loop.of(op).body for op in walk(function.region) if op.primitive is loop_p]
    fenced = any(map(reads_behind_barriers, bodies))
    wanted = any(map(in_place_reads, bodies)) or bool(straight_line_reads(function.region))
    risky = any(_branches_on_arrays(op) for op in _ops_outside_whole_loop_calls(function.region))
    return Rules(
        opaque_barriers=True,
        whole_loop_calls=not (fenced and risky),
        region_analysis=fenced or (wanted and not risky),
    )


def _branches_on_arrays(op: Op) -> bool:
    return op.primitive is if_p and any(x.aval.ndim for x in captures(*op.regions))


def _ops_outside_whole_loop_calls(region: Region) -> Iterator[Op]:
    """The ops outside of loops that would be compiled whole."""
    for op in region.ops:
        yield op
        if not (op.primitive is loop_p and worth_whole_loop_call(op)):
            for inner in op.regions:
                yield from _ops_outside_whole_loop_calls(inner)
