"""Vectorization: loops with independent iterations run many iterations as one vector.

What comes in: a typed function whose derivatives have been expanded and whose storage has been
chosen. What goes out: the same function with fewer iterations, each of them on vectors or on rows
of several old iterations. Loops whose iterations depend on each other stay as they are.

`myia/widening` emits the iterations; here is which loops are widened, and by how much.

Read in this order:
- `inner_loop.py`: innermost loops over elements, strip-mined by the vector width 8
- `outer_loop.py`: loops over rows and outer loops, all iterations or strips of them; beside
  recurrences `product_fission.py` and `ordered_sums.py` split off what can be widened
- `adjacent_accesses.py`: loads and stores of adjacent elements become one access
"""
