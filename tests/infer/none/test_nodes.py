"""Nodes of lists, trees and queues that are linked by names which may be None or one of several."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_derivative, run


class Node:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after


class Both:
    def __init__(self, value):
        self.value = value
        self.left = self.right = None


class Queue:
    def __init__(self):
        self.head = self.tail = None

    def push(self, value):
        node = Node(value)
        if self.tail is None:
            self.head = self.tail = node
        else:
            self.tail.after = node
            self.tail = node

    def pop(self):
        node = self.head
        self.head = node.after
        if self.head is None:
            self.tail = None
        return node.value


def total(node):
    found, k = 0.0, 1.0
    while node is not None:
        found += k * node.value**2
        k += 1.0
        node = node.after
    return found


def inserted(head, value):
    new, before, node = Node(value), None, head
    while node is not None and node.value < value:
        before, node = node, node.after
    new.after = node
    if before is None:
        return new
    before.after = new
    return head


def reversed_beside_a_name(x):
    a = Node(x, Node(2 * x))
    p = a if x > 0 else a.after
    before, node = None, a
    while node is not None:
        after = node.after
        node.after = before
        before, node = node, after
    return before.value * p.value


def reversed_from_a_name(x):
    a = Node(x, Node(2 * x, Node(3.0)))
    node = a if x > 0 else a.after
    before = None
    while node is not None:
        after = node.after
        node.after = before
        before, node = node, after
    return total(before) + total(a)


def inserted_after_the_positive(x):
    head = Node(x, Node(2.0))
    before, node = None, head
    while node and node.value > 0:
        before, node = node, node.after
    new = Node(10.0, node)
    if before is None:
        head = new
    else:
        before.after = new
    return total(head)


def inserted_twice(x):
    head = inserted(Node(1.0, Node(2.0)), x)
    return total(inserted(head, x * 0.5))


def deleted(x):
    head = Node(1.0, Node(x, Node(3.0)))
    before, node = None, head
    while node is not None and node.value <= 1.5:
        before, node = node, node.after
    if node is not None:
        if before is None:
            head = node.after
        else:
            before.after = node.after
    return total(head) * x


def appended(x):
    head = Node(x)
    for k in range(3):
        node = head
        while node.after is not None:
            node = node.after
        node.after = Node(x * (k + 2))
    return total(head)


def in_a_tree(x):
    root = Both(x)
    node = root
    while True:
        if node.value > 1.0:
            if node.left is None:
                node.left = Both(1.0)
                break
            node = node.left
        else:
            if node.right is None:
                node.right = Both(x * x)
                break
            node = node.right
    left = 0.0 if root.left is None else root.left.value
    right = 0.0 if root.right is None else root.right.value
    return (left + 2 * right) * x


def unlinked(x):
    a, b, c = Both(x), Both(2 * x), Both(3.0)
    a.right, b.left, b.right, c.left = b, a, c, b
    node = a
    while node is not None and node.value < 1.5:
        node = node.right
    if node is not None:
        if node.left is not None:
            node.left.right = node.right
        if node.right is not None:
            node.right.left = node.left
    found, node = 0.0, c
    while node is not None:
        found = 2 * found + node.value * x
        node = node.left
    return found


def queued(x):
    queue = Queue()
    for k in range(4):
        if x * k > 2:
            queue.push(x * k)
    if x > 1:
        queue.pop()
    queue.push(x)
    return total(queue.head)


def merged(x):
    a, b = Node(1.0, Node(3.0)), Node(x, Node(x + 1))
    head = tail = None
    while a is not None and b is not None:
        if a.value < b.value:
            node, a = a, a.after
        else:
            node, b = b, b.after
        if tail is None:
            head = node
        else:
            tail.after = node
        tail = node
    tail.after = a if a is not None else b
    return total(head)


def negated(x):
    a = Node(x)
    b = Node(2.0, a)
    p = a.after if x > 0 else b
    if not p:
        return x * x
    return p.value + p.after.value * x


def in_a_list(x):
    nodes = [Node(x), Node(2.0)]
    p = nodes[0] if x > 0 else nodes[1]
    q = p if x > -1 else None
    nodes[0] = nodes[1].after = q
    first = 1.0 if nodes[0] is None else nodes[0].value
    return first + (x if nodes[1].after is None else nodes[1].after.value * x)


PROGRAMS = [
    *(reversed_beside_a_name, reversed_from_a_name, inserted_after_the_positive, inserted_twice),
    *(deleted, appended, in_a_tree, unlinked, queued, merged, negated, in_a_list),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for x in (2.3, 0.7, -1.2):
        assert_value_and_derivative(f, x)


def test_none_in_arrays():
    """NumPy stores NaN for None, False, or raises TypeError."""

    def stored(x, dtype=float):
        v = None
        if x > 0:
            v = (x, 2.0)
        elif x > -2:
            v = x
        a = np.zeros(2, dtype)
        a[:] = v
        return a

    def constant(x):
        a = np.zeros((2, 2))
        a[0, 0] = a[1] = None
        return a * x

    def number(x, dtype=float):
        a = np.zeros(2, dtype)
        a[0] = x if x > 0 else None
        return a

    for f in (stored, number, constant):
        for x in (1.0, -1.0, -3.0):
            np.testing.assert_array_equal(myia.jit(f)(x), f(x))
            np.testing.assert_array_equal(run(f, x), f(x))
    with pytest.raises(TypeError, match="not 'NoneType'"):
        myia.jit(lambda x: number(x, int))(-1.0)
    assert not myia.jit(lambda x: number(x, bool))(-1.0).any()
