"""Special functions, elementwise: error, gamma, beta, Bessel, exponential integrals and others.

In: the constructors of `pointwise/` and the elementary functions. Out: primitives that lower to
JAX's special functions and are evaluated by SciPy, with derivatives in closed form where there is
one, by series or by quadrature. A partial derivative that has none of these is an error when it is
needed, not a zero.

Read `gamma_bessel.py` first; it has the constructor `real_function`. `hypergeometric.py` sums
series and their derivatives of any order, `parameter_integrals.py` differentiates distribution
functions in their parameters. `exponential_integrals.py` and `normal.py` are more families.
"""
