"""Cotangents of arrays that are read in slices: values, and the form of the sum."""

import numpy as np
import pytest

from myia.ir.core import walk
from myia.primitives.arrays.shaping import reduce_sum, slice
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.transcendental import exp, sin
from myia.transforms.slice_cotangents import MAX_PADDED_BYTES
from tests.transforms.derivative_checks import check, expanded, function, gradient


def part(x, *intervals):
    """`x[a:b, c:d, ...]`, whole along the remaining axes."""
    intervals = [*intervals, *((0, n) for n in x.shape[len(intervals) :])]
    starts, limits = zip(*intervals)
    return slice(x, start=starts, limit=limits, stride=(1,) * len(starts))


def total(*xs):
    (first, *rest) = (reduce_sum(sin(x) * x, axes=tuple(range(x.aval.ndim))) for x in xs)
    for x in rest:
        first = first + x
    return [first]


def halves(x):
    return total(part(x, (0, 3)), part(x, (3, 6)))


def with_gaps(x):
    return total(part(x, (1, 2)), part(x, (3, 5)))


def overlapping(x):
    return total(part(x, (1, 6)) * part(x, (0, 5)))


def columns(a):
    return total(*(part(a, (0, 3), (j, j + 1)) * float(j + 1) for j in range(4)))


def stencil(a):
    middle = part(a, (1, 2), (1, 3))
    return total(middle * part(a, (0, 1), (1, 3)) * part(a, (1, 2), (0, 2)), a)


def the_same_part_again(x):
    return total(part(x, (2, 4)), exp(part(x, (2, 4))), part(x, (0, 2)))


def an_element_and_the_whole(x):
    return total(part(x, (5, 6)), exp(x))


def nothing_and_everything(x):
    return total(part(x, (2, 2)), part(x, (0, 6)))


def in_a_loop(x):
    def step(k, s):
        (more,) = total(part(x, (0, 3)), part(x, (2, 6)))
        return [s * more]

    return loop([constant(0.1, float)], step, count=constant(3, int))


VECTOR, MATRIX = np.linspace(0.3, 1.1, 6), np.linspace(0.2, 1.2, 12).reshape(3, 4)


@pytest.mark.parametrize(
    "body, x",
    [
        (halves, VECTOR), (with_gaps, VECTOR), (overlapping, VECTOR), (columns, MATRIX),
        (stencil, MATRIX), (the_same_part_again, VECTOR), (an_element_and_the_whole, VECTOR),
        (nothing_and_everything, VECTOR), (in_a_loop, VECTOR),
    ],
)  # fmt: skip
def test_gradients_to_second_order(body, x):
    check(function(body, x), [x], order=2)


def names(body, x) -> list[str]:
    return [op.primitive.name for op in walk(expanded(gradient(function(body, x))).region)]


@pytest.mark.parametrize("body, x", [(halves, VECTOR), (with_gaps, VECTOR), (columns, MATRIX)])
def test_adjacent_slices_are_concatenated(body, x):
    found = names(body, x)
    assert found.count("concatenate") == 1
    assert not {"pad", "dynamic_update_slice"} & set(found)


def test_equal_slices_are_added():
    found = names(the_same_part_again, VECTOR)
    assert found.count("concatenate") == 1 and "pad" not in found


def test_overlapping_slices_of_a_large_array_are_added_in_place():
    def body(x):
        n = x.shape[0]
        return total(part(x, (1, n)) * part(x, (0, n - 1)))

    small, large = np.ones(MAX_PADDED_BYTES // 8), np.ones(MAX_PADDED_BYTES // 8 + 1)
    assert "dynamic_update_slice" not in names(body, small)
    assert names(body, large).count("dynamic_update_slice") == 1


def test_scattered_elements_make_one_array():
    """n reads cost O(n): the array is made once, and added to in place."""
    x = np.ones((40, 40))

    def body(a):
        return total(*(part(a, (i, i + 1), (i, i + 1)) for i in range(40)))

    ops = list(walk(expanded(gradient(function(body, x))).region))
    made = [op for op in ops if any(y.aval.shape == x.shape for y in op.results)]
    assert [op.primitive.name for op in made].count("pad") == 1
    assert {op.primitive.name for op in made} == {"pad", "dynamic_update_slice"}
