"""What functions return: nothing, tuples, arrays, dicts, arguments, several types."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


@program((1.5,), (-1.5,))
def nothing(x):
    x * x


@program((1.5,), (-1.5,))
def none_on_one_path(x):
    if x > 0:
        return None
    return x * x


@program((1.5,), (-1.5,))
def falls_off_on_one_path(x):
    if x > 0:
        return x * x


@program((1.5,), (-1.5,))
def the_argument(x):
    return x


@program((A([1.0, 2.0]),), (A([]),))
def the_array_itself(a):
    return a


@program((1.5, 2.5), (0.0, 1.0))
def a_tuple(x, y):
    return x * y, x + y


@program((1.5, 2.5), (0.0, 1.0))
def nested_containers(x, y):
    return {"sum": x + y, "parts": [x, (y, x * y)], "none": None, "name": "pair", "n": 2}


@program((A([1.0, 2.0]), 3.0), (A([]), 1.0))
def array_and_scalar(a, x):
    return a * x, np.sum(a), x


@program((1.5,), (2.5,))
def constants_among_results(x):
    return 1, 2.5, x, True, "text"


@program((1.5,), (2.5,))
def the_same_value_twice(x):
    y = x * x
    return y, y


@program((A([1.0, 2.0]),), (A([3.0]),))
def the_same_array_twice(a):
    b = a * a
    return b, b, a


@program((1.5, 3), (0.5, 0))
def int_and_bool_results(x, n):
    return n + 1, x > 1, x * n


@program((2.7,), (-2.7,))
def integers_of_floats(x):
    return int(x), round(x), x // 1, x % 1


@program((A([3.0, 1.0, 2.0]),), (A([1.0, 5.0, 2.0]),))
def index_and_value(a):
    i = np.argmax(a)
    return i, a[i]


@program((A([3.0, 1.0, 2.0]),), (A([1.0, 5.0, 2.0]),))
def comparison_arrays(a):
    return a > 1.5, a[a.shape[0] - 1] * a


@program((A([[3.0, 1.0], [2.0, 0.5]]),), (A([[1.0, 5.0], [2.0, 0.1]]),))
def views_as_results(m):
    return m[0], m.T, m[:, 1:]


@program((1.5, 2.0), (-1.5, 2.0))
def tuple_on_each_path(x, y):
    if x > 0:
        return x, y
    return y * x, x
