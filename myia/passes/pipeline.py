"""Optimisation of typed IR. A pass is `Function -> Function`: valid in, valid out, nothing mutated.

`optimize` runs the list below in rounds until nothing changes. Each pass stands in its own file,
whose docstring shows what it does, and can be run alone or left out by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from myia.ir.core import Function
from myia.passes.canonicalize.constant_folding import fold_constants
from myia.passes.canonicalize.cse import eliminate_common_subexpressions
from myia.passes.canonicalize.dce import eliminate_dead_code
from myia.passes.canonicalize.inline import inline
from myia.passes.canonicalize.loop_carried_values import simplify_loop_carried_values
from myia.passes.canonicalize.mask_simplification import simplify_masks
from myia.passes.canonicalize.range_comparisons import fold_range_comparisons
from myia.passes.canonicalize.remove_barriers import remove_barriers
from myia.passes.canonicalize.simplify import simplify
from myia.passes.control_flow.branch_fusion import fuse_branches
from myia.passes.control_flow.if_conversion import convert_branches
from myia.passes.idioms.consecutive_powers import reuse_consecutive_powers
from myia.passes.idioms.matmul import recognize_matmul
from myia.passes.idioms.matvec import recognize_matvec
from myia.passes.idioms.powers_by_roots import powers_by_roots
from myia.passes.loops.invariant_code_motion import move_invariant_code
from myia.passes.loops.peeling import peel_loops
from myia.passes.loops.unroll import unroll_loops
from myia.passes.memory.accumulate_ops import expand_accumulate, form_accumulate
from myia.passes.memory.clear_and_restore import remove_clear_and_restore
from myia.passes.memory.copy_elision import elide_copies
from myia.passes.memory.data_layout import choose_data_layout
from myia.passes.memory.dead_store_elimination import eliminate_dead_stores
from myia.passes.memory.initial_value_forwarding import forward_initial_values
from myia.passes.memory.load_hoisting import hoist_loads
from myia.passes.memory.load_of_select import distribute_loads_over_selects
from myia.passes.memory.load_scheduling import schedule_loads
from myia.passes.memory.scalar_replacement import replace_scalars
from myia.passes.memory.selection_by_index import select_by_index
from myia.passes.memory.slice_composition import compose_slices
from myia.passes.vectorize.adjacent_accesses import coalesce_adjacent_accesses
from myia.passes.vectorize.inner_loop import vectorize_inner_loops
from myia.passes.vectorize.outer_loop import vectorize_outer_loops

Pass = Callable[[Function], Function]

# Before derivatives are taken, which they make cheaper and leave as they are.
EARLY_PASSES: dict[str, Pass] = {
    "selection_by_index": select_by_index,
    "load_of_select": distribute_loads_over_selects,
    "scalar_replacement": replace_scalars,
    "form_accumulate": form_accumulate,
    "load_hoisting": hoist_loads,
    "loop_carried_values": simplify_loop_carried_values,
    "dce": eliminate_dead_code,
}

# In this order: what one pass leaves behind, a later one picks up.
PASSES: dict[str, Pass] = {
    "inline": inline,
    "dce": eliminate_dead_code,
    "constant_folding": fold_constants,
    "simplify": simplify,
    "cse": eliminate_common_subexpressions,
    "consecutive_powers": reuse_consecutive_powers,
    "loop_carried_values": simplify_loop_carried_values,
    "invariant_code_motion": move_invariant_code,
}


def canonicalize(function: Function) -> Function:
    """`function` in the form that equations leave, for what looks for that form."""
    return optimize(function, passes=_CANONICALIZATION)


_CANONICALIZATION: dict[str, Pass] = {
    "cse": eliminate_common_subexpressions,
    "simplify": simplify,
    "mask_simplification": simplify_masks,
    "dead_store_elimination": eliminate_dead_stores,
    "dce": eliminate_dead_code,
}

# When no derivative will be taken of the program any more.
LATE_PASSES: dict[str, Pass] = {
    "remove_barriers": remove_barriers,
    "expand_accumulate": expand_accumulate,
    "powers_by_roots": powers_by_roots,
    "load_scheduling": schedule_loads,
    "initial_value_forwarding": forward_initial_values,
    **PASSES,
    "mask_simplification": simplify_masks,
    "dead_store_elimination": eliminate_dead_stores,
    "clear_and_restore": remove_clear_and_restore,
    "matvec": recognize_matvec,
    "copy_elision": elide_copies,
    "slice_composition": compose_slices,
    "branch_fusion": fuse_branches,
    "if_conversion": convert_branches,
    "matmul": recognize_matmul,
    "outer_loop": vectorize_outer_loops,
    "unroll": unroll_loops,
    "scalar_replacement": replace_scalars,
    "peeling": peel_loops,
    "range_comparisons": fold_range_comparisons,
    "canonicalize": canonicalize,
    "inner_loop": vectorize_inner_loops,
    "adjacent_accesses": coalesce_adjacent_accesses,
    "data_layout": choose_data_layout,
}

MAX_ROUNDS = 4


def optimize(
    function: Function, disable: Iterable[str] = (), passes: dict[str, Pass] = PASSES
) -> Function:
    """`function` after all `passes` but those named in `disable`, at most `MAX_ROUNDS` times.

    Dead code is removed last of all, so that the result has none.
    """
    chosen = [run for name, run in passes.items() if name not in disable]
    for _ in range(MAX_ROUNDS):
        before = function
        for run in chosen:
            function = run(function)
        if function is before:
            return function
    return function if "dce" in disable else eliminate_dead_code(function)
