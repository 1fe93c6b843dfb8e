"""Conditions that are known though a part of them is not: `x > 0 and w is not None`, `w` None.

The code that such a condition guards is not inferred: it may not fit what is there.
"""

import contextlib
import io
import types

import numpy as np
import pytest

import myia


class Shape:
    """It has no `area`."""


SHAPE = Shape()


def none_after_a_test(x, w=None):
    return x * w if x > 0 and w is not None else x


def no_function(x, callback=None):
    if x > 0 and callback is not None:
        return callback(x)
    return x


def truth_of_none(x, w=None):
    if x > 0 and w:
        return w[0] * x
    return x


def left_by_or(x, callback=None):
    if x < 0 or callback is None:
        return x
    return callback(x)


def negated(x, w=None):
    if not (x <= 0 or w is None):
        return w * x
    return x


def under_a_name(x, w=None):
    use = x > 0 and w is not None
    if use:
        return w * x
    return x


def negated_under_a_name(x, w=None):
    done = x < 0 or w is None
    if done:
        return x
    return w * x


def three_parts(x, w=None):
    if x > 0 and w is not None and w > 2:
        return w * x
    return x


def in_a_while(x, w=None):
    while x < 3 and w is not None:
        x = x * w
    return x


def in_a_comprehension(x, w=None):
    return x + sum([v * w for v in [x, 2 * x] if v > 0 and w is not None])


def items_chosen(x, w=None):
    return sum([w * v if v > 0 and w is not None else v for v in (x, -x, x)])


def no_attribute(x):
    if x > 0 and hasattr(SHAPE, "area"):
        return SHAPE.area() * x
    return x


def no_default(x, default=None):
    best = x - 1
    if best < 0 and default is not None:
        best = default * 2
    return best


def no_option(x):
    options: dict[str, float] = {}
    limit = options.get("limit")
    if abs(x) > 1 and limit is not None:
        x = max(-limit, min(limit, x))
    return x


def linked_tuples(x):
    node = (1.0, (2.0, (3.0, None)))
    total = 0.0
    while total < 10 * x and node is not None:
        value, node = node
        total += value
    return total * x


def a_function_made_later(x):
    undo = None
    total = x
    for step in (0, 1, 0, 2, 0):
        if step == 0 and undo is not None:
            total += undo()
        if step == 1:
            kept = total * 2
            undo = lambda: kept  # noqa: B023, E731
    return total


def set_in_each_iteration(x):
    undo = None
    total = x
    for _ in range(4):
        if x > 0.3 and undo is not None:
            total += undo()
        kept = total * 2
        undo = lambda: kept  # noqa: B023, E731
    return total


def by_statements(x, w=None):
    if x > 0:
        use = w is not None
    else:
        use = False
    if not use:
        return x
    return w * x


def two_guards(x, a=None, b=None):
    if (x > 0 and a is not None) or (x <= 0 and b is not None):
        return (a if x > 0 else b) * x
    return x


def a_chain(x, w=None):
    return w * x if 0 < x < 1 and w is not None else x


def a_bool_of_numpy(x, w=None):
    a = np.array([x, 1.0])
    use = a[0] > 0 and w is not None
    return w * x if use else x


def asked_twice(x, w=None):
    positive = x > 0
    if positive:
        if not positive:
            return w * x
        return 2 * x
    return w * x if positive else x


PROGRAMS = [f for f in list(globals().values()) if isinstance(f, types.FunctionType)]
NUMBERS = [0.5, -0.7, 2.0, np.float64(0.4), np.float64(-3.0)]


@pytest.mark.parametrize("x", NUMBERS, ids=repr)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f, x):
    assert myia.jit(f)(x) == pytest.approx(f(x), rel=1e-12)
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert myia.grad(f)(x) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("f", [none_after_a_test, negated, under_a_name, three_parts])
def test_where_there_is_a_value(f):
    for x in NUMBERS:
        assert myia.jit(f)(x, 3.0) == pytest.approx(f(x, 3.0))


def test_what_a_bool_is_in_its_branch():
    def text(x):
        flag = x > 0
        print(flag if flag else not flag, flag is True, flag and x < 0)
        return x

    for x in (0.5, -0.5, np.float64(0.5), np.float64(-0.5)):
        out, wanted = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(wanted):
            text(x)
        with contextlib.redirect_stdout(out):
            myia.jit(text)(x)
        assert out.getvalue() == wanted.getvalue()
