"""`break`, `continue`, `else` on loops, returns from loops."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


@program((A([1.0, 2.0, -1.0, 3.0]),), (A([1.0, 2.0]),), (A([-1.0, 2.0]),), (A([]),))
def break_in_for(a):
    s = 0.0
    for v in a:
        if v < 0:
            break
        s += v * v
    return s


@program((A([1.0, 2.0, -1.0, 3.0]),), (A([-1.0]),))
def continue_in_for(a):
    s = 1.0
    for v in a:
        if v < 0:
            continue
        s *= v
    return s


@program((A([1.0, 2.0, -1.0, 9.0, 3.0]),), (A([1.0, 2.0]),))
def break_and_continue(a):
    s = 0.0
    for v in a:
        if v < 0:
            continue
        s += v
        if v > 5:
            break
        s *= v
    return s


@program((A([1.0, 2.0, 3.0]), 2.5), (A([1.0, 2.0, 3.0]), 7.0))
def for_else(a, limit):
    for v in a:
        if v > limit:
            r = v * limit
            break
    else:
        r = np.sum(a * a)
    return r


@program((6.0, 2.0), (0.5, 2.0), (6.0, 40.0))
def while_else(x, y):
    while x > 1:
        x = x * 0.5
        if x < y * 0.1:
            x = x + y
            break
    else:
        x = x * y
    return x


@program((6.0,), (0.5,))
def while_else_without_break(x):
    while x > 1:
        x = x / 3
    else:
        x = x * x
    return x


@program((A([1.0, 2.0, 3.0]), 1.5), (A([1.0, 2.0, 3.0]), 9.0))
def return_from_for(a, limit):
    s = 0.0
    for i, v in enumerate(a):
        s += v * v
        if v > limit:
            return s * i
    return -s


@program((6.0,), (0.5,), (1e3,))
def return_from_while(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
        if n == 4:
            return x * n
    return x * x


@program((A([[1.0, 2.0], [3.0, 4.0]]), 2.5), (A([[1.0, 2.0], [3.0, 4.0]]), 9.0))
def return_from_nested_loops(m, limit):
    s = 0.0
    for row in m:
        for v in row:
            if v > limit:
                return s * v
            s += v
    return s * s


@program((A([[1.0, -2.0, 5.0], [3.0, 4.0, 1.0]]),), (A([[-1.0, 2.0], [3.0, -4.0]]),))
def break_of_inner_loop(m):
    s = 0.0
    for row in m:
        for v in row:
            if v < 0:
                break
            s += v * v
        s = s * 1.5
    return s


@program((A([[1.0, -2.0, 5.0], [3.0, 4.0, 1.0]]),), (A([[1.0, 2.0], [3.0, 4.0]]),))
def break_of_both_loops(m):
    s = 0.0
    done = False
    for row in m:
        for v in row:
            if v < 0:
                done = True
                break
            s += v * v
        if done:
            break
    return s


@program((A([[1.0, -2.0, 5.0], [3.0, 4.0, 1.0]]),), (A([[-1.0, 2.0], [3.0, -4.0]]),))
def inner_else_continues_outer(m):
    s = 1.0
    for row in m:
        for v in row:
            if v < 0:
                break
        else:
            s = s + np.sum(row)
            continue
        s = s * row[0]
    return s


@program((7.0, 10), (7.0, 2), (7.0, 0))
def break_with_the_index_after(x, n):
    i = -1
    for i in range(n):
        x = x * 0.6
        if x < 1:
            break
    return x * (i + 1)


@program((0.5, 6), (0.5, 1))
def continue_on_odd(x, n):
    s = x
    for i in range(n):
        if i % 2:
            continue
        s = s * x + i
    return s


@program((0.5, 6), (0.5, 1))
def continue_in_while(x, n):
    i, s = 0, x
    while i < n:
        i += 1
        if i % 3 == 0:
            continue
        s = s * x + i
    return s


@program((0.4, 3), (0.4, 0))
def break_first(x, n):
    for _ in range(n):
        x = x * 2
        break
    return x * x


@program((A([3.0, 1.0, 2.0]), 1.5), (A([0.1, 0.2, 0.3]), 1.5))
def found_flag(a, limit):
    found = False
    where = 0
    for i in range(len(a)):
        if not found and a[i] < limit:
            found = True
            where = i
    return a[where] * (2.0 if found else 1.0)


@program((3.3, 0.2), (30.0, 0.2))
def several_breaks(x, y):
    n = 0
    while True:
        if x < 0.5:
            break
        x = x * 0.4
        if n > 3:
            x = x + y
            break
        n += 1
    return x * n + y


@program((A([1.0, 2.0, 3.0, 4.0]), 3), (A([1.0, 2.0, 3.0, 4.0]), 9))
def break_on_an_int(a, stop):
    s = 1.0
    for i, v in enumerate(a):
        if i == stop:
            break
        s = s * v
    return s


@program((A([0.3, 1.2, 0.8]),), (A([0.3, 0.2, 0.1]),))
def newton_in_a_loop(a):
    total = 0.0
    for v in a:
        x = 1.0
        for _ in range(30):
            step = (x * x * x - v) / (3 * x * x)
            x = x - step
            if abs(step) < 1e-10:
                break
        total += x
    return total


@program((A([1.0, -1.0, 2.0]),), (A([-1.0, -1.0, 2.0]),))
def return_in_else(a):
    for v in a:
        if v > 0:
            a = a * v
        else:
            return np.sum(a) * v
    return a[0]
