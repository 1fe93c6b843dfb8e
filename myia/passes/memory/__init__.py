"""Memory: fewer loads, stores and copies of arrays, and a layout that suits the accesses.

In: typed IR whose arrays are read by `dynamic_slice` and changed by `dynamic_update_slice` and
`dynamic_update_add`. Out: typed IR with the same values. Where a rewrite depends on two slices
being disjoint, `analysis/linear_indices.py` proves it.

Read in this order:
1. Before derivatives are expanded, so that adjoints are cheaper: `scalar_replacement.py` (and once
   more late), `load_hoisting.py`, `stack_hoisting.py`, `array_privatization.py`,
   `form_accumulate.py` (undone by `lowering`), `load_of_select.py`, and `selection_by_index.py` on
   the analysis `array_selection.py`.
2. Loads: `load_scheduling.py`, `initial_value_forwarding.py`, `slice_composition.py`.
3. Stores: `dead_store_elimination.py`, `copy_elision.py`.
4. Last of all: `data_layout.py` (the order of an array's axes), `store_into_copy.py`, `halos.py`.
"""
