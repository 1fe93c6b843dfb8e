"""Rewriting of typed IR: what the transforms, the passes and the choice of storage share.

What comes in: a function or a region of typed IR. What goes out: another one, valid again, with the
same results; nothing is mutated. The stages may not import each other, so what two of them need
stands here, above `ir` and `primitives`.

Read in this order:
- `walk.py`: the walk of all rewriting passes, and substitution at any depth
- `def_use.py`: which op defines a value, and which ops read it
- `axes.py`: where the axes of an operand are in the result
- `value_classes.py`: union-find
- `liveness.py`: dead code, dead results and dead carried values
- `common_subexpressions.py`: what is available already is not computed again
- `value_numbering.py`: congruent values, through loops and branches
"""
