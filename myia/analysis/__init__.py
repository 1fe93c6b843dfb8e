"""Analyses of loops and arrays: they answer questions of the stages and change nothing.

What comes in: a region of typed IR, or one loop. What goes out: facts about it, each proven (but
those of `cost_model.py`, which are estimates). An analysis that finds no proof says no (False or
None), and whoever asks leaves the program alone.

Read in this order:
- `linear_indices.py`: linear forms and bounds of indices
- `range_arithmetic.py`, `integer_ranges.py`: ranges of integers, comparisons that they decide
- `array_versions.py`: the versions of an array that stores make of it
- `array_classes.py`: values that may be one array
- `reductions.py`: values and array elements that the iterations of a loop only add to
- `loop_summary.py`: accesses, arrays, reductions and dependences of independent iterations
- `cost_model.py`: what computing and recording a value cost
- `nest_effects.py`: what a nest of loops adds to the values that it carries
"""
