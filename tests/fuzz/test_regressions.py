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
    "what depends on the end of a loop is not recorded in its trips": """
def f(p, q, n, x, y, A):
    for k in range(2):
        q -= math.sin(A[1, k])
    return np.tanh(q)
""",
    "a shared variable is bound to a view in a loop": """
def f(p, q, n, x, y, A):
    g = lambda u: x[0] * u
    for v in x:
        x = x[::-1]
    return g(p)
""",
}

REFUSED = {
    "may have been changed through another name": """
def f(p, q, n, x, y, A):
    view = x[2:]
    either = x if q > 0 else y
    either[2] += 1.0
    return np.sum(view)
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


@pytest.mark.parametrize("reason", REFUSED)
def test_refused(reason):
    report = check(Program(REFUSED[reason], risky=False), 0, Checks())
    assert reason in report.refused
