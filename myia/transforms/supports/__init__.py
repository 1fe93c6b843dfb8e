"""The support of a derivative: where a tangent or cotangent is not structurally zero.

    %y = select %m, %a, %b      the cotangent of %a is zero where %m is false, whatever the numbers

What a selection leaves out has no derivative, so an infinite partial derivative there must not make
NaN of it: 0 * inf. A pointwise rule multiplies, and then selects by the support:

    %1 = mul %y_ct, %partial
    %x_ct = select %support, %1, 0

A support is an array of booleans like the value, or given by slices, or None: everywhere. A sum may
differ from zero where one of its terms may: its support is the union. A zero that is only a number,
such as that of `np.sqrt(x) ** 2` at 0, is in the support.

Start with `tracked.py`: where supports are tracked. `slices.py` has those given by slices, and the
union; `rules.py` says how an op moves supports. `cotangents.py`, `jvp.py` and `vjp_loops.py` use
them.
"""
