"""The classes of handlers: they are known before the body of the `try`, or refused."""

import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.statements.beside_python import assert_as_python


def class_of_a_call(x):
    log = []

    def shown(cls):
        log.append(cls.__name__)
        return cls

    try:
        y = x * 2
    except shown(ValueError):
        y = 1.0
    return y, log


def class_of_the_body(x):
    kind = KeyError
    try:
        try:
            if x > 1:
                kind = ValueError
            raise ValueError
        except kind:
            y = x
    except ValueError:
        y = 5.0
    return y


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (class_of_a_call, "a call that gives the class of a handler"),
        (class_of_the_body, "a handler of a class that the body of its `try` assigns"),
    ],
)
def test_classes_that_are_not_known_before(f, text):
    with pytest.raises(MyiaError, match=text):
        myia.jit(f)(2.5)


KINDS = [ValueError, KeyError]


class Holder:
    errors = (ValueError,)


def classes_that_are_known(x):
    h, y = Holder(), x
    try:
        raise KeyError
    except tuple(KINDS):
        y *= 2
    try:
        raise ValueError
    except h.errors:
        y *= 3
    try:
        raise ValueError
    except ValueError if KINDS else KeyError:
        y *= 5
    return y


def test_classes_that_are_known():
    assert_as_python(classes_that_are_known, 2.5)
