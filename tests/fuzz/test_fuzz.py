"""Random structured programs against plain Python: values, errors, mutation and derivatives."""

import itertools
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.grammar.constructs import all_names
from tests.fuzz.grammar.generator import Generator
from tests.fuzz.harness import check, random_checks
from tests.fuzz.programs import define
from tests.fuzz.run import program_of, run_narrow, run_seed

NEEDED = {  # what makes the objects that a construct works on
    "generators without an end": ["generator functions"],
    "yield in blocks": ["generator functions"],
    "resumed generators": ["generator functions"],
    "generators in turns": ["generator functions"],
    "generators within themselves": ["generator functions"],
    "what Python's floats and indices raise": ["try"],
}
ONE_RUN = {
    "deadline": None,
    "derandomize": True,
    "suppress_health_check": list(HealthCheck),
}


@settings(max_examples=12, **ONE_RUN)
@given(st.randoms(use_true_random=False))
def test_programs_that_hypothesis_chooses(random):
    """Hypothesis drives the generator, and shrinks what fails."""
    program = Generator(random).program()
    report = check(program, 0, random_checks(random))
    assert report.refused or sum(report.counts.values()) > 0


@pytest.mark.parametrize("seed", range(50))
def test_reference(seed):
    run_seed(seed)


@pytest.mark.parametrize("name", all_names())
def test_each_construct_is_written(name):
    """It comes in programs that hold no other beside the core."""
    programs = (
        Generator(Random(seed), [name, *NEEDED.get(name, ())]).program() for seed in range(60)
    )
    found = next(program for program in programs if program.constructs[name])
    compile(found.source, name, "exec")


def test_generators_without_an_end_yield():
    """Also where a jump goes round the yields that are written at the end of the loop."""
    source = program_of(1375, ["generator functions"]).source
    assert "while True:\n        yield 0.5\n        continue" in source
    names = define(source)
    assert list(itertools.islice(names["h0"](1.2, 0), 3)) == [0.0, 0.5, 0.5]


@pytest.mark.parametrize("seed", range(100_000, 100_005))
def test_xla(seed):
    run_seed(seed, xla=True)


@pytest.mark.parametrize("seed", range(200_000, 200_015))
def test_float32(seed):
    run_narrow(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(200_000, 202_000, 100))
def test_many_of_float32(block):
    for seed in range(block, block + 100):
        run_narrow(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(0, 5_000, 100))
def test_many_on_the_reference(block):
    for seed in range(block, block + 100):
        run_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(100_000, 100_500, 20))
def test_many_on_xla(block):
    for seed in range(block, block + 20):
        run_seed(seed, xla=True)
