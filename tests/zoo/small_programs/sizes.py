"""Sizes that depend on data, with a bound: masks, slices of run-time length."""

from __future__ import annotations

import numpy as np

from small_programs.registry import program

A = np.array


@program((A([1.0, -2.0, 3.0, 4.0]),), (A([0.5, 0.1, 0.2, -1.0]),), (A([-1.0, -1.0, -1.0, -1.0]),))
def mask_selects(a):
    return np.sum(a[a > 0.15] ** 2)


@program((A([1.0, -2.0, 3.0]),), (A([-0.1, 0.2, -0.3]),))
def mask_added_to(a):
    a[a > 2] *= a[1]
    return a


@program((A([1.0, 2.0, -3.0]),), exact=[((A([1.0, 0.0, -3.0]),), (A([1.0, 0.0, 0.0]),))])
def logarithm_of_a_mask(a):
    return np.log(a[a > 0]).sum()


@program((A([1.0, 2.0, 3.0, 4.0]), 2.5), (A([1.0, 2.0, 3.0, 4.0]), 0.5))
def head_of_run_time_length(a, x):
    return np.sum(a[: int(x)] ** 2) * x


@program((A([1.0, 2.0, 3.0, 4.0]), 2.5), (A([1.0, 2.0, 3.0, 4.0]), 4.5))
def grows_in_a_while(a, x):
    i, s = 1, 0.0
    while i < x:
        s = s + a[:i] @ a[:i]
        i += 1
    return s


@program((A([1.0, 2.0, 3.0, 4.0]), 2.5), (A([1.0, 2.0, 3.0, 4.0]), 0.5))
def head_written(a, x):
    a[: int(x)] = 0.5 * x
    return a
