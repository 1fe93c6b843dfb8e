"""Uses of a value that may be None that are right where it is: types, patterns, displays, lists."""

from __future__ import annotations

import copy
import itertools
import operator
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_derivative, run


@dataclass
class Pair:
    a: float
    b: object = None


def types(x):
    v = x if x > 0 else None
    of = isinstance(v, float), isinstance(v, (int, type(None))), isinstance(v, type(None))
    return of, callable(v), hasattr(v, "real"), getattr(v, "real", 3.0), type(v) is float


def truths(x):
    v = x if x > 0 else None
    tests = operator.not_(v), operator.truth(v), operator.is_(v, None), operator.eq(v, None)
    return bool(v), v == None, v in (1.0, None), v in [None, 2.0], tests  # noqa: E711


def sequence(x):
    v = (x, 1.0) if x > 0 else None
    match v:
        case (a, b):
            return a * b + x
    return -x


def classes(x):
    v = x if x > 0 else None
    match v:
        case float() as y if y > 2:
            return y
        case int():
            return 7.0
        case None:
            return -1.0
        case _:
            return x


def instance(x):
    p = Pair(x, 1.0) if x > 0 else None
    match p:
        case Pair(a=a, b=b):
            return a * b
        case _:
            return 3 * x


def mapping(x):
    v = {"k": x} if x > 0 else None
    match v:
        case {"k": y}:
            return y
        case None:
            return 0.0


def displays(x):
    v = x if x > 0 else None
    first, second = [v], [x]
    t, u = (v,) * 2, first + second
    (c, d), e = (v, 1), v
    return [v], (v, 1), {"a": [v]}, t, u, (*t, *u), c, d, e


def methods(x):
    v = x if x > 0 else None
    found, d = [v, 2.0], {"a": 1.0}
    found.append(v)
    found.insert(0, v)
    d.update(b=v)
    got = d.get("c", v), d.get("a", v), d.setdefault("e", v), d.pop("f", v), dict.fromkeys("gh", v)
    return found, d, got, found.count(v), found.index(v)


def functions(x):
    v = x if x > 0 else None
    p = Pair(x, v)
    name = "a"
    setattr(p, name, v)
    q = replace(p, b=v)
    add = partial(lambda a, b: (a, b), v)
    made = next(iter([]), v), max([], default=v), reduce(lambda a, b: a, [1.0], v)
    return p, q, add(1.0), made, copy.copy(v), copy.deepcopy([v])


def containers(x):
    v = x if x > 0 else None
    d = dict(a=v, b=[v])
    operator.setitem(d, "c", v)
    d |= {"d": v}
    return d, list(itertools.repeat(v, 2)), list(zip([v], [x])), list(enumerate([v]))


def looped(x):
    v = x if x > 0 else None
    total = 0.0
    for y in (v, 1.0, [v][0], x):
        if y is None:
            continue
        total += y
    return total


PROGRAMS = [
    *(types, truths, sequence, classes, instance, mapping, displays, methods, functions),
    *(containers, looped),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values(f):
    for x in (3.0, 0.5, -1.0):
        assert repr(myia.jit(f)(x)) == repr(f(x))
        assert repr(run(f, x)) == repr(f(x))


# ----- Bounds of slices, and options of functions


A = np.arange(10.0)


def slices(x):
    v = int(x) if x > 0 else None
    b = A.reshape(2, 5) * x
    found = np.sum((A * x)[1:v]) + np.sum(A[v::-1] * x) + np.sum(A[:v:-1] * x)
    return float(found + np.sum(A[v:] * x) + np.sum(b[:, :v]) + np.sum(b[v:, 1]))


def negative_slices(x):
    v = -int(x) - 1 if x > 0 else None
    return float(np.sum(A[v:] * x)) + float(np.sum(A[:v]))


def slices_of_lists(x):
    v = int(x) if x > 0 else None
    found, a = [x, 2.0, 3 * x, 4.0], A.copy()
    total = sum(found[:v]) + len(found[v:])
    found[1:v] = [x]
    a[:v] = x
    return total + sum(found) + len(found) + float(np.sum(a * A))


def options(x):
    lo, axis = (x, 0) if x > 0 else (None, None)
    w, key = (A, abs) if x > 0 else (None, None)
    found = np.sum(np.clip(A, lo, 5.0)) + np.sum(np.sum(A.reshape(2, 5) * x, axis=axis))
    ordered = sorted([x, -3.0, 2.0], key=key)[0] + max([x, -3.0, 2.0], key=key)
    return float(found + np.average(A * x, weights=w) + ordered)


@pytest.mark.parametrize("f", [slices, negative_slices, slices_of_lists, options])
def test_slices_and_options(f):
    for x in (2.3, 3.6, -0.4):
        assert_value_and_derivative(f, x)


def test_functions_that_do_not_take_none_as_we_do():
    """What is refused of None is an error of the run where it is None."""

    def f(x):
        v = None
        for k in range(4):
            v = x * k if v is None or x * k > v else v
        return float(np.where(v > 1, v, x) + np.maximum(v, x) + round(v, 1))

    for x in (2.3, 0.7):
        assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-13)


def test_digits():
    def f(x):
        return round(x, 2 if x > 0 else None)

    for x in (2.345, -1.6):
        assert myia.jit(f)(x) == run(f, x) == f(x)


# ----- Lists built in loops


def best_so_far(x):
    best, found = None, []
    for k in range(30):
        c = np.sin(x * k)
        if best is None or c > best:
            best = c
        found.append(best)
    return float(np.sum(np.array(found)) + sorted(found)[3] + max(found) + sum(found))


def appended(x):
    found, last = [], None
    for k in range(30):
        if x * k > 3:
            last = (x * k, k)
        found.append((k, last, x if x > k else None))
    total = x
    for k, pair, y in found:
        if pair is not None:
            total += pair[0] * pair[1] * k
        total += 1.0 if y is None else y * k
    return total


def tuples_as_array(x):
    best, found = None, []
    for k in range(30):
        if best is None or x * k > best:
            best = x * k
        found.append((best, x))
    return float(np.sum(np.array(found)))


def arrays(x):
    found = []
    for k in range(30):
        found.append(np.array([x, k]) if x * k > 2 else None)
    total = x
    for a in found:
        if a is not None:
            total += a[0] * a[1]
    return float(total)


def in_dicts(x):
    found = []
    for k in range(30):
        found.append({"k": k, "v": x * k if x * k > 1 else None})
    total = x
    for d in found:
        if d["v"] is not None:
            total += d["v"] * d["k"]
    return total


def at_a_run_time_index(x):
    v = x if x > 0 else None
    found = [v, 2.0 * x]
    y = found[0 if x > 0.2 else 1]
    return x if y is None else y * x


def of_run_time_length(x):
    found = []
    for k in range(int(x) + 5):
        found.append(x * k if k % 2 else None)
    total = 0.0
    for y in found:
        total += 1.0 if y is None else y
    return total


def stored(x):
    found = [1.0, 2.0, 3.0]
    v = x if x > 0 else None
    for k in range(3):
        if x > k - 1:
            found[k] = v
    i = 0
    while i < 2 and (found[i] is None or found[i] > 1):
        i += 1
    return x if found[i] is None else found[i] * x


LISTS = [
    *(best_so_far, appended, tuples_as_array, arrays, in_dicts, at_a_run_time_index),
    *(of_run_time_length, stored),
]


@pytest.mark.parametrize("f", LISTS)
def test_lists(f):
    for x in (2.3, 0.7, -0.4):
        assert_value_and_derivative(f, x)


def test_lists_as_results():
    def f(x):
        found = []
        for k in range(20):
            found.append(x * k if k > x * 3 else None)
        found.reverse()
        found.pop()
        found.insert(2, None)
        found[1] = x
        return found, found[2:5], len(found), found[3] is None

    for x in (0.5, 3.0):
        assert myia.jit(f)(x) == run(f, x) == f(x)


def test_none_where_numbers_are_wanted():
    """An item that is None is a TypeError only where it is used."""

    def f(x):
        found = []
        for k in range(20):
            found.append(x * k if k < x else None)
        return np.sum(np.array(found) * 2.0)

    with pytest.raises(TypeError):
        myia.jit(f)(3.0)
    assert myia.jit(f)(30.0) == f(30.0)


def test_saved_lists(tmp_path):
    def f(x):
        found = []
        for k in range(20):
            found.append((x * k if k > x * 3 else None, k))
        return found

    myia.save(tmp_path / "f.myia", myia.jit(f).lower(1.0).compile())
    assert myia.load(tmp_path / "f.myia")(2.0) == f(2.0)
