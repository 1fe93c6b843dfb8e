"""The algebraic equations that `canonicalize/simplify.py` applies, one file for each topic.

In: an op of typed IR whose operands are known by the ops that define them. Out: a cheaper or more
canonical right-hand side, or None. Importing a topic registers its equations in
`define.EQUATIONS`, by the primitive on their left-hand side.

Read `define.py` first: how an equation is written, and the four laws of all equations. Then
`arithmetic.py`, `logic.py` (pointwise), `shaping.py`, `slices.py` (rearrangements, dynamic slices),
`products.py` (`dot_general`), `transposes.py` and `branches.py` (`if` and loops), in any order.
"""
