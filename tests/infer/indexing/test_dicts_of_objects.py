"""Dicts of lists, arrays, dicts and instances at keys that are known at run time."""

from collections import defaultdict

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import run

K = np.array([0, 2, 0, 1, 2])
V = np.array([0.5, 1.5, -1.0, 2.0, 0.25])


class Group:
    def __init__(self, total):
        self.total, self.count = total, 0


def groups(k, v):
    rows = {0: [], 1: [], 2: [1.0]}
    for i in range(len(k)):
        rows[int(k[i])].append(v[i] ** 2)
    return sum(sum(row) * len(row) for row in rows.values())


def named(k, v):
    rows = {0: [], 1: [3.0], 2: []}
    for i in range(len(k)):
        row = rows[int(k[i])]
        row.append(v[i])
        if v[i] > 1.0:
            row.append(v[i] * v[i])
    return sum(rows[0]) + sum(rows[1]) * len(rows[2]) + sum(rows[2]) ** 2


def stacks(k, v):
    rows, total = {0: [v[0], 1.0], 1: [v[1], 2.0], 2: [v[2], 3.0, v[4]]}, 0.0
    for i in range(len(k)):
        total = total * 0.5 + rows[int(k[i])].pop()
    return total * len(rows[0]) + sum(rows[2])


def numbers_in_arrays(k, v):
    sums = {name: np.array(0.5) for name in range(3)}
    for i in range(len(k)):
        sums[int(k[i])] += v[i] ** 2
    return sums[0] * sums[1] + sums[2]


def instances(k, v):
    kinds = {j: Group(0.5) for j in range(3)}
    for i in range(len(k)):
        kind = kinds[int(k[i])]
        kind.total += v[i] ** 2
        kind.count = kind.count + 1
    return sum(g.total * g.count for g in kinds.values())


def tables(k, v):
    t = {0: {"a": 1.0, "b": 2.0}, 1: {"a": 0.0, "b": v[0]}, 2: {"a": 1.0, "b": 1.0}}
    for i in range(len(k)):
        t[int(k[i])]["a"] += v[i]
        t[int(k[i])]["b"] *= v[i]
    return sum(row["a"] * row["b"] for row in t.values())


def graph(k, v):
    follows, total = {0: [1, 2], 1: [], 2: [0, 1, 4]}, 0.0
    for i in range(len(k)):
        for j in follows[int(k[i])]:
            total += v[j] * v[i]
    return total


def strings(k, v):
    rows = {"low": [], "high": []}
    for i in range(len(v)):
        rows["low" if v[i] < 1.0 else "high"].append(v[i] ** 2)
    return sum(rows["low"]) * sum(rows["high"]) + len(rows["low"])


def one_under_two_keys(k, v):
    row = [1.0]
    rows = {0: row, 1: row, 2: []}
    for i in range(len(k)):
        rows[int(k[i])].append(v[i])
    return sum(row) * len(rows[1]) + sum(rows[2])


def of_a_default(k, v):
    rows = defaultdict(list)
    for j in range(3):
        rows[j].append(1.0)
    for i in range(len(k)):
        rows[int(k[i])].append(v[i])
    return sum(sum(row) * (j + 1.0) for j, row in rows.items())


def in_branches(k, v):
    rows = {0: [1.0], 1: [], 2: []}
    for i in range(len(k)):
        if v[i] > 0.3:
            rows[int(k[i])].append(v[i])
        elif v[i] > 0.0:
            rows[int(k[i])].extend([v[i], v[i] ** 2])
            continue
        total = sum(rows[int(k[i])])
        if total > 3.0:
            return total
    return sum(rows[2]) - len(rows[0])


def missing(k, v):
    rows = {0: [], 2: []}
    try:
        for i in range(len(k)):
            rows[int(k[i])].append(v[i])
    except KeyError as e:
        return sum(rows[0]) + sum(rows[2]) + e.args[0]
    return 0.0


PROGRAMS = [
    groups, named, stacks, numbers_in_arrays, instances, tables, graph, strings,
    one_under_two_keys, of_a_default, in_branches, missing,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_value_and_gradient(f):
    want = f(K, V)
    assert myia.jit(f)(K, V) == pytest.approx(want, rel=1e-13)
    assert run(f, K, V) == pytest.approx(want, rel=1e-13)
    if f is missing:
        return
    h, slope = 1e-6, myia.grad(f, argnums=1)(K, V)
    for i in range(len(V)):
        step = h * (np.arange(len(V)) == i)
        wanted = (f(K, V + step) - f(K, V - step)) / (2 * h)
        assert slope[i] == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def test_second_derivative():
    along = lambda x: groups(K, x * V)  # noqa: E731
    h, slope = 1e-5, myia.grad(along)
    bend = (slope(0.7 + h) - slope(0.7 - h)) / (2 * h)
    assert myia.grad(slope)(0.7) == pytest.approx(bend, rel=1e-7)


def test_a_key_that_the_dict_has_not():
    with pytest.raises(KeyError):
        myia.jit(groups)(np.array([0, 7]), V)


def read_and_changed(k, v):
    rows = {0: [1.0, v[0]], 1: [2.0]}
    row = rows[int(k[0])]
    rows[0].append(5.0)
    return sum(row)


def changed_by_a_helper(k, v):
    def add(row):
        row.append(2.0)

    rows = {0: [1.0, v[0]], 1: [2.0]}
    add(rows[int(k[0])])
    return sum(rows[0])


@pytest.mark.parametrize("f", [read_and_changed, changed_by_a_helper])
def test_a_change_under_another_name_is_seen_or_refused(f):
    for k in (0, 1):
        k = np.array([k])
        try:
            assert myia.jit(f)(k, V) == pytest.approx(f(k, V), rel=1e-13)
        except MyiaError as error:
            assert "changed through another name" in str(error)
