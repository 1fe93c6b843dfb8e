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
from myia.passes.canonicalize.constant_folding import constant_folding
from myia.passes.canonicalize.cse import cse
from myia.passes.canonicalize.dce import dce
from myia.passes.canonicalize.inline import inline
from myia.passes.canonicalize.loop_carried_values import loop_carried_values
from myia.passes.canonicalize.mask_simplification import mask_simplification
from myia.passes.canonicalize.range_comparisons import range_comparisons
from myia.passes.canonicalize.remove_barriers import remove_barriers
from myia.passes.canonicalize.simplify import simplify
from myia.passes.control_flow.branch_fusion import branch_fusion
from myia.passes.control_flow.if_conversion import if_conversion
from myia.passes.idioms.consecutive_powers import consecutive_powers
from myia.passes.idioms.matmul import matmul
from myia.passes.idioms.matvec import matvec
from myia.passes.idioms.powers_by_roots import powers_by_roots
from myia.passes.loops.invariant_code_motion import invariant_code_motion
from myia.passes.loops.peeling import peeling
from myia.passes.loops.unroll import unroll
from myia.passes.memory.accumulate_ops import expand_accumulate, form_accumulate
from myia.passes.memory.clear_and_restore import clear_and_restore
from myia.passes.memory.copy_elision import copy_elision
from myia.passes.memory.data_layout import data_layout
from myia.passes.memory.dead_store_elimination import dead_store_elimination
from myia.passes.memory.initial_value_forwarding import initial_value_forwarding
from myia.passes.memory.load_hoisting import load_hoisting
from myia.passes.memory.load_of_select import load_of_select
from myia.passes.memory.load_scheduling import load_scheduling
from myia.passes.memory.scalar_replacement import scalar_replacement
from myia.passes.memory.selection_by_index import selection_by_index
from myia.passes.memory.slice_composition import slice_composition
from myia.passes.vectorize.adjacent_accesses import adjacent_accesses
from myia.passes.vectorize.inner_loop import inner_loop
from myia.passes.vectorize.outer_loop import outer_loop

Pass = Callable[[Function], Function]

# Before derivatives: none of these changes a derivative, but the adjoint inherits the cheaper form.
# A value that they remove is neither recorded nor reversed.
EARLY_PASSES: dict[str, Pass] = {
    # A loop that selects arrays carries an index: else each iteration copies and records an array.
    "selection_by_index": selection_by_index,
    # Loads of a selected array become selected loads; the selections before are such arrays, too.
    "load_of_select": load_of_select,
    # An array element that is updated in every iteration becomes a number, and so its cotangent.
    "scalar_replacement": scalar_replacement,
    # Other additions into slices become one op, whose cotangent passes through it unchanged.
    "form_accumulate": form_accumulate,
    # A slice that a loop leaves unchanged is loaded once, and so recorded once.
    "load_hoisting": load_hoisting,
    # Arrays that loops need not carry any more, after the passes above.
    "loop_carried_values": loop_carried_values,
    # The dead ops and carried values that all of these leave behind.
    "dce": dce,
}

# After derivatives, before storage: every value can still be recomputed, so these may remove, merge
# and move values freely. What they remove from the adjoint need not be stored. All are classical.
PASSES: dict[str, Pass] = {
    # The calls that `custom` and `remat` ops became: first, since no other pass looks into a call.
    "inline": inline,
    # Derivatives that nothing reads: early, so that the other passes do not work on them.
    "dce": dce,
    # Before `simplify`, whose equations match constants.
    "constant_folding": constant_folding,
    # Equations, which also give equal expressions the same form, for `cse`.
    "simplify": simplify,
    # The adjoint recomputes much of the primal.
    "cse": cse,
    # The derivative of a power is a quotient of it: after `cse`, so that both have the same base.
    "consecutive_powers": consecutive_powers,
    # As `cse`, for carried values: the primal and the adjoint often carry the same counters.
    "loop_carried_values": loop_carried_values,
    # Last: of the ops that are left, those that are loop-invariant.
    "invariant_code_motion": invariant_code_motion,
}


def canonicalize(function: Function) -> Function:
    """`function` after the passes of `_CANONICALIZATION`, repeated until nothing changes.

    Later passes match the canonical forms that the equations leave.
    """
    return optimize(function, passes=_CANONICALIZATION)


_CANONICALIZATION: dict[str, Pass] = {
    "cse": cse,
    "simplify": simplify,
    "mask_simplification": mask_simplification,
    "dead_store_elimination": dead_store_elimination,
    "dce": dce,
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
    "load_scheduling": load_scheduling,
    # Loads of arrays of zeros become constants, for `constant_folding` and `simplify`.
    "initial_value_forwarding": initial_value_forwarding,
    # The loops that storage made have constants, common subexpressions and invariants of their own.
    **PASSES,
    # Masks that kept derivatives away from masked elements.
    "mask_simplification": mask_simplification,
    # Stores of cleared cotangents and restored elements that nothing reads.
    "dead_store_elimination": dead_store_elimination,
    # Cotangents that are cleared and added back: stores that are read, so not dead.
    "clear_and_restore": clear_and_restore,
    # The pullback of an outer product: sums along the axes of a matrix that need not be stored.
    "matvec": matvec,
    # Tapes of inner loops are written into the tape of the outer loop, not copied there.
    "copy_elision": copy_elision,
    # The same for loads: elements of a row are loaded from the array, without a copy of the row.
    "slice_composition": slice_composition,
    # Before `if_conversion`: what the forward sweep, the replay and the pullback of a branch share.
    "branch_fusion": branch_fusion,
    # Small branches become selections: the loops below must have straight-line bodies.
    "if_conversion": if_conversion,
    # Before the vectorizers, which would take the same nests apart.
    "matmul": matmul,
    # Outer loops before inner ones: one wide iteration instead of many narrow ones.
    "outer_loop": outer_loop,
    # Short inner loops become straight-line code: the loop around them is then an inner loop.
    "unroll": unroll,
    # Again: elements that all unrolled iterations update.
    "scalar_replacement": scalar_replacement,
    # The first and last iterations, where a comparison of the index has another result.
    "peeling": peeling,
    # These comparisons, decided in the loop that is left.
    "range_comparisons": range_comparisons,
    # What unrolling and peeling leave behind, up to a fixed point: `inner_loop` needs it clean.
    "canonicalize": canonicalize,
    # Innermost loops over elements, strip-mined by the vector width.
    "inner_loop": inner_loop,
    # Accesses to adjacent elements in the loops that could not be vectorized.
    "adjacent_accesses": adjacent_accesses,
    # Last: the axes of an array are ordered by the accesses that are left, as of `outer_loop`.
    "data_layout": data_layout,
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
    return function if "dce" in disable else dce(function)
