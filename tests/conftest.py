"""Golden files, which cases of sweeps run by default, and how often garbage is collected.

`golden(text)` compares with `tests/golden/<file>/<test>.txt`.
"""

import gc
from pathlib import Path

import pytest

from myia.api import sharing
from tests.default_run import mark_spreads

TESTS = Path(__file__).parent


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write what the tests produce")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    mark_spreads(items)


def pytest_collection_finish():
    """Modules and tests stay: with them to look through, collections took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


@pytest.fixture(autouse=True)
def programs_of_its_own():
    """Transforms made anew share programs: what a test changes in the compiler goes unseen else."""
    sharing.forget()


@pytest.fixture
def golden(request):
    """`golden(text)`: the text is what the file named after the test holds."""
    module = Path(request.node.path).relative_to(TESTS).with_suffix("")
    name = request.node.name.replace("[", ".").replace("]", "").replace("/", "_")
    path = TESTS / "golden" / module / f"{name}.txt"

    def check(text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no golden file {path.relative_to(TESTS)}: use --update-golden"
        assert text == path.read_text()

    return check
