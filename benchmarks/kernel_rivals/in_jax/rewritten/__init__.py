"""The kernels rewritten for JAX, loop by loop, as an ordinary user does it.

Each `for` over elements is a `fori_loop`, each store `.at[].set` or `.at[].add`, each dynamically
sized slice a mask, each `if` a `where`. Reverse mode needs static trip counts: a loop with a
run-time count makes as many iterations as it may need, and those beyond its end change nothing.
Statements on whole arrays stay, and so do Python's loops over other things than elements (the
layers of a network, the corners of a window of two by two). Arrays that are only read are not
carried. At the sizes of the table, the gradients take less than a second and, beside their
operands, less than 5 MB.
"""
