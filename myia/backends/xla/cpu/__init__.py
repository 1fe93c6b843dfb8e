"""Rules that only work around XLA's CPU backend; other platforms get none of them.

In: typed IR. Out: which ops `emit.py` puts behind opaque barriers, which loops it emits as one
function, in which order it emits reads and writes, and compiler options. Read `buffer_aliasing.py`,
`in_place_slices.py` and `opaque_values.py` (the terms), `opaque_barriers.py`, `whole_loop_cost.py`
and `whole_loop_call.py`, `data_dependences.py` (under a user's `jax.jit`), then
`emission_options.py` (which rules a program gets, and why not all).
"""
