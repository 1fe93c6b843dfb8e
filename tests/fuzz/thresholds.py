"""Lower thresholds: passes that need long loops or large arrays also change small programs."""

from __future__ import annotations

import importlib

LOW_THRESHOLDS = {  # the constants of each module, with their lower values
    "backends.xla.cpu.whole_loop_cost": {"_MAX_FUSION_WORK": 40},
    "backends.xla.cpu.extrema": {"_MIN_ELEMENTS": 1},
    "backends.xla.cpu.product_forms": {
        "_MIN_ROWS": 2,
        "_MIN_SIDE": 1,
        "_MIN_SHARED_ELEMENTS": 1,
        "_BLOCK_ROWS": 2,
    },
    "backends.xla.cpu.reduction_forms": {
        "_MIN_ELEMENTS": 2,
        "_MIN_ROW_BYTES": 8,
        "_MAX_COMPILED_ROWS": 1,
    },
    "backends.xla.cpu.sort_forms": {"_MIN_ELEMENTS": 1, "_MIN_DOUBLES": 3},
    "passes.vectorize.outer_loop": {"MIN_WIDTH": 1, "MAX_STRIDED_ITERATIONS": 3},
    "passes.idioms.matmul": {"MIN_ITERATIONS": 1, "MIN_ITERATIONS_INSIDE_LOOPS": 1},
    "passes.idioms.outer_contraction": {
        "MIN_ITERATIONS": 2,
        "MIN_MULTIPLY_ADDS": 0,
        "MIN_WORK_BY_NUMBER": 0,
        "MAX_STRIP_ELEMENTS": 24,
    },
    "passes.loops.rerolling": {"MIN_ITERATIONS": 2, "MIN_SECONDS": 0.0, "MAX_FREE_BYTES": 1 << 30},
    "passes.loops.peeling": {"MIN_TRIP_COUNT": 2, "VECTOR_WIDTH": 2},
    "passes.vectorize.inner_loop": {"MIN_TRIP_COUNT": 2, "VECTOR_WIDTH": 2},
    "passes.vectorize.adjacent_accesses": {"MIN_COALESCED_ACCESSES": 2},
    "passes.memory.load_scheduling": {"MAX_SLICE_ELEMENTS": 1},
    "passes.run_time_sizes.valid_elements": {"MIN_BOUND": 2},
    "passes.run_time_sizes.stores": {"MIN_BOUND": 2},
    "passes.memory.halos": {"MIN_ELEMENTS": 1, "MAX_GROWTH": 9, "MIN_TRIP_COUNT": 1},
    "passes.run_time_sizes.masked_products": {"MIN_ELEMENTS": 1, "MIN_SUMMED_ELEMENTS": 1},
    "passes.vectorize.product_fission": {"MIN_ELEMENTS_READ": 1, "MIN_ELEMENTS_WRITTEN": 1},
    "passes.memory.stack_hoisting": {"MIN_ITEMS": 2},
    "passes.memory.store_into_copy": {
        "MIN_STORED_ELEMENTS": 1,
        "MIN_STORED_SHARE": 0.1,
        "MAX_OPS_OF_TERM": 40,
    },
    "passes.idioms.matvec": {"MIN_MATRIX_ELEMENTS": 1},
    "passes.idioms.short_sums": {"MIN_ELEMENTS": 1, "MIN_GROWTH": 1, "MIN_VECTOR_LENGTH": 1},
    "passes.loops.unroll_over_arrays": {"MIN_ELEMENTS": 2, "MIN_ELEMENTS_OF_FUNCTIONS": 2},
    "passes.idioms.row_sums": {"MIN_ELEMENTS": 2, "MIN_ROWS": 2, "MIN_LENGTH": 2, "MIN_GROWTH": 2},
    "passes.idioms.sparse_cotangents": {"MIN_ELEMENTS": 1, "MIN_LENGTH": 1},
    "passes.idioms.index_form.row_blocks": {"BLOCK_ELEMENTS": 4},
}


def lower_thresholds() -> None:
    """Lower the thresholds in this process."""
    for module, values in LOW_THRESHOLDS.items():
        found = importlib.import_module(f"myia.{module}")
        for name, value in values.items():
            assert hasattr(found, name)
            setattr(found, name, value)
