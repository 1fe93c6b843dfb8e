"""Colouring: which elements can be seeded at once.

Two elements whose derivatives meet in one element of the other array get different colours. For
each colour there is one seed, and each element of the other array meets one element of that colour
at most: so the derivative for the seed is a derivative by one element (Curtis, Powell and Reid).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from myia.transforms.jacobians.patterns import ANY, MAX_POSITIONS, Pattern

MAX_COLOURS = 16


@dataclass(frozen=True)
class Colouring:
    """`colours`: that of each seeded element.

    `met[i][c]`: for each element of array i, the seeded element of colour c on which it depends;
    -1 for none.
    """

    colours: np.ndarray
    met: list[np.ndarray]

    @property
    def count(self) -> int:
        return int(self.colours.max(initial=-1)) + 1


def colouring(size: int, depends: Sequence[np.ndarray]) -> Colouring | None:
    """The colours of `size` elements; `depends[i][j]`: those on which element j of array i depends.

    None if there would be so many that it does not pay.
    """
    if all(p.shape[1] <= 1 for p in depends):
        colours = np.zeros(size, np.int64)
    else:
        colours = _greedy(size, [each[each >= 0] for p in depends for each in p])
    found = Colouring(colours, [_met(p, colours) for p in depends])
    return found if found.count <= min(MAX_COLOURS, size // 2) else None


def _greedy(size: int, groups: Sequence[np.ndarray]) -> np.ndarray:
    """Each element has the first colour that no other one of its groups has."""
    groups_of: list[list[int]] = [[] for _ in range(size)]
    for g, group in enumerate(groups):
        for k in group:
            groups_of[k].append(g)
    taken: list[set[int]] = [set() for _ in groups]
    colours = np.zeros(size, np.int64)
    for k, of in enumerate(groups_of):
        near = set().union(*(taken[g] for g in of))
        colours[k] = next(c for c in count() if c not in near)
        for g in of:
            taken[g].add(int(colours[k]))
    return colours


def _met(p: np.ndarray, colours: np.ndarray) -> np.ndarray:
    met = np.full((int(colours.max(initial=-1)) + 1, len(p)), -1)
    j, i = np.nonzero(p >= 0)
    met[colours[p[j, i]], j] = p[j, i]
    return met


def transposed(p: Pattern, size: int) -> Pattern:
    """Of a pattern of positions among `size` elements: which elements depend on each of these."""
    if p is ANY:
        return ANY
    j, i = np.nonzero(p >= 0)
    positions = p[j, i]
    order = np.argsort(positions, kind="stable")
    counts = np.bincount(positions, minlength=size)
    width = int(counts.max(initial=0))
    if width > MAX_POSITIONS:
        return ANY
    found = np.full((size, width), -1)
    column = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    found[positions[order], column] = j[order]
    return found
