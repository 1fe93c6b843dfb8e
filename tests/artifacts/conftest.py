"""One file with two programs of one function, for all tests of this folder."""

import pytest

import myia
from tests.artifacts import training


@pytest.fixture(scope="session")
def step_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("artifacts") / "step.myia"
    step = myia.jit(training.step)
    programs = [step.lower(*training.arguments(n), name="fast").compile() for n in (4, 2)]
    myia.save(path, *programs)
    return path


@pytest.fixture(scope="session")
def step(step_file):
    return myia.load(step_file)
