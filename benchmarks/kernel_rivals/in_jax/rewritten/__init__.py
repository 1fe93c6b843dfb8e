"""The kernels, loop by loop, as whoever rewrites them for JAX gets them.

Each `for` over places is a `fori_loop`, each store `.at[].set` or `.at[].add`, each run-time slice
a mask, each `if` a `where`. Reverse mode needs static counts: a loop of run-time count makes as
many trips as it may need, and those beyond its end change nothing. Statements about whole arrays
stay what they are, and so do Python's loops over what is no place (the layers of a network, the
corners of a window of two by two). Arrays that are only read are not carried: at the sizes of the
table, the gradients take less than a second and, beside their operands, less than 5 MB.
"""
