"""What a list, heap or deque says that has no such item: Python's words."""

import heapq
from collections import deque

import pytest

import myia


def grown(x):
    items = []
    for k in range(3):
        if x > k + 5.0:
            items.append(x * k)
    return items


def pop_of_an_empty_heap(x):
    items = grown(x)
    heapq.heappush(items, x)
    return heapq.heappop(items) + heapq.heappop(items)


def replace_in_an_empty_heap(x):
    return heapq.heapreplace(grown(x), x)


def pop_of_a_known_heap(x):
    items = [x]
    return heapq.heappop(items) + heapq.heappop(items)


def pop(x):
    return grown(x).pop()


def pop_of_the_first(x):
    return grown(x).pop(0)


def pop_at_an_index(x):
    return grown(x).pop(int(x))


def pop_behind_the_end(x):
    return [x, *grown(x)].pop(int(x))


def index(x):
    return [1.0, 2.0, x].index(x * 2.0)


def index_of_an_integer(x):
    return list(range(40)).index(int(x) + 40)


def index_in_a_grown_list(x):
    return [x, *grown(x)].index(x * 2.0)


def index_of_a_constant(x):
    return [x, 2.0].index(7)


def index_in_a_deque(x):
    return deque([x, 2.0]).index(x * 3.0)


def remove_from_a_deque(x):
    items = deque([x, 2.0])
    items.remove(x * 3.0)
    return items[0]


PROGRAMS = [
    *(pop_of_an_empty_heap, replace_in_an_empty_heap, pop_of_a_known_heap),
    *(pop, pop_of_the_first, pop_at_an_index, pop_behind_the_end),
    *(index, index_of_an_integer, index_in_a_grown_list, index_of_a_constant),
    *(index_in_a_deque, remove_from_a_deque),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_says_what_python_says(f):
    with pytest.raises((IndexError, ValueError)) as expected:
        f(1.5)
    with pytest.raises(expected.type) as found:
        myia.jit(f)(1.5)
    assert str(found.value).splitlines()[0] == str(expected.value)
