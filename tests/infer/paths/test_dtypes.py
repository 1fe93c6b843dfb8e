"""Arrays whose dtype depends on the run-time path: computed at the dtype of the path, or refused.

At the promoted dtype they would give other numbers than in Python: stores into copies would not be
cast, integers would not wrap, `float32` would not be rounded.
"""

from __future__ import annotations

import numpy as np
import pytest

import myia

X = np.array([1.5, 2.0, 7.0])
INTS = np.array([7, 2, 3])


def stored_in_a_copy(x, c):
    y = (x if c > 0 else INTS).copy()
    y[0] = 0.7
    return y.sum()


def wraps(x, c):
    if c > 0:
        y = np.array([100, 100, 27], np.int8)
    else:
        y = INTS
    return y + y


def rounded(x, c):
    y = x / 3 if c > 0 else (x / 3).astype(np.float32)
    return y * y


def added_flags(x, c):
    y = x > 1 if c > 0 else x
    return y + y


def in_a_dict(x, c):
    d = {"y": x}
    if c > 0:
        d["y"] = INTS
    return d["y"] // 2


def in_a_list(x, c):
    items = [x, x]
    if c > 0:
        items[1] = INTS
    return items[1] + 0


class Box:
    def __init__(self, y):
        self.y = y


def in_an_instance(x, c):
    box = Box(x)
    if c > 0:
        box.y = x.astype(np.float32)
    return box.y * 0.1


def returned_by_a_function(x, c):
    def inner():
        if c > 0:
            return INTS
        return x

    return inner() * 2


def of_run_time_size(x, c):
    n = int(abs(c)) + 1
    y = x[:n] if c > 0 else INTS[:n]
    return (y + 0).sum()


def found_by_key(x, c):
    return max([x, INTS], key=lambda y: y[0] * c) + 0


def after_any_number_of_iterations(x, c):
    y = np.zeros(3, np.float32)
    for _ in range(int(abs(c))):
        y = y + x
    return y / 3


def while_it_grows(x, c):
    y = INTS
    while y[0] < 30 * c:
        y = y * 1.5
    return y // 2


def in_a_list_that_grows(x, c):
    items = [INTS]
    for _ in range(600):
        items.append(x)
    return items[0] // 2


def appended_after_a_loop(x, c):
    items = []
    for i in range(20):
        items.append(x * i)
    items.append(INTS)
    return items[20] // 2


def appended_after_a_loop_and_chosen(x, c):
    items = []
    for i in range(20):
        items.append(x * i)
    items.append(INTS)
    return items[int(c)] // 2


REFUSED = (
    in_a_list_that_grows,
    appended_after_a_loop_and_chosen,
)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(myia.MyiaError, match="give the array one dtype on every path"):
        myia.jit(f)(X, 1.0)


# ----- Programs that are compiled: each operation at the dtype that Python has there


def used_inside_a_branch(x, c):
    if c > 0:
        y = INTS.copy()
        y[0] = 0.7
        s = y.sum()
    else:
        y = x.copy()
        y[0] = 0.7
        s = y.sum()
    return s * 1.0


def a_few_iterations(x, c):
    y = INTS.copy()
    for i in range(4):
        y[i % 3] = 0.7 + i
        y = y * 0.5
    return y


def rounded_in_the_first_iteration(x, c):
    y = (x / 3).astype(np.float32)
    for _ in range(3):
        y = y * y + x
    return y


def items_of_two_dtypes(x, c):
    s = 0.0
    for item in [INTS] * 5 + [x] * 5:
        y = item + 0
        y[0] = 0.5
        s += y[0] * c
    return s


def a_list_of_two_dtypes(x, c):
    items = [INTS]
    for i in range(3):
        items.append(x * i)
    return items[0] // 2, items[3] // 2


def lists_of_two_dtypes_added(x, c):
    items = []
    for i in range(12):
        items.append(x * i)
    items = [INTS, *items]
    return items[0] + 0, items[12] + 0


def cast_on_one_path(x, c):
    y = x.copy() if c > 0 else INTS.astype(np.float64)
    y[0] = 0.7
    return y


def numbers_of_two_types(x, c):
    s = 0
    for v in x:
        s += v
    return s if c > 0 else 2


COMPILED = (
    stored_in_a_copy,
    wraps,
    rounded,
    added_flags,
    in_a_dict,
    in_a_list,
    in_an_instance,
    returned_by_a_function,
    of_run_time_size,
    found_by_key,
    after_any_number_of_iterations,
    while_it_grows,
    appended_after_a_loop,
    used_inside_a_branch,
    a_few_iterations,
    rounded_in_the_first_iteration,
    items_of_two_dtypes,
    a_list_of_two_dtypes,
    lists_of_two_dtypes_added,
    cast_on_one_path,
    numbers_of_two_types,
)


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_compiled_at_the_dtype_of_the_path(f, c):
    got, want = myia.jit(f)(X, c), f(X, c)
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype
