"""The passes, by stage and phase: what each is for, and in which order they run.

A pass is `Function -> Function`: valid IR in, valid IR out, and nothing is mutated. It stands in a
file of its own, whose docstring shows what it does before -> after. The name of the function is
that of the file; by that name a pass can be left out (`Options.disable`), and its result be shown
(`F.ir(*args)["load_hoisting"]`).

`PHASES` is the whole of it; docs/architecture.md prints it as a table. A stage runs the phases that
are marked `once`, then the others in rounds, at most `MAX_ROUNDS`, until nothing changes: what one
pass leaves behind, a later one picks up, or the same one in the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from myia.ir.core import Function
from myia.passes.canonicalize.constant_folding import constant_folding
from myia.passes.canonicalize.cse import cse
from myia.passes.canonicalize.dce import dce
from myia.passes.canonicalize.inline import inline
from myia.passes.canonicalize.loop_carried_values import loop_carried_values
from myia.passes.canonicalize.lowering import lowering
from myia.passes.canonicalize.mask_simplification import mask_simplification
from myia.passes.canonicalize.needless_checks import needless_checks
from myia.passes.canonicalize.range_comparisons import range_comparisons
from myia.passes.canonicalize.shared_sorts import shared_sorts
from myia.passes.canonicalize.simplify import simplify
from myia.passes.control_flow.branch_fusion import branch_fusion
from myia.passes.control_flow.if_conversion import if_conversion
from myia.passes.control_flow.predication import predication
from myia.passes.control_flow.speculation import speculation
from myia.passes.idioms.consecutive_powers import consecutive_powers
from myia.passes.idioms.matmul import matmul
from myia.passes.idioms.matvec import matvec
from myia.passes.idioms.outer_contraction import outer_contraction
from myia.passes.idioms.row_sums import row_sums
from myia.passes.idioms.shift_invariance import shift_invariance
from myia.passes.idioms.short_sums import short_sums
from myia.passes.idioms.sparse_cotangents import sparse_cotangents
from myia.passes.loops.early_exits import early_exits
from myia.passes.loops.invariant_code_motion import invariant_code_motion
from myia.passes.loops.peeling import peeling
from myia.passes.loops.recurrences import recurrences
from myia.passes.loops.repeated_checks import repeated_checks
from myia.passes.loops.rerolling import rerolling
from myia.passes.loops.unroll import unroll
from myia.passes.loops.unroll_over_arrays import unroll_over_arrays
from myia.passes.memory.array_privatization import array_privatization
from myia.passes.memory.copy_elision import copy_elision
from myia.passes.memory.data_layout import data_layout
from myia.passes.memory.dead_store_elimination import dead_store_elimination
from myia.passes.memory.form_accumulate import form_accumulate
from myia.passes.memory.halos import halos
from myia.passes.memory.initial_value_forwarding import initial_value_forwarding
from myia.passes.memory.load_hoisting import load_hoisting
from myia.passes.memory.load_of_select import load_of_select
from myia.passes.memory.load_scheduling import load_scheduling
from myia.passes.memory.scalar_replacement import scalar_replacement
from myia.passes.memory.selection_by_index import selection_by_index
from myia.passes.memory.slice_composition import slice_composition
from myia.passes.memory.stack_hoisting import stack_hoisting
from myia.passes.memory.store_into_copy import store_into_copy
from myia.passes.phase import Pass, Phase
from myia.passes.run_time_sizes.masked_products import masked_products
from myia.passes.run_time_sizes.valid_elements import valid_elements
from myia.passes.vectorize.adjacent_accesses import adjacent_accesses
from myia.passes.vectorize.inner_loop import inner_loop
from myia.passes.vectorize.outer_loop import outer_loop

MAX_ROUNDS = 4


REPETITION = Phase(
    "repetition",
    "Calls of one helper, iterations over lists: a stage that works on one need not on all.",
    (
        Pass(needless_checks, "Checks that cannot fail make equal loops different."),
        Pass(dce, "What nothing reads has not the form of what is read."),
        Pass(rerolling, "Equal loops written one after the other become a loop.", needs=("dce",)),
    ),
    once=True,
)

BEFORE_DIFFERENTIATION = Phase(
    "before differentiation",
    "None changes a derivative; what they remove the adjoint neither records nor reverses.",
    (
        Pass(
            valid_elements,
            "Reductions and stores of run-time size handle the elements that are there.",
            before=("dce",),
            on=("cpu",),
        ),
        Pass(
            selection_by_index,
            "A loop that selects arrays carries an index; else each iteration copies an array.",
            before=("load_of_select",),
        ),
        Pass(
            predication,
            "A loop that an exception may leave gets a constant trip count: loops around it can be"
            " vectorized, residuals have a fixed place.",
            before=("dce",),
        ),
        Pass(load_of_select, "Loads of a selected array become selected loads."),
        Pass(
            scalar_replacement,
            "An array element that all iterations update becomes a number, and so its cotangent.",
            before=("form_accumulate",),
        ),
        Pass(
            form_accumulate,
            "Other additions into slices become one op; the cotangent passes through unchanged.",
        ),
        Pass(
            stack_hoisting,
            "A list that a loop indexes is one array, and so are the cotangents of its items.",
            before=("load_hoisting",),
        ),
        Pass(load_hoisting, "A slice that a loop leaves unchanged is recorded once."),
        Pass(
            array_privatization,
            "An array that each iteration fills anew needs no undo log.",
            before=("dce",),
        ),
        Pass(
            unroll_over_arrays,
            "Short loops of elementwise ops on large arrays: nothing is recorded, all is fused.",
        ),
        Pass(shift_invariance, "The maximum that softmax subtracts has cotangent zero."),
        Pass(loop_carried_values, "A value that a loop carries twice would have two cotangents."),
        Pass(
            dce,
            "The ops that these leave behind; arrays that loops need not carry any more.",
            needs=("scalar_replacement", "load_hoisting", "loop_carried_values"),
        ),
    ),
)

INLINING = Phase(
    "inlining",
    "No other pass looks into a call.",
    (Pass(inline, "The calls that `custom` and `remat` ops became."),),
    once=True,
)

CLASSICAL = Phase(
    "classical optimization",
    "The adjoint repeats much of the primal, and the loops that storage makes of each other.",
    (
        Pass(dce, "Derivatives that nothing reads: the other passes need not work on them."),
        Pass(constant_folding, "The equations match constants.", before=("simplify",)),
        Pass(simplify, "Equations also give equal expressions one form.", before=("cse",)),
        Pass(cse, "The adjoint recomputes much of the primal."),
        Pass(
            consecutive_powers,
            "The derivative of a power is a quotient of it, if both have the same base.",
            needs=("cse",),
        ),
        Pass(
            shared_sorts,
            "The derivative of a sort sorts positions by the same keys.",
            needs=("cse",),
        ),
        Pass(loop_carried_values, "As `cse`: primal and adjoint carry the same counters."),
        Pass(invariant_code_motion, "Of the ops that are left, those that are loop-invariant."),
    ),
)

LOWERING = Phase(
    "lowering",
    "What served derivatives and storage gets the form that later passes match.",
    (
        Pass(lowering, "Additions into slices, barriers in loops, powers."),
        Pass(recurrences, "A processor takes one element after the other.", on=("cpu",)),
    ),
    once=True,
)

LOADS = Phase(
    "loads of the adjoint",
    "Adjoint loops alternate loads and stores of cotangents that began with zero.",
    (
        Pass(load_scheduling, "Loads go first, before another pass looks at them."),
        Pass(
            initial_value_forwarding,
            "Loads of arrays of zeros become constants.",
            before=("constant_folding", "simplify"),
        ),
    ),
)

CLEANUP = Phase(
    "clean up the adjoint",
    "Masks, stores, copies and branches that derivatives and storage leave behind.",
    (
        Pass(mask_simplification, "They kept derivatives away from masked elements."),
        Pass(dead_store_elimination, "Cleared cotangents, restored elements: never read."),
        Pass(copy_elision, "Tapes of inner loops are written into the tape of the outer loop."),
        Pass(
            slice_composition,
            "The same for loads: no copy of the row of a tape is made.",
            needs=("copy_elision",),
        ),
        Pass(
            branch_fusion,
            "What the forward sweep, the replay and the pullback of a branch share.",
            before=("if_conversion",),
        ),
        Pass(
            if_conversion,
            "Small branches become selections: vectorized bodies are straight-line code.",
            before=("outer_loop", "inner_loop"),
        ),
    ),
)

RECOGNITION = Phase(
    "recognize",
    "Products of matrices, before vectorization takes the same nests apart.",
    (
        Pass(
            sparse_cotangents,
            "Masks of extrema: one element of a row counts.",
            before=("matvec",),
            on=("cpu",),
        ),
        Pass(
            masked_products,
            "Products with run-time slices that kept their bound: no masked copies.",
            before=("outer_loop",),
            on=("cpu",),
        ),
        Pass(
            short_sums,
            "Distances: no array of the terms of short sums.",
            needs=("sparse_cotangents",),
            on=("cpu",),
        ),
        Pass(matvec, "The pullback of an outer product: sums of a matrix that need not exist."),
        Pass(
            row_sums,
            "Gradients of what all pairs give: no array of the terms, and no strides.",
            needs=("short_sums", "matvec"),
            on=("cpu",),
        ),
        Pass(matmul, "Nests that accumulate products.", before=("outer_loop",)),
        Pass(
            outer_contraction,
            "Sums over an outer loop that a nest of triangles makes are products, too.",
            needs=("slice_composition", "matmul"),
            before=("outer_loop",),
        ),
    ),
)

OUTER_LOOPS = Phase(
    "vectorize outer loops",
    "One wide iteration instead of many narrow ones; what is left is made fit for inner loops.",
    (
        Pass(
            repeated_checks,
            "A number of a failed check is a loop-carried dependence.",
            before=("outer_loop",),
        ),
        Pass(
            speculation,
            "Of an earlier round: wide iterations without the masks of exceptions, which are rare.",
            before=("outer_loop",),
            on=("cpu",),
        ),
        Pass(outer_loop, "Loops of independent iterations.", before=("inner_loop",)),
        Pass(
            unroll,
            "Without short inner loops the loop around them is an inner loop.",
            before=("inner_loop",),
        ),
        Pass(
            scalar_replacement,
            "Again: elements that all unrolled iterations update.",
            needs=("unroll",),
        ),
        Pass(
            peeling,
            "The first and last iterations, where a comparison of the index has another result.",
            before=("range_comparisons", "inner_loop"),
        ),
        Pass(range_comparisons, "These comparisons, decided in the loop that is left."),
    ),
)

CANONICAL_FORM = Phase(
    "canonical form",
    "What unrolling and peeling leave behind: inner loops are matched in canonical form.",
    (
        Pass(cse, "Loads that unrolled iterations share."),
        Pass(simplify, "Loads of what was just stored; branches that are decided."),
        Pass(mask_simplification, "Masks that are decided."),
        Pass(dead_store_elimination, "Arrays that are not loaded any more."),
        Pass(dce, "What these leave behind.", before=("inner_loop",)),
    ),
    stable=True,
)

INNER_LOOPS = Phase(
    "vectorize inner loops",
    "Loops over elements.",
    (
        Pass(inner_loop, "Innermost loops, strip-mined by the vector width.", on=("cpu",)),
        Pass(
            adjacent_accesses,
            "Accesses to adjacent elements in loops that could not be vectorized.",
            needs=("inner_loop",),
        ),
        Pass(early_exits, "Cheap scalar loops that may stop early.", on=("cpu",)),
    ),
)

LAYOUT = Phase(
    "lay out",
    "Arrays, once it is known how they are accessed.",
    (
        Pass(
            data_layout,
            "Their axes in the order of the accesses, so that slices are contiguous.",
            needs=("outer_loop",),
        ),
        Pass(
            store_into_copy,
            "A store into an array that is read again would copy it first.",
            needs=("data_layout",),
        ),
        Pass(halos, "Rolled arrays are slices of a copy with wrapped edges.", on=("cpu",)),
    ),
)

PHASES: dict[str, tuple[Phase, ...]] = {
    "prepare": (REPETITION, BEFORE_DIFFERENTIATION),
    "optimize": (INLINING, CLASSICAL),
    "finish": (
        LOWERING,
        LOADS,
        CLASSICAL,
        CLEANUP,
        RECOGNITION,
        OUTER_LOOPS,
        CANONICAL_FORM,
        INNER_LOOPS,
        LAYOUT,
    ),
}


def left_out(platform: str) -> frozenset[str]:
    """The passes that do not pay on a platform."""
    passes = (each for phases in PHASES.values() for phase in phases for each in phase.passes)
    return frozenset(each.name for each in passes if each.on and platform not in each.on)


LAST = Pass(dce, "What the last round leaves behind.")

Apply = Callable[[Pass, Function], Function]


def apply_pass(each: Pass, function: Function) -> Function:
    return each.function(function)


def optimize(
    function: Function,
    stage: str = "optimize",
    disable: Collection[str] = (),
    apply: Apply = apply_pass,
) -> Function:
    """`function` after the passes of a stage but those named in `disable`; `apply` runs each.

    A pass that has left a function as it was does not run on it again.
    """
    left_alone: dict[str, Function] = {}  # by pass: the last function that it did not change

    def sweep(function: Function, phases: Iterable[Phase]) -> Function:
        for phase in phases:
            if phase.stable:
                function = until_stable(function, [replace(phase, stable=False)])
                continue
            for each in phase.passes:
                if each.name in disable or left_alone.get(each.name) is function:
                    continue
                before, function = function, apply(each, function)
                if function is before:
                    left_alone[each.name] = function
        return function

    def until_stable(function: Function, phases: list[Phase]) -> Function:
        """Dead code is removed once more if the rounds end before nothing changes."""
        for _ in range(MAX_ROUNDS):
            before = function
            function = sweep(function, phases)
            if function is before:
                return function
        return function if "dce" in disable else apply(LAST, function)

    function = sweep(function, [phase for phase in PHASES[stage] if phase.once])
    return until_stable(function, [phase for phase in PHASES[stage] if not phase.once])
