"""The sampled table, and the primitives with a derivative in JAX that it leaves out.

Primitives are those with a forward rule in JAX's own registry, so that one more in a later JAX
fails a test here until it has a row or a reason.
"""

from __future__ import annotations

import itertools

from tests.lax import (
    rows_control,
    rows_elementwise,
    rows_indexing,
    rows_linalg,
    rows_reductions,
    rows_shaping,
    rows_special,
    rows_windows,
)
from tests.lax.sampled_case import Case

_TABLES = (
    rows_elementwise,
    rows_shaping,
    rows_reductions,
    rows_indexing,
    rows_windows,
    rows_special,
    rows_linalg,
    rows_control,
)

CASES: dict[str, list[Case]] = {}
for _case in itertools.chain.from_iterable(module.TABLE for module in _TABLES):
    CASES.setdefault(_case.primitive, []).append(_case)

_LEFT_OUT = {
    "it communicates between devices": """
        all_gather all_gather_invariant all_gather_reduced all_to_all pbroadcast ppermute preduced
        psum_invariant pvary ragged_all_to_all reduce_scatter reduced_vary_cast_p
        unreduced_psum unreduced_reduce_scatter vary_unreduced_cast_p
    """,
    "it calls Python or foreign code": """
        check debug_callback debug_print ffi_call inspect_sharding io_callback pure_callback
    """,
    "it reads or writes a mutable reference of JAX's": """
        accum_grad_in_ref addupdate box_get box_set empty_ref free_ref freeze get log_extend
        log_read new_box new_log new_ref run_state swap
    """,
    "it is of JAX's inside, where no public function stages it": """
        call_hi_primitive eval_jaxpr from_edtype remat_opt reshard stage tie to_edtype
        with_memory_space_constraint xla_metadata_value
    """,
    "its rule in JAX only raises": "composite",
    "its transpose is a function of the user's": "linear_call",
}
# They came or went after the oldest JAX that is allowed.
_NOT_IN_EVERY_VERSION = """
    box_get box_set log2 log_extend log_read new_box new_log one_minus_square program_order
    with_memory_space_constraint
"""
NOT_IN_EVERY_VERSION = set(_NOT_IN_EVERY_VERSION.split())
LEFT_OUT = {name: reason for reason, names in _LEFT_OUT.items() for name in names.split()}
