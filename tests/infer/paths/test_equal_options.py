"""Methods and objects that a key known at run time selects, of which several are of one kind."""

from __future__ import annotations

import pytest

import myia
from tests.infer.driver import run


def lists(x):
    return {0: [x], 1: [2 * x], 2: [3 * x]}


def total(rows, x):
    return len(rows[0]) * 100 + len(rows[1]) * 10 + len(rows[2]) + sum(rows[1]) * x


def method_or_none(x, c):
    rows, append = lists(x), None
    if x > 1:
        append = rows[int(c)].append
    if append is not None:
        append(5.0)
    return total(rows, x)


def list_or_none(x, c):
    rows, row = lists(x), None
    if x > 1:
        row = rows[int(c)]
    if row is not None:
        row.append(5.0)
    return total(rows, x)


def one_of_two_methods(x, c):
    rows = lists(x)
    append = rows[int(c)].append
    if x > 1:
        append = rows[0].append
    append(5.0)
    return total(rows, x)


def two_choices(x, c):
    rows = lists(x)
    append = rows[int(c)].append if x > 1 else rows[2 - int(c)].append
    append(5.0)
    return total(rows, x)


def changed_in_a_loop(x, c):
    rows = lists(x)
    append = rows[int(c)].append
    for i in range(20):
        append(5.0 * i)
        if x + i > 10:
            append = rows[1].append
    return total(rows, x)


def after_a_loop(x, c):
    rows = lists(x)
    for i in range(3):
        row = rows[(i + int(c)) % 3]
    row.append(5.0)
    return total(rows, x)


def one_of_two_lists(x, c):
    rows = lists(x)
    row = rows[int(c)]
    if x > 1:
        row = rows[2 - int(c)]
    row.append(4.0)
    return total(rows, x) + len(row)


def in_a_closure(x, c):
    rows = lists(x)
    row = rows[int(c)]

    def add(v):
        row.append(v)

    if x > 1:
        add(3.0)
    add(x)
    return total(rows, x)


REFUSED = "may have been changed through another name|the branches give|the loop"
PROGRAMS = [
    *(method_or_none, list_or_none, one_of_two_methods, two_choices, changed_in_a_loop),
    *(after_a_loop, one_of_two_lists, in_a_closure),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python_or_refused(f):
    for x in (0.5, 2.0):
        for c in (0.0, 1.0, 2.0):
            try:
                found = run(f, x, c)
            except myia.MyiaError as error:
                assert f is not method_or_none
                assert any(text in str(error) for text in REFUSED.split("|"))
                continue
            assert found == pytest.approx(f(x, c), rel=1e-14)
