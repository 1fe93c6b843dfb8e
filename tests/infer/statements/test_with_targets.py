"""`with C() as target`: the context sees what storing the target raises (beside Python)."""

from contextlib import contextmanager

import pytest

from tests.infer.statements.beside_python import assert_as_python, assert_raises_as_python


class Trace:
    """Numbers of what happened, as the digits of one."""

    def __init__(self):
        self.digits = 0

    def note(self, digit):
        self.digits = self.digits * 10 + digit


class Context:
    """It notes 1 when it is entered, 2 when left, 3 to 5 when left by an exception."""

    def __init__(self, trace, value, swallows=True):
        self.trace, self.value, self.swallows = trace, value, swallows

    def __enter__(self):
        self.trace.note(1)
        return self.value

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.trace.note(2)
        else:
            self.trace.note(3 if kind is IndexError else 4 if kind is ValueError else 5)
        return self.swallows


class ReadOnly:
    @property
    def b(self):
        return 1.0


@contextmanager
def entered(trace, value):
    trace.note(1)
    try:
        yield value
    except IndexError:
        trace.note(3)
    finally:
        trace.note(2)


def an_item(x):
    trace, a = Trace(), [1.0, 2.0]
    with Context(trace, x) as a[int(x)]:
        trace.note(8)
    trace.note(9)
    return (a[0] + a[1]) * x, trace.digits


def an_item_that_is_not_swallowed(x):
    trace, a = Trace(), [1.0, 2.0]
    try:
        with Context(trace, x, False) as a[int(x)]:
            trace.note(8)
    except IndexError:
        trace.note(7)
    return (a[0] + a[1]) * x, trace.digits


def too_many_values(x):
    trace = Trace()
    p = q = x
    with Context(trace, (x, 2.0, 3.0)) as (p, q):
        trace.note(8)
    return p + q * x, trace.digits


def too_few_values(x):
    trace = Trace()
    p = q = x
    try:
        with Context(trace, (x,), False) as (p, q):
            trace.note(8)
    except ValueError as error:
        return p * q, trace.digits, str(error)


def not_to_be_unpacked(x):
    trace = Trace()

    def f():
        with Context(trace, x) as (p, q):
            return 1.0
        return x * 5

    return f(), trace.digits


def values_that_fit(x):
    trace = Trace()
    with Context(trace, [x, 2.0, 3.0]) as (p, *q):
        trace.note(8)
    return p * sum(q), trace.digits


def an_attribute(x):
    trace, target = Trace(), Trace()
    with Context(trace, x) as target.value:
        trace.note(8)
    return target.value * x, trace.digits


def a_property_without_a_setter(x):
    trace, target = Trace(), ReadOnly()
    with Context(trace, x) as target.b:
        trace.note(8)
    return target.b * x, trace.digits


def two_contexts(x):
    trace, a = Trace(), [1.0, 2.0]
    with Context(trace, x) as a[0], Context(trace, x * 2) as a[int(x)]:
        trace.note(8)
    trace.note(9)
    return a[0] * a[1], trace.digits


def a_context_function(x):
    trace, a = Trace(), [1.0, 2.0]
    with entered(trace, x) as a[int(x)]:
        trace.note(8)
    return (a[0] + a[1]) * x, trace.digits


TARGETS = [
    an_item,
    an_item_that_is_not_swallowed,
    too_many_values,
    too_few_values,
    not_to_be_unpacked,
    values_that_fit,
    an_attribute,
    a_property_without_a_setter,
    two_contexts,
    a_context_function,
]


@pytest.mark.parametrize("x", [0.6, 2.5])
@pytest.mark.parametrize("f", TARGETS, ids=lambda f: f.__name__)
def test_targets(f, x):
    assert_as_python(f, x)


def uncaught(x):
    with Context(Trace(), (x, 2.0, 3.0), False) as (p, q):
        return p * q


def no_setter(x):
    ReadOnly().b = x


@pytest.mark.parametrize("f", [uncaught, no_setter])
def test_errors(f):
    assert_raises_as_python(f, 2.5)
