"""Minimum cuts, by Dinic's algorithm (E. A. Dinic, 1970)."""

from __future__ import annotations

from collections import deque

INFINITE = 1 << 60


class Network:
    """A directed graph whose edges have integer capacities. Nodes are numbers, from `node()`."""

    def __init__(self) -> None:
        self.edges: list[list[int]] = []  # of each node; an edge's reverse is edge ^ 1
        self.target: list[int] = []
        self.capacity: list[int] = []

    def node(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def connect(self, a: int, b: int, capacity: int) -> None:
        for start, end, size in ((a, b, capacity), (b, a, 0)):
            self.edges[start].append(len(self.target))
            self.target.append(end)
            self.capacity.append(size)

    def sink_side(self, source: int, sink: int) -> set[int]:
        """The nodes on the sink's side of a minimum cut: the one nearest to the sink."""
        while (level := self._levels(source, sink)) is not None:
            unexplored = [list(edges) for edges in self.edges]
            while self._augment(source, sink, level, unexplored):
                pass
        return self._reaching(sink)

    def _levels(self, source: int, sink: int) -> list[int] | None:
        level = [-1] * len(self.edges)
        level[source] = 0
        todo = deque([source])
        while todo:
            a = todo.popleft()
            for e in self.edges[a]:
                b = self.target[e]
                if self.capacity[e] > 0 and level[b] < 0:
                    level[b] = level[a] + 1
                    todo.append(b)
        return level if level[sink] >= 0 else None

    def _augment(
        self, source: int, sink: int, level: list[int], unexplored: list[list[int]]
    ) -> bool:
        """Push what fits along one path of increasing levels."""
        path: list[int] = []
        a = source
        while a != sink:
            while unexplored[a]:
                e = unexplored[a][-1]
                if self.capacity[e] > 0 and level[self.target[e]] == level[a] + 1:
                    path.append(e)
                    a = self.target[e]
                    break
                unexplored[a].pop()
            else:
                if not path:
                    return False
                a = self.target[path.pop() ^ 1]
                unexplored[a].pop()
        flow = min(self.capacity[e] for e in path)
        for e in path:
            self.capacity[e] -= flow
            self.capacity[e ^ 1] += flow
        return True

    def _reaching(self, sink: int) -> set[int]:
        found, todo = {sink}, [sink]
        while todo:
            for e in self.edges[todo.pop()]:
                a = self.target[e]
                if self.capacity[e ^ 1] > 0 and a not in found:
                    found.add(a)
                    todo.append(a)
        return found
