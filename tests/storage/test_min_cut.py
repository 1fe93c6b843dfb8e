"""Minimum cuts against all cuts; the cut nearest to the sink."""

import random
from itertools import product

import pytest

from myia.storage.model.min_cut import Network


def cut_size(edges, side) -> int:
    return sum(c for a, b, c in edges if a not in side and b in side)


@pytest.mark.parametrize("seed", range(30))
def test_against_all_cuts(seed):
    choose = random.Random(seed)
    n = choose.randint(3, 8)
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b and choose.random() < 0.4]
    edges = [(a, b, choose.randint(0, 9)) for a, b in pairs]
    network = Network()
    for _ in range(n):
        network.node()
    for edge in edges:
        network.connect(*edge)
    sink_side = network.sink_side(0, 1)
    assert 1 in sink_side and 0 not in sink_side
    sides = [
        {1, *(i for i, inside in zip(range(2, n), choice) if inside)}
        for choice in product([False, True], repeat=n - 2)
    ]
    least = min(cut_size(edges, side) for side in sides)
    assert cut_size(edges, sink_side) == least
    # The cut nearest to the sink.
    assert all(sink_side <= side for side in sides if cut_size(edges, side) == least)
