"""Views of views, read and written at compile-time and run-time indices, as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.pipeline import Options, lowered

FIRST = {
    "a row": lambda x, i: x[i],
    "a column": lambda x, i: x[:, i],
    "transposed": lambda x, i: x.T,
    "backwards": lambda x, i: x[::-1, ::-1],
    "strided": lambda x, i: x[1::2, ::-2],
    "a slice": lambda x, i: x[1:4, 1:],
    "a new axis": lambda x, i: x[None, i],
    "a new axis in the middle": lambda x, i: x[:, None],
    "reshaped": lambda x, i: x.reshape(5, 1, 6, 1)[:, :, i],
    "flat": lambda x, i: x.reshape(-1),
    "a row of it transposed": lambda x, i: x.T[i],
    "a slice of it transposed": lambda x, i: x.T[1:, i : i + 2][::2],
    "permuted axes": lambda x, i: x.reshape(5, 2, 3).transpose(2, 0, 1)[1:],
}


def element(v, k):
    v[k] = 2.0 * v[k] + 1.0
    v[-1] = v[-1] * v[0] + v[k]


def from_the_end(v, k):
    w = v[::-1]
    w[k] += 0.5 * w[-1]
    w[0] *= 3.0


def every_other(v, k):
    w = v[::2]
    w[..., 0] = 0.5 * w[..., 0] + 1.0
    w *= w


def along_the_last_axis(v, k):
    w = v[..., :1]
    w += 0.25


def of_a_slice(v, k):
    w = v[k : k + 1]
    w[0] = w[0] + v[0]
    w[:] = 2.0 * w


SECOND = (element, from_the_end, every_other, along_the_last_axis, of_a_slice)


# Of i and k: either, both or none of them known to the compiler.
INDICES = [(np.int64(1), np.int64(0)), (1, 0), (np.int64(0), 0)]


@pytest.mark.parametrize("name", FIRST)
def test_reads_and_writes(name):
    """Views take turns at the kinds of indices."""
    check(FIRST[name], [INDICES[list(FIRST).index(name) % 3]])


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_reads_and_writes_at_every_kind_of_index(name):
    check(FIRST[name], INDICES)


def check(first, indices):
    def program(x, i, k):
        v = first(x, i)
        total = 0.0
        for second in SECOND:
            second(v, k)
            total += np.sum(v * v)
        return total

    start = np.linspace(0.2, 1.1, 30).reshape(5, 6)
    for i, k in indices:
        ours, theirs = start.copy(), start.copy()
        assert myia.jit(program)(ours, i, k) == pytest.approx(program(theirs, i, k), rel=1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)

    direction = np.random.default_rng(0).standard_normal(start.shape)
    slope = np.sum(myia.grad(program)(start, *indices[0]) * direction)
    step = 1e-6 * direction
    above, below = (program(start + e, *indices[0]) for e in (step, -step))
    assert slope == pytest.approx((above - below) / 2e-6, rel=1e-6)


def row_by_row(x):
    for row in x:
        for j in range(1, len(row)):
            row[j] += row[j - 1]
    for i in range(x.shape[1]):
        column = x.T[i]
        for j in range(1, len(column)):
            column[j] *= column[j - 1]


def test_an_element_of_a_row_costs_an_element():
    """No slice of more than one element is read or written in the inner loops."""
    program = parse(myia.jit(row_by_row).ir(np.ones((5, 6)))["typed"])
    # Or rows that do not wait for each other are made at once.
    ir = to_text(lowered(program, Options(disable=frozenset({"outer_loop"}))))
    assert "sizes=(1, 1)" in ir
    assert "sizes=(1, 6)" not in ir and "transpose" not in ir
