"""Random programs do the same as IR(py) as they do in Python."""

import pytest

from tests.frontend.compare import define, interpreted, outcome
from tests.frontend.random_programs import Generator

INPUTS = ((0, 0), (1, 3), (3, 1), (-2, 5))


def check_seed(seed: int) -> None:
    source = Generator(seed).program("program")
    try:
        fn = define(source, "program", f"<random program {seed}>")
    except SyntaxError:
        return  # `nonlocal` of a parameter, and the like
    compiled = interpreted(fn)
    for args in INPUTS:
        expected, actual = outcome(fn, args), outcome(compiled, args)
        assert actual == expected, f"seed {seed}, arguments {args}\n{source}"


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_random_programs(start):
    for seed in range(start, start + 100):
        check_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 20000, 1000))
def test_many_random_programs(start):
    for seed in range(start, start + 1000):
        check_seed(seed)
