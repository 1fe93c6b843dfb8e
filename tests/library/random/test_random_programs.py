"""Random programs that draw in branches, loops and helpers, and after early returns."""

from __future__ import annotations

import pytest

from tests.library.random.programs import check, check_gradient


@pytest.mark.parametrize("first", range(0, 30, 5))
def test_programs(first):
    for seed in range(first, first + 5):
        check(seed)


@pytest.mark.parametrize("seed", [2, 8])
def test_programs_on_xla(seed):
    check(seed, xla=True)


@pytest.mark.parametrize("seed", range(100, 103))
def test_gradients(seed):
    check_gradient(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_more_programs(seed):
    check(seed, xla=True)
