"""Optimisation of typed IR. A pass is `Function -> Function`: valid in, valid out, nothing mutated.

`optimize` runs the list below in rounds until nothing changes. Each pass stands in its own file,
whose docstring shows what it does, and can be run alone or left out by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from myia.ir.core import Function
from myia.passes.canonicalize.constant_folding import fold
from myia.passes.canonicalize.cse import eliminate_common_subexpressions
from myia.passes.canonicalize.dce import eliminate_dead_code
from myia.passes.canonicalize.inline import inline
from myia.passes.canonicalize.loop_carried_values import merge_carries
from myia.passes.canonicalize.mask_simplification import drop_masks_under_masks
from myia.passes.canonicalize.range_comparisons import decide
from myia.passes.canonicalize.remove_barriers import release
from myia.passes.canonicalize.simplify import simplify
from myia.passes.control_flow.branch_fusion import join_branches
from myia.passes.control_flow.if_conversion import convert_branches
from myia.passes.idioms.consecutive_powers import share_powers
from myia.passes.idioms.matmul import contract
from myia.passes.idioms.matvec import weigh
from myia.passes.idioms.powers_by_roots import powers_by_roots
from myia.passes.loops.invariant_code_motion import hoist
from myia.passes.loops.peeling import ends_apart
from myia.passes.loops.unroll import unroll
from myia.passes.memory.accumulate_ops import accumulate, in_steps
from myia.passes.memory.clear_and_restore import add_back
from myia.passes.memory.copy_elision import fill_in_place
from myia.passes.memory.data_layout import lay_out
from myia.passes.memory.dead_store_elimination import eliminate_dead_stores
from myia.passes.memory.initial_value_forwarding import read_constants
from myia.passes.memory.load_hoisting import read_before
from myia.passes.memory.load_of_select import read_chosen
from myia.passes.memory.load_scheduling import read_first
from myia.passes.memory.scalar_replacement import promote
from myia.passes.memory.selection_by_index import carry_pointers
from myia.passes.memory.slice_composition import read_in_place
from myia.passes.vectorize.adjacent_accesses import neighbours
from myia.passes.vectorize.inner_loop import in_lanes
from myia.passes.vectorize.outer_loop import at_once

Pass = Callable[[Function], Function]

# Before derivatives are taken, which they make cheaper and leave as they are.
EARLY_PASSES: dict[str, Pass] = {
    "pointers": carry_pointers,
    "chosen": read_chosen,
    "promote": promote,
    "accumulate": accumulate,
    "read_before": read_before,
    "carries": merge_carries,
    "dce": eliminate_dead_code,
}

# In this order: what one pass leaves behind, a later one picks up.
PASSES: dict[str, Pass] = {
    "inline": inline,
    "dce": eliminate_dead_code,
    "fold": fold,
    "simplify": simplify,
    "cse": eliminate_common_subexpressions,
    "powers": share_powers,
    "carries": merge_carries,
    "hoist": hoist,
}


def tidy(function: Function) -> Function:
    """`function` in the form that equations leave, for what looks for that form."""
    return optimize(function, passes=_TIDYING)


_TIDYING: dict[str, Pass] = {
    "cse": eliminate_common_subexpressions,
    "simplify": simplify,
    "under_masks": drop_masks_under_masks,
    "dead_stores": eliminate_dead_stores,
    "dce": eliminate_dead_code,
}

# When no derivative will be taken of the program any more.
LATE_PASSES: dict[str, Pass] = {
    "release": release,
    "in_steps": in_steps,
    "roots": powers_by_roots,
    "read_first": read_first,
    "read_constants": read_constants,
    **PASSES,
    "under_masks": drop_masks_under_masks,
    "dead_stores": eliminate_dead_stores,
    "add_back": add_back,
    "weigh": weigh,
    "fill_in_place": fill_in_place,
    "read_in_place": read_in_place,
    "join_branches": join_branches,
    "if_convert": convert_branches,
    "contract": contract,
    "at_once": at_once,
    "unroll": unroll,
    "promote": promote,
    "ends_apart": ends_apart,
    "decide": decide,
    "tidy": tidy,
    "in_lanes": in_lanes,
    "neighbours": neighbours,
    "layout": lay_out,
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
