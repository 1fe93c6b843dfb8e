"""The lists of passes, one for each phase of compilation, and the rounds in which they run.

A pass is `Function -> Function`: valid IR in, valid IR out, and nothing is mutated. It stands in a
file of its own, whose docstring shows what it does before -> after. Its key here is the name of the
file: by that key it can be left out (`Options.disable`).

    EARLY_PASSES   before derivatives: what makes the adjoint cheaper
    PASSES         after derivatives, while every value can still be recomputed
    LATE_PASSES    once storage is chosen and no derivative will be taken: all else

`optimize` runs a list in rounds until nothing changes: what one pass leaves behind, a later one
picks up, or the same one in the next round.
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

# Before derivatives: none of these changes a derivative, but the adjoint inherits the cheaper form.
# A value that they remove is neither recorded nor reversed.
EARLY_PASSES: dict[str, Pass] = {
    # A loop that selects arrays carries an index: else each iteration copies and records an array.
    "selection_by_index": select_by_index,
    # Loads of a selected array become selected loads; the selections before are such arrays, too.
    "load_of_select": distribute_loads_over_selects,
    # An array element that is updated in every iteration becomes a number, and so its cotangent.
    "scalar_replacement": replace_scalars,
    # Other additions into slices become one op, whose cotangent passes through it unchanged.
    "form_accumulate": form_accumulate,
    # A slice that a loop leaves unchanged is loaded once, and so recorded once.
    "load_hoisting": hoist_loads,
    # Arrays that loops need not carry any more, after the passes above.
    "loop_carried_values": simplify_loop_carried_values,
    # The dead ops and carried values that all of these leave behind.
    "dce": eliminate_dead_code,
}

# After derivatives, before storage: every value can still be recomputed, so these may remove, merge
# and move values freely. What they remove from the adjoint need not be stored. All are classical.
PASSES: dict[str, Pass] = {
    # The calls that `custom` and `remat` ops became: first, since no other pass looks into a call.
    "inline": inline,
    # Derivatives that nothing reads: early, so that the other passes do not work on them.
    "dce": eliminate_dead_code,
    # Before `simplify`, whose equations match constants.
    "constant_folding": fold_constants,
    # Equations, which also give equal expressions the same form, for `cse`.
    "simplify": simplify,
    # The adjoint recomputes much of the primal.
    "cse": eliminate_common_subexpressions,
    # The derivative of a power is a quotient of it: after `cse`, so that both have the same base.
    "consecutive_powers": reuse_consecutive_powers,
    # As `cse`, for carried values: the primal and the adjoint often carry the same counters.
    "loop_carried_values": simplify_loop_carried_values,
    # Last: of the ops that are left, those that are loop-invariant.
    "invariant_code_motion": move_invariant_code,
}


def canonicalize(function: Function) -> Function:
    """`function` after the passes of `_CANONICALIZATION`, repeated until nothing changes.

    Later passes match the canonical forms that the equations leave.
    """
    return optimize(function, passes=_CANONICALIZATION)


_CANONICALIZATION: dict[str, Pass] = {
    "cse": eliminate_common_subexpressions,
    "simplify": simplify,
    "mask_simplification": simplify_masks,
    "dead_store_elimination": eliminate_dead_stores,
    "dce": eliminate_dead_code,
}

# Once storage is chosen: only ordinary loops are left, and no derivative will be taken any more. So
# passes may do what a derivative or a choice of storage would suffer from.
LATE_PASSES: dict[str, Pass] = {
    # Barriers served the choice of storage; all later passes see through where they were.
    "remove_barriers": remove_barriers,
    # Back to a load, an addition and a store: the forms that later passes match.
    "expand_accumulate": expand_accumulate,
    # A square root is cheaper than a power, but a power has the simpler derivative.
    "powers_by_roots": powers_by_roots,
    # Adjoint loops alternate loads and stores: loads go first, before anything else looks at them.
    "load_scheduling": schedule_loads,
    # Loads of arrays of zeros become constants, for `constant_folding` and `simplify`.
    "initial_value_forwarding": forward_initial_values,
    # The loops that storage made have constants, common subexpressions and invariants of their own.
    **PASSES,
    # Masks that kept derivatives away from masked elements.
    "mask_simplification": simplify_masks,
    # Stores of cleared cotangents and restored elements that nothing reads.
    "dead_store_elimination": eliminate_dead_stores,
    # Cotangents that are cleared and added back: stores that are read, so not dead.
    "clear_and_restore": remove_clear_and_restore,
    # The pullback of an outer product: sums along the axes of a matrix that need not be stored.
    "matvec": recognize_matvec,
    # Tapes of inner loops are written into the tape of the outer loop, not copied there.
    "copy_elision": elide_copies,
    # The same for loads: elements of a row are loaded from the array, without a copy of the row.
    "slice_composition": compose_slices,
    # Before `if_conversion`: what the forward sweep, the replay and the pullback of a branch share.
    "branch_fusion": fuse_branches,
    # Small branches become selections: the loops below must have straight-line bodies.
    "if_conversion": convert_branches,
    # Before the vectorizers, which would take the same nests apart.
    "matmul": recognize_matmul,
    # Outer loops before inner ones: one wide iteration instead of many narrow ones.
    "outer_loop": vectorize_outer_loops,
    # Short inner loops become straight-line code: the loop around them is then an inner loop.
    "unroll": unroll_loops,
    # Again: elements that all unrolled iterations update.
    "scalar_replacement": replace_scalars,
    # The first and last iterations, where a comparison of the index has another result.
    "peeling": peel_loops,
    # These comparisons, decided in the loop that is left.
    "range_comparisons": fold_range_comparisons,
    # What unrolling and peeling leave behind, up to a fixed point: `inner_loop` needs it clean.
    "canonicalize": canonicalize,
    # Innermost loops over elements, strip-mined by the vector width.
    "inner_loop": vectorize_inner_loops,
    # Accesses to adjacent elements in the loops that could not be vectorized.
    "adjacent_accesses": coalesce_adjacent_accesses,
    # Last: the axes of an array are ordered by the accesses that are left, as of `outer_loop`.
    "data_layout": choose_data_layout,
}

MAX_ROUNDS = 4


def optimize(
    function: Function, disable: Iterable[str] = (), passes: dict[str, Pass] = PASSES
) -> Function:
    """`function` after all `passes` but those named in `disable`, in at most `MAX_ROUNDS` rounds.

    If the rounds end before nothing changes, dead code is removed once more, so that none is left.
    """
    enabled = [run for name, run in passes.items() if name not in disable]
    for _ in range(MAX_ROUNDS):
        before = function
        for run in enabled:
            function = run(function)
        if function is before:
            return function
    return function if "dce" in disable else eliminate_dead_code(function)
