"""Branches: `if`, ternaries, `and`, `or`, comparisons, names defined on some paths."""

from __future__ import annotations

import math

import numpy as np

from tests.zoo.small_programs.registry import program


@program((1.5, 2.0), (-0.7, 2.0))
def if_else(x, y):
    if x > 0:
        z = x * y
    else:
        z = y * y - x
    return z


@program((1.5, 2.0), (-0.7, 2.0))
def if_without_else(x, y):
    z = x * y
    if x > 0:
        z = np.sin(z)
    return z


@program((-2.0, 1.3), (0.5, 1.3), (1.5, 1.3), (5.0, 1.3))
def elif_chain(x, y):
    if x < -1:
        z = x * y
    elif x < 1:
        z = x + y * y
    elif x < 3:
        z = x / y
    else:
        z = y
    return z * x


@program((1.0, 2.0), (1.0, -2.0), (-1.0, 2.0), (-1.0, -2.0))
def nested_branches(x, y):
    if x > 0:
        if y > 0:
            z = x * y
        else:
            z = x - y * x
    else:
        z = y**2
        if y > 0:
            z += x
    return z * z


@program((1.5,), (-0.7,), exact=[((0.0,), (0.0,))])
def log_if_positive(x):
    return math.log(x) if x > 0 else 0.0


@program((1.5,), (-0.7,), exact=[((0.0,), (1.0,))])
def sqrt_in_untaken_branch(x):
    if x > 0:
        y = np.sqrt(x)
    else:
        y = x
    return y


@program((2.0, 0.5), (0.0, 0.5), exact=[((0.0, 0.0), (0.0, 0.0))])
def division_guarded(x, y):
    return x / y if y != 0 else 0.0


@program((0.5,), (1.5,), (-2.5,))
def ternary_of_ternaries(x):
    return x if x < 0 else x * x if x < 1 else x**3


@program((2.0, 3.0), (-1.0, 0.5), exact=[((0.0, 3.0), (1.0, 0.0)), ((-1.0, 0.0), (0.0, 1.0))])
def and_gives_a_value(x, y):
    return (x > 0 and x * y) + (y and x)


@program((2.0, 3.0), exact=[((0.0, 3.0), (0.0, 6.0))])
def or_gives_a_value(x, y):
    z = x or y
    return z * y


@program((2.0, 3.0), (-2.0, 3.0), (2.0, -3.0), (-2.0, -3.0))
def and_or_not(x, y):
    if (x > 0 and y > 0) or not (x > 0 or y > 0):
        return x * y
    return x - y


@program((3.0,), (0.5,), (-1.0,))
def short_circuit_guards(x):
    if x > 0 and math.log(x) > 0.5:
        return math.log(x)
    return 2 * x


@program((2.0, 3.0), (3.0, 2.0), exact=[((0.0, 3.0), (0.0, 1.0))])
def short_circuit_division(x, y):
    if x == 0 or y / x > 1:
        return y
    return y * x


@program((0.5, 1.0, 2.0), (1.5, 1.0, 2.0), (0.5, 3.0, 2.0))
def chained_comparison(a, b, c):
    if 0 < a < b <= c:
        return a * b * c
    return a + b - c


@program((0.3, 1.0), (0.8, 1.0))
def chained_comparison_of_expressions(x, y):
    inside = 0 < np.sin(x) < 0.5 * y
    return x * inside + y


@program((2.0,), (-2.0,), (0.25,))
def early_return(x):
    if x < 0:
        return -x
    y = x * x
    if y < 1:
        return y
    return np.sqrt(y) + x


@program((2.0, 1.0), (-2.0, 1.0), (-2.0, -1.0))
def early_return_nested(x, y):
    if x < 0:
        if y < 0:
            return x * y
        x = x * x
    return x + y


@program((2.0, 1.0), (-2.0, 1.0))
def defined_on_one_path(x, y):
    if x > 0:
        t = x * y
    z = y
    if x > 0:
        z = z + t * t
    return z


@program((2.0,), (-2.0,))
def defined_in_both_used_after(x):
    if x > 0:
        a, b = x, x * x
    else:
        b = 3 * x
        a = x * b
    return a * b


@program((2.0,), (-2.0,))
def int_or_float(x):
    if x > 0:
        k = 1
    else:
        k = x
    return k * x


@program((2.0,), (-2.0,))
def int_or_int(x):
    k = 3 if x > 0 else 2
    return x**k


@program((2.0,), (-2.0,))
def flag_kept_in_a_name(x):
    positive = x > 0
    negative = not positive
    y = x * 3
    if positive:
        y = y * x
    if negative:
        y = y - x
    return y


@program((2.0,), (-2.0,))
def pass_in_a_branch(x):
    y = x * x
    if x > 0:
        pass
    else:
        y = y * x
    return y


@program((2.0,), (-2.0,))
def tuple_from_a_branch(x):
    pair = (x, x * x) if x > 0 else (np.cos(x), x)
    a, b = pair
    return a * b


@program((np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, 2.0, 0.5]),))
def branch_on_an_element(a):
    if a[0] > 0:
        return np.sum(a * a)
    return a[1] * a[2]


@program((np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),))
def branch_on_all(a):
    if np.all(a > 0):
        return np.log(a).sum()
    return a.sum()


@program((np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),))
def branch_gives_arrays(a):
    if a[0] > 0:
        b = a * a
    else:
        b = np.sin(a)
    return b * a


@program((2.0, None), (-2.0, None), (2.0, 3.0))
def is_none(x, y):
    if y is None:
        y = 1.5
    return x * y


@program((2.0,), (-2.0,))
def none_until_set(x):
    best = None
    if x > 0:
        best = x * x
    if best is None:
        return x
    return best * x


@program((2.0,), (-2.0,))
def walrus_in_test(x):
    if (y := x * x - 1) > 3.5:
        return y
    if (z := x + y) > 0:
        return z * y
    return z


@program((2.0, "sin"), (2.0, "cos"), (2.0, "other"))
def branch_on_a_string(x, kind):
    if kind == "sin":
        return np.sin(x)
    elif kind in ("cos", "cosine"):
        return np.cos(x)
    return x


@program((2.0, True), (2.0, False))
def branch_on_a_bool(x, flag):
    return x * x if flag else -x


@program((2.0,), (-2.0,))
def nan_in_untaken_branch(x):
    if x > 0:
        return x * 2
    return x + np.sqrt(1 - x)


@program((0.5, 1.0), (3.0, 1.0))
def function_called_in_a_branch(x, y):
    def square(t):
        return t * t

    if x > y:
        z = square(x) + square(y)
    else:
        z = square(x * y)
    return z


@program((0.5, 1.0, True), (3.0, 1.0, False))
def function_chosen_by_a_branch(x, y, squared):
    if squared:

        def f(t):
            return t * t

    else:

        def f(t):
            return t - y

    return f(x)


@program((2.0, 3.0), (3.0, 2.0))
def max_and_min(x, y):
    return max(x, y) * 2 + min(x, y) ** 2


@program((2.0, 3.0), exact=[((2.0, 2.0), (1.0, 0.0))])
def max_of_a_tie(x, y):
    return max(x, y)


@program((2.0, 3.0), exact=[((2.0, 2.0), (0.5, 0.5))])
def maximum_of_a_tie(x, y):
    return np.maximum(x, y)


@program((2.0,), (-2.0,), exact=[((0.0,), (0.0,))])
def abs_at_zero(x):
    return abs(x)


@program((2.0,), (-2.0,), exact=[((0.0,), (0.0,))])
def relu(x):
    return max(0.0, x)


@program((np.array([1.0, -2.0]),), exact=[((np.array([1.0, 0.0]),), (np.array([1.0, 0.0]),))])
def where_selects(a):
    return np.where(a > 0, a, 0.0)


@program((2.0,), (-2.0,))
def comparison_as_a_number(x):
    return (x > 0) * x + (x < 0) * x * x + 2.0 * (x != 0)
