"""Classes that branches and loops define, whose methods name them, against plain Python."""

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import run

X = np.array([0.5, 1.2, 1.7, 2.5])


def in_a_branch_of_a_loop(x):
    total = 0.0
    for v in x:
        if v > 1.0:

            class Plain:
                def __init__(self, a):
                    self.a = a

                def value(self):
                    return self.a * v  # noqa: B023

            class Twice(Plain):
                def value(self):
                    return super().value() + self.a

            made = Plain(v) if v > 1.5 else Twice(v)
            total += made.value() + isinstance(made, Twice)
    return total


def names_itself(x):
    total = 0.0
    for v in x:

        class Point:
            def __init__(self, a):
                self.a = a

            def moved(self):
                return Point(self.a + v * v)  # noqa: B023

        total += Point(v).moved().a
    return total


def on_both_paths(x):
    if x[0] > 0:

        class Point:
            def __init__(self, a):
                self.a = a

            def moved(self):
                return Point(self.a * 2)

        found = Point(x[0]).moved().a
    else:

        class Point:
            def __init__(self, a):
                self.a = a

            def moved(self):
                return Point(self.a * 3)

        found = Point(x[0]).moved().a
    return found


@pytest.mark.parametrize("f", [in_a_branch_of_a_loop, names_itself, on_both_paths])
def test_as_python(f):
    np.testing.assert_allclose(run(f, X), f(X), rtol=1e-14)


def test_derivatives():
    myia.check_grads(names_itself, (X[:2],), order=2)


def after_the_branch(x):
    if x[0] > 0:

        class Point:
            def copy(self):
                return Point()

    else:

        class Point:
            def copy(self):
                return Point()

    return x[0] if Point().copy() is None else x[1]


def test_refused_after_the_branch():
    with pytest.raises(MyiaError) as error:
        run(after_the_branch, X)
    assert "Point().copy()" in str(error.value)
