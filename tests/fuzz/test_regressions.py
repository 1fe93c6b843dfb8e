"""Programs that once were compiled wrongly, as found: reduced random programs."""

import pytest
from generator import Program
from harness import Checks, check

ALL = Checks(forward=True, second=True)

PROGRAMS = {
    "a list that grows in some trips only": """
def f(p, q, n, x, y, A):
    items = []
    for v in x:
        if v > p:
            items.append(v * q)
    return sum(items) + len(items)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    "checks", [ALL, Checks(dynamic=True, stage="expand")], ids=["static", "dynamic"]
)
def test_reference(name, checks):
    report = check(Program(PROGRAMS[name], risky=False), 0, checks)
    assert report.refused is None
    assert report.counts["values"] == 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_xla(name):
    report = check(Program(PROGRAMS[name], risky=False), 0, Checks(xla=True))
    assert report.refused is None
