"""The abstract domain: what inference knows of Python objects.

Everything else in `infer` computes with these types. Nothing here interprets a program.

Read `values.py` (immutable abstract values), `views.py` (view steps), `heap.py` (mutable objects,
may-alias edges, invalidation), `swapped_arrays.py` (permuted array names); then `dtypes.py` (NEP
50, conversion). Arrays whose size is known only at run time: `lengths.py` (integers with ranges and
linear forms), `dynamic_axes.py` (valid and masked elements), `dynamic_views.py` (their values and
slices). Last `context.py` (the mutable state of one inference: heap, checks, failing),
`memory_order.py` (strides), and the texts: `describe.py`, `errors.py`, `mismatch.py`.
"""
