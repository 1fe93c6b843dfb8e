"""Optimisation of typed IR: typed IR in, typed IR with the same meaning and less work out.

`pipeline.py` lists all passes in the order in which they run, with one reason for each: read it
first. The rooms, in the order of the textbooks:

- `canonicalize/`: folding, equations, common subexpressions, dead code
- `control_flow/`, `loops/`, `memory/`: branches; loop transformations; loads, stores and arrays
- `idioms/`: matrix products and powers, recognized
- `run_time_sizes/`: arrays of run-time size, by the elements that are there
- `vectorize/`: outer loops at once, inner loops by the vector width

Passes share the walks of `myia/rewriting/` and ask about loops in `myia/analysis/`. They know
little of each other: where a pass prepares a later one, it imports that pass's test
(`branch_fusion.py` asks `if_conversion.is_convertible`).
"""
