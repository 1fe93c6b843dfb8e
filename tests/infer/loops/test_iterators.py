"""An iterator gives its items once; where nobody knows what is left of it, it is refused."""

import collections
import itertools

import numpy as np
import pytest

import myia
from tests.infer.driver import run


def loops_twice(x):
    q = enumerate(x)
    total = 0.0
    for i, v in q:
        total += i * v
    for i, v in q:
        total += 100.0 * v * i
    return total


def sums_twice(items):
    return sum(items), sum(items)


def in_a_short_loop(x):
    q = zip(x, x)
    total = 0.0
    for i in range(3):
        for a, b in q:
            total += a * b * (i + 1)
    return total


class Holder:
    def __init__(self, items):
        self.items = items


def in_an_instance(x):
    holder = Holder(iter(x))
    items = [holder.items]
    return list(items[0]), list(holder.items)


def calls_late(x):
    """`map` calls its function when an item is taken."""
    last, total = [0.0], 0.0
    for v in map(lambda t: t + last[0], x):
        last[0] = v
        total += v
    return total


def never_calls(x):
    seen = []
    q = map(seen.append, x)
    before = len(seen)
    list(q)
    return before, len(seen), list(q)


def in_a_derivative(x):
    q = iter([1.0, 2.0])
    return myia.grad(lambda a: a * sum(q))(x[0]), list(q)


def either(x):
    q = zip(x, x) if x[0] > 0 else zip(x, 2 * x)
    return list(q), list(q)


def twice(q):
    return list(q), list(q)


SAME = {
    "zip": lambda x: twice(zip(x, x)),
    "map": lambda x: sums_twice(map(lambda v: v * 2, x)),
    "filter": lambda x: twice(filter(lambda v: v > 1.5, x)),
    "reversed": lambda x: twice(reversed([x[0], 2.0])),
    "iter of a dict": lambda x: twice(iter({"a": 1.0, "b": 2.0})),
    "generator expression": lambda x: sums_twice(v * v for v in x),
    "iter of an iterator": lambda x: twice(iter(iter(x))),
    "enumerate of an iterator": lambda x: (lambda q: (list(enumerate(q)), list(q)))(iter(x)),
    "unpacked": lambda x: (lambda q: ([*q], sum(q)))(iter(x)),
    "max": lambda x: (lambda q: (max(q), sorted(q)))(iter(x)),
    "chain": lambda x: twice(itertools.chain([1.0], x)),
    "product": lambda x: twice(itertools.product(x, [1.0])),
    "product of an iterator": lambda x: list(itertools.product(iter(x), repeat=2)),
    "accumulate": lambda x: twice(itertools.accumulate(x)),
    "combinations": lambda x: twice(itertools.combinations(x, 2)),
    "islice": lambda x: twice(itertools.islice(x, 2)),
    "repeat": lambda x: twice(itertools.repeat(x[0], 2)),
    "bounded": lambda x: twice(myia.bounded(range(3), 5)),
    "a view of a dict is no iterator": lambda x: twice({"a": x[0]}.items()),
    **{f.__name__: f for f in (loops_twice, in_a_short_loop, in_an_instance, calls_late)},
    **{f.__name__: f for f in (never_calls, either)},
}


@pytest.mark.parametrize("name", SAME)
def test_as_python(name):
    f, x = SAME[name], np.array([1.0, 2.0, 3.0])
    assert repr(myia.jit(f)(x)) == repr(f(x))


def test_used_up_in_a_derivative():
    assert myia.jit(in_a_derivative)(np.ones(2)) == (3.0, [])


def after_a_break(x):
    q = iter(x)
    for v in q:
        if v > 1.5:
            break
    return sum(q)


def inside_its_own_loop(x):
    q, total = iter(x), 0.0
    for v in q:
        for w in q:
            total += v * w
    return total


def in_one_branch(x):
    q = iter(x)
    total = sum(q) if x[0] > 0 else 0.0
    return total, sum(q)


def in_a_while(x):
    q, total = iter(x), 0.0
    while total < x[1]:
        total += 1.0 + sum(q)
    return total


RESUMED = {
    "zip of one iterator": lambda x: (lambda q: list(zip(q, q)))(iter(x)),
    "after a zip": lambda x: (lambda q: (list(zip(q, [1.0])), list(q)))(iter(x)),
    "after `any`": lambda x: (lambda q: (any(v > 1.5 for v in q), list(q)))(iter(x)),
    "after `all`": lambda x: (lambda q: (all(v < 1.5 for v in q), next(q)))(iter(x)),
    "after `in`": lambda x: (lambda q: (1 in q, list(q)))(iter([1, 2])),
    "after `in` of run time": lambda x: (lambda q: ((x[1], 4.0) in q, next(q)))(zip(x, x * 2.0)),
    "after `in` that may not run": lambda x: (lambda q: (x[0] > 1.0 and 2.0 in q, sum(q)))(iter(x)),
    **{f.__name__: f for f in (after_a_break, inside_its_own_loop, in_one_branch, in_a_while)},
}


@pytest.mark.parametrize("name", RESUMED)
def test_goes_on(name):
    f, x = RESUMED[name], np.array([1.0, 2.0, 3.0])
    assert run(f, x) == f(x)


def test_no_length():
    with pytest.raises(TypeError, match=r"object of type 'zip' has no len\(\)"):
        myia.jit(lambda x: len(zip(x, x)))(np.ones(2))


def reversed_before_it_grows(x):
    items = [x[0], x[1]]
    q = reversed(items)
    items.append(x[2])
    return list(q)


def breaks_before_the_next_call(x):
    seen = []
    for v in map(lambda t: (seen.append(t), t)[1], [1.0, 2.0, 3.0]):
        if v > 1.5:
            break
    return seen


CONSUMERS = {
    "break": breaks_before_the_next_call,
    "join": lambda x: "-".join(map(str, [1, 2])),
    "update": lambda x: (lambda d: (d.update(zip("bc", x)), d))({"a": x[0]}),
    "extended": lambda x: [*map(abs, x), *zip(x, x)],
    "closed over": lambda x: (lambda q: (lambda f: (f(), f()))(lambda: sum(q)))(iter(x)),
    "reversed list": reversed_before_it_grows,
}


@pytest.mark.parametrize("name", CONSUMERS)
def test_consumers(name):
    f, x = CONSUMERS[name], np.array([1.0, 2.0, 3.0])
    assert repr(myia.jit(f)(x)) == repr(f(x))


def test_iterators_cannot_be_reversed():
    with pytest.raises(TypeError, match="not reversible"):
        myia.jit(lambda x: list(reversed(zip(x, x))))(np.ones(2))


class Doubled:
    """Gives its items anew to each that asks for them."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for x in self.items:
            yield x * 2


@pytest.mark.parametrize(
    "use",
    [
        lambda d: max(d) + min(d) * 10.0,
        lambda d: max(d, key=lambda v: -v),
        lambda d: sum(map(abs, d)) + sum(filter(lambda v: v > 1.0, d)),
        lambda d: next(iter(d)) + sum(d),
        lambda d: sum(itertools.accumulate(d)) + list(d)[-1] + sorted(d)[0],
    ],
)
def test_instances_that_are_iterated(use):
    def f(x):
        return use(Doubled([x, x * x, 0.3])) * x

    h = 1e-6
    value, slope = myia.value_and_grad(f)(0.8)
    assert value == pytest.approx(f(0.8), rel=1e-13)
    assert slope == pytest.approx((f(0.8 + h) - f(0.8 - h)) / (2 * h), rel=1e-6)


def test_the_list_of_a_deque():
    def f(x, n):
        queue = collections.deque([x[0]])
        for i in range(n):
            queue.append(x[i] * x[i])
            if len(queue) > 2:
                queue.popleft()
        found = list(queue)
        found.append(x[0])
        return sum(found) + len(queue)

    x = np.array([0.5, 2.0, 3.0])
    for n in range(4):
        assert myia.jit(f)(x, np.array(n)) == f(x, n)
    np.testing.assert_allclose(myia.grad(f)(x, np.array(3)), [1.0, 4.0, 6.0])


@pytest.mark.parametrize(
    "use",
    [
        lambda x, n: sorted(v * v for v in x if v > 1)[0],
        lambda x, n: sorted(map(lambda v: -v, x))[0],
        lambda x, n: sorted(zip(range(n), x), key=lambda p: -p[1])[0][1],
        lambda x, n: sorted(reversed(range(n)))[1] * x[0],
        lambda x, n: sorted(collections.deque(x))[1],
        lambda x, n: sorted(filter(lambda v: v > 1, x), reverse=True)[0] * len(sorted(range(n))),
        lambda x, n: sorted(Doubled(x))[1],
    ],
)
def test_sorted_iterators(use):
    x, h = np.array([2.5, 0.3, 1.2, 3.3]), 1e-6
    for n in (2, 4):
        assert myia.jit(use)(x, np.array(n)) == use(x, n)
        slope = myia.grad(use)(x, np.array(n))
        wanted = [(use(x + h * e, n) - use(x - h * e, n)) / (2 * h) for e in np.eye(4)]
        np.testing.assert_allclose(slope, wanted, atol=1e-8)


def test_numbers_of_numpy_in_lists_of_numbers_of_python():
    def f(n, k):
        squares = [i * i for i in range(n)]
        return (k in squares) * 10 + squares.count(k) + (squares.index(k) if k in squares else 0)

    for k in (np.int64(4), np.int64(5), 4, 5):
        assert myia.jit(f)(np.int64(5), k) == f(5, int(k))
