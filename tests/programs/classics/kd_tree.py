"""Nearest neighbours by a KD-tree of nodes, and by one in arrays."""

import numpy as np


class Node:
    def __init__(self, point, axis, left, right):
        self.point = point
        self.axis = axis
        self.left = left
        self.right = right


def build(points, depth=0):
    if len(points) == 0:
        return None
    axis = depth % points.shape[1]
    points = points[np.argsort(points[:, axis])]
    middle = len(points) // 2
    return Node(
        points[middle],
        axis,
        build(points[:middle], depth + 1),
        build(points[middle + 1 :], depth + 1),
    )


def nearest(node, target, best=np.inf):
    """The distance to the nearest point of a tree of nodes."""
    if node is None:
        return best
    best = min(best, np.linalg.norm(node.point - target))
    offset = target[node.axis] - node.point[node.axis]
    if offset < 0:
        best = nearest(node.left, target, best)
        if -offset < best:
            best = nearest(node.right, target, best)
    else:
        best = nearest(node.right, target, best)
        if offset < best:
            best = nearest(node.left, target, best)
    return best


def distance(points, target):
    return nearest(build(points), target)


class ArrayTree:
    """The same in one array of indices: the tree of order[lo:hi] has its root in the middle."""

    def __init__(self, points):
        self.points = points
        self.order = np.arange(len(points))
        self.visited = 0
        self._build(0, len(points), 0)

    def _build(self, lo, hi, depth):
        if hi - lo <= 1:
            return
        axis = depth % self.points.shape[1]
        part = self.order[lo:hi]
        self.order[lo:hi] = part[np.argsort(self.points[part, axis])]
        middle = (lo + hi) // 2
        self._build(lo, middle, depth + 1)
        self._build(middle + 1, hi, depth + 1)

    def query(self, target):
        """The index of the nearest point, and its squared distance."""
        return self._query(target, 0, len(self.order), 0, -1, np.inf)

    def _query(self, target, lo, hi, axis, best, best_d2):
        if lo >= hi:
            return best, best_d2
        self.visited += 1
        middle = (lo + hi) // 2
        index = self.order[middle]
        d2 = np.sum((self.points[index] - target) ** 2)
        if d2 < best_d2:
            best, best_d2 = index, d2
        offset = target[axis] - self.points[index, axis]
        following = (axis + 1) % len(target)
        near, far = (lo, middle), (middle + 1, hi)
        if offset > 0:
            near, far = far, near
        best, best_d2 = self._query(target, *near, following, best, best_d2)
        if offset**2 < best_d2:
            best, best_d2 = self._query(target, *far, following, best, best_d2)
        return best, best_d2


def query_all(points, targets):
    tree = ArrayTree(points)
    found = [tree.query(target) for target in targets]
    return np.array([i for i, _ in found]), np.array([d for _, d in found]), tree.visited


def chamfer(points, targets):
    """The mean squared distance of targets to their nearest points."""
    tree = ArrayTree(points)
    total = 0.0
    for target in targets:
        _, d2 = tree.query(target)
        total += d2
    return total / len(targets)
