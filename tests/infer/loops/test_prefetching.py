"""Items that are computed early: loops that write to what they run over, against plain Python."""

import functools
import itertools

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.primitives.core.structured import loop_p
from myia.source.diagnostics import MyiaError
from tests.infer.driver import inferred, run

X, A = np.array([1.0, 2.0, 3.0, 4.0]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def over(make):
    """A loop over the items of `make(x, A)` whose body writes to `x` and `A`, and to views."""

    def f(x, A):
        total, last = 0.0, x[1:3]
        for item in make(x, A):
            total = 0.9 * total + np.sum(item)
            x[:] = 0.5 * x
            last[1] += 0.25
            A[1] = A[1] * 0.5
        return total + x[2]

    return f


ITERABLES = {
    "chain": lambda x, A: itertools.chain(x, (0.5,), x),
    "chain.from_iterable": lambda x, A: itertools.chain.from_iterable(A),
    "chain of rows": lambda x, A: itertools.chain(A, A),
    "accumulate": lambda x, A: itertools.accumulate(x),
    "accumulate: a function": lambda x, A: itertools.accumulate(A, lambda u, v: u * v + x[0]),
    "starmap": lambda x, A: itertools.starmap(lambda u, v: u * v + x[1], A),
    "zip_longest": lambda x, A: itertools.zip_longest(x, x[1:], fillvalue=0.5),
    "pairwise": lambda x, A: itertools.pairwise(x),
    "pairwise of map": lambda x, A: itertools.pairwise(map(lambda v: v * x[0], x)),
    "islice of chain": lambda x, A: itertools.islice(itertools.chain(x, x), 1, 7, 2),
    "cycle": lambda x, A: itertools.islice(itertools.cycle(x), 6),
    "zip of cycle": lambda x, A: map(lambda u, v: u * v, itertools.cycle(x), A.ravel()),
    "product": lambda x, A: itertools.product(x, A[:, 0]),
    "product of rows": lambda x, A: map(lambda p: p[0] * p[1], itertools.product(A, repeat=2)),
    "permutations": lambda x, A: itertools.permutations(x, 2),
    "filter": lambda x, A: filter(lambda v: v > 0.6, x),
    "filter of no function": lambda x, A: filter(None, x),
    "enumerate of filter": lambda x, A: enumerate(filter(lambda v: v > x[0], x)),
    "np.ndenumerate": lambda x, A: map(lambda p: p[1], np.ndenumerate(A)),
    "zip of expressions": lambda x, A: zip((v * 2 for v in x), (v + A[1, 0] for v in x)),
    "a list": lambda x, A: itertools.chain([x[0], x[1]], [x, A[1]][0]),
    "takewhile": lambda x, A: itertools.takewhile(lambda v: v < 3, itertools.chain(x, x)),
}


@pytest.mark.parametrize("name", ITERABLES)
def test_written_in_the_loop(name):
    f = over(ITERABLES[name])
    x, a = X.copy(), A.copy()
    want = f(x, a)
    np.testing.assert_allclose(run(f, X.copy(), A.copy()), want, rtol=1e-14)


def in_turns(x):
    totals, other = itertools.accumulate(x), itertools.chain(x, x)
    a = next(totals)
    x[1] = 7.0
    b = next(other) + next(other) + next(totals)
    x *= 2.0
    return a + 3 * b + 5 * next(totals) + sum(other)


def through_an_alias(x):
    z, found = x, 0.0
    for a, b in zip((v * 2 for v in x), (v + 1 for v in x)):
        found = found * 0.9 + a * b
        z *= 0.5
    return found


def in_a_helper(x):
    return halving((v * 2 for v in x), x) + halving(zip((v for v in x), x), x)


def halving(items, x):
    found = 0.0
    for v in items:
        found += np.sum(v)
        x[:] = 0.5 * x
    return found


def of_new_arrays(x):
    found = 0.0
    for row in itertools.accumulate(x.reshape(2, 2)):
        found = found * 0.9 + row[0]
        row *= 0.5
    return found


def under_a_handler(x):
    quotients = itertools.accumulate([1.0, float(x[0]) - 1.0, 2.0], lambda a, b: a / b)
    found = 0.0
    try:
        for v in quotients:
            found += v
    except ZeroDivisionError:
        found += 10.0
    return found


def effects(x):
    seen = []

    def note(v):
        seen.append(v)
        return v > 1.5

    found = any(note(v) for v in x), all(map(note, x)), list(itertools.islice(map(note, x), 2))
    return (
        *map(float, found[0:2]),
        len(seen),
        sum(seen),
        len(list(itertools.pairwise(map(note, x)))),
    )


def witness(x):
    found = any((y := v) > 1.5 for v in x) + sum((z := v) for v in x)
    return found, y, z


def copies(x):
    first, second = itertools.tee(map(lambda v: v * 2, x))
    next(second)
    return sum(a * b for a, b in zip(first, second)) + len(itertools.tee(x, 3))


def chosen(x):
    z = x * 2.0
    totals = itertools.accumulate(x) if x[0] > 2.0 else itertools.accumulate(z)
    pairs = itertools.pairwise(z) if x[0] < 2.0 else itertools.pairwise(x)
    x[1], z[1] = 50.0, 70.0
    return functools.reduce(lambda a, b: 0.5 * a + b, totals) + sum(a * b for a, b in pairs)


PROGRAMS = [
    chosen,
    in_turns,
    through_an_alias,
    in_a_helper,
    of_new_arrays,
    under_a_handler,
    effects,
    witness,
    copies,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    np.testing.assert_allclose(run(f, X.copy()), f(X.copy()), rtol=1e-14)


@pytest.mark.parametrize("name", ["accumulate", pytest.param("cycle", marks=pytest.mark.slow)])
def test_derivatives(name):
    f = over(ITERABLES[name])
    myia.check_grads(lambda x: f(x + 0.0, x[:2] * np.ones((2, 1))), (X[:3],), order=2)


def test_one_loop_if_nothing_is_written():
    def f(x):
        total = 0.0
        for v in itertools.chain(x, x, x):
            total += v * v
        return total

    program, _ = inferred(f, X)
    assert [op.primitive for op in walk(program.function.region)].count(loop_p) == 1


def test_membership_takes_items_up_to_the_one_found():
    def f(x):
        seen = []

        def note(v):
            seen.append(v)
            return v

        return x[2] in map(note, x), len(seen)

    assert run(f, X.copy()) == f(X.copy()) == (True, 3)


def test_copies_of_what_is_written_to():
    def f(x):
        first, second = itertools.tee(x)
        for v in first:
            x[:] = x * v
        return sum(second)

    with pytest.raises(MyiaError, match="what is changed meanwhile"):
        run(f, X.copy())
