"""A list that grows while an iterator runs over it, and what is stored into a list from one."""

import itertools

import pytest

import myia
from tests.infer.driver import assert_same, assert_value_and_derivative


def items_of_enumerate(x):
    xs, total = [x, 1.0], 0.0
    for i, v in enumerate(xs):
        total = 10 * total + v
        if i < 2:
            xs.append(v + 1.0)
    return total


def inserted_under_enumerate(x):
    xs, total = [x, 1.0], 0.0
    for i, v in enumerate(xs):
        total = 10 * total + v
        if i < 2:
            xs.insert(0, v + 1.0)
    return total


def items_of_zip(x):
    xs, ys, total = [x, 1.0], [3.0, x], 0.0
    for u, v in zip(ys, xs):
        total = 10 * total + v * u
        if len(xs) < 4:
            xs.append(v + 1.0)
            ys.append(u)
    return total


def items_of_map(x):
    xs, total = [x, 1.0], 0.0

    def f(v):
        if len(xs) < 4:
            xs.append(v * x)
        return v + 1

    for v in map(f, xs):
        total = 10 * total + v
    return total


def items_of_starmap(x):
    xs, total = [(x, 1.0)], 0.0

    def f(a, b):
        if len(xs) < 4:
            xs.append((b, a))
        return a - 2 * b

    for v in itertools.starmap(f, xs):
        total = 10 * total + v
    return total


def items_of_islice(x):
    xs, total = [x, 1.0], 0.0
    for v in itertools.islice(xs, 0, 5, 2):
        total = 10 * total + v
        if len(xs) < 8:
            xs.append(v + 1)
            xs.append(v)
    return total


def items_of_compress(x):
    xs, total = [x, 1.0], 0.0
    for v in itertools.compress(xs, [1, 0, 1, 1]):
        total = 10 * total + v
        if len(xs) < 6:
            xs.append(v + 1)
    return total


def pairs(x):
    xs, total = [x, 1.0, 3.0], 0.0
    for a, b in itertools.pairwise(xs):
        total = 10 * total + a - 2 * b
        if len(xs) < 6:
            xs.append(a + 1)
    return total


def longest(x):
    xs, total = [x, 1.0], 0.0
    for a, b in itertools.zip_longest(xs, [1.0, 2.0, 3.0], fillvalue=0.5):
        total = 10 * total + a - 2 * b
        if len(xs) < 6:
            xs.append(a + 1)
    return total


def appended_to_a_long_list(x):
    xs, total = [x] * 12, 0.0
    for i, v in enumerate(xs):
        total = total + v * i
        if i == 11:
            xs.append(v + 1)
    return total


def taken_at_once(x):
    xs = [x, 1.0]

    def f(v):
        if len(xs) < 6:
            xs.append(v * x)
        return v + 1

    total = sum(map(f, xs))
    xs.pop()
    for v in (*map(f, xs), *tuple(map(f, xs)), *list(enumerate(map(f, xs)))[4]):
        total = 1.5 * total + v
    return total


def stored_from_map(x):
    xs = [x, 1.0]
    xs[:] = map(lambda v: 2 * v, xs)
    return xs[0] - 3 * xs[1]


def stored_from_a_generator(x):
    xs = [x, 1.0, 2.0]
    xs[1:2] = (len(xs) * v * x for v in (1.0, 2.0, 3.0))
    xs[::4] = (v * v for v in (x, xs[1]))
    return sum(v * (i + 1) for i, v in enumerate(xs))


def stored_items_that_append(x):
    xs = [x, 1.0]

    def f(v):
        xs.append(v)
        return 3 * v

    xs[:] = map(f, (1.0, 2.0, x))
    return sum(v * (i + 1) for i, v in enumerate(xs))


def stored_into_a_list_of_a_loop(x):
    xs = []
    for i in range(20):
        xs.append(x * i)
    xs[2:4] = map(lambda v: v * x, xs[:5])
    it = iter(xs)
    next(it)
    xs[1:3] = it
    return sum(v * (i + 1) for i, v in enumerate(xs))


@pytest.mark.parametrize(
    "f",
    [
        items_of_enumerate,
        inserted_under_enumerate,
        items_of_zip,
        items_of_map,
        items_of_starmap,
        items_of_islice,
        items_of_compress,
        pairs,
        longest,
        appended_to_a_long_list,
        taken_at_once,
        stored_from_map,
        stored_from_a_generator,
        stored_items_that_append,
        stored_into_a_list_of_a_loop,
    ],
)
def test_growing(f):
    assert_value_and_derivative(f, 2.0)


def append_under_the_last(make):
    """The list grows when its last item has been taken."""

    def grow(x):
        xs, taken = [x, 1.0], []
        for v in make(xs):
            taken.append(v)
            if len(taken) == len(list(make([x, 1.0]))):
                xs.append(x + 1)
        return taken

    return grow


@pytest.mark.parametrize(
    "make",
    [
        enumerate,
        itertools.pairwise,
        itertools.accumulate,
        lambda xs: zip(xs, range(9)),
        lambda xs: itertools.zip_longest(xs, [1.0]),
        lambda xs: itertools.chain([1.0], xs),
    ],
)
def test_when_the_last_item_has_been_taken(make):
    f = append_under_the_last(make)
    assert_same(myia.jit(f)(2.0), f(2.0))


def too_few_for_every_other(x):
    xs = [x, 1.0, 2.0, 3.0]
    try:
        xs[::2] = [1.0]
    except ValueError as error:
        xs.append(9.0)
        return xs, str(error)
    return xs, ""


def slices_that_python_refuses(x):
    xs, found = [x, 1.0], []
    for k in range(5):
        try:
            if k == 0:
                xs[::0] = [x]
            elif k == 1:
                found.append(str(len(xs[::0])))
            elif k == 2:
                del xs[::0]
            elif k == 3:
                xs[0:1] = 5
            else:
                xs["a":1] = [x]
        except (TypeError, ValueError) as error:
            found.append(str(error))
    return xs, found


def dict_that_grows(x):
    d = {"a": x}
    try:
        for _, key in enumerate(d):
            d[key + "b"] = x
    except RuntimeError as error:
        return d, str(error)
    return d, ""


def empty_list_that_is_filled(x):
    xs = []
    for _, _ in enumerate(xs):
        xs.append(x)
    return list(zip(xs, xs)), list(map(abs, xs)), list(enumerate(xs))


@pytest.mark.parametrize(
    "f",
    [
        too_few_for_every_other,
        slices_that_python_refuses,
        dict_that_grows,
        empty_list_that_is_filled,
    ],
)
def test_errors_and_empty_lists(f):
    assert myia.jit(f)(2.0) == f(2.0)
