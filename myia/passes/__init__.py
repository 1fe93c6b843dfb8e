"""Optimisation of typed IR. A pass is `Function -> Function`: valid in, valid out, nothing mutated.

`optimize` runs the list below in rounds until nothing changes. Each pass stands in its own file,
whose docstring shows what it does, and can be run alone or left out by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from myia.ir.core import Function
from myia.passes.accumulate import accumulate, in_steps
from myia.passes.add_back import add_back
from myia.passes.at_once import at_once
from myia.passes.carries import merge_carries
from myia.passes.chosen import read_chosen
from myia.passes.contract import contract
from myia.passes.cse import eliminate_common_subexpressions
from myia.passes.dce import eliminate_dead_code
from myia.passes.dead_stores import eliminate_dead_stores
from myia.passes.decided import decide
from myia.passes.ends import ends_apart
from myia.passes.fill_in_place import fill_in_place
from myia.passes.first_reads import read_constants
from myia.passes.fold import fold
from myia.passes.hoist import hoist
from myia.passes.if_convert import convert_branches
from myia.passes.inline import inline
from myia.passes.join_branches import join_branches
from myia.passes.lanes import in_lanes
from myia.passes.layout import lay_out
from myia.passes.neighbours import neighbours
from myia.passes.pointers import carry_pointers
from myia.passes.powers import share_powers
from myia.passes.promote import promote
from myia.passes.read_before import read_before
from myia.passes.read_first import read_first
from myia.passes.read_in_place import read_in_place
from myia.passes.release import release
from myia.passes.roots import powers_by_roots
from myia.passes.simplify import simplify
from myia.passes.under_masks import drop_masks_under_masks
from myia.passes.unroll import unroll
from myia.passes.weighted_sums import weigh

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
