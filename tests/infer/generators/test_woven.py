"""Generators woven into the loops that take their items, against plain Python."""

import itertools

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.primitives.core.structured import loop_p
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, inferred, run

X = np.array([0.5, 1.5, -0.7, 2.0, 0.3])


def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


def fibonacci(a):
    x, y = a, 1.0
    while True:
        yield x
        x, y = y, x + y


def several(x):
    yield x[0]
    yield from x
    if x[0] > 0:
        yield 5 * x[0]


def walk_tree(n, x):
    if n == 0:
        return
    yield from walk_tree(n - 1, x)
    yield x[n]
    yield from walk_tree(n - 1, x)


class Weights:
    def __init__(self, w):
        self.w = w

    def scaled(self):
        for i in range(3):
            yield self.w * i

    def __iter__(self):
        yield self.w
        yield 2 * self.w


def loops(x):
    total = 0.0
    for i in evens(5):
        if i == 2:
            continue
        total += x[i] * i
    else:
        total += 1.0
    for i in evens(0):
        total += 100.0 * i
    return total


def leaves_early(x):
    total = 0.0
    for v in fibonacci(x[0]):
        if v > 20:
            break
        total += v * x[1]
    return total


def returns_from_the_loop(x):
    for v in fibonacci(x[0]):
        if v > 20:
            return v * x[1]


def generators_in_generators(x):
    def scaled(items, c):
        for v in items:
            yield v * c

    total = 0.0
    for k, v in enumerate(scaled(scaled(several(x), x[1]), 3.0)):
        total = 0.5 * total + np.sin(v) * k
    return total


def both_see_changes(x):
    """The loop changes an array and a variable that the generator reads, and it changes one."""
    a, scale, taken = x.copy(), 1.0, 0

    def items():
        nonlocal taken
        for i in range(4):
            taken += 1
            yield scale * a[i]
        taken += 100

    total = 0.0
    for i, v in enumerate(items()):
        a[i + 1] += v
        scale += 0.1 * v
        total += v * taken
    return total + taken


def not_resumed(x):
    """After `break` no statement of the generator runs."""
    seen = [0.0]

    def items():
        for i in range(5):
            seen[0] += 1.0
            yield x[i]
            seen[0] += 10.0

    for v in items():
        if v > 1.0:
            break
    first = next(items())
    return seen[0] * x[0] + first


def expressions(x):
    g = (v * w for v in x if v > 0 for w in x[:2])
    total = next((v * 2 for v in x if v > 1), 0.0) + next((v for v in x if v > 100), x[0])
    for v in g:
        total += v
    return total


def methods(x):
    weights, total = Weights(x[1]), 0.0
    for v in weights.scaled():
        total += v * v
    for v in weights:
        total += v
    return total


def recursion(x):
    total = 1.0
    for v in walk_tree(3, x):
        total = total * 0.9 + v
    return total


def rests(x):
    it, ids = iter(x), itertools.count(3)
    before, total = next(it), next(ids) * x[1]
    for v, i in zip(it, ids):
        total += (v - before) ** 2 * i
        before = v
    return total + next(iter([x[2], 1.0])) + next(iter(x[:0]), x[3])


def collected(x):
    items = [v * v for v in several(x)]
    a, b = (v for v in x[:2])
    found = x[0] if any(v > 1 for v in several(x)) else x[1]
    return sum(several(x)) + max(several(x)) + len(items) + a * b + found


def zipped(x):
    total = 0.0
    for a, b in zip(evens(5), x):
        total += a * b
    for b, a, i in zip(x, fibonacci(1.0), itertools.count(1)):
        total += a * b * i
    for a, b in zip(x, itertools.cycle([1.0, 2.0])):
        total += a * b
    return total + sum(map(lambda v: v * v, filter(lambda v: v > 0, several(x))))


def of_itertools(x):
    total = sum(itertools.takewhile(lambda v: v < 20, fibonacci(x[0])))
    for v in itertools.islice(fibonacci(x[0]), 1, 6, 2):
        total = 0.5 * total + v * v
    for v in itertools.accumulate(itertools.chain(several(x), x)):
        total += v * v
    for a, b in itertools.pairwise(several(x)):
        total += (b - a) ** 2
    for i in itertools.count():
        if i >= 5:
            break
        total += x[i] * i
    return total + sum(itertools.dropwhile(lambda v: v < 1, x))


def arguments_of_calls(x):
    """The items of expressions in `enumerate` and its like are taken one by one."""
    x, total, scale = x.copy(), 0.0, 1.0
    for i, v in enumerate(scale * x[j] for j in range(5)):
        x[(i + 1) % 5] += 0.5 * v
        scale += 0.1 * i
        total += v * (i + 1)
    for v, (w, _) in zip(x, zip((x[j] * x[j] for j in range(4)), range(9))):
        x *= 1.0 + 0.1 * v
        total += w
    for v in map(lambda a: a + x[0], (x[j] for j in range(5))):
        x[0] = v
    for a, b in zip((x[j] for j in range(5)), (x[j] ** 2 for j in range(5))):
        total += a * b
    return total + x[0]


def changed_under_two(x):
    total = 0.0
    for a, b in zip((x[j] for j in range(5)), (x[j] ** 2 for j in range(5))):
        x[4] += a * b
        total += a
    return total


def written_under_two(x):
    total = 0.0
    for a, b in zip((x[j] for j in range(5)), (x[j] ** 2 for j in range(5))):
        np.copyto(x, x + b)
        total += a
    return total


def logging_rows(log, x):
    log[0] += 1.0
    try:
        for v in x:
            yield v * log[0]
    finally:
        log[0] = log[0] * x[1] + 10.0


def cleans_up(x):
    """`finally` runs at the end, and as soon as the loop is left."""
    log, total = [0.0], 0.0
    for v in logging_rows(log, x):
        total = 0.5 * total + v * log[0]
    for v in logging_rows(log, x):
        if v > 20:
            break
        total += v
    total += log[0]

    def found():
        for v in logging_rows(log, x):
            if v > 30:
                return v
        return 0.0

    return found() * log[0] + total


class Scaled:
    def __init__(self):
        self.scale = 1.0

    def __enter__(self):
        self.scale *= 2.0
        return self

    def __exit__(self, *error):
        self.scale *= 0.5


def cleans_up_with(x):
    context, total = Scaled(), 0.0

    def rows():
        with context as c, np.errstate(all="ignore"):
            for v in x:
                yield v * c.scale

    for v in rows():
        total += v * context.scale
        if v > 1:
            break
    return total * context.scale + sum(rows())


def cleans_up_after_an_error(x):
    log, total = [0.0], 0.0
    try:
        for v in logging_rows(log, x):
            total += v
            if v > 1:
                raise ValueError("large")
    except ValueError:
        total = total * 2.0 + log[0]
    return total


PROGRAMS = [
    *(loops, leaves_early, returns_from_the_loop, generators_in_generators, both_see_changes),
    *(
        arguments_of_calls,
        not_resumed,
        expressions,
        methods,
        recursion,
        rests,
        collected,
        zipped,
        of_itertools,
        changed_under_two,
        written_under_two,
        cleans_up,
        cleans_up_with,
        cleans_up_after_an_error,
    ),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values(f):
    assert_same(run(f, X.copy()), f(X.copy()), rtol=1e-13)


@pytest.mark.parametrize("f", [leaves_early, both_see_changes, arguments_of_calls])
def test_derivatives(f):
    h, v = 1e-6, np.array([0.3, -0.2, 0.5, 0.1, 0.7])
    gradient = myia.grad(f)
    central = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(5)]
    np.testing.assert_allclose(gradient(X), central, rtol=1e-6, atol=1e-7)
    second = myia.grad(lambda x: np.sum(gradient(x) * v))(X)
    central = (gradient(X + h * v) - gradient(X - h * v)) / (2 * h)
    np.testing.assert_allclose(second, central, rtol=1e-5, atol=1e-6)


def test_loops_stay_loops():
    """The program does not grow with the trip count, and has the loop of the generator only."""

    def f(x, n):
        total = 0.0
        for i, v in enumerate(x[j] * j for j in evens(n)):
            total += v * i
        for v in (x[0] * j for j in range(n)):
            total += v
        return total

    def ops(n):
        return list(walk(inferred(lambda x: f(x, n), np.ones(2000))[0].function.region))

    assert len(ops(100)) == len(ops(1000))


def test_a_loop_to_the_end_keeps_its_trip_count():
    def f(x):
        total = 0.0
        for v in (a * a for a in x):
            total += v
        return total

    (loop,) = [
        op for op in walk(inferred(f, np.ones(99))[0].function.region) if op.primitive is loop_p
    ]
    assert len(loop.regions) == 1  # no condition


def exhausted(x):
    g = evens(5)
    return sum(g) + 10 * sum(g) * x[0]


def test_exhausted():
    assert myia.jit(exhausted)(X) == exhausted(X)


def test_no_item():
    f = myia.jit(lambda x: next(v for v in x if v > 100))
    with pytest.raises(StopIteration):
        f(X)


def leaves_a_named_one(x):
    rows = logging_rows([0.0], x)
    for v in rows:
        if v > 1:
            break
    return v


def takes_one_that_cleans_up(x):
    return next(logging_rows([0.0], x))


@pytest.mark.parametrize(
    "f, message",
    [
        (leaves_a_named_one, "leaving a loop early over a generator that yields inside `with`"),
        (takes_one_that_cleans_up, "taking items one by one of a generator that yields inside"),
    ],
)
def test_python_cleans_up_when_it_forgets_the_generator(f, message):
    with pytest.raises(MyiaError, match=message):
        inferred(f, X)
