"""Reduced random programs that were once compiled wrongly."""

import pytest

from tests.fuzz.grammar.generator import Program
from tests.fuzz.harness import Checks, check

ALL = Checks(forward=True, second=True)

PROGRAMS = {
    "a list that grows in some iterations only": """
def f(p, q, n, x, y, A):
    items = []
    for v in x:
        if v > p:
            items.append(v * q)
    return sum(items) + len(items)
""",
    "a list grows in a loop and after it": """
def f(p, q, n, x, y, A):
    items = []
    for k in range(12):
        items.append(x[k % 3] * k)
    items.append(p)
    return sum(items) * items[-1]
""",
    "a list grows in a branch, then in loops": """
def f(p, q, n, x, y, A):
    items = [p]
    if q > 0.0:
        items.append(q)
    for k in range(3):
        for v in x:
            if v > 0.1:
                items.append(v)
            items.append(p * v)
        items.append(p)
    items.append(q)
    return sum(items) * items[-1] * len(items)
""",
    "a tail recursion visited again, where it has no result at first": """
def h(u, k):
    if k <= 0 or k > 4:
        return 0.5
    return h(u * 0.9, k - 1)

def f(p, q, n, x, y, A):
    fuel = 2
    while fuel > 0:
        fuel -= 1
        for e in (y[1], 1.5):
            A[-1, 2] -= e * p + h(p, n)
    return q
""",
    "what depends on the end of a loop is not recorded in its iterations": """
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
    "a view of one of two arrays": """
def f(p, q, n, x, y, A):
    view = x[2:]
    either = x if q > 0 else y
    either[2] += 1.0
    return np.sum(view)
""",
    "a view of one path, joined twice": """
def f(p, q, n, x, y, A):
    if p > 3:
        pass
    elif q > -3:
        x = A[0]
    A += 1
    return x
""",
}

MAY_BE_CHANGED = "may have been changed through another name"

REFUSED = {
    "a list that grows in a loop and has a second name": (
        MAY_BE_CHANGED,
        """
def f(p, q, n, x, y, A):
    items = []
    for v in x:
        items.append(v)
        same = items
        if v > 0.4:
            items = [q]
    same.append(q)
    return sum(items)
""",
    ),
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


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    reason, source = REFUSED[name]
    report = check(Program(source, risky=False), 0, Checks())
    assert reason in report.refused
