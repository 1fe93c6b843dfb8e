"""Elementwise primitives: operands of one shape and dtype, a result of the same shape.

In: the constructors `pointwise` and `PointwisePrimitive` of `core/define.py`. Out: arithmetic,
comparisons, bitwise logic, selection, conversion and the elementary functions.

Read `transcendental.py` first: most blocks are one line with the partial derivative. Then
`arithmetic.py` and `logic.py`, whose rules need care (NaN, ties, zeros, complex numbers), and
`bits.py`. `value_operators.py` gives IR values the operators `+ - * / **`.
"""
