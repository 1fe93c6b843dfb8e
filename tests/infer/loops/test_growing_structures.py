"""A structure of objects that grows in each iteration: the loop is unrolled, or refused soon."""

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_gradient


class Node:
    def __init__(self, key):
        self.key = key
        self.left = self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Node(key)
        else:
            self.right.insert(key)

    def total(self, depth=1):
        found = depth * self.key**2
        for child in (self.left, self.right):
            if child is not None:
                found += child.total(depth + 1)
        return found


def search_tree(k, v):
    root = Node(v[0] * k)
    for x in v[1:]:
        root.insert(x)
    return root.total()


@pytest.mark.parametrize("v", [[3.5, 1.0, 2.0, 5.0], [1.5, 2.2, 3.1, 4.3]], ids=str)
def test_a_tree(v):
    assert_value_and_gradient(search_tree, (1, 3), np.array(v), rel=1e-6, abs=1e-8)


def test_as_many_nodes_as_a_number_says():
    def f(v, n):
        root = Node(v[0])
        for i in range(n):
            root.insert(v[i])
        return root.total()

    with pytest.raises(myia.errors.MyiaError, match="another form in each iteration"):
        myia.jit(f)(np.array([3.0, 1.0, 2.0]), np.int64(2))
