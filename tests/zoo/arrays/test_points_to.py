"""Names that are assigned different arrays in a loop: values, derivatives, and their cost.

The arrays are large, and an iteration reads little of them. So selecting a whole array would cost
more than the iteration.
"""

from __future__ import annotations

import numpy as np
import pytest

import myia
from benchmarks.counts import counts
from myia.ir.parser import parse
from tests.zoo.hlo_copies import copies_in_loops
from tests.zoo.in_place_checks import check_in_place
from tests.zoo.reference_calls import ReferenceCalls

SIZE, ITERATIONS = 60, 7


def reassigned(x, y, t):
    z, s = x, 0.1
    for i in range(len(t)):
        if t[i] > 0.5:
            z = y
        s += np.sin(z[i]) * t[i]
    return s


def assigned_for_the_next_iteration(x, y, t):
    z, s = x, 0.1
    for i in range(len(t)):
        s += np.sin(z[i]) * z[-1 - i]
        z = x if t[i] > 0.5 else y
    return s + z[3] * z[0]


def one_of_three(x, y, t):
    z, w, s = x, y * x, 0.1
    for i in range(len(t)):
        if t[i] > 0.7:
            z = y
        elif s > 0.6:
            z, w = w, z
        s += np.sin(z[i]) * t[i] - w[i + 1] * z[2]
    return s + np.sum(z * w)


def reassigned_in_a_nest(x, y, t):
    z, s = x, 0.1
    for i in range(len(t)):
        for j in range(3):
            if t[j] * z[i] > 0.5:
                z = y
            s += z[j] * z[i]
        if s > 1.0:
            z = x
    return s * z[0]


def until(x, y, t):
    z, s, i = x, 0.1, 0
    while z[i] + s < 2.0 and i < len(t):
        s += z[i] * t[i]
        z = y if s > 0.5 else x
        i += 1
    return s + np.sum(z * z)


def slices_of_selected_rows(x, y, t):
    a, b, s = np.outer(x, y), np.outer(y, y), 0.1
    z = a
    for i in range(len(t)):
        if s > t[i]:
            z = b
        s = s * 0.5 + np.sum(z[i, 1:4] * z[i + 1, 2:5])
    return s


def read_and_written_under_another_name(x, y, t):
    z, s = x, 0.1
    for i in range(len(t)):
        if t[i] > 0.6:
            z = y
        x[i] = x[i] * t[i] + z[i + 1]
        s += z[i] * x[i]
    return s + np.sum(z * x) + np.sum(y)


def swapped(x, y, t):
    a, b, s = x, y, 0.1
    for i in range(1, len(t)):
        if t[i] > 0.5:
            a, b = b, a
        a[i] = np.sin(b[i]) * t[i] + a[i - 1]
        s += a[i] * b[i - 1] * a[0] + np.sum(b[2:8:2])
    return s + np.sum(a * a * b)


def swapped_by_what_was_written(x, y, t):
    a, b = x.copy(), y.copy()
    for i in range(1, len(t)):
        a[i] = np.sin(b[i - 1]) * t[i] + a[i - 1] * b[i]
        if a[i] > 0.5:
            a, b = b, a
            b[i + 1] += a[i]
    return np.sum(a * 2) + np.sum(b * a)


def three_in_a_ring(x, y, t):
    a, b, c = x, y, x * y
    for i in range(len(t)):
        if t[i] > 0.3:
            a, b, c = b, c, a
        elif a[i] > b[i]:
            a, c = c, a
        b[i] += a[i + 1] * c[i]
        c[i + 1] *= t[i]
    return np.sum(a) + np.sum(b * b) + np.sum(c * a)


def swapped_in_a_nest(x, y, t):
    a, b = x, y
    for i in range(len(t)):
        for j in range(2):
            if a[j] > b[i]:
                a, b = b, a
            a[i + j] = b[i] * t[i] + 0.1
        if t[i] > 0.8:
            a[i], b[i] = b[i], a[i]
    return np.sum(a * a) - np.sum(b)


def swapped_until(x, y, t):
    a, b, i = x, y, 0
    while i < len(t) and a[i] < 1.2:
        b[i] = a[i] * t[i] + b[i + 1]
        if b[i] > 0.4:
            a, b = b, a
        i += 1
    return np.sum(a * b * b)


def rows_swapped(x, y, t):
    a, b = np.outer(x, y), np.outer(y, y)
    for i in range(1, len(t)):
        if t[i] > 0.5:
            a, b = b, a
        a[i, 2:5] = b[i - 1, 1:4] * a[i, 3:6]
    return np.sum(a * b)


def swapped_always(x, y, t):
    """Without indices XLA copies both arrays in each iteration."""
    a, b = x.copy(), y.copy()
    for i in range(1, len(t)):
        a[i] = np.sin(b[i - 1]) * t[i] + a[i]
        a, b = b, a
    return np.sum(a * a * b)


READ = [reassigned, assigned_for_the_next_iteration, one_of_three, reassigned_in_a_nest, until]
READ += [slices_of_selected_rows, read_and_written_under_another_name]
WRITTEN = [swapped, swapped_by_what_was_written, three_in_a_ring, swapped_in_a_nest]
WRITTEN += [swapped_until, rows_swapped, swapped_always]


def read_through_an_old_copy(x, y, t):
    """A value of before the store: each array has two versions."""
    a, b, s = x, y, 0.1
    for i in range(len(t)):
        old = a.copy()
        a[i] = b[i] * t[i]
        if t[i] > 0.5:
            a, b = b, a
        s += old[i] * a[i + 1]
    return s + np.sum(a * b)


def both_names_for_one(x, y, t):
    a, b, s = x, y, 0.1
    for i in range(len(t)):
        if t[i] > 0.5:
            b = a
        a[i] = a[i + 1] * t[i]
        s += b[i] * b[i]
    return s + np.sum(a * b)


def the_whole_array_is_read(x, y, t):
    z, s = x, 0.1
    for i in range(len(t)):
        if t[i] > 0.5:
            z = y
        s += z[i] * np.sum(z)
    return s


def only_one_is_swapped_for_a_new_one(x, y, t):
    a, b, s = x, y, 0.1
    for i in range(len(t)):
        if t[i] > 0.5:
            a, b = b * 0.5, a.copy()
        a[i] = s * b[i]
        s += a[i + 1]
    return s + np.sum(a * b)


OTHERS = [read_through_an_old_copy, both_names_for_one, the_whole_array_is_read]
OTHERS += [only_one_is_swapped_for_a_new_one]


def numbers(n, iterations, seed=0):
    """Of another size the first numbers are the same."""
    x, y, t = np.random.default_rng(seed).uniform(0.0, 1.0, (3, 100))
    return x[:n] + 0.1, y[:n] + 0.1, t[:iterations]


def second(f):
    """The derivative of the gradient's sum."""

    def total(x, y, t):
        along_x, along_y = myia.grad(f, argnums=(0, 1))(x, y, t)
        return np.sum(along_x * y) + np.sum(along_y)

    return myia.grad(total, argnums=(0, 1))


@pytest.mark.parametrize("f", [*READ, *WRITTEN, *OTHERS], ids=lambda f: f.__name__)
def test_values_and_derivatives(f):
    check_in_place(f, *numbers(SIZE, ITERATIONS))


@pytest.mark.parametrize("f", [*READ, *WRITTEN], ids=lambda f: f.__name__)
def test_never_always_and_without_an_iteration(f):
    x, y, t = numbers(SIZE, ITERATIONS, 1)
    value, gradient = ReferenceCalls(myia.jit(f)), ReferenceCalls(myia.grad(f, argnums=(0, 1)))
    plain = ReferenceCalls(myia.grad(f, argnums=(0, 1)), disable="selection_by_index")
    for other in (t * 0.0, t * 0.0 + 0.9, t[:0]):
        np.testing.assert_allclose(value(+x, +y, other), f(+x, +y, other), rtol=1e-13)
        for got, expected in zip(gradient(x, y, other), plain(x, y, other)):
            np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)


DERIVED = {
    "value": myia.jit,
    "gradient": lambda f: myia.grad(f, argnums=(0, 1)),
    "second": lambda f: second(f),
}


@pytest.mark.parametrize(
    "order", ["value", "gradient", pytest.param("second", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("f", [*READ, *WRITTEN], ids=lambda f: f.__name__)
def test_no_iteration_takes_time_in_proportion_to_the_arrays(f, order):
    """Bytes touched grow with the sizes, and with the trip counts, but not with their product."""

    def touched(derived, n, iterations):
        args = numbers(n, iterations)
        return counts(parse(derived.ir(*args)["finish"]), args).touched

    def product(derived):
        (a, b), (c, d) = [
            [touched(derived, n, iterations) for iterations in (5, 6)] for n in (70, 90)
        ]
        return a - b - c + d

    assert product(DERIVED[order](f)) == 0


@pytest.mark.parametrize(
    "f", [assigned_for_the_next_iteration, swapped, swapped_by_what_was_written, swapped_always]
)
def test_xla_copies_no_array_in_an_iteration(f):
    args, gradient = numbers(SIZE, ITERATIONS), myia.grad(f, argnums=(0, 1))
    for got, expected in zip(gradient(*args), ReferenceCalls(gradient)(*args)):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)
    for derived in (myia.jit(f), gradient):
        assert copies_in_loops(derived.lower(*args).compile().as_text(), SIZE) == []
